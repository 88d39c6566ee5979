"""An explanation: n-grams and phrases of the very text, adding up to the log-odds behind its tags."""

from __future__ import annotations

import json

import numpy as np
import pytest
from abstracts import AREAS, ASTRONOMY, COOKING, MARKED_UP, small_abstracts
from hypothesis import HealthCheck, assume, given, settings
from strategies import texts

import tagger as package
from tagger import text as definition
from tagger.model import beta_calibrated, sigmoid

ABSTRACTS = [*small_abstracts(8, seed=5)[0], *MARKED_UP]


def assert_adds_up(explanation, model):
    columns = [*explanation.areas.values(), *explanation.central.values()]
    names = [*explanation.areas, *explanation.central]
    margins = model.margins(model.vectorizer.transform([explanation.text]))[0]
    outputs = [*model.areas, *model.central]
    for found, margin in zip(columns, margins[: len(columns)], strict=True):
        assert found.log_odds == margin
        shares = [evidence.share for evidence in found.evidence]
        assert found.bias + sum(shares) == pytest.approx(found.log_odds, abs=1e-6)
        phrases = [phrase.share for phrase in found.phrases]
        assert found.bias + sum(phrases) + found.rest == pytest.approx(found.log_odds, abs=1e-6)
        assert shares == sorted(shares, key=lambda share: -abs(share))
        assert phrases == sorted(phrases, key=lambda share: -abs(share))
    assert names == outputs[: len(names)]


@pytest.mark.parametrize("abstract", ABSTRACTS)
def test_bias_and_evidence_add_up_for_every_output(tagger_, abstract):
    assert_adds_up(tagger_.explain(abstract, central=True), tagger_.model)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts, texts)
def test_any_text_and_title_is_explained_with_spans_in_the_text(tagger_, abstract, title):
    assume(abstract.strip())
    explanation = tagger_.explain(f"{abstract} soup of comets", title)
    assert_adds_up(explanation, tagger_.model)
    for found in explanation.areas.values():
        for item in (*found.evidence, *found.phrases):
            assert list(item.spans) == sorted(item.spans)
            assert all(0 <= start < end <= len(explanation.text) for start, end in item.spans)


@pytest.mark.parametrize("title", [None, "", "A soup", "naïve\ntitle."])
def test_it_explains_the_probabilities_that_tagging_gives(tagger_, title):
    model = tagger_.model
    for abstract in ABSTRACTS:
        tags, explanation = tagger_.tag(abstract, title), tagger_.explain(abstract, title, central=True)
        assert explanation.tags == tags
        assert {area: found.probability for area, found in explanation.areas.items()} == dict(tags.probabilities)
        found = [*explanation.areas.values(), *explanation.central.values()]
        log_odds = np.array([[output.log_odds for output in found]])
        calibrated = log_odds if model.calibration is None else beta_calibrated(log_odds, model.calibration)
        expected = [*tags.probabilities.values(), *tags.central_probabilities.values()]
        assert sigmoid(calibrated)[0] == pytest.approx(expected, abs=1e-6)


def test_the_title_is_the_beginning_of_the_text_and_the_abstract_the_rest(tagger_):
    explanation = tagger_.explain("We bake it.", "A soup")
    assert explanation.text == "A soup\nWe bake it."
    assert explanation.text[explanation.abstract_start :] == "We bake it."
    assert tagger_.explain("We bake it.").abstract_start == 0
    soups = [e for e in explanation.areas["cooking"].evidence if e.ngram == "soup"]
    assert [evidence.spans for evidence in soups] == [((2, 6),)]


@pytest.mark.parametrize("abstract", ABSTRACTS)
def test_a_span_of_an_ngram_holds_its_words(tagger_, abstract):
    for found in tagger_.explain(abstract).areas.values():
        for evidence in found.evidence:
            for start, end in evidence.spans:
                assert definition.words(abstract[start:end]) == evidence.ngram.split(" ")


def test_every_known_ngram_of_the_text_and_no_other_has_evidence(tagger_):
    abstract = " ".join([*COOKING, *COOKING[:2]])
    counts = definition.ngrams(abstract)
    known = {ngram for ngram in tagger_.model.vocabulary.ngrams if ngram in counts}
    found = tagger_.explain(abstract).areas["cooking"].evidence
    assert {evidence.ngram for evidence in found} <= known
    assert all(len(evidence.spans) == counts[evidence.ngram] for evidence in found)
    assert len(found) > len(known) / 2


def test_what_an_area_is_about_speaks_for_it(tagger_):
    explanation = tagger_.explain(" ".join((*COOKING[:2], *ASTRONOMY[:2])))
    for area, sentences in zip(AREAS, (ASTRONOMY, COOKING)):
        supporting = [phrase for phrase in explanation.areas[area].phrases if phrase.share > 0]
        assert supporting[0].text in " ".join(sentences)


def test_the_central_outputs_are_explained_if_asked_for(tagger_):
    assert not tagger_.explain("A soup.").central
    assert tuple(tagger_.explain("A soup.", central=True).central) == tagger_.model.central


@pytest.mark.parametrize(("given_", "complaint"), [("", "empty"), ("  \n", "empty"), (None, "got NoneType")])
def test_what_cannot_be_tagged_is_refused_as_in_tagging(tagger_, given_, complaint):
    with pytest.raises(package.InputError, match=complaint):
        tagger_.explain(given_)


def test_it_is_json(tagger_):
    row = json.loads(json.dumps(tagger_.explain(ABSTRACTS[0], "A soup", central=True).to_json()))
    explanation = tagger_.explain(ABSTRACTS[0], "A soup", central=True)
    assert row["areas"] == list(explanation.tags.areas)
    assert row["text"][row["abstract_start"] :] == ABSTRACTS[0]
    for key, outputs in (("evidence", explanation.areas), ("central_evidence", explanation.central)):
        for area, found in outputs.items():
            assert row[key][area]["bias"] == found.bias
            assert [item["share"] for item in row[key][area]["evidence"]] == [item.share for item in found.evidence]
            assert row[key][area]["phrases"][0]["spans"] == [list(span) for span in found.phrases[0].spans]
    assert "central_evidence" not in tagger_.explain("A soup.").to_json()


def test_the_line_for_people_says_how_it_adds_up(tagger_):
    line = tagger_.explain(" ".join(COOKING)).areas["cooking"].in_words()
    total, *parts = [float(word.strip(",")) for word in line.split() if word[0] in "+-"]
    assert sum(parts) == pytest.approx(total, abs=0.025)
    assert line.startswith("log-odds ")
    assert "-0.00" not in line


def test_real_abstracts_add_up_under_the_shipped_model(real_abstracts):
    areas = package.load()
    for abstract in real_abstracts[::1500]:
        assert_adds_up(areas.explain(abstract, central=True), areas.model)
