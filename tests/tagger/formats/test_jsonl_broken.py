"""Broken JSON: a value that is broken costs itself and no other, in lines, lists and answers of APIs."""

from __future__ import annotations

import io
import json

import pytest
from abstracts import long_abstract
from broken_rows import JSON_KINDS, broken_json, json_object, mixed

from tagger import Record
from tagger.formats import jsonl
from tagger.formats.fields import Fields


def read(text: str) -> list[Record]:
    return list(jsonl.read(io.StringIO(text, newline=""), "in.jsonl", Fields()))


@pytest.mark.parametrize("kind", JSON_KINDS)
@pytest.mark.parametrize("place", [0, 1, 6, 11])
def test_the_elements_beside_a_broken_one_are_right(kind, place):
    for indent in (None, 2):
        parts = [
            json.dumps(json_object(k), indent=indent) if k != place else broken_json(kind, k, indent) for k in range(12)
        ]
        forms = {
            "list": "[" + ", ".join(parts) + "]",
            "lines of a list": "[\n" + ",\n".join(parts) + "\n]",
            "lines": "\n".join(parts),
            "answer": '{"count": 12, "notes": [' + ", ".join(parts) + '], "more": [{"id": "x"}]}',
        }
        for name, text in forms.items():
            found = [None if record.error else record.id for record in read(text)]
            assert (name, found) == (name, [None if k == place else f"p{k}" for k in range(12)])


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_broken_lines_are_told_apart_whatever_ends_them(line_end):
    written = ['{"abstract": "a"}', "{broken", "plain", "{", '"b', '{"abstract": "c"}', ""]
    records = read(line_end.join(written))
    assert [(record.abstract, record.error is None) for record in records] == [
        ("a", True), ("", False), ("", False), ("", False), ("", False), ("c", True),
    ]  # fmt: skip
    assert [record.position for record in records] == [f"line {number}" for number in range(1, 7)]


def test_texts_beside_a_broken_one_in_a_list_are_right():
    assert [record.abstract for record in read(r'["We bake.", "We \look.", "We eat.", "We sleep."]')] == [
        "We bake.", "", "We eat.", "We sleep.",
    ]  # fmt: skip


@pytest.mark.parametrize("form", ["lines", "list", "pretty list"])
@pytest.mark.parametrize("seed", range(2))
def test_a_file_with_one_in_a_hundred_records_broken_loses_nothing(form, seed):
    kinds = mixed(1500, 0.01, list(JSON_KINDS), seed)
    indent = 2 if form == "pretty list" else None
    parts = [
        json.dumps(json_object(k), indent=indent) if kind is None else broken_json(kind, k, indent)
        for k, kind in enumerate(kinds)
    ]
    text = "\n".join(parts) if form == "lines" else "[" + ",\n".join(parts) + "]"
    records = read(text)
    assert [None if r.error else (r.id, r.abstract) for r in records] == [
        (f"p{k}", long_abstract(k)) if kind is None else None for k, kind in enumerate(kinds)
    ]
    assert all("not JSON" in record.error for record in records if record.error)


def test_a_list_that_is_cut_off_gives_what_is_there():
    text = json.dumps([json_object(k) for k in range(5)])
    *good, bad = read(text[:-30])
    assert [record.id for record in good] == ["p0", "p1", "p2", "p3"]
    assert bad.error.startswith("not JSON")
    assert len(read(text[:-1])) == 5
