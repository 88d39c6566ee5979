"""Writing Parquet: a column for each thing that is said, and what went in comes out."""

from __future__ import annotations

import io
import json
import math
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from pyarrow import parquet

from tagger.formats import arrow, parquet_rows
from tagger.formats.fields import Fields
from tagger.formats.layout import Layout

AREAS = ("astronomy", "cooking")
LAYOUT = Layout(AREAS, "areas 1a2b3c", central=("cooking",))
TAGGED = {
    "id": "p1",
    "title": "Bread",
    "areas": ["cooking"],
    "probabilities": {"astronomy": 0.123457, "cooking": 0.75},
    "central": ["cooking"],
    "central_probabilities": {"cooking": 0.5},
    "unsure": ["astronomy"],
    "marks": ["too short"],
    "source": "in.bib",
    "position": "line 3",
    "model": "areas 1a2b3c",
}
FAILED = {"id": "p2", "areas": [], "probabilities": {}, "unsure": [], "error": "not JSON"}
COLUMNS = [
    *("id", "title", "areas", "central", "unsure", "marks", "astronomy", "cooking", "cooking_central"),
    *("error", "source", "position", "model"),
]


def written(rows: Any, layout: Layout = LAYOUT) -> pa.Table:
    stream = io.BytesIO()
    arrow.write_parquet(rows, stream, layout)
    return parquet.read_table(io.BytesIO(stream.getvalue()))


def column_of(*values: object, name: str = "x") -> tuple[pa.DataType, list]:
    """Type and values of the column of a field that has `values`, one a row."""
    table = written([TAGGED | {name: value} for value in values])
    return table.schema.field(name).type, table.column(name).to_pylist()


def test_a_tagged_row_has_a_column_for_each_thing_that_is_said():
    table = written([TAGGED, FAILED])
    assert table.column_names == COLUMNS
    first, second = table.to_pylist()
    assert first == {
        "id": "p1",
        "title": "Bread",
        "areas": ["cooking"],
        "central": ["cooking"],
        "unsure": ["astronomy"],
        "marks": ["too short"],
        "astronomy": float(np.float32(0.123457)),
        "cooking": 0.75,
        "cooking_central": 0.5,
        "error": None,
        "source": "in.bib",
        "position": "line 3",
        "model": "areas 1a2b3c",
    }
    assert second == dict.fromkeys(COLUMNS) | {"id": "p2", "areas": [], "unsure": [], "marks": [], "error": "not JSON"}


@pytest.mark.parametrize("rows", [[TAGGED], [FAILED], []])
def test_the_columns_and_their_types_do_not_depend_on_the_rows(rows):
    table = written(rows)
    text, texts, number = pa.string(), pa.list_(pa.string()), pa.float32()
    types = [text, text, texts, texts, texts, texts, number, number, number, text, text, text, text]
    assert [field.type for field in table.schema] == types
    assert table.num_rows == len(rows)


def test_a_record_that_is_not_tagged_has_its_text_and_its_fields():
    rows = [{"id": "p1", "title": "Bread", "abstract": "We bake.", "year": 2025}, {"id": "p2", "error": "no abstract"}]
    assert written(rows, Layout()).to_pylist() == [
        {"id": "p1", "title": "Bread", "abstract": "We bake.", "error": None, "year": 2025},
        {"id": "p2", "title": None, "abstract": None, "error": "no abstract", "year": None},
    ]


@pytest.mark.parametrize(
    ("values", "type_", "expected"),
    [
        (["a", None, ""], pa.string(), ["a", None, ""]),
        ([1, None, -(2**63)], pa.int64(), [1, None, -(2**63)]),
        ([1, 0.5], pa.float64(), [1.0, 0.5]),
        ([True, None], pa.bool_(), [True, None]),
        ([["a"], [], None, ["b", None]], pa.list_(pa.string()), [["a"], [], None, ["b", None]]),
        ([[1], [0.5]], pa.list_(pa.float64()), [[1.0], [0.5]]),
        ([[["a"]], [[]]], pa.list_(pa.list_(pa.string())), [[["a"]], [[]]]),
        ([{"a": 1, "b": "x"}, None], pa.struct({"a": pa.int64(), "b": pa.string()}), [{"a": 1, "b": "x"}, None]),
        ([{"a": 1, "b": None}, {"b": "x", "a": 2}], None, [{"a": 1, "b": None}, {"a": 2, "b": "x"}]),
        ([[{"name": "A. Baker"}]], pa.list_(pa.struct({"name": pa.string()})), [[{"name": "A. Baker"}]]),
        ([None, None], pa.string(), [None, None]),
        ([[], []], pa.list_(pa.string()), [[], []]),
        # What has no one type is JSON.
        (["a", 7, None], pa.string(), ['"a"', "7", None]),
        ([True, 1], pa.string(), ["true", "1"]),
        ([2**63], pa.string(), [str(2**63)]),
        ([2**53 + 1, 0.5], pa.string(), [str(2**53 + 1), "0.5"]),
        ([["é", 1]], pa.string(), ['["é", 1]']),
        ([{"a": 1}, {"b": 1}], pa.string(), ['{"a": 1}', '{"b": 1}']),
        ([{}], pa.string(), ["{}"]),
        (["a", ["a"]], pa.string(), ['"a"', '["a"]']),
    ],
)
def test_a_field_has_the_type_of_its_values(values, type_, expected):
    assert column_of(*values) == (type_ or pa.struct({"a": pa.int64(), "b": pa.string()}), expected)


def test_fields_come_after_the_tags_those_first_that_are_named():
    layout = Layout(AREAS, kept=("venue", "year"))
    table = written([TAGGED | {"note": "n", "year": 2025}, TAGGED | {"more": 1}], layout)
    assert table.column_names[-5:] == ["model", "venue", "year", "note", "more"]
    assert table.column("venue").to_pylist() == [None, None]


def test_names_that_are_taken_get_a_prefix():
    layout = Layout(("title", "cooking", "cooking_central"), central=("cooking",))
    row = {"id": "p", "probabilities": {"title": 0.25, "cooking": 0.5, "cooking_central": 0.75}}
    fields = {"central_probabilities": {"cooking": 1.0}, "cooking": 7, "input_cooking": 8, "other": 9}
    table = written([row | fields], layout)
    assert len(set(table.column_names)) == len(table.column_names)
    (result,) = table.to_pylist()
    assert (result["title"], result["area_title"], result["cooking"], result["cooking_central"]) == (
        None,
        0.25,
        0.5,
        0.75,
    )
    assert (result["area_cooking_central"], result["input_cooking"], result["input_input_cooking"]) == (1.0, 7, 8)
    assert result["input_other"] == 9


def test_the_columns_of_very_many_fields_are_one():
    fields = {f"field {number}": number for number in range(1100)}
    table = written([TAGGED | fields, TAGGED])
    assert table.num_columns == len(COLUMNS) + 1000 + 1
    others, none = table.column("other").to_pylist()
    assert json.loads(others) == {f"field {number}": number for number in range(1000, 1100)}
    assert none is None


def test_an_iterator_is_written_like_a_list():
    rows = [TAGGED | {"x": [1, None], "y": "\ud800é\n"}, FAILED, TAGGED | {"x": [0.5]}]
    assert written(iter(rows)).equals(written(rows))
    assert written(iter([])).equals(written([]))


def test_half_a_surrogate_pair_becomes_its_escape():
    (row,) = written([TAGGED | {"id": "a\ud800", "x": ["\udfff"], "y\ud800": 1}]).to_pylist()
    assert (row["id"], row["x"], row["y\\ud800"]) == ("a\\ud800", ["\\udfff"], 1)


def test_fields_nested_very_deep_are_json():
    deep: Any = "x"
    for _ in range(200):
        deep = [deep]
    type_, (value,) = column_of(deep)
    assert type_ == pa.string()
    assert json.loads(value) == deep


def test_groups_of_rows_are_bounded_by_number_and_by_length(monkeypatch):
    monkeypatch.setattr(parquet_rows, "_GROUP_ROWS", 100)
    monkeypatch.setattr(parquet_rows, "_GROUP_CHARACTERS", 10_000)
    stream = io.BytesIO()
    rows = [TAGGED | {"x": ["y" * length]} for length in [0] * 250 + [6000] * 5]
    arrow.write_parquet(rows, stream, LAYOUT)
    metadata = parquet.ParquetFile(stream).metadata
    assert [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)] == [100, 100, 51, 2, 2]
    assert parquet.read_table(stream).column("x").to_pylist() == [row["x"] for row in rows]


def test_a_path_is_written_to(tmp_path):
    arrow.write_parquet([TAGGED], str(tmp_path / "out.parquet"), LAYOUT)
    assert parquet.read_table(tmp_path / "out.parquet").num_rows == 1


_text = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
_value = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | _text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_text, inner, max_size=3),
    max_leaves=6,
)
_of_one_kind = st.sampled_from(
    [_text, st.integers(-(2**63), 2**63 - 1), st.floats(), st.booleans(), st.lists(_text), st.lists(st.integers(-9, 9))]
).flatmap(lambda values: st.lists(st.none() | values, min_size=1, max_size=5))


def equal(one: object, other: object) -> bool:
    """Whether two values are the same, NaN being the same as itself."""
    if isinstance(one, float) and isinstance(other, float | int):
        return (math.isnan(one) and math.isnan(other)) or one == other
    return one == other


@given(_of_one_kind)
def test_values_of_one_kind_come_out_as_they_went_in(values):
    _, result = column_of(*values)
    assert all(map(equal, values, result))


@given(st.lists(_value, min_size=1, max_size=5))
def test_values_of_any_kind_can_be_told_from_their_column(values):
    type_, result = column_of(*values)
    for value, got in zip(values, result):
        if value is None:
            assert got is None
        elif type_ == pa.string() and not all(isinstance(other, str | None) for other in values):
            assert json.dumps(json.loads(got)) == json.dumps(value)
        elif type_ == pa.float64():
            assert equal(float(value), got)
        else:
            assert json.dumps(got, sort_keys=True) == json.dumps(value, sort_keys=True) or pa.types.is_nested(type_)


@given(
    st.lists(
        st.fixed_dictionaries(
            {"id": _text.filter(str.strip), "title": _text, "abstract": _text, "year": st.integers(0, 9)}
        )
    )
)
def test_records_that_are_written_are_read_again(rows):
    stream = io.BytesIO()
    arrow.write_parquet(rows, stream, Layout())
    records = list(arrow.read_parquet(io.BytesIO(stream.getvalue()), "out.parquet", Fields()))
    assert [(record.id, record.abstract, record.title or "") for record in records] == [
        (row["id"], row["abstract"], row["title"] if row["title"].strip() else "") for row in rows
    ]
    assert [record.fields | {"error": None} for record in records] == [row | {"error": None} for row in rows]
