"""Text from outside never becomes markup, and reads in HTML as it was written."""

from __future__ import annotations

import base64
import hashlib
import io
import re
from dataclasses import replace

import pytest
from abstracts import COOKING
from hostile import PAYLOADS, hostile_text
from html_text import Reading
from hypothesis import HealthCheck, given, settings
from strategies import texts

from tagger import Tags
from tagger.evidence.marks import Mark, find_marks
from tagger.evidence.markup import MARK_STYLE, N_COLOURS, area_class, escaped, marked_html
from tagger.evidence.page import STYLE, PageWriter, article

UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
PAGE_TAGS = {
    *("html", "head", "meta", "title", "style", "body", "main", "h1", "p", "article", "header", "h2", "span", "h3"),
    *("mark", "section", "h4", "div", "table", "caption", "tbody", "tr", "td", "th", "svg", "rect", "bdi"),
}
PAGE_ATTRIBUTES = {
    *("lang", "charset", "http-equiv", "content", "name", "class", "dir", "title", "scope"),
    *("viewbox", "preserveaspectratio", "aria-hidden", "width", "height"),
}


def seen(text: str) -> str:
    """What a reader of HTML sees of a text."""
    return UNSEEN.sub("\ufffd", text).replace("\r\n", "\n").replace("\r", "\n")


def page(tagger_, *abstracts: str, id_: str = "p1", title: str | None = None, areas=None) -> str:
    stream = io.StringIO()
    writer = PageWriter(stream, areas or tagger_.areas)
    for abstract in abstracts:
        writer.write(id_, tagger_.explain(abstract, title))
    writer.close()
    return stream.getvalue()


@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS)
def test_hostile_text_is_text_with_marks_and_nothing_else(tagger_, payload):
    explanation = tagger_.explain(hostile_text(payload), payload)
    marks = find_marks(explanation, tagger_.areas)
    assert marks
    reading = Reading(marked_html(explanation.text, marks, tagger_.areas))
    assert set(reading.tags) == {"mark"}
    assert reading.attributes == {"class", "title"}
    assert not reading.other
    assert seen(reading.text) == seen(explanation.text)


@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS)
def test_a_page_with_hostile_texts_titles_and_ids_has_only_its_own_markup(tagger_, payload):
    markup = page(tagger_, hostile_text(payload), id_=payload, title=payload)
    reading = Reading(markup)
    assert set(reading.tags) <= PAGE_TAGS
    assert reading.attributes <= PAGE_ATTRIBUTES
    assert reading.other == ["DOCTYPE html"]
    assert not reading.open
    assert seen(hostile_text(payload)) in seen(reading.text)
    assert UNSEEN.sub("\ufffd", markup) == markup
    markup.encode("utf-8")


@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS)
def test_hostile_errors_and_names_of_areas_are_text_too(payload):
    stream = io.StringIO()
    PageWriter(stream, ()).write_error(payload, payload)
    assert set(Reading(stream.getvalue()).tags) <= PAGE_TAGS
    reading = Reading(marked_html("soup", [Mark(0, 4, payload, 1.0, 3)], [payload]))
    assert (reading.tags, reading.text) == (["mark"], "soup")
    assert reading.values[1] == f"{seen(payload)} +1.00" or "\r" in payload


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts)
def test_any_text_reads_as_it_was_written(tagger_, any_text):
    explanation = tagger_.explain(f"{COOKING[0]} {any_text}")
    marks = find_marks(explanation, tagger_.areas)
    reading = Reading(marked_html(explanation.text, marks, tagger_.areas))
    assert set(reading.tags) <= {"mark"}
    assert seen(reading.text) == seen(explanation.text)


def test_a_mark_is_where_it_should_be_with_the_colour_and_level_of_its_area():
    marks = [Mark(2, 6, "b", 1.234, 3), Mark(10, 14, "a", 0.3, 1)]
    assert marked_html("a soup or star", marks, ["a", "b"]) == (
        'a <mark class="area-1 level-3" title="b +1.23">soup</mark> or '
        '<mark class="area-0 level-1" title="a +0.30">star</mark>'
    )


def test_a_part_of_the_text_has_the_marks_in_it():
    marks = [Mark(2, 6, "a", 1.0, 3), Mark(10, 14, "a", 1.0, 3)]
    markup = marked_html("a soup or star", marks, ["a"], 4, 9)
    assert Reading(markup).text == "up or"
    assert markup.count("<mark") == 1


def test_characters_that_turn_the_direction_are_shown_as_unknown_and_others_kept():
    assert escaped("a\u202eb\u2067c\u2069") == "a\ufffdb\ufffdc\ufffd"
    assert escaped("\tزبان‌ها\n") == "\tزبان‌ها\n"


def test_no_page_needs_a_script_a_style_attribute_or_another_address(tagger_):
    markup = page(tagger_, *COOKING)
    assert "style=" not in markup
    assert "<script" not in markup
    assert not re.search(r"(src|href|url|@import)\s*[=(]", markup)
    assert "default-src 'none'" in markup


def test_the_policy_of_a_page_names_its_style_sheet(tagger_):
    markup = page(tagger_, COOKING[0])
    (style,) = re.findall(r"<style>(.*?)</style>", markup, re.DOTALL)
    assert style == STYLE
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in markup


def test_every_colour_is_in_the_style_sheet_for_light_and_for_dark():
    for number in range(N_COLOURS):
        assert MARK_STYLE.count(f"--area-{number}:") == 2
        assert f".area-{number} " in MARK_STYLE
    areas = [str(k) for k in range(N_COLOURS + 2)]
    assert [area_class(area, areas) for area in areas[-2:]] == ["area-0", "area-1"]


def test_a_page_says_what_adds_up_and_lists_phrases_for_and_against(tagger_):
    explanation = tagger_.explain(" ".join(COOKING))
    text = Reading(page(tagger_, " ".join(COOKING))).text
    assert explanation.areas["cooking"].in_words() in text
    strongest = explanation.areas["cooking"].phrases[0]
    assert strongest.text in text
    assert f"{strongest.share:+.2f}" in text


def test_chosen_areas_are_shown_and_no_others(tagger_):
    stream = io.StringIO()
    writer = PageWriter(stream, tagger_.areas, ("astronomy",), 1)
    writer.write("p1", tagger_.explain(" ".join(COOKING)))
    markup = stream.getvalue()
    assert markup.count("<section") == 1
    assert '<section class="area-0">' in markup
    assert 'title="cooking' not in markup


def test_a_text_without_any_area_says_so_and_shows_the_most_probable(tagger_):
    explanation = replace(tagger_.explain("We bake."), tags=Tags((), {"astronomy": 0.1, "cooking": 0.2}))
    markup = article("p1", explanation, tagger_.areas)
    assert "no area</header>" in markup
    assert markup.count("<section") == 1
