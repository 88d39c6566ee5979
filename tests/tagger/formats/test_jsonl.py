"""JSON Lines: an object a line, and what is wrong with a line is an error of its record alone."""

from __future__ import annotations

import io
import json

import hypothesis.strategies as st
import pytest
from hypothesis import given

from tagger import InputError, Record
from tagger.formats import jsonl
from tagger.formats.fields import Fields


def read(text: str, **fields: str) -> list[Record]:
    return list(jsonl.read(io.StringIO(text, newline=""), "in.jsonl", Fields(**fields)))


def lines(*rows: object) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_an_object_with_usual_names_is_a_record():
    (record,) = read(lines({"id": "p1", "title": "Bread", "abstract": "We bake.", "year": 2024}))
    assert (record.id, record.title, record.abstract, record.error) == ("p1", "Bread", "We bake.", None)


def test_named_fields_are_used():
    row = {"key": "k", "id": "i", "abstract": "no", "body text": "We bake.", "headline": "Bread"}
    (record,) = read(lines(row), abstract="body text", id="key", title="headline")
    assert (record.id, record.title, record.abstract) == ("k", "Bread", "We bake.")


def test_a_line_that_is_a_string_is_an_abstract():
    assert [record.abstract for record in read(lines("We bake.", "We look."))] == ["We bake.", "We look."]


def test_a_record_without_id_is_named_after_file_and_number():
    records = read("\n" + lines({"abstract": "a"}, {"id": "", "abstract": "b"}, {"id": None, "abstract": "c"}))
    assert [record.id for record in records] == ["in.jsonl:1", "in.jsonl:2", "in.jsonl:3"]


def test_a_number_can_be_an_id():
    assert [record.id for record in read(lines({"id": 7, "abstract": "a"}))] == ["7"]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{", "not JSON"),
        ("plain text", "not JSON"),
        ("[1]", "a list"),
        ("7", "a number"),
        ("null", "null"),
        ("true", "a boolean"),
        ("[" * 100_000, "JSON"),
        ('{"abstract": 7}', "a number"),
        ('{"abstract": null}', "null"),
        ('{"abstract": ["a"]}', "a list"),
        ('{"abstract": {"text": "a"}}', "an object"),
        ('{"colour": "red"}', "no field 'abstract' among colour"),
        ("{}", "nothing"),
    ],
)
def test_what_is_wrong_with_a_line_is_an_error_of_that_record_alone(line, complaint):
    first, bad, last = read(lines({"abstract": "We bake."}) + line + "\n" + lines({"abstract": "We look."}))
    assert (first.abstract, first.error, last.abstract, last.error) == ("We bake.", None, "We look.", None)
    assert complaint in bad.error
    assert "\n" not in bad.error
    assert len(bad.error) < 300
    assert bad.id == "in.jsonl:2"


def test_a_bad_record_keeps_its_id_and_title():
    (record,) = read(lines({"id": "p1", "title": "Bread", "abstract": None}))
    assert (record.id, record.title) == ("p1", "Bread")
    assert record.error


def test_a_named_field_that_the_first_line_lacks_is_refused():
    with pytest.raises(InputError, match="body"):
        read(lines({"abstract": "We bake."}), abstract="body")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner),
    max_leaves=4,
)
rows = st.dictionaries(st.sampled_from(["id", "abstract", "title", "other"]), json_values) | json_values


@given(st.lists(rows, max_size=8), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_every_line_gives_one_record_in_order(values, line_end, ascii_only):
    text = "".join(json.dumps(value, ensure_ascii=ascii_only) + line_end for value in values)
    records = read(text)
    assert len(records) == len(values)
    for value, record in zip(values, records):
        if isinstance(value, dict) and isinstance(value.get("abstract"), str):
            assert (record.abstract, record.error) == (value["abstract"], None)
        elif isinstance(value, str):
            assert (record.abstract, record.error) == (value, None)
        else:
            assert record.error
