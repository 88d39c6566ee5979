"""`tagger convert`: the same records in another format, with all their fields and without tags."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings

from tagger.formats import read_records


@pytest.fixture
def convert(run, tmp_path, monkeypatch):
    """Runs `tagger convert` in an empty directory."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments, **options: run("convert", *arguments, **options)


def jsonl(*rows: object) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def test_a_table_becomes_json_lines_with_all_its_columns(convert):
    Path("in.csv").write_text("nr,summary,title,year\nx1,We bake.,Bread,2024\nx2,We look.,,2023\n")
    done = convert("in.csv", "-o", "out.jsonl", "--id-field", "nr")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()] == [
        {"id": "x1", "title": "Bread", "abstract": "We bake.", "nr": "x1", "year": "2024"},
        {"id": "x2", "abstract": "We look.", "nr": "x2", "year": "2023"},
    ]


def test_a_list_of_abstracts_becomes_a_table(convert):
    Path("in.txt").write_text("We bake bread and look at it for a while.\n\nWe look at bread, and bake it again.\n")
    done = convert("in.txt", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert [row["id"] for row in rows] == ["in.txt:1", "in.txt:2"]
    assert list(rows[0]) == ["id", "title", "abstract", "error"]


def test_records_that_cannot_be_read_are_rows_with_errors(convert):
    done = convert(
        "-", "-o", "out.jsonl", stdin=jsonl({"id": "p1", "abstract": "x"}, {"id": "p2", "year": 1}) + b"no\n"
    )
    assert done.code == 1
    assert done.err.startswith(
        "tagger: 2 of 3 records could not be read: no field 'abstract' (1), not JSON (1); the fi"
    )
    first, second, third = map(json.loads, Path("out.jsonl").read_text().splitlines())
    assert first == {"id": "p1", "abstract": "x"}
    assert (second["id"], second["year"], "no field" in second["error"]) == ("p2", 1, True)
    assert (third["id"], "not JSON" in third["error"]) == ("stdin:3", True)
    assert convert("-", "--strict", stdin=b"{}\nno\n").code == 1


@pytest.mark.parametrize("format", ["jsonl", "json", "csv", "tsv", "parquet"])
def test_why_there_is_no_abstract_is_kept_from_file_to_file(convert, run, model_directory, format):
    reason = "arXiv has no paper 2505.01234 (or no more); check the id"
    rows = [
        {"id": "2505.01234", "error": reason},
        {"id": "p2", "abstract": "We bake.", "error": "of somebody else"},
        {"id": "p3", "abstract": " ", "error": "withdrawn: it was wrong"},
        {"id": "p4", "abstract": None, "error": ""},
        {"id": "p5", "abstract": "", "error": ["no text"]},
    ]
    assert convert("-", "-o", f"rows.{format}", stdin=jsonl(*rows)).code == 1
    for name, content in (("-", jsonl(*rows)), (f"rows.{format}", b"")):
        done = run("tag", "--model", model_directory, name, stdin=content)
        errors = [json.loads(line).get("error") for line in done.out.splitlines()]
        assert errors[:3] == [reason, None, "withdrawn: it was wrong"]
        assert all("error" not in (error or "error") and error for error in errors[3:])
    done = convert("-", "--text-field", "abstract", stdin=jsonl(*rows[:2]))
    assert (done.code, json.loads(done.out.splitlines()[0])["error"]) == (1, reason)


@pytest.mark.parametrize("format", ["markdown", "table"])
def test_tables_for_people_have_no_areas(convert, format):
    out = convert("-", "--format", format, stdin=jsonl({"id": "p1", "abstract": "We bake."})).out
    assert "areas" not in out
    assert "We bake." in out


starts = st.text(st.sampled_from("'=+-@＝＋－＠ \t\n5.e"), max_size=4)
lines = st.builds(str.__add__, starts, st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=20)) | st.text(
    st.characters(exclude_categories=("Cs", "Cc")) | st.sampled_from("\n\t\r\"',;|\\"), max_size=20
)
words = lines.filter(lambda text: text.strip() == text and text)
texts = lines.filter(lambda text: text.strip())
rows = st.fixed_dictionaries(
    {"id": words, "abstract": texts},
    optional={
        "title": texts,
        "year": st.integers(),
        "tags": st.lists(lines, max_size=2),
        "other": lines,
        "=note": lines,
        "'-x": lines,
    },
)


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(rows, min_size=1, max_size=5), st.sampled_from(["jsonl", "csv", "tsv"]))
def test_there_and_back_gives_the_same_records(convert, rows, format):
    Path("in.jsonl").write_bytes(jsonl(*rows))
    assert convert("in.jsonl", "-o", f"there.{format}", "--force").code == 0
    assert convert(f"there.{format}", "-o", "back.jsonl", "--force").code == 0
    before, after = list(read_records("in.jsonl")), list(read_records("back.jsonl"))
    assert [(one.id, one.title, one.abstract, one.error) for one in before] == [
        (one.id, one.title, one.abstract, one.error) for one in after
    ]
    for one, other in zip(before, after):
        for name in ("=note", "'-x"):
            kept = one.fields.get(name) or ""
            assert kept in (other.fields.get(name) or "", one.abstract)  # which is written once
    if format == "jsonl":
        assert Path("back.jsonl").read_bytes() == Path("there.jsonl").read_bytes()
