"""Evidence of many abstracts, and the phrases that are typical of a collection."""

from __future__ import annotations

from collections import defaultdict

import pytest
from abstracts import AREAS, small_abstracts

from tagger.records import Record, Tagged
from tagger.report.explaining import explain_all, typical_phrases, wanted_areas


@pytest.fixture(scope="module")
def items(tagger_):
    texts, _ = small_abstracts(60, seed=3)
    records = [Record(str(k), text, "A comet in the soup" if k % 2 else None) for k, text in enumerate(texts)]
    return [Tagged(record, tags) for record, tags in zip(records, tagger_.tag_many(records))]


def test_evidence_is_that_of_explain(tagger_, items):
    for item, found in zip(items, explain_all(tagger_.model, items)):
        why = tagger_.explain(item.record.abstract, item.record.title)
        assert [one.area for one in found] == list(wanted_areas(item, AREAS))
        for one in found:
            area = why.areas[AREAS[one.area]]
            assert (one.phrases, one.log_odds, one.bias) == (area.phrases, area.log_odds, area.bias)


def test_several_processes_find_the_same(tagger_, items, monkeypatch):
    monkeypatch.setattr("tagger.report.explaining.PAYS_FROM", 1)
    assert list(explain_all(tagger_.model, items, n_jobs=2)) == list(explain_all(tagger_.model, items))


def test_what_is_explained_is_tagged_or_unsure_or_at_least_one_area(items):
    for item in items:
        wanted = {AREAS[k] for k in wanted_areas(item, AREAS)}
        named = {*item.tags.areas, *item.tags.unsure}
        assert wanted == named or (not named and len(wanted) == 1)


def test_typical_phrases_add_up_over_the_abstracts_that_have_the_area(tagger_, items):
    pairs = list(zip(items, explain_all(tagger_.model, items)))
    sums, counts = defaultdict(float), defaultdict(int)
    for item, _ in pairs:
        why = tagger_.explain(item.record.abstract, item.record.title)
        for area in item.tags.areas:
            for phrase in why.areas[area].phrases:
                if phrase.share > 0:
                    sums[area, phrase.text.casefold()] += phrase.share
                    counts[area, phrase.text.casefold()] += 1
    found = typical_phrases(pairs, AREAS, 10_000)
    assert len(sums) == sum(map(len, found)) > 10
    for area, phrases in zip(AREAS, found):
        assert [one.share for one in phrases] == sorted((one.share for one in phrases), reverse=True)
        for one in phrases:
            assert one.share == pytest.approx(sums[area, one.text.casefold()])
            assert one.abstracts == counts[area, one.text.casefold()]
    assert [len(some) for some in typical_phrases(pairs, AREAS, 3)] == [3, 3]


def test_a_phrase_is_written_as_it_mostly_is(tagger_):
    records = [Record("", f"{word} soup soup, and dough.") for word in ("Slow", "slow", "slow")]
    items = [Tagged(record, tags) for record, tags in zip(records, tagger_.tag_many(records))]
    assert all("cooking" in item.tags.areas for item in items)
    texts = {one.text for one in typical_phrases(zip(items, explain_all(tagger_.model, items)), AREAS, 99)[1]}
    assert len({text.casefold() for text in texts}) == len(texts)
    assert not any(text.startswith("Slow") for text in texts)
