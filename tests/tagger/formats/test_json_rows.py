"""JSON Lines and JSON say what a row says, in any encoding, whatever is in it."""

from __future__ import annotations

import io
import json
import math

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from tagger import Record, Tagged, Tags
from tagger.formats.json_rows import JsonlWriter, JsonWriter, json_of
from tagger.formats.layout import Layout
from tagger.formats.results import row_of

AREAS = ("astronomy", '100 % "odd" é')
LAYOUTS = [
    Layout(AREAS, "small 1a2b"),
    Layout(AREAS, "small", central=AREAS[1:]),
    Layout(AREAS, "small", (), AREAS),
    Layout(kept=()),
    Layout(),
]

texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=15)
probabilities = st.tuples(st.floats(0, 1), st.floats(0, 1)).map(lambda numbers: dict(zip(AREAS, numbers)))
some_areas = st.sampled_from([(), AREAS, AREAS[:1], AREAS[1:]])
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
values = scalars | st.lists(scalars, max_size=2) | st.dictionaries(texts, st.lists(scalars, max_size=2), max_size=2)
records = st.builds(
    Record,
    texts,
    texts,
    st.none() | texts,
    source=texts,
    position=texts,
    fields=st.dictionaries(texts, values, max_size=3),
)
tags = st.builds(Tags, some_areas, probabilities, some_areas, probabilities, some_areas, st.sampled_from([(), ("x",)]))


def graded(tags: Tags, layout: Layout) -> Tags:
    central = {area: tags.central_probabilities[area] for area in layout.central}
    return Tags(tags.areas, tags.probabilities, tags.central, central, tags.unsure, tags.marks)


def written(writer_class, layout: Layout, *results: Tagged, encoding: str = "utf-8") -> str:
    stream = io.TextIOWrapper(io.BytesIO(), encoding, newline="")
    writer = writer_class(stream, layout)
    for result in results:
        writer.write(result)
    writer.close()
    stream.seek(0)
    return stream.read()


@settings(max_examples=50)
@given(st.lists(st.tuples(records, tags), max_size=3), st.sampled_from(LAYOUTS), st.sampled_from(["utf-8", "ascii"]))
def test_every_record_is_one_line_that_says_what_its_row_says(pairs, layout, encoding):
    results = [Tagged(record, graded(tags, layout)) for record, tags in pairs]
    lines = written(JsonlWriter, layout, *results, encoding=encoding).split("\n")
    assert lines.pop() == ""
    rows = [row_of(result, layout) for result in results]
    assert [json.loads(line) for line in lines] == rows
    assert [list(json.loads(line)) for line in lines] == [list(row) for row in rows]
    assert json.loads(written(JsonWriter, layout, *results, encoding=encoding)) == rows


@settings(max_examples=20)
@given(records, st.sampled_from(LAYOUTS))
def test_a_failed_record_is_one_line_as_well(record, layout):
    failed = Tagged(record, Tags(error="no text"))
    assert json.loads(written(JsonlWriter, layout, failed)) == row_of(failed, layout)


def test_a_json_file_is_one_array_with_an_object_a_line():
    one = Tagged(Record("p1", "We bake."), Tags())
    assert written(JsonWriter, Layout(), one, one).splitlines() == [
        "[", '{"id": "p1", "abstract": "We bake."},', '{"id": "p1", "abstract": "We bake."}', "]",
    ]  # fmt: skip
    assert json.loads(written(JsonWriter, Layout())) == []


def nested(depth: int) -> list:
    value: list = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (math.nan, None),
        ({"a": [math.inf, 1.5]}, {"a": [None, 1.5]}),
        (b"caf\xc3\xa9 \xff", "café \\xff"),
        ({1}, [1]),
        (complex(1, 2), "(1+2j)"),
    ],
)
def test_what_json_has_not_becomes_something_that_it_has(value, expected):
    assert json.loads(json_of(value)) == expected


def test_what_is_nested_out_of_all_measure_is_cut_and_the_rest_is_kept():
    row = json.loads(json_of({"deep": nested(100_000), "year": 2024}))
    assert row["year"] == 2024
    assert "nested too deep" in str(row["deep"])
