"""CSV and TSV: a row a record, columns that are known beforehand, and no cell that a spreadsheet would run."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import hypothesis.strategies as st
import pytest
from hypothesis import given

from tagger import Record, Tagged, Tags
from tagger.formats.csv_rows import CsvWriter, TsvWriter, columns_of
from tagger.formats.formulas import restored
from tagger.formats.layout import Layout

AREAS = ("astronomy", "cooking")
LAYOUT = Layout(AREAS, "small 1a2b", central=("cooking",))
TAGGED = Tagged(
    Record("p1", "We bake.", "Bread", source="in.csv", position="row 1"),
    Tags(
        areas=("cooking",),
        probabilities={"astronomy": 0.1234567, "cooking": 0.75},
        central=("cooking",),
        central_probabilities={"cooking": 0.5},
        unsure=("astronomy",),
        marks=("x",),
    ),
)
FAILED = Tagged(Record("p2", error="not JSON"), Tags(error="not JSON"))


def written(layout: Layout, *results: Tagged, writer_class: type[CsvWriter] = CsvWriter) -> str:
    stream = io.StringIO(newline="")
    writer = writer_class(stream, layout)
    for result in results:
        writer.write(result)
    writer.close()
    return stream.getvalue()


def rows_of(layout: Layout, *results: Tagged) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(written(layout, *results), newline="")))


def with_fields(record: Record = TAGGED.record, **fields: object) -> Tagged:
    return replace(TAGGED, record=replace(record, fields=fields))


def test_a_row_has_a_column_for_each_area_and_for_what_is_central():
    header, first, second = csv.reader(io.StringIO(written(LAYOUT, TAGGED, FAILED)))
    assert header == [
        "id", "title", "areas", "central", "unsure", "marks",
        "astronomy", "cooking", "cooking_central", "error", "source", "position", "model",
    ]  # fmt: skip
    assert first == [
        "p1", "Bread", "cooking", "cooking", "astronomy", "x", "0.123457", "0.750000", "0.500000", "", "in.csv",
        "row 1", "small 1a2b",
    ]  # fmt: skip
    assert second == ["p2", "", "", "", "", "", "", "", "", "not JSON", "", "", "small 1a2b"]


def test_without_areas_a_row_has_the_text():
    assert rows_of(Layout(), TAGGED, FAILED) == [
        {"id": "p1", "title": "Bread", "abstract": "We bake.", "error": ""},
        {"id": "p2", "title": "", "abstract": "", "error": "not JSON"},
    ]


def test_several_areas_share_a_cell():
    both = Tagged(Record("p"), Tags(AREAS, dict.fromkeys(AREAS, 0.9)))
    assert rows_of(LAYOUT, both)[0]["areas"] == "astronomy; cooking"


def test_no_two_columns_have_the_same_name():
    columns = columns_of(Layout(("id", "error", "a_central", "a", "area_id"), central=("a",)))
    assert len(set(columns)) == len(columns)


def test_kept_fields_have_their_columns_and_later_ones_share_the_last():
    layout = replace(LAYOUT, kept=("year", "authors", "input_title"))
    first = with_fields(year=2024, authors=["A", "B"], title="bread")
    second = with_fields(pages="3-4", cooking="2", other="x", year=None)
    row, later = rows_of(layout, first, second)
    assert list(row)[-4:] == ["year", "authors", "input_title", "other"]
    assert (row["year"], row["authors"], row["input_title"], row["other"]) == ("2024", '["A", "B"]', "bread", "")
    assert (later["year"], later["authors"]) == ("", "")
    assert json.loads(later["other"]) == {"pages": "3-4", "input_cooking": "2", "input_other": "x"}


def test_there_is_no_column_for_others_where_there_can_be_none():
    assert list(rows_of(Layout(kept=("year",), more=False), with_fields(year=1))[0])[-1] == "year"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "＝"])
def test_a_spreadsheet_does_not_run_a_cell(start):
    hostile = f"{start}cmd('rm')"
    record = Record(hostile, "x", hostile, hostile, hostile, fields={"a": hostile})
    result = Tagged(record, Tags(error=hostile))
    for layout in (replace(LAYOUT, kept=("a",)), Layout(kept=("a",))):
        (row,) = rows_of(layout, result)
        ours = {row[name] for name in ("id", "title", "error", "source", "a") if name in row}
        assert ours == {"'" + hostile}
        for writer_class in (CsvWriter, TsvWriter):
            delimiter = writer_class.delimiter
            table = csv.reader(
                io.StringIO(written(layout, result, writer_class=writer_class), newline=""), delimiter=delimiter
            )
            assert not [cell for cells in table for cell in cells if cell.startswith(start)]


@pytest.mark.parametrize("number", ["-1.5", "+3", "-2e-5", "-.5"])
def test_a_number_is_no_formula(number):
    assert rows_of(Layout(kept=("a",)), with_fields(a=number))[0]["a"] == number


texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=15) | st.sampled_from(
    ['"', "a\rb", "\r\n", "a\tb", "a,b"]
)


@given(st.lists(st.tuples(texts, texts, texts), min_size=1, max_size=6), st.sampled_from([CsvWriter, TsvWriter]))
def test_text_that_goes_in_comes_out(cells, writer_class):
    results = [Tagged(Record(id_, abstract, title), Tags()) for id_, title, abstract in cells]
    content = written(Layout(), *results, writer_class=writer_class)
    rows = list(csv.reader(io.StringIO(content, newline=""), delimiter=writer_class.delimiter))
    assert [tuple(map(restored, row[:3])) for row in rows[1:]] == cells
    assert content.startswith("id" + writer_class.delimiter)


def test_lines_end_with_a_line_feed():
    assert written(Layout(), TAGGED).encode() == b"id,title,abstract,error\np1,Bread,We bake.,\n"
