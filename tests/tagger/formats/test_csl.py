"""CSL-JSON: items keep every field beside the tags, and what is written is an array at any time."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from bibliographies import LAYOUT, OTHER_TAGS, TAGS, converted, written
from hypothesis import given
from hypothesis import strategies as st
from strategies import texts

from tagger import Record, Tagged, Tags
from tagger.formats.csl import TYPES, Writer, is_csl_item

ITEM: dict[str, Any] = {
    "id": "http://zotero.org/users/1/items/AB12",
    "type": "paper-conference",
    "abstract": "We bake <i>in silico</i>.",
    "container-title": "Proceedings of OVEN",
    "author": [{"family": "Baker", "given": "Ada"}, {"literal": "Loaf Team"}],
    "issued": {"date-parts": [["2024", 5, 17]]},
    "volume": "3",
    "custom": {"mine": [1.50, None, {"é": True}]},
}


def record_of(item: dict[str, Any]) -> Record:
    return Record(str(item.get("id", "")), str(item.get("abstract", "")), item.get("title"), fields=item)


def items(*records: Record, tags: Tags = TAGS) -> list[dict[str, Any]]:
    return json.loads(written("csl", list(records), tags))


def without_tags(item: dict[str, Any]) -> dict[str, Any]:
    custom = {name: value for name, value in item.get("custom", {}).items() if name != "tagger"}
    return {name: value for name, value in item.items() if name not in ("keyword", "custom")} | (
        {"custom": custom} if custom else {}
    )


def test_an_item_keeps_every_field_and_gets_tags_and_what_is_known_of_them():
    (item,) = items(record_of(ITEM))
    assert without_tags(item) == ITEM
    assert list(without_tags(item)) == list(ITEM)
    assert item["keyword"] == "cooking, salt & pepper, ground"
    assert item["custom"]["tagger"] == {
        "model": "areas 1a2b3c4d5e6f",
        "areas": ["cooking", "salt & pepper, ground"],
        "probabilities": {"astronomy": 0.023457, "cooking": 0.98, "salt & pepper, ground": 0.61},
        "central": ["cooking"],
        "unsure": ["salt & pepper, ground"],
        "marks": ["too short"],
        "added": ["cooking", "salt & pepper, ground"],
    }


@pytest.mark.parametrize(
    ("keyword", "expected"),
    [
        ("oven", "oven, cooking, salt & pepper, ground"),
        ("oven,flour", "oven,flour,cooking,salt & pepper, ground"),
        ("oven; flour", "oven; flour; cooking; salt & pepper, ground"),
        ("Cooking, oven", "Cooking, oven, salt & pepper, ground"),
        ("", "cooking, salt & pepper, ground"),
    ],
)
def test_keywords_are_extended_in_their_own_style_and_a_later_run_replaces_what_was_added(keyword, expected):
    (first,) = items(record_of(ITEM | {"keyword": keyword}))
    assert first["keyword"] == expected
    assert items(record_of(first)) == [first]
    assert items(record_of(first), tags=OTHER_TAGS) == items(record_of(ITEM | {"keyword": keyword}), tags=OTHER_TAGS)


@pytest.mark.parametrize("keyword", [["oven"], 7, None])
def test_keywords_that_are_no_text_stay_as_they_are(keyword):
    (item,) = items(record_of(ITEM | {"keyword": keyword}))
    assert item["keyword"] == keyword
    assert item["custom"]["tagger"]["areas"] == ["cooking", "salt & pepper, ground"]


def test_without_tags_items_are_as_they_were():
    assert json.loads(converted("csl", [record_of(ITEM)])) == [ITEM]


def test_an_item_that_could_not_be_tagged_says_why_and_stays():
    bare = {name: value for name, value in ITEM.items() if name != "abstract"}
    (item,) = items(Record("k", error="no abstract", fields=bare))
    assert without_tags(item) == bare
    assert "keyword" not in item
    assert item["custom"]["tagger"] == {"model": "areas 1a2b3c4d5e6f", "areas": [], "error": "no abstract"}
    (item,) = json.loads(converted("csl", [Record("k", error="not JSON")]))
    assert item == {"id": "k", "type": "article", "custom": {"tagger": {"error": "not JSON"}}}


def test_an_array_is_whole_whenever_it_is_closed():
    for count in range(4):
        stream = io.StringIO()
        writer = Writer(stream, LAYOUT)
        for _ in range(count):
            writer.write(Tagged(record_of(ITEM), TAGS))
        writer.close()
        assert len(json.loads(stream.getvalue())) == count
        assert stream.getvalue().count("\n") == (count + 2 if count else 1)


def test_a_record_of_another_format_becomes_an_item():
    fields = {
        "ENTRYTYPE": "article",
        "ID": "k",
        "author": "Baker, Ada and {Loaf Team} and Ludwig van Oven",
        "journal": "J. {Bread}",
        "year": "2025",
        "month": "May",
        "volume": "3",
        "number": "4",
        "pages": "1--10",
        "doi": "10.5555/a{\\_}b",
        "eprint": "2301.00001v2",
        "keywords": "oven; flour",
    }
    (item,) = json.loads(converted("csl", [Record("k", "We\nbake.", "On  bread", fields=fields)]))
    assert item == {
        "id": "k",
        "type": "article-journal",
        "title": "On  bread",
        "author": [
            {"family": "Baker", "given": "Ada"},
            {"literal": "Loaf Team"},
            {"family": "van Oven", "given": "Ludwig"},
        ],
        "issued": {"date-parts": [[2025, 5]]},
        "container-title": "J. Bread",
        "volume": "3",
        "issue": "4",
        "page": "1-10",
        "number": "arXiv:2301.00001",
        "DOI": "10.5555/a_b",
        "URL": "https://arxiv.org/abs/2301.00001",
        "abstract": "We\nbake.",
        "keyword": "oven, flour",
    }
    assert is_csl_item(item)


def test_numbers_that_json_does_not_have_are_left_out():
    (item,) = items(record_of(ITEM | {"volume": float("inf"), "note": [float("nan"), {"x": float("-inf")}]}))
    assert (item["volume"], item["note"]) == (None, [None, {"x": None}])


names = st.text(max_size=5)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | names
json_values = scalars | st.lists(scalars, max_size=2) | st.dictionaries(names, scalars, max_size=2)


@given(st.lists(st.dictionaries(names, json_values, max_size=3), max_size=2))
def test_items_of_any_content_keep_every_field(extras):
    originals = [{**extra, **ITEM, "custom": {}} for extra in extras]
    tagged = items(*map(record_of, originals))
    assert [{**without_tags(item), "custom": {}} for item in tagged] == [
        {**without_tags(item), "custom": {}} for item in originals
    ]


@given(st.lists(st.tuples(texts, texts, texts), max_size=4))
def test_records_of_other_formats_keep_id_title_and_abstract(rows):
    records = [Record(id_, abstract, title or None) for id_, abstract, title in rows]
    for record, item in zip(records, json.loads(converted("csl", records)), strict=True):
        assert (item["id"], item.get("abstract", ""), item.get("title") or "") == (
            record.id,
            record.abstract,
            record.title or "",
        )


@pytest.mark.parametrize(
    "item",
    [
        ITEM,
        {"type": "article", "issued": {"raw": "2024"}},
        {"type": "article-journal", "container-title": "J"},
        {"type": "webpage", "author": [{"literal": "A"}]},
        *({"type": type_, "issued": {"date-parts": [[2024]]}} for type_ in sorted(TYPES)),
    ],
)
def test_csl_items_are_told(item):
    assert is_csl_item(item)


@pytest.mark.parametrize(
    "item",
    [
        {},
        {"type": "article"},
        {"type": "article", "author": "Ada Baker"},
        {"type": "article", "author": ["Ada Baker"], "issued": 2024},
        {"type": "journal-article", "issued": {"date-parts": [[2024]]}},
        {"type": ["article"], "issued": {"date-parts": [[2024]]}},
        {"type": "article", "container-title": ["J"]},
        [ITEM],
        "article",
        None,
    ],
)
def test_other_json_is_told_from_csl(item):
    assert not is_csl_item(item)
