"""CSV and TSV: a row is a record, and what is wrong with a row is an error of its record alone."""

from __future__ import annotations

import csv
import io

import hypothesis.strategies as st
import pytest
from abstracts import long_abstract
from hypothesis import given, settings

from tagger import InputError, Record
from tagger.formats import delimited
from tagger.formats.fields import Fields
from tagger.formats.formulas import restored


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
    ("row", "complaint"),
    [
        ("p2", "1 cell where the header has 2; quote cells that hold line ends"),
        ("p2,We bake, and look", "3 cells where the header has 2; quote cells that hold the delimiter"),
        ('p2,"We bake', "a quoted cell does not end"),
        ('p2,"We bake" slowly', "text after the closing quote"),
        ("p2,", ""),
    ],
)
def test_what_is_wrong_with_a_row_is_an_error_of_that_record_alone(row, complaint):
    first, bad, last = read(f"id,abstract\np1,We bake.\n{row}\np3,We look.\n")
    assert (first.id, first.error, last.id, last.error) == ("p1", None, "p3", None)
    assert complaint in (bad.error or "")
    assert bad.error or not bad.abstract
    assert [record.position for record in (first, bad, last)] == ["line 2", "line 3", "line 4"]


def test_a_table_without_text_column_is_refused_with_the_columns_it_has():
    with pytest.raises(InputError, match=r"in.csv: no text column among number, colour; .*--text-field"):
        read("number,colour\n1,red\n")
    with pytest.raises(InputError, match="no column 'body' among id, abstract"):
        read("id,abstract\np1,a\n", abstract="body")


def test_every_column_is_a_field_of_the_record():
    (record,) = read('id,Title,,abstract,note,note\np1,"Bread, baked",1,We bake.,a,b\n')
    assert record.fields == {
        "id": "p1", "Title": "Bread, baked", "column 3": "1", "abstract": "We bake.", "note": "a", "note (2)": "b",
    }  # fmt: skip


def test_a_row_of_the_wrong_width_keeps_what_could_be_told_apart():
    (record,) = read("id,abstract\np1,We bake, and look\n")
    assert (record.id, record.fields) == ("p1", {"id": "p1", "abstract": "We bake"})


def test_empty_cells_beyond_the_header_are_no_matter():
    records = read("id,abstract\np1,We bake.,,\np2,We look.\np3,We eat.,\n")
    assert [(record.id, record.abstract, record.error) for record in records] == [
        ("p1", "We bake.", None), ("p2", "We look.", None), ("p3", "We eat.", None),
    ]  # fmt: skip


def test_a_file_as_excel_saves_it_is_read():
    content = '\r\nsep=;\r\nID;Abstract\r\nW-1;"We bake; we look,\r\nand ""eat""."\r\nW-2;We look.\r\n;\r\n;\r\n'
    records = read(content)
    assert [(record.id, record.abstract) for record in records] == [
        ("W-1", 'We bake; we look,\r\nand "eat".'),
        ("W-2", "We look."),
    ]
    assert [record.position for record in records] == ["line 4", "line 6"]


def test_the_separator_that_a_file_names_is_taken():
    assert [record.abstract for record in read("sep=^\nid^abstract\np1^We bake, or, not; so.\n")] == [
        "We bake, or, not; so."
    ]


@pytest.mark.parametrize(
    "header",
    ['"id","abstract"', "'id',abstract".replace("'", ""), '"id";"abstract"', '"id"\t"abstract"', '"id", "abstract"'],
)
def test_names_of_columns_may_be_quoted(header):
    delimiter = header.strip('"')[len("id") :].strip('"')[0]
    assert [record.id for record in read(f"{header}\np1{delimiter}We bake.\n")] == ["p1"]


def test_a_name_of_a_column_may_span_lines():
    (record,) = read('id,"Abstract\n(English)",abstract\np1,no,We bake.\n')
    assert (record.abstract, record.position) == ("We bake.", "line 3")


def test_the_delimiter_is_the_one_that_gives_an_abstract():
    (record,) = read("id, year, venue and so on; abstract\nhere, there; We bake.\n", abstract="abstract")
    assert record.abstract == "We bake."


def test_blanks_after_delimiters_are_skipped_where_the_header_has_them():
    records = read('id, title, abstract\np1, Bread, "We bake, slowly."\np2, Soup, We look.\n')
    assert [(record.id, record.title, record.abstract) for record in records] == [
        ("p1", "Bread", "We bake, slowly."), ("p2", "Soup", "We look."),
    ]  # fmt: skip


def test_blanks_around_quotes_are_skipped_where_a_row_is_else_broken():
    records = read('id,abstract\np1, "We bake, slowly."\np2,"We look."  \np3 ,"We eat, too." \np4,We sleep.\n')
    assert [(record.abstract, record.error) for record in records] == [
        ("We bake, slowly.", None), ("We look.", None), ("We eat, too.", None), ("We sleep.", None),
    ]  # fmt: skip


def test_quotes_in_a_cell_that_is_not_quoted_are_kept():
    assert [record.abstract for record in read('id,abstract\np1,We "bake" bread\np2,5" of "it"\n')] == [
        'We "bake" bread', '5" of "it"',
    ]  # fmt: skip


def test_quotes_may_be_escaped_by_backslashes():
    rows = [
        r'p1,"We \"bake\", and look.",x',
        r'p2,"\"Bake\" it, slowly",x',
        r'p3,"It ends with \"this\"","\"x\""',
        r'p4,"Two \\alpha lines,',
        r'and \"more\".",x',
        'p5,"A ""doubled"" one, too",x',
        r"p6,No \emph{quotes},x",
    ]
    records = read("id,abstract,note\n" + "\n".join(rows) + "\n")
    assert [record.error for record in records] == [None] * 6
    assert [record.abstract for record in records] == [
        'We "bake", and look.', '"Bake" it, slowly', 'It ends with "this"', 'Two \\\\alpha lines,\nand "more".',
        'A "doubled" one, too', r"No \emph{quotes}",
    ]  # fmt: skip


def test_a_backslash_before_the_closing_quote_is_one():
    assert [record.abstract for record in read('id,abstract\np1,"Schr\\""odinger, baked\\"\np2,"We look."\n')] == [
        'Schr\\"odinger, baked\\', "We look.",
    ]  # fmt: skip


def test_tsv_is_quoted_or_not():
    records = read_tsv(
        'id\tabstract\np1\t"Bake" is what we do\np2\t"We look,\nand eat."\np3\t"We sleep\np4\tWe wake "up"\n'
    )
    assert [(record.id, record.abstract, record.error) for record in records] == [
        ("p1", '"Bake" is what we do', None),
        ("p2", "We look,\nand eat.", None),
        ("p3", '"We sleep', None),
        ("p4", 'We wake "up"', None),
    ]


LONG = [long_abstract(number) for number in range(4)]


def test_a_table_without_a_header_is_known_by_its_long_cells():
    records = read("".join(f'p{k},Bread and its crust,"{text}",2024\n' for k, text in enumerate(LONG)))
    assert [record.abstract for record in records] == LONG
    assert [record.id for record in records] == ["p0", "p1", "p2", "p3"]
    assert records[0].title == "Bread and its crust"
    assert records[0].fields == {"1": "p0", "2": "Bread and its crust", "3": LONG[0], "4": "2024"}
    assert records[0].position == "line 1"


def test_the_columns_of_a_table_without_a_header_can_be_named_by_number():
    (record,) = read(f"{LONG[0].replace(',', '')};p7;{LONG[1].replace(';', '')}\n", abstract="3", id="2")
    assert (record.id, record.abstract) == ("p7", LONG[1])


@pytest.mark.parametrize("quote", ["", '"'])
def test_one_column_without_a_header_has_an_abstract_a_line(quote):
    texts = [text.replace(" and ", ", and; ") for text in LONG]
    records = read("".join(f"{quote}{text}{quote}\n" for text in texts))
    assert [record.abstract for record in records] == texts
    assert records[1].id == "in.csv:2"


def test_in_a_table_of_one_column_commas_are_text():
    records = read('abstract\nWe bake, and look; slowly.\n"We ""eat"", too."\n')
    assert [record.abstract for record in records] == ["We bake, and look; slowly.", 'We "eat", too.']


def test_a_table_without_a_header_and_without_long_cells_is_refused():
    with pytest.raises(InputError, match=r"no text column among p1, We bake\."):
        read("p1,We bake.\np2,We look.\n")


cells = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=12)
simple_cells = st.text(st.sampled_from("ab \"',;|\t\n\\=."), min_size=1, max_size=10)


@settings(max_examples=300)
@given(
    st.lists(st.tuples(cells | simple_cells, cells | simple_cells, cells), min_size=1, max_size=8),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(",;\t|"),
    st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC]),
    st.booleans(),
)
def test_what_the_csv_module_wrote_in_any_dialect_is_read_back(rows, line_end, delimiter, quoting, as_tsv):
    # Before Python 3.13 the csv module leaves a lone carriage return unquoted.
    rows = [tuple(cell.replace("\r", "\n") for cell in row) for row in rows]
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, lineterminator=line_end, quoting=quoting)
    writer.writerows([("key", "abstract", "id"), *rows])
    records = read_tsv(stream.getvalue()) if as_tsv and delimiter == "\t" else read(stream.getvalue())
    rows = [tuple(map(restored, row)) for row in rows]
    assert [(record.error, record.abstract) for record in records] == [(None, abstract) for _, abstract, _ in rows]
    assert [tuple(record.fields.values()) for record in records] == rows


def test_an_apostrophe_is_read_as_text_but_where_it_keeps_a_spreadsheet_from_running_a_cell():
    content = "id,abstract,title,'=note\n'-1,'tis bread.,'=A1,''quoted''\n'@x,''=A1,'-5,'\n"
    first, second = read(content)
    assert list(first.fields.values()) == ["'-1", "'tis bread.", "=A1", "''quoted''"]
    assert list(second.fields.values()) == ["@x", "'=A1", "'-5", "'"]
    assert list(first.fields)[-1] == "=note"


@pytest.mark.parametrize(
    ("head", "format"),
    [
        ("id,abstract\n1,a", "csv"),
        ("id\tabstract\n1\ta", "tsv"),
        ("\nsep=|\nid|abstract\n1|a", "csv"),
        ("number;Summary\n1;a", "csv"),
        ("We bake, and we look, slowly.\n", None),
        ("abstract\nWe bake.\n", None),
        ("id,abstract\n", None),
        ("Title, Abstract\nand so on.", None),
        ("| id | abstract |\n|---|---|", None),
        ("", None),
    ],
)
def test_a_table_is_known_by_a_header_that_names_an_abstract(head, format):
    assert delimited.detect(head) == format
