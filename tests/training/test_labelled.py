"""Labelled texts in files of one's own: columns of grades or a list of areas."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

from tagger import InputError
from tagger.formats.fields import Fields
from training.labelled import LabelledTexts, read_labelled


@pytest.fixture
def read(tmp_path):
    """Writes a file and reads it as labelled texts."""

    def write_and_read(name: str, content: str | bytes, areas=None, **fields: str) -> LabelledTexts:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_labelled(path, areas, Fields(**fields))

    return write_and_read


def jsonl(*rows: object) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_columns_of_grades_are_areas(read):
    labelled = read("in.csv", "id,abstract,year,astronomy,cooking\np1,We look.,2024,2,0\np2,We bake.,2025,0,1\n")
    assert labelled.ids == ("p1", "p2")
    assert labelled.texts == ("We look.", "We bake.")
    assert labelled.areas == ("astronomy", "cooking")
    assert labelled.grades.tolist() == [[2, 0], [0, 1]]
    assert labelled.grades.dtype == np.int8


def test_titles_are_read_where_there_are_any(read):
    labelled = read("in.csv", "title,abstract,art\nOn soup,We cook.,1\n ,We look.,0\n")
    assert labelled.titles == ("On soup", None)
    assert labelled.texts == ("We cook.", "We look.")
    assert labelled.full_texts == ["On soup\nWe cook.", "We look."]
    without = read("in.csv", "title,abstract,art\n,We cook.,1\n")
    assert (without.titles, without.full_texts) == ((), ["We cook."])
    named = read("in.csv", "heading,abstract,art\nOn soup,We cook.,1\n", title="heading")
    assert named.titles == ("On soup",)


def test_a_grade_has_several_spellings_and_an_empty_cell_is_unknown(read):
    cells = ["2", "1", "0", "true", "FALSE", "yes", "No", "", "-1", " 1 "]
    labelled = read("in.csv", "abstract,art\n" + "".join(f"text,{cell}\n" for cell in cells))
    assert labelled.grades[:, 0].tolist() == [2, 1, 0, 1, 0, 1, 0, -1, -1, 1]


def test_json_fields_of_grades_are_areas(read):
    rows = [
        {"abstract": "a", "art": True},
        {"abstract": "b", "art": 0},
        {"abstract": "c", "art": None},
        {"abstract": "d"},
    ]
    assert read("in.jsonl", jsonl(*rows, {"abstract": "e", "art": 2.0})).grades[:, 0].tolist() == [1, 0, -1, -1, 2]


@pytest.mark.parametrize(
    "listed", [["astronomy", "cooking"], "astronomy; cooking", "cooking|astronomy", "cooking ;astronomy;"]
)
def test_a_list_of_areas_makes_all_others_absent(read, listed):
    rows = jsonl(
        {"abstract": "a", "areas": listed}, {"abstract": "b", "areas": []}, {"abstract": "c", "areas": ["art"]}
    )
    labelled = read("in.jsonl", rows, ("art", "astronomy", "cooking"))
    assert labelled.grades.tolist() == [[0, 1, 1], [0, 0, 0], [1, 0, 0]]


def test_a_list_that_is_missing_makes_every_area_unknown(read):
    rows = jsonl({"abstract": "a", "areas": ["art"]}, {"abstract": "b"}, {"abstract": "c", "areas": None})
    assert read("in.jsonl", rows).grades.tolist() == [[1], [-1], [-1]]


def test_areas_come_in_the_order_asked_and_one_that_was_not_judged_is_unknown(read):
    labelled = read("in.csv", "abstract,astronomy,cooking\nWe look.,1,0\n", ("cooking", "art", "astronomy"))
    assert labelled.areas == ("cooking", "art", "astronomy")
    assert labelled.grades.tolist() == [[0, -1, 1]]


def test_the_fields_can_be_named(read):
    labelled = read("in.csv", "nr,words,abstract,art\n7,We draw.,no,1\n", abstract="words", id="nr")
    assert (labelled.ids, labelled.texts) == (("7",), ("We draw.",))


def test_a_row_without_id_is_named_after_file_and_number(read):
    assert read("in.csv", "abstract,art\na,1\nb,0\n").ids == ("in.csv:1", "in.csv:2")
    assert read("in.csv", "id,abstract,art\n,a,1\nx,b,0\n").ids == ("in.csv:1", "x")


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_the_delimiter_and_a_byte_order_mark_are_found(read, delimiter):
    content = "\ufeffabstract,art\r\nWe draw.,1\r\n".replace(",", delimiter)
    assert read("in.tsv" if delimiter == "\t" else "in.csv", content).grades.tolist() == [[1]]


def test_labelled_texts_are_read_in_every_form_that_texts_are(read):
    rows = [{"abstract": "We draw.", "art": 1}, {"abstract": "We bake.", "art": 0}]
    for name, content in {
        "in.json": json.dumps(rows).encode(),
        "in.data": gzip.compress(jsonl(*rows).encode()),
        "in.csv": "art;abstract\r\n1;We draw.\r\n0;We bake.\r\n".encode("utf-16"),
    }.items():
        labelled = read(name, content)
        assert labelled.texts == ("We draw.", "We bake.")
        assert labelled.grades.tolist() == [[1], [0]]
    assert read("in.csv", b"abstract,art\nna\xefve,1\n").texts == ("naïve",)


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("in.csv", "", "holds no abstracts"),
        ("in.jsonl", "\n", "holds no abstracts"),
        ("in.csv", "abstract,art\n", "holds no abstracts"),
        ("in.csv", "words,art\na,1\n", "no text column among words, art"),
        ("in.csv", "abstract,year\na,2024\n", "no areas"),
        ("in.csv", "abstract,art\na,\n", "no areas"),
        ("in.csv", "abstract,art,cooking\na,1,0\nb,1,7\n", "no areas|label '7' for cooking"),
        ("in.csv", "abstract,art\na,1\n ,0\n", "line 3: no text in 'abstract'"),
        ("in.csv", "abstract,art\na,1,2\n", "line 2: 3 cells where the header has 2"),
        ("in.jsonl", "[1]\n", "line 1: expected a JSON object"),
        ("in.jsonl", "{\n", "line 1: not JSON"),
        ("in.jsonl", '{"abstract": 7, "art": 1}\n', "line 1: expected 'abstract' to be a string"),
        ("in.csv", 'abstract,art\na,1\n"b,0\nc,1\n', "line 3: a quoted cell does not end"),
        ("in.pdf", b"%PDF-1.7", "unknown format"),
    ],
)
def test_a_file_that_is_no_list_of_labelled_abstracts_is_refused(read, name, content, complaint):
    areas = ("art", "cooking") if "cooking" in str(content) else None
    with pytest.raises(InputError, match=complaint) as refused:
        read(name, content, areas)
    assert name in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1


def test_an_unknown_area_is_refused(read):
    with pytest.raises(InputError, match="areas astrology are none of the model's"):
        read("in.csv", "abstract,astrology\na,1\n", ("astronomy", "cooking"))
    rows = jsonl({"abstract": "a", "areas": ["astronomy"]}, {"abstract": "b", "areas": ["cooking", "cookery"]})
    with pytest.raises(InputError, match="line 2: unknown area 'cookery'"):
        read("in.jsonl", rows, ("astronomy", "cooking"))


def test_a_missing_file_and_a_directory_are_refused(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_labelled(tmp_path / "nowhere.csv")
    with pytest.raises(InputError, match="is a directory"):
        read_labelled(tmp_path)
