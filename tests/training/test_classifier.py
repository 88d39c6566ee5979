"""AreaClassifier: a scikit-learn estimator whose labels may be unknown, and which repeats to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from abstracts import AREAS, small_abstracts
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline

from tagger import InputError
from training import AreaClassifier, count_ngrams

TEXTS, GRADES = small_abstracts(80)
UNIQUE_WORDS = [f"{first}{second}" for first in "abcdefgh" for second in "klmnopqrst"]
NEW_TEXTS, NEW_GRADES = small_abstracts(60, seed=21)


@pytest.fixture(autouse=True)
def linear_only(monkeypatch):
    """No network, which learns all outputs at once: it has tests of its own."""
    monkeypatch.setattr("training.classifier.NETWORK_MIN_TEXTS", 1000)


def new(**settings) -> AreaClassifier:
    return AreaClassifier(settings.pop("areas", AREAS), **{"min_df": 2, "folds": 3} | settings)


def results(classifier: AreaClassifier, texts=NEW_TEXTS) -> np.ndarray:
    """Everything that a classifier decides on, a row an output: the areas, then what is central."""
    model = classifier.model_
    bands = np.zeros((len(model.thresholds), 2))
    bands[: len(model.areas)] = model.unsure
    log_odds = model.log_odds(model.vectorizer.transform(list(texts)))
    assert np.array_equal(log_odds[:, : len(model.areas)], classifier.decision_function(texts))
    return np.column_stack([log_odds.T, model.thresholds, bands, classifier.out_of_fold_.T])


def test_a_clone_has_the_parameters_and_nothing_learned(classifier):
    copy = clone(classifier)
    assert copy.get_params() == classifier.get_params()
    assert not hasattr(copy, "model_")


def test_parameters_are_set_and_got_by_name():
    classifier = AreaClassifier().set_params(C=0.5, folds=4, random_state=7)
    assert (classifier.C, classifier.folds, classifier.random_state) == (0.5, 4, 7)
    assert classifier.get_params() | {"C": 0.5} == classifier.get_params()
    with pytest.raises(ValueError, match="colour"):
        classifier.set_params(colour="red")


def test_fitting_returns_the_classifier_and_leaves_its_parameters_alone():
    classifier = new()
    before = classifier.get_params()
    assert classifier.fit(TEXTS, GRADES) is classifier
    assert classifier.get_params() == before
    assert classifier.areas_ == AREAS
    assert list(classifier.classes_) == list(AREAS)


def test_new_texts_are_tagged_right(classifier):
    assert classifier.score(NEW_TEXTS, NEW_GRADES) > 0.9


def test_predictions_have_a_row_a_text_and_a_column_an_area(classifier):
    probabilities, log_odds = classifier.predict_proba(NEW_TEXTS), classifier.decision_function(NEW_TEXTS)
    assert probabilities.shape == log_odds.shape == classifier.predict(NEW_TEXTS).shape == (60, 2)
    assert probabilities == pytest.approx(1 / (1 + np.exp(-log_odds)), abs=1e-6)
    assert np.array_equal(classifier.predict(NEW_TEXTS), probabilities >= classifier.model_.thresholds[:2])
    assert classifier.predict([]).shape == (0, 2)


def test_a_word_alone_is_tagged(classifier):
    """The words of a pair that is a feature, without the pair itself."""
    assert np.isfinite(classifier.decision_function(["telescope", "the", "dough", ""])).all()


def test_texts_and_their_counts_give_the_same(classifier):
    from_counts = new(n_jobs=1).fit(count_ngrams(TEXTS), GRADES)
    assert np.array_equal(results(from_counts), results(new().fit(TEXTS, GRADES)))
    assert np.array_equal(
        classifier.decision_function(count_ngrams(NEW_TEXTS)), classifier.decision_function(NEW_TEXTS)
    )


def test_texts_may_be_a_list_a_tuple_or_an_array():
    expected = results(new().fit(TEXTS, GRADES))
    assert np.array_equal(results(new().fit(tuple(TEXTS), GRADES)), expected)
    assert np.array_equal(results(new().fit(np.array(TEXTS, dtype=object), GRADES)), expected)


def test_the_same_seed_gives_the_same_model_to_the_last_bit():
    first, again, parallel = (new(n_jobs=n).fit(TEXTS, GRADES) for n in (1, 1, 2))
    assert results(first).tobytes() == results(again).tobytes() == results(parallel).tobytes()
    assert results(new(random_state=1).fit(TEXTS, GRADES)).tobytes() != results(first).tobytes()


def test_grades_2_and_1_are_both_present():
    graded, merely_present = new().fit(TEXTS, GRADES), new().fit(TEXTS, (GRADES > 0).astype(int))
    assert graded.model_.central == AREAS
    assert merely_present.model_.central == ()
    assert np.array_equal(results(graded)[:2], results(merely_present))


def test_one_area_may_come_as_one_column_or_flat():
    flat = new(areas=None).fit(TEXTS, GRADES[:, 0])
    assert flat.areas_ == ("area 1",)
    assert flat.predict_proba(NEW_TEXTS).shape == (60, 1)
    assert np.array_equal(results(flat), results(new(areas=["x"]).fit(TEXTS, GRADES[:, :1])))


def test_an_area_does_not_depend_on_the_other_areas():
    both, one = new().fit(TEXTS, GRADES), new(areas=["cooking"]).fit(TEXTS, GRADES[:, 1])
    assert np.array_equal(both.decision_function(NEW_TEXTS)[:, 1:], one.decision_function(NEW_TEXTS))


UNKNOWN_ROWS = np.arange(0, 80, 4)


def partly_unknown(mark: float) -> np.ndarray:
    grades = GRADES.astype(float)
    grades[UNKNOWN_ROWS, 1] = mark
    return grades


def test_minus_one_and_nan_both_mean_unknown():
    assert np.array_equal(
        results(new().fit(TEXTS, partly_unknown(-1))), results(new().fit(TEXTS, partly_unknown(np.nan)))
    )


def test_texts_whose_label_is_unknown_take_no_part_in_that_area():
    """Moved among each other they keep every document frequency, so only a label could tell them apart."""
    moved = list(TEXTS)
    for target, source in zip(UNKNOWN_ROWS, np.roll(UNKNOWN_ROWS, 7)):
        moved[target] = TEXTS[source]
    first, second = new().fit(TEXTS, partly_unknown(-1)), new().fit(moved, partly_unknown(-1))
    astronomy, cooking = (
        np.array_equal(first.decision_function(NEW_TEXTS)[:, i], second.decision_function(NEW_TEXTS)[:, i])
        for i in (0, 1)
    )
    assert cooking
    assert not astronomy
    assert first.model_.thresholds[1] == second.model_.thresholds[1]


def test_texts_with_no_known_label_and_no_new_words_may_as_well_not_be_there():
    without = new(min_df=1).fit(TEXTS, GRADES)
    extra = [" ".join(TEXTS[0].split()[:2])]
    padded = new(min_df=1).fit(TEXTS + extra, np.vstack([GRADES, [[-1, -1]]]))
    assert padded.model_.vocabulary.ngrams == without.model_.vocabulary.ngrams
    # It moves texts between the folds, which calibrates otherwise; each weight of an output changes by one factor.
    for padded_coef, coef in zip(padded.model_.coef.T, without.model_.coef.T):
        factor = np.vdot(padded_coef, coef) / np.vdot(coef, coef)
        assert padded_coef == pytest.approx(factor * coef, abs=1e-6)
        assert factor > 0.5


def test_out_of_fold_log_odds_are_there_where_the_label_is_known(classifier):
    fitted = new().fit(TEXTS, partly_unknown(-1))
    assert fitted.out_of_fold_.shape == (80, 4)
    assert np.isfinite(fitted.out_of_fold_).all()
    present = GRADES[:, 0] > 0
    assert fitted.out_of_fold_[present, 0].mean() > 0 > fitted.out_of_fold_[~present, 0].mean()


def test_a_label_is_not_seen_by_the_model_that_judges_its_text():
    """A word that is only in one text cannot help that text out of fold, however telling the final model finds it."""
    generator = np.random.default_rng(0)
    texts = [f"{word} " * 3 for word in UNIQUE_WORDS[:60]]
    present = generator.random(60) < 0.5
    fitted = new(areas=["x"], min_df=1).fit(texts, present.astype(int))
    assert np.ptp(fitted.out_of_fold_[:, 0]) < 0.5


def test_thresholds_lie_in_the_unsure_band(classifier):
    model = classifier.model_
    assert (model.unsure[:, 0] <= model.thresholds[:2]).all()
    assert (model.thresholds[:2] <= model.unsure[:, 1]).all()
    assert ((model.thresholds > 0) & (model.thresholds < 1)).all()


def test_only_representative_texts_set_the_threshold():
    odd = GRADES.copy()
    odd[40:] = 1 - (odd[40:] > 0)
    expected = new().fit(TEXTS, odd).model_.thresholds
    judged = np.arange(80) < 40
    assert not np.array_equal(new().fit(TEXTS, odd, representative=judged).model_.thresholds, expected)


@pytest.mark.parametrize("counted", [False, True])
def test_cross_validation_scores_a_classifier(counted):
    X = count_ngrams(TEXTS) if counted else TEXTS
    scores = cross_val_score(new(), X, GRADES, cv=2)
    assert len(scores) == 2
    assert scores.min() > 0.7


@pytest.mark.parametrize("mark", [-1, np.nan])
def test_cross_validation_takes_unknown_labels(mark):
    scores = cross_val_score(new(), TEXTS, partly_unknown(mark), cv=KFold(2), error_score="raise")
    assert scores.min() > 0.7


def test_a_grid_search_finds_settings():
    search = GridSearchCV(new(), {"C": [0.05, 0.1]}, cv=2, error_score="raise").fit(TEXTS, GRADES)
    assert search.best_params_["C"] in (0.05, 0.1)
    assert search.best_estimator_.predict(NEW_TEXTS).shape == (60, 2)


def test_a_classifier_ends_a_pipeline():
    assert make_pipeline(new()).fit(TEXTS, GRADES).predict(NEW_TEXTS).shape == (60, 2)


def test_a_score_takes_no_notice_of_unknown_labels(classifier):
    grades = NEW_GRADES.astype(float)
    wrong = classifier.predict(NEW_TEXTS) != (NEW_GRADES > 0)
    grades[wrong] = np.nan
    assert classifier.score(NEW_TEXTS, grades) == 1


@pytest.mark.parametrize(
    ("texts", "grades", "complaint"),
    [
        (TEXTS, GRADES[:5], "80 texts but 5 rows"),
        (TEXTS, np.full((80, 2), 3), "label 3"),
        (TEXTS, GRADES[:, [0, 1, 1]], "2 names of areas but 3 columns"),
        (TEXTS, np.full((80, 2), -1), "no label is known"),
        (TEXTS[:1], GRADES[:1], "1 texts"),
        ("one text", [[1, 0]], "list"),
        ([*TEXTS[:-1], None], GRADES, "text 79: expected a string"),
        (UNIQUE_WORDS, GRADES, "no n-gram occurs in 2 texts"),
        ([], np.empty((0, 2)), "no n-gram|0 texts"),
    ],
)
def test_what_cannot_be_learned_from_is_refused(texts, grades, complaint):
    with pytest.raises(InputError, match=complaint):
        new().fit(texts, grades)


@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function"])
def test_an_unfitted_classifier_says_so(method):
    with pytest.raises(Exception, match="not fitted"):
        getattr(AreaClassifier(), method)(["text"])
