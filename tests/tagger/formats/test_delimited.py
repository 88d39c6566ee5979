"""CSV and TSV: a row is a record, and what is wrong with a row is an error of its record alone."""

from __future__ import annotations

import csv
import io

import hypothesis.strategies as st
import pytest
from hypothesis import given

from tagger import InputError, Record
from tagger.formats import delimited
from tagger.formats.fields import Fields


def read(text: str, **fields: str) -> list[Record]:
    return list(delimited.read_csv(io.StringIO(text, newline=""), "in.csv", Fields(**fields)))


def read_tsv(text: str) -> list[Record]:
    return list(delimited.read_tsv(io.StringIO(text, newline=""), "in.tsv", Fields()))


def test_columns_are_found_by_their_usual_names():
    (record,) = read("Paper ID,Year,Title,Abstract\np1,2024,Bread,We bake.\n")
    assert (record.id, record.title, record.abstract, record.error) == ("p1", "Bread", "We bake.", None)


def test_columns_can_be_named():
    (record,) = read("k,h,abstract,b\np1,Bread,no,We bake.\n", abstract="b", id="k", title="h")
    assert (record.id, record.title, record.abstract) == ("p1", "Bread", "We bake.")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(delimiter):
    (record,) = read(f'id{delimiter}abstract\np1{delimiter}"We bake, and look; slowly."\n')
    assert (record.id, record.abstract) == ("p1", "We bake, and look; slowly.")


def test_one_column_is_enough():
    assert [record.abstract for record in read("abstract\nWe bake.\nWe look.\n")] == ["We bake.", "We look."]


def test_a_cell_may_span_lines_and_hold_quotes():
    (record,) = read('id,abstract\r\np1,"We ""bake"",\r\nslowly."\r\n')
    assert record.abstract == 'We "bake",\r\nslowly.'


def test_a_cell_may_be_longer_than_the_csv_module_allows_by_default():
    text = "word " * 60_000
    assert read(f"abstract\n{text}\n")[0].abstract == text


def test_blank_lines_are_no_records():
    records = read("\nid,abstract\n\np1,a\n\n\np2,b\n")
    assert [record.id for record in records] == ["p1", "p2"]


def test_a_record_without_id_is_named_after_file_and_number():
    assert [record.id for record in read("id,abstract\n,a\np2,b\n,c\n")] == ["in.csv:1", "p2", "in.csv:3"]


@pytest.mark.parametrize(
    ("row", "complaint"), [("p2", "abstract"), ("p2,We bake, and look", "3 cells where the header has 2"), ("p2,", "")]
)
def test_what_is_wrong_with_a_row_is_an_error_of_that_record_alone(row, complaint):
    first, bad, last = read(f"id,abstract\np1,We bake.\n{row}\np3,We look.\n")
    assert (first.id, first.error, last.id, last.error) == ("p1", None, "p3", None)
    assert complaint in (bad.error or "")
    assert bad.error or not bad.abstract


def test_a_table_without_text_column_is_refused_with_the_columns_it_has():
    with pytest.raises(InputError, match=r"in.csv: no text column among number, colour; .*--text-field"):
        read("number,colour\n1,red\n")
    with pytest.raises(InputError, match="no column 'body' among id, abstract"):
        read("id,abstract\np1,a\n", abstract="body")


cells = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=12)


@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=8), st.sampled_from(["\n", "\r\n"]))
def test_what_the_csv_module_wrote_is_read_back(rows, line_end):
    for delimiter, reader in ((",", read), ("\t", read_tsv)):
        stream = io.StringIO()
        writer = csv.writer(stream, delimiter=delimiter, lineterminator=line_end, quoting=csv.QUOTE_ALL)
        writer.writerows([("id", "abstract"), *rows])
        records = reader(stream.getvalue())
        assert [record.abstract for record in records] == [abstract for _, abstract in rows]
        assert all(record.id == id_ for record, (id_, _) in zip(records, rows) if id_.strip())


@pytest.mark.parametrize(
    ("head", "format"),
    [
        ("id,abstract\n1,a", "csv"),
        ("id\tabstract\n1\ta", "tsv"),
        ("number;Summary\n1;a", "csv"),
        ("We bake, and we look, slowly.\n", None),
        ("abstract\nWe bake.\n", None),
        ("", None),
    ],
)
def test_a_table_is_known_by_a_header_that_names_an_abstract(head, format):
    assert delimited.detect(head) == format
