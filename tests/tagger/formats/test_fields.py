"""Which field holds the abstract, the id and the title."""

from __future__ import annotations

import pytest

from tagger.formats.fields import ABSTRACT_NAMES, ID_NAMES, TITLE_NAMES, Fields


@pytest.mark.parametrize(
    "name", ["abstract", "Abstract", "ABSTRACT ", "summary", "text", "abstractNote", "Abstract Note"]
)
def test_an_abstract_is_found_under_its_usual_names(name):
    assert Fields().find_abstract(["year", name]) == name


@pytest.mark.parametrize("name", ["id", "ID", "arxiv_id", "paper-id", "Paper ID", "doi", "openreview_id"])
def test_an_id_is_found_under_its_usual_names(name):
    assert Fields().find_id(["year", name]) == name


def test_the_more_telling_name_wins_whatever_the_order():
    assert Fields().find_abstract(["text", "abstract"]) == "abstract"
    assert Fields().find_abstract(["abstract", "text"]) == "abstract"
    assert Fields().find_id(["url", "id"]) == "id"


def test_of_two_names_that_are_alike_the_first_is_taken():
    assert Fields().find_title(["Title", "title"]) == "Title"


def test_a_given_name_is_taken_as_it_is_and_nothing_else():
    fields = Fields(abstract="my text", id="nr", title="head")
    assert fields.find_abstract(["abstract", "my text"]) == "my text"
    assert fields.find_abstract(["abstract", "My Text"]) is None
    assert fields.find_id(["id"]) is None
    assert fields.find_title(["title"]) is None


def test_a_field_inside_a_field_is_found_by_its_path():
    row = {"a": {"b": {"c": "text"}, "d": None}, "x.y": "as it is", "x": {"y": "inside"}}
    fields = Fields(abstract="a.b.c", id="x.y", title="a.nothing.there")
    nested = fields.with_nested(row)
    assert nested == {**row, "a.b.c": "text"}
    assert fields.find_abstract(nested) == "a.b.c"
    assert Fields().with_nested(row) is row


def test_nothing_is_found_where_no_name_fits():
    assert Fields().find_abstract([]) is None
    assert Fields().find_abstract(["", "year"]) is None


def test_no_name_stands_for_two_things():
    names = [*ABSTRACT_NAMES, *ID_NAMES, *TITLE_NAMES]
    assert len(set(names)) == len(names)
