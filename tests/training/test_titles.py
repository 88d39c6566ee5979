"""Titles are learnt from with the abstracts, and what is decided is right for texts with and without them."""

from __future__ import annotations

import numpy as np
import pytest
from abstracts import AREAS, small_abstracts

from tagger import InputError
from tagger.records import full_text
from tagger.text import ngrams
from training import AreaClassifier, count_ngrams
from training.counts import add_counts

TEXTS, GRADES = small_abstracts(80)
NEW_TEXTS, NEW_GRADES = small_abstracts(60, seed=21)


@pytest.fixture(autouse=True)
def linear_only(monkeypatch):
    """What is tested here does not depend on the network, which takes seconds."""
    monkeypatch.setattr("training.classifier.NETWORK_MIN_TEXTS", 1000)


def new(**settings) -> AreaClassifier:
    return AreaClassifier(AREAS, **{"min_df": 2, "folds": 3} | settings)


def telling_titles(grades: np.ndarray) -> list[str]:
    """Titles that name the areas, in words that no abstract has."""
    return [" ".join(["quux", *np.array(["skyward", "kitchenly"])[row > 0]]) for row in grades]


def counts_of(counts, row: int) -> dict[str, int]:
    part = counts[np.array([row])].matrix
    return {counts.vocabulary.ngrams[i]: int(n) for i, n in zip(part.indices, part.data)}


def test_counts_of_two_texts_add_up_with_the_ngrams_that_only_one_has():
    texts, titles = ["a soup of stars", "bread"], ["soup of the day", ""]
    for both in (count_ngrams([*texts, *titles]), None):
        parts = (count_ngrams(texts), count_ngrams(titles)) if both is None else (both[:2], both[2:])
        added = add_counts(*parts)
        assert len(added) == 2
        for row in range(2):
            assert counts_of(added, row) == dict(ngrams(texts[row]) + ngrams(titles[row]))


def test_a_title_that_names_the_areas_is_believed():
    blank = ["we study it here again"] * 80
    fitted = new().fit(blank, GRADES, titles=telling_titles(GRADES))
    full = [full_text("we study it here again", title) for title in telling_titles(NEW_GRADES)]
    assert (fitted.predict(full) == (NEW_GRADES > 0)).mean() > 0.95
    present = GRADES[:, 0] > 0
    assert fitted.out_of_fold_[present, 0].mean() > fitted.out_of_fold_[~present, 0].mean() + 2
    untitled = fitted.out_of_fold_untitled_[:, 0]
    assert abs(untitled[present].mean() - untitled[~present].mean()) < 0.5


def test_texts_without_their_titles_are_still_told_apart():
    fitted = new().fit(TEXTS, GRADES, titles=telling_titles(GRADES))
    assert (fitted.predict(NEW_TEXTS) == (NEW_GRADES > 0)).mean() > 0.85


def test_calibration_is_made_for_texts_with_and_without_titles():
    """Titles that are always there would make the model too sure of texts that have none."""
    fitted = new().fit(TEXTS, GRADES, titles=telling_titles(GRADES))
    both = np.concatenate([fitted.out_of_fold_, fitted.out_of_fold_untitled_])
    truth = np.concatenate([GRADES, GRADES])[:, 0] > 0
    probabilities = 1 / (1 + np.exp(-both[:, 0]))
    assert probabilities.mean() == pytest.approx(truth.mean(), abs=0.03)


def test_titles_may_be_counts_or_missing_here_and_there_and_say_nothing_if_all_are():
    titles = [title if k % 3 else None for k, title in enumerate(telling_titles(GRADES))]
    of_texts = new().fit(TEXTS, GRADES, titles=titles)
    of_counts = new().fit(count_ngrams(TEXTS), GRADES, titles=count_ngrams([title or "" for title in titles]))
    assert np.array_equal(of_texts.out_of_fold_, of_counts.out_of_fold_)
    none, nothing = new().fit(TEXTS, GRADES), new().fit(TEXTS, GRADES, titles=[None] * 80)
    assert np.array_equal(none.model_.coef, nothing.model_.coef)
    assert np.array_equal(none.out_of_fold_, none.out_of_fold_untitled_)


@pytest.mark.parametrize(
    ("titles", "complaint"), [(["a"], "80 texts but 1 titles"), ([7] * 80, "expected a string, got int")]
)
def test_titles_that_do_not_fit_the_texts_are_refused(titles, complaint):
    with pytest.raises(InputError, match=complaint):
        new().fit(TEXTS, GRADES, titles=titles)
