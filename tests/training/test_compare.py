"""Two models on the same abstracts: verdicts, intervals, and which abstracts change."""

from __future__ import annotations

from types import SimpleNamespace

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.metrics import f1_score

from tagger import InputError
from training.compare import Difference, compare

AREAS = ("a", "b", "c")


def model(*areas: str, thresholds: float = 0.5) -> SimpleNamespace:
    """What `compare` reads of a model; an output for what is central stands after the areas."""
    return SimpleNamespace(areas=areas, central=areas[:1], thresholds=np.full(len(areas) + 1, thresholds))


def problem(seed: int, n: int = 300, unknown: float = 0.1) -> np.ndarray:
    generator = np.random.default_rng(seed)
    grades = (generator.random((n, 3)) < 0.4) * generator.integers(1, 3, (n, 3))
    grades[generator.random((n, 3)) < unknown] = -1
    return grades.astype(np.int8)


def opinions(grades: np.ndarray, accuracy: float, seed: int) -> np.ndarray:
    """Probabilities of four outputs whose decisions on the areas are right this often."""
    generator = np.random.default_rng(seed)
    right = generator.random(grades.shape) < accuracy
    sure = generator.uniform(0.5, 1, grades.shape)
    probabilities = np.where((grades > 0) == right, sure, 1 - sure)
    return np.column_stack([probabilities, generator.random(len(grades))]).astype(np.float32)


@settings(max_examples=10)
@given(st.integers(0, 1000))
def test_models_that_say_the_same_do_not_differ(seed):
    grades = problem(seed)
    same = opinions(grades, 0.8, seed)
    result = compare(model(*AREAS), model(*AREAS), same, same, AREAS, grades, n_bootstrap=50)
    for difference in (result.macro, *result.areas.values()):
        assert difference.old == difference.new
        assert difference.low == 0 == difference.high
        assert difference.verdict == "no clear difference"
    assert all(changes == ([], []) for changes in result.changed.values())


@settings(max_examples=10)
@given(st.integers(0, 1000))
def test_models_that_are_as_good_by_chance_have_zero_in_the_interval_more_often_than_not(seed):
    grades = problem(seed)
    old, new = (opinions(grades, 0.8, seed + k) for k in (5000, 9000))
    difference = compare(model(*AREAS), model(*AREAS), old, new, AREAS, grades, n_bootstrap=200).macro
    assert difference.low <= difference.new - difference.old <= difference.high
    assert 0 < difference.high - difference.low < 0.25


def test_the_interval_holds_zero_for_about_95_of_100_pairs_of_equal_models():
    held = 0
    for seed in range(100):
        grades = problem(seed)
        old, new = (opinions(grades, 0.8, 1000 * k + seed) for k in (1, 2))
        difference = compare(model(*AREAS), model(*AREAS), old, new, AREAS, grades, n_bootstrap=100, seed=seed).macro
        held += difference.verdict == "no clear difference"
    assert 88 <= held <= 100


def test_a_model_that_is_right_more_often_is_better_and_the_other_way_round_worse():
    grades = problem(0)
    weak, strong = opinions(grades, 0.7, 1), opinions(grades, 0.95, 2)
    better = compare(model(*AREAS), model(*AREAS), weak, strong, AREAS, grades, n_bootstrap=200)
    worse = compare(model(*AREAS), model(*AREAS), strong, weak, AREAS, grades, n_bootstrap=200)
    assert better.macro.verdict == "better"
    assert worse.macro.verdict == "worse"
    assert {difference.verdict for difference in better.areas.values()} == {"better"}
    assert (worse.macro.low, worse.macro.high) == pytest.approx((-better.macro.high, -better.macro.low))
    assert {area: (lost, won) for area, (won, lost) in better.changed.items()} == worse.changed


def test_one_area_may_be_better_while_another_is_worse():
    grades = problem(1)
    weak, strong = opinions(grades, 0.7, 1), opinions(grades, 0.95, 2)
    old = np.column_stack([weak[:, 0], strong[:, 1], strong[:, 2:]])
    new = np.column_stack([strong[:, 0], weak[:, 1], strong[:, 2:]])
    areas = compare(model(*AREAS), model(*AREAS), old, new, AREAS, grades, n_bootstrap=200).areas
    assert [areas[area].verdict for area in AREAS] == ["better", "worse", "no clear difference"]


@settings(max_examples=20)
@given(st.integers(0, 1000))
def test_f1_is_that_of_scikit_learn_on_what_was_judged(seed):
    grades = problem(seed, 80, unknown=0.3)
    old, new = opinions(grades, 0.7, seed), opinions(grades, 0.8, seed + 1)
    result = compare(model(*AREAS), model(*AREAS, thresholds=0.6), old, new, AREAS, grades, n_bootstrap=2)
    for k, area in enumerate(AREAS):
        judged = grades[:, k] != -1
        for found, probabilities, threshold in ((result.areas[area].old, old, 0.5), (result.areas[area].new, new, 0.6)):
            expected = f1_score(grades[judged, k] > 0, probabilities[judged, k] >= threshold)
            assert found == pytest.approx(expected)
    assert result.macro.old == pytest.approx(np.mean([result.areas[area].old for area in AREAS]))
    assert result.macro.new == pytest.approx(np.mean([result.areas[area].new for area in AREAS]))
    assert result.n_abstracts == 80


def test_abstracts_that_change_are_named_with_the_largest_change_first():
    grades = np.array([[1], [1], [0], [0], [2], [-1]], dtype=np.int8)
    old = np.array([[0.4], [0.1], [0.6], [0.2], [0.9], [0.1]], dtype=np.float32)
    new = np.array([[0.6], [0.9], [0.4], [0.8], [0.9], [0.9]], dtype=np.float32)
    one = SimpleNamespace(areas=("a",), central=(), thresholds=np.array([0.5]))
    assert compare(one, one, old, new, ("a",), grades, n_bootstrap=2).changed == {"a": ([1, 0, 2], [3])}


@settings(max_examples=20)
@given(st.integers(0, 1000))
def test_what_is_unknown_changes_nothing(seed):
    grades = problem(seed, 60, unknown=0.4)
    old, new = opinions(grades, 0.7, seed), opinions(grades, 0.8, seed + 1)
    other = new.copy()
    other[:, :3][grades == -1] = 1 - other[:, :3][grades == -1]
    first, second = (compare(model(*AREAS), model(*AREAS), old, n, AREAS, grades, n_bootstrap=20) for n in (new, other))
    assert first == second


def test_only_areas_that_both_models_and_the_labels_have_are_compared_each_by_its_name():
    grades = problem(2)
    opinion = opinions(grades, 0.9, 3)
    old, new = model("c", "a"), model("b", "c", "d")
    old_opinion, new_opinion = opinion[:, [2, 0, 3]], np.column_stack([opinion[:, [1, 2]], opinion[:, [3, 3]]])
    result = compare(old, new, old_opinion, new_opinion, AREAS, grades, n_bootstrap=20)
    assert list(result.areas) == list(result.changed) == ["c"]
    judged = grades[:, 2] != -1
    expected = f1_score(grades[judged, 2] > 0, opinion[judged, 2] >= 0.5)
    assert (result.areas["c"].old, result.areas["c"].new) == pytest.approx((expected, expected))
    assert (result.macro.low, result.macro.high) == (0, 0)


@pytest.mark.parametrize("new", [model("x", "y"), model("d")])
def test_models_that_share_no_labelled_area_are_refused(new):
    grades = problem(3, 10)
    with pytest.raises(InputError, match="share no labelled area"):
        compare(model(*AREAS, "d"), new, np.zeros((10, 5)), np.zeros((10, 3)), AREAS, grades)


def test_a_comparison_repeats_with_its_seed():
    grades = problem(4)
    old, new = opinions(grades, 0.7, 1), opinions(grades, 0.75, 2)
    first, again, other = (
        compare(model(*AREAS), model(*AREAS), old, new, AREAS, grades, n_bootstrap=40, seed=seed) for seed in (0, 0, 1)
    )
    assert first == again
    assert first.macro != other.macro


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.01, 0.02, "better"),
        (-0.02, -0.01, "worse"),
        (-0.01, 0.01, "no clear difference"),
        (0.0, 0.01, "no clear difference"),
        (-0.01, 0.0, "no clear difference"),
        (0.0, 0.0, "no clear difference"),
    ],
)
def test_a_verdict_needs_an_interval_that_leaves_zero_out(low, high, verdict):
    assert Difference(0.5, 0.5, low, high).verdict == verdict
