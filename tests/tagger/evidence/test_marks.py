"""Marks: what speaks for the chosen areas, once each, and apart."""

from __future__ import annotations

import pytest
from abstracts import ASTRONOMY, COOKING
from hypothesis import HealthCheck, given, settings
from strategies import texts

from tagger import AreaEvidence, Explanation, Phrase, Tags
from tagger.evidence.marks import area_label, find_marks, shown_areas


def explained(text: str, tags: Tags | None = None, **phrases: list[Phrase]) -> Explanation:
    tags = tags or Tags(tuple(phrases), dict.fromkeys(phrases, 0.9))
    areas = {area: AreaEvidence(tags.probabilities[area], 0, 0, (), tuple(some)) for area, some in phrases.items()}
    return Explanation(text, 0, tags, areas)


def marked(explanation: Explanation, *areas: str) -> list[tuple[str, str, int]]:
    return [(explanation.text[m.start : m.end], m.area, m.level) for m in find_marks(explanation, areas)]


def test_every_place_of_a_supporting_phrase_is_marked_in_the_order_of_the_text():
    explanation = explained("soup, star, soup, ice", a=[
        Phrase("star", ((6, 10),), 1.5), Phrase("soup", ((0, 4), (12, 16)), 0.5), Phrase("ice", ((18, 21),), -2),
    ])  # fmt: skip
    assert marked(explanation, "a") == [("soup", "a", 2), ("star", "a", 3), ("soup", "a", 2)]
    assert marked(explanation) == []


@pytest.mark.parametrize(("share", "level"), [(0.01, 1), (0.39, 1), (0.4, 2), (0.99, 2), (1.0, 3), (9, 3)])
def test_a_stronger_phrase_has_a_higher_level(share, level):
    assert marked(explained("soup", a=[Phrase("soup", ((0, 4),), share)]), "a") == [("soup", "a", level)]


def test_where_areas_overlap_the_stronger_phrase_is_whole_and_the_other_has_the_rest_of_its_words():
    weak, strong = Phrase("slow soup - of stars", ((0, 20),), 0.5), Phrase("soup", ((5, 9),), 2.0)
    explanation = explained("slow soup - of stars", a=[weak], b=[strong])
    assert marked(explanation, "a", "b") == [("slow", "a", 2), ("soup", "b", 3), ("of stars", "a", 2)]
    assert marked(explanation, "b") == [("soup", "b", 3)]
    same = explained("slow soup", a=[Phrase("slow soup", ((0, 9),), 1)], b=[Phrase("slow soup", ((0, 9),), 2)])
    assert marked(same, "a", "b") == [("slow soup", "b", 3)]


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts)
def test_marks_of_any_text_ascend_and_are_apart(tagger_, any_text):
    explanation = tagger_.explain(f"{COOKING[0]} {any_text} {ASTRONOMY[0]} {any_text}")
    end = 0
    for mark in find_marks(explanation, tagger_.areas):
        assert end <= mark.start < mark.end <= len(explanation.text)
        assert mark.share > 0
        assert mark.area in tagger_.areas
        end = mark.end


def test_shown_are_the_areas_that_are_tagged_or_unsure_or_else_the_most_probable():
    probabilities = {"a": 0.2, "b": 0.4, "c": 0.9}
    areas = {"a": [], "b": [], "c": []}
    assert shown_areas(explained("x", Tags(("c",), probabilities, unsure=("a",)), **areas)) == ("a", "c")
    assert shown_areas(explained("x", Tags((), probabilities), **areas)) == ("c",)


def test_a_label_tells_tagged_from_not_and_sure_from_unsure():
    tags = Tags(("a", "b"), {"a": 0.91, "b": 0.5, "c": 0.4, "d": 0.1}, unsure=("b", "c"))
    assert [area_label(area, tags) for area in "abcd"] == ["a 0.91", "b 0.50?", "(c 0.40?)", "(d 0.10)"]
