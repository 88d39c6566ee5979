"""Metrics are those of scikit-learn, on what was judged, and intervals hold the value."""

from __future__ import annotations

import json
from types import SimpleNamespace

import hypothesis.strategies as st
import numpy as np
import pytest
from abstracts import small_abstracts
from hypothesis import given, settings
from sklearn.metrics import average_precision_score, precision_recall_fscore_support

from tagger.model import sigmoid
from training import count_ngrams
from training.evaluate import (
    AREA_METRICS,
    MACRO_METRICS,
    calibration_error,
    evaluate,
    log_odds_of_counts,
    precision_recall_f1,
)

AREAS = ("a", "b", "c")
DECIDER = SimpleNamespace(
    areas=AREAS,
    central=(),
    thresholds=np.array([0.5, 0.3, 0.7]),
    unsure=np.array([[0.4, 0.6], [0.2, 0.5], [0.7, 0.7]]),
)
GRADER = SimpleNamespace(
    areas=AREAS, central=("c", "a"), thresholds=np.array([0.5, 0.3, 0.7, 0.4, 0.6]), unsure=DECIDER.unsure
)


def random_results(seed: int, n: int = 200, unknown: float = 0.2) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities with ties, and grades that agree with them more often than not."""
    generator = np.random.default_rng(seed)
    probabilities = generator.integers(0, 101, (n, 3)).astype(np.float32) / 100
    grades = (generator.random((n, 3)) < probabilities).astype(np.int8) * generator.integers(1, 3, (n, 3)).astype(
        np.int8
    )
    grades[generator.random((n, 3)) < unknown] = -1
    return probabilities, grades


@settings(max_examples=30)
@given(st.integers(0, 10_000))
def test_the_metrics_of_an_area_are_those_of_scikit_learn_on_the_judged_abstracts(seed):
    probabilities, grades = random_results(seed)
    result = evaluate(DECIDER, probabilities, grades, n_bootstrap=2)
    for i, area in enumerate(AREAS):
        judged = grades[:, i] != -1
        truth, p = grades[judged, i] > 0, probabilities[judged, i].astype(np.float64)
        precision, recall, f1, _ = precision_recall_fscore_support(truth, p >= DECIDER.thresholds[i], average="binary")
        expected = {
            "n": judged.sum(),
            "present": truth.sum(),
            "precision": precision,
            "recall": recall,
            "f1": f1,
            "average_precision": average_precision_score(truth, p),
        }
        assert {name: result.areas[area][name] for name in expected} == pytest.approx(expected)


@settings(max_examples=6)
@given(st.integers(0, 10_000))
def test_macro_figures_are_means_over_areas_and_their_intervals_hold_them(seed):
    result = evaluate(DECIDER, *random_results(seed), n_bootstrap=100)
    for name in MACRO_METRICS:
        value, low, high = result.macro[name]
        assert value == pytest.approx(np.mean([result.areas[area][name] for area in AREAS]))
        assert 0 <= low <= value <= high <= 1
        assert high - low < 0.25


def test_more_abstracts_make_narrower_intervals():
    few, many = (evaluate(DECIDER, *random_results(0, n), n_bootstrap=200).macro["f1"] for n in (60, 3000))
    assert many[2] - many[1] < (few[2] - few[1]) / 2


def test_an_evaluation_repeats_with_its_seed():
    probabilities, grades = random_results(1)
    first, again = (evaluate(DECIDER, probabilities, grades, n_bootstrap=50, seed=3) for _ in range(2))
    assert first == again
    assert first.macro != evaluate(DECIDER, probabilities, grades, n_bootstrap=50, seed=4).macro


def test_what_is_unknown_changes_nothing():
    probabilities, grades = random_results(2)
    result = evaluate(DECIDER, probabilities, grades, n_bootstrap=5)
    other = probabilities.copy()
    other[grades == -1] = np.float32(0.99)
    assert evaluate(DECIDER, other, grades, n_bootstrap=5) == result


def test_perfect_decisions_score_one_and_none_score_zero():
    grades = np.array([[1, 0, 2], [0, 1, 0], [2, 0, 0], [0, 2, 1]], dtype=np.int8)
    perfect = evaluate(DECIDER, (grades > 0).astype(np.float32), grades, n_bootstrap=20)
    assert all(perfect.macro[name][0] == 1 for name in MACRO_METRICS)
    assert perfect.decisions == {"unsure": 0.0, "accuracy_outside": 1.0}
    nothing = evaluate(DECIDER, np.zeros((4, 3), dtype=np.float32), grades, n_bootstrap=20)
    assert nothing.macro["f1"][0] == 0


def test_an_area_that_nobody_judged_or_that_never_occurs_takes_no_part_in_the_macro_figures():
    probabilities, grades = random_results(3)
    grades[:, 1] = -1
    grades[:, 2] = 0
    result = evaluate(DECIDER, probabilities, grades, n_bootstrap=20)
    assert result.macro["f1"][0] == pytest.approx(result.areas["a"]["f1"])
    assert result.areas["b"]["n"] == 0
    assert all(np.isfinite(result.areas[area][name]) for area in AREAS for name in AREA_METRICS)


def test_decisions_outside_the_unsure_band_are_counted_over_all_areas():
    probabilities = np.array([[0.5, 0.9, 0.9], [0.9, 0.4, 0.1]], dtype=np.float32)
    grades = np.array([[1, 1, 0], [1, -1, 0]], dtype=np.int8)
    decisions = evaluate(DECIDER, probabilities, grades, n_bootstrap=5).decisions
    assert decisions == {"unsure": pytest.approx(1 / 5), "accuracy_outside": pytest.approx(3 / 4)}


def test_an_evaluation_is_plain_json():
    values = evaluate(DECIDER, *random_results(4), n_bootstrap=5).to_json()
    assert json.loads(json.dumps(values)) == values
    assert set(values["areas"]) == set(AREAS)


@settings(max_examples=30)
@given(st.integers(0, 10_000))
def test_what_is_central_is_judged_where_the_area_is_and_only_where_the_model_tags_the_area(seed):
    probabilities, grades = random_results(seed)
    central = np.random.default_rng(seed + 1).integers(0, 11, (len(grades), 2)).astype(np.float32) / 10
    result = evaluate(GRADER, np.concatenate([probabilities, central], axis=1), grades, n_bootstrap=2)
    assert list(result.central) == ["c", "a"]
    for k, (area, column) in enumerate((("c", 2), ("a", 0))):
        judged = grades[:, column] != -1
        truth, p = grades[judged, column] == 2, central[judged, k].astype(np.float64)
        # NumPy 1 compares a float32 array with one float64 number in float32, where they can be equal.
        presence = probabilities[judged, column].astype(np.float64)
        decided = (p >= GRADER.thresholds[3 + k]) & (presence >= GRADER.thresholds[column])
        precision, recall, f1, _ = precision_recall_fscore_support(truth, decided, average="binary", zero_division=0.0)
        expected = {
            "n": judged.sum(),
            "present": truth.sum(),
            "precision": precision,
            "recall": recall,
            "f1": f1,
            "average_precision": average_precision_score(truth, p),
        }
        assert {name: result.central[area][name] for name in expected} == pytest.approx(expected)
    for name in MACRO_METRICS:
        assert result.central_macro[name][0] == pytest.approx(np.mean([result.central[a][name] for a in "ac"]))


def test_what_is_central_does_not_change_how_presence_is_judged():
    probabilities, grades = random_results(5)
    central = np.linspace(0, 1, 2 * len(grades), dtype=np.float32).reshape(-1, 2)
    with_central = evaluate(GRADER, np.concatenate([probabilities, central], axis=1), grades, n_bootstrap=5)
    without = evaluate(GRADER, probabilities, grades, n_bootstrap=5)
    for part in ("areas", "macro", "decisions"):
        assert (
            getattr(with_central, part)
            == getattr(without, part)
            == getattr(evaluate(DECIDER, probabilities, grades, n_bootstrap=5), part)
        )
    assert (without.central, without.central_macro) == ({}, {})
    assert {"central", "central_macro"} <= with_central.to_json().keys()
    assert not {"central", "central_macro"} & without.to_json().keys()


def average_precision(present: list[bool], probabilities: list[float]) -> float:
    """What :func:`evaluate` reports of an area with these probabilities."""
    decider = SimpleNamespace(areas=("x",), central=(), thresholds=np.array([0.5]), unsure=np.array([[0.5, 0.5]]))
    columns = np.array(probabilities, dtype=np.float32)[:, np.newaxis], np.array(present, dtype=np.int8)[:, np.newaxis]
    return evaluate(decider, *columns, n_bootstrap=1).areas["x"]["average_precision"]


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([0.0, 0.2, 0.25, 0.5, 0.9, 1.0])), min_size=1, max_size=40))
def test_average_precision_is_that_of_scikit_learn_however_many_probabilities_are_equal(pairs):
    present, probabilities = ([pair[i] for pair in pairs] for i in (0, 1))
    expected = average_precision_score(present, probabilities) if any(present) else 0.0
    assert average_precision(present, probabilities) == pytest.approx(expected, abs=1e-12)


def test_average_precision_takes_no_notice_of_the_order_of_equal_probabilities():
    assert average_precision([True, False, False], [0.5, 0.5, 0.5]) == pytest.approx(1 / 3)
    assert average_precision([False, False, True], [0.5, 0.5, 0.5]) == pytest.approx(1 / 3)


@given(st.lists(st.tuples(st.booleans(), st.booleans())))
def test_precision_recall_and_f1_are_those_of_scikit_learn(pairs):
    decided, present = (np.array([pair[i] for pair in pairs], dtype=bool) for i in (0, 1))
    expected = (0.0, 0.0, 0.0)
    if pairs:
        expected = precision_recall_fscore_support(present, decided, average="binary", zero_division=0.0)[:3]
    assert precision_recall_f1(decided, present) == pytest.approx(expected)


def test_the_calibration_error_of_perfectly_calibrated_probabilities_is_zero():
    probabilities = np.repeat([0.0, 0.25, 0.5, 0.75, 1.0], 4)
    present = np.array([0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 1], dtype=bool)
    assert calibration_error(probabilities, present, bins=5) == pytest.approx(0)


def test_the_calibration_error_is_how_far_probabilities_are_off():
    assert calibration_error(np.full(1000, 0.9), np.arange(1000) % 10 < 6) == pytest.approx(0.3, abs=0.01)
    assert calibration_error(np.ones(50), np.zeros(50, dtype=bool)) == 1
    assert calibration_error(np.array([]), np.array([], dtype=bool)) == 0


def test_counts_give_the_probabilities_that_texts_give(model):
    texts = small_abstracts(30, seed=2)[0]
    probabilities = sigmoid(log_odds_of_counts(model, count_ngrams(texts)))
    assert probabilities.dtype == np.float32
    assert probabilities == pytest.approx(model.probabilities(texts), abs=1e-6)
