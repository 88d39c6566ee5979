"""Keywords in one text: split, extended and taken out again; and the note that says which were added."""

from __future__ import annotations

import pytest
from bibliographies import LAYOUT, TAGS
from hypothesis import given
from hypothesis import strategies as st
from strategies import texts

from tagger import Tags
from tagger.formats import note
from tagger.formats.keywords import add_keywords, join_keywords, remove_keyword, separator_of, split_keywords
from tagger.formats.latex import one_line
from tagger.formats.layout import Layout


@pytest.mark.parametrize(
    ("text", "keywords"),
    [
        ("", []),
        ("flour", ["flour"]),
        ("flour, bread ,oven", ["flour", "bread", "oven"]),
        ("flour; bread, white; oven;", ["flour", "bread, white", "oven"]),
        ("flour, {bread, white}, R\\&D", ["flour", "bread, white", "R&D"]),
        ("{flour; bread}", ["flour", "bread"]),
        ("{{flour, bread}}", ["flour", "bread"]),
        ("{Flour}", ["Flour"]),
        (" ; ; ", []),
        ("{a, b", ["a", "b"]),
    ],
)
def test_a_text_is_split_at_its_separators(text, keywords):
    assert split_keywords(text) == keywords


@given(st.lists(texts.map(one_line).filter(bool), max_size=4), st.sampled_from([", ", ",", "; ", ";"]))
def test_what_is_joined_is_split_into_the_same(keywords, separator):
    # One keyword in braces looks like a list in braces.
    keywords = ["flour", *keywords]
    assert split_keywords(join_keywords(keywords, separator)) == keywords


@given(st.lists(st.sampled_from(["flour", "bread", "oven"]), max_size=4), st.sampled_from([", ", ",", "; ", ";"]))
def test_a_keyword_that_is_added_can_be_taken_out_again(keywords, separator):
    text = separator.join(keywords)
    longer = add_keywords(text, "salt", separator if keywords else "")
    assert split_keywords(longer) == [*keywords, "salt"]
    assert remove_keyword(longer, "salt") == text


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("salt", ""),
        ("salt, flour", "flour"),
        ("flour, salt, oven", "flour, oven"),
        ("salt; salt", "salt"),
        ("salted, rock salt", "salted, rock salt"),
        ("{flour; salt}", "{flour}"),
    ],
)
def test_a_keyword_is_taken_out_where_it_stands_by_itself(text, rest):
    assert remove_keyword(text, "salt") == rest


@pytest.mark.parametrize(
    ("text", "separator"), [("", ", "), ("a", ", "), ("a,b", ","), ("a, b", ", "), ("a;b, c", ";"), ("a; b", "; ")]
)
def test_the_separator_is_that_of_the_text(text, separator):
    assert separator_of(text) == separator


def test_a_note_has_all_that_is_known_and_says_what_was_added():
    text = note.compose(TAGS, LAYOUT, ["cooking"])
    assert text == (
        "areas 1a2b3c4d5e6f: cooking 0.98 central (own keyword), salt & pepper, ground 0.61 unsure,"
        " not astronomy 0.02; marks: too short"
    )
    assert note.added(text) == ("salt & pepper, ground",)
    assert note.is_note(text)


@pytest.mark.parametrize(
    "tags", [Tags(), Tags(error="not JSON"), Tags(marks=("language",)), Tags(("a",), {"a": 1.0, "b": 0.0})]
)
@pytest.mark.parametrize("layout", [Layout(("a", "b"), "name: 12"), Layout(("a", "b"))])
def test_any_note_is_known_for_one(tags, layout):
    text = note.compose(tags, layout)
    assert note.is_note(text)
    assert note.added(text) == tags.areas


@pytest.mark.parametrize("text", ["", "was here", "was here: yes", "read: 0.98"])
def test_other_text_is_no_note(text):
    assert not note.is_note(text)


@given(texts)
def test_any_text_can_be_asked_what_it_added(text):
    note.added(text)
    note.is_note(text)
