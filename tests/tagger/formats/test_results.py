"""What is said of a record, with tags and without, and which fields of the input stand beside it."""

from __future__ import annotations

from dataclasses import replace

import hypothesis.strategies as st
import pytest
from hypothesis import given

from tagger import Record, Tagged, Tags
from tagger.formats.layout import Layout
from tagger.formats.results import CONVERTED_NAMES, TAGGED_NAMES, kept_fields, kept_names, row_of

AREAS = ("astronomy", "cooking")
TAGS = Layout(AREAS, "small 1a2b3c4d5e6f")
GRADES = replace(TAGS, central=("cooking",))
TEXTS = Layout(kept=())
TAGGED = Tagged(
    Record("p1", "We bake.", "Bread", source="in.csv", position="row 1"),
    Tags(("cooking",), {"astronomy": 0.1234567, "cooking": 0.75}, unsure=("astronomy",)),
)
ORIGIN = {"source": "in.csv", "position": "row 1", "model": "small 1a2b3c4d5e6f"}
FAILED = Tagged(Record("p2", error="not JSON", source="in.csv", position="row 2"), Tags(error="not JSON"))


def with_fields(**fields: object) -> Tagged:
    return replace(TAGGED, record=replace(TAGGED.record, fields=fields))


def test_a_tagged_record_has_its_tags_where_it_comes_from_and_the_model():
    assert row_of(TAGGED, TAGS) == {
        "id": "p1",
        "title": "Bread",
        "areas": ["cooking"],
        "probabilities": {"astronomy": 0.123457, "cooking": 0.75},
        "unsure": ["astronomy"],
        **ORIGIN,
    }


def test_it_says_what_is_central_if_the_model_knows():
    graded = replace(TAGGED, tags=replace(TAGGED.tags, central=("cooking",), central_probabilities={"cooking": 2 / 3}))
    assert row_of(graded, GRADES) == row_of(TAGGED, TAGS) | {
        "central": ["cooking"],
        "central_probabilities": {"cooking": 0.666667},
    }


def test_it_says_why_the_tags_should_not_be_trusted():
    marked = replace(TAGGED, tags=replace(TAGGED.tags, marks=("language", "too short")))
    assert row_of(marked, TAGS) == row_of(TAGGED, TAGS) | {"marks": ["language", "too short"]}


def test_a_failed_record_has_its_error_and_the_same_fields_empty():
    assert row_of(FAILED, TAGS) == {
        "id": "p2", "areas": [], "probabilities": {}, "unsure": [], "error": "not JSON", **ORIGIN, "position": "row 2",
    }  # fmt: skip


def test_without_areas_a_record_has_its_text_or_its_error():
    assert row_of(TAGGED, TEXTS) == {"id": "p1", "title": "Bread", "abstract": "We bake."}
    assert row_of(FAILED, TEXTS) == {"id": "p2", "error": "not JSON"}


def test_fields_stand_under_their_own_names_unless_they_are_ours():
    kept = with_fields(id="p1", title="bread", abstract="We bake.", year=2024, source="a journal", model=None, x=None)
    row = row_of(kept, replace(TAGS, kept=()))
    assert row == row_of(kept, TAGS) | {
        "input_title": "bread", "abstract": "We bake.", "year": 2024, "input_source": "a journal", "x": None,
    }  # fmt: skip


def test_a_field_that_is_ours_and_empty_is_not_repeated():
    row = row_of(with_fields(error="", marks=None, year=""), replace(TAGS, kept=()))
    assert row == row_of(TAGGED, TAGS) | {"year": ""}


def test_an_id_that_is_a_number_is_the_same_id():
    record = Record("17", "We bake.", fields={"id": 17, "n": 17})
    assert row_of(Tagged(record, Tags()), TEXTS) == {"id": "17", "abstract": "We bake.", "n": 17}


def test_the_abstract_is_not_repeated_under_the_name_that_it_had():
    row = row_of(with_fields(summary="We bake.", id="p1", heading="Bread"), TEXTS)
    assert row == {"id": "p1", "title": "Bread", "abstract": "We bake.", "heading": "Bread"}


def test_a_text_without_fields_keeps_its_abstract():
    assert row_of(TAGGED, replace(TAGS, kept=())) == row_of(TAGGED, TAGS) | {"abstract": "We bake."}


names = st.sampled_from([*TAGGED_NAMES, "year", "abstract", "input_id", "input_input_id", "input_title", "other", ""])
fields = st.dictionaries(names, st.sampled_from(["p1", "Bread", "We bake.", "", None, 0, 1.5, [], ["a"], {"b": 1}]))


@given(fields)
def test_no_value_of_the_input_is_lost_and_none_of_ours_is_changed(fields):
    tagged = with_fields(**fields)
    ours = row_of(tagged, TAGS)
    row = row_of(tagged, replace(TAGS, kept=()))
    assert {name: row[name] for name in ours} == ours
    for name, value in fields.items():
        candidates = [row.get("input_" * times + name) for times in range(4)]
        assert value in candidates or (value in (None, "", []) and name in TAGGED_NAMES)


@given(st.lists(fields, max_size=4), st.sampled_from([TAGS, TEXTS]))
def test_the_names_of_kept_fields_are_known_before_the_tags(some, layout):
    tagged = [with_fields(**fields) for fields in some]
    reserved = TAGGED_NAMES if layout.areas else CONVERTED_NAMES
    known = kept_names([one.record for one in tagged], layout, reserved)
    for one in tagged:
        assert kept_fields(one.record, row_of(one, layout), reserved).keys() <= set(known)


@pytest.mark.parametrize("layout", [TAGS, TEXTS])
def test_names_of_kept_fields_come_in_the_order_in_which_they_come_up(layout):
    records = [Record("p1", "x", fields={"year": 1, "venue": "a"}), Record("p2", "y", fields={"pages": 3, "year": 2})]
    assert kept_names(records, layout, ("id",)) == ("year", "venue", "pages")
