"""The way out: the format that a name stands for, its writer, its columns."""

from __future__ import annotations

import io

import pytest

from tagger import InputError, Record, Tagged, Tags
from tagger.formats.layout import Layout
from tagger.formats.output import (
    PEEKED,
    WRITABLE,
    format_of_file,
    is_made_at_the_end,
    maker_of,
    open_writer,
    with_columns,
)
from tagger.formats.registry import FORMATS, Format


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("a.jsonl", "jsonl"),
        ("b/a.JSONL", "jsonl"),
        ("a.ndjson", "jsonl"),
        ("a.json", "json"),
        ("a.csv", "csv"),
        ("a.tsv", "tsv"),
        ("a.tab", "tsv"),
        ("a.md", "markdown"),
        ("a.jsonl.gz", "jsonl"),
        ("a.csv.zst", "csv"),
        ("a.tsv.XZ", "tsv"),
        ("a.json.bz2", "json"),
    ],
)
def test_the_ending_of_a_name_chooses_the_format(name, format):
    assert format_of_file(name) == format


@pytest.mark.parametrize("name", ["a.xlsx", "a", "a.txt", ".jsonl", "a.jsonl/b", "a.gz", "jsonl"])
def test_an_ending_that_stands_for_no_format_is_refused(name):
    with pytest.raises(InputError, match=r"unknown output format.*--format"):
        format_of_file(name)


def test_the_longest_ending_counts(monkeypatch):
    monkeypatch.setitem(FORMATS, "csv", Format("CSV", (".csv", ".rows.json"), None, FORMATS["csv"].writer))
    assert format_of_file("a.rows.json.gz") == "csv"
    assert format_of_file("rows.json") == "json"


@pytest.mark.parametrize("format", [name for name in WRITABLE if not is_made_at_the_end(name)])
def test_every_format_is_whole_after_any_record(format):
    for n in range(3):
        stream = io.StringIO()
        writer = open_writer(format, stream, Layout(("a",), "m"))
        for k in range(n):
            writer.write(Tagged(Record(f"p{k}", "We bake."), Tags((), {"a": 0.1})))
        writer.close()
        assert all(f"p{k}" in stream.getvalue() for k in range(n))


def test_columns_are_the_fields_of_the_first_records():
    first = [Record("p1", "x", fields={"id": "p1", "theory": 1, "error": "no"}), Record("p2", "x", fields={"year": 2})]
    delimited = with_columns("csv", Layout(("theory",)), first, more=True)
    assert (delimited.kept, delimited.more) == (("input_theory", "input_error", "year"), True)
    assert with_columns("jsonl", Layout(("theory",)), first, more=False).kept == ("theory", "input_error", "year")
    assert PEEKED >= 1000


def test_a_format_that_is_made_at_the_end_is_made_from_json_lines(tmp_path, monkeypatch):
    rows = []
    monkeypatch.setattr(
        "tagger.formats.jsonl.collect", lambda *given: rows.extend([*given[0], *given[0]]), raising=False
    )
    monkeypatch.setitem(FORMATS, "parquet", Format("Parquet", (".parquet",), None, "tagger.formats.jsonl:collect"))
    layout = Layout(("a",), "m")
    assert type(open_writer("parquet", io.StringIO(), layout)).__name__ == "JsonlWriter"
    (tmp_path / "part").write_text('{"id": "p1 \u2028\x85"}\n{"id": "p2"}\n', encoding="utf-8")
    maker_of("parquet", layout)(tmp_path / "part", tmp_path / "whole")
    assert rows == [{"id": "p1 \u2028\x85"}, {"id": "p2"}] * 2
    assert maker_of("csv", layout) is None
