"""Margins become probabilities that mean what they say, and probabilities become decisions."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from scipy.special import expit, logit
from sklearn.metrics import f1_score

from tagger.model import beta_calibrated
from training.calibration import best_f1_threshold, expected_f1_threshold, fit_beta, fit_platt, unsure_band

# A coarse grid, so that equal probabilities, which real texts have, come up here too.
judged = st.lists(st.tuples(st.integers(1, 39).map(lambda n: n / 40), st.booleans()), min_size=1, max_size=60)


def arrays(pairs) -> tuple[np.ndarray, np.ndarray]:
    return np.array([p for p, _ in pairs]), np.array([bool(present) for _, present in pairs])


def test_calibration_finds_the_line_that_the_labels_were_drawn_from():
    generator = np.random.default_rng(0)
    margins = generator.normal(0, 3, 20_000)
    present = generator.random(20_000) < expit(0.8 * margins - 1.5)
    fitted = fit_platt(margins, present)
    assert fitted.slope == pytest.approx(0.8, abs=0.05)
    assert fitted.offset == pytest.approx(-1.5, abs=0.1)


@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e4])
def test_the_scale_of_the_margins_does_not_matter(scale):
    generator = np.random.default_rng(1)
    margins = generator.normal(0, 1, 500)
    present = generator.random(500) < expit(2 * margins)
    expected = fit_platt(margins, present).log_odds(margins)
    assert fit_platt(margins * scale, present).log_odds(margins * scale) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("margins", [[-2.0, -1.0, 1.0, 2.0], [1.0, 1.0, 1.0, 1.0], [-1e6, -1.0, 1.0, 1e6]])
def test_separable_and_constant_margins_give_finite_log_odds(margins):
    margins, present = np.array(margins), np.array([False, False, True, True])
    log_odds = fit_platt(margins, present).log_odds(margins)
    assert np.isfinite(log_odds).all()
    assert (np.diff(log_odds) >= -1e-9).all()


@given(judged)
def test_no_threshold_gives_a_higher_f1_than_the_one_chosen(pairs):
    probabilities, present = arrays(pairs)
    threshold = best_f1_threshold(probabilities, present)
    assert 0 < threshold < 1
    chosen = f1_score(present, probabilities >= threshold, zero_division=0.0)
    others = [f1_score(present, probabilities >= p, zero_division=0.0) for p in {*probabilities.tolist(), 0.0, 1.0}]
    if present.any():
        assert chosen == pytest.approx(max(others))


def test_a_threshold_lies_between_the_probabilities_that_it_parts():
    assert best_f1_threshold(np.array([0.9, 0.6, 0.2]), np.array([True, True, False])) == pytest.approx(0.4)


def test_an_area_that_no_text_has_gets_the_threshold_one_half():
    assert best_f1_threshold(np.array([0.9, 0.1]), np.array([False, False])) == 0.5


@settings(max_examples=400)
@given(judged, st.sampled_from([0.8, 0.95, 1.0]))
def test_outside_the_unsure_band_the_asked_share_of_decisions_is_right(pairs, accuracy):
    probabilities, present = arrays(pairs)
    threshold = best_f1_threshold(probabilities, present)
    low, high = unsure_band(probabilities, present, threshold, accuracy)
    assert 0 <= low <= threshold <= high <= 1
    outside = (probabilities < low) | (probabilities > high)
    right = (probabilities >= threshold) == present
    if outside.any():
        assert right[outside].mean() >= accuracy - 1e-9


def test_the_band_is_no_wider_than_it_needs_to_be():
    probabilities = np.linspace(0.005, 0.995, 100)
    present = probabilities > 0.5
    assert unsure_band(probabilities, present, 0.5, 0.99) == (0.5, 0.5)
    present[45] = True  # one error just under the threshold
    low, high = unsure_band(probabilities, present, 0.5, 1.0)
    assert (low, high) == (probabilities[45], 0.5)


def test_calibrated_probabilities_are_as_frequent_as_they_say():
    generator = np.random.default_rng(2)
    truth = generator.beta(0.5, 1.5, 30_000)
    present = generator.random(30_000) < truth
    probabilities = expit(
        fit_platt(5 * logit(truth.clip(1e-9, 1 - 1e-9)) + 3, present).log_odds(
            5 * logit(truth.clip(1e-9, 1 - 1e-9)) + 3
        )
    )
    for low in np.arange(0, 1, 0.1):
        part = (probabilities >= low) & (probabilities < low + 0.1)
        assert present[part].mean() == pytest.approx(probabilities[part].mean(), abs=0.04)


@pytest.mark.parametrize(("a", "b", "c"), [(1, 1, 0), (2, 0.5, 0.3), (0.4, 1.5, -1)])
def test_beta_calibration_finds_the_curve_that_the_labels_came_from(a, b, c):
    generator = np.random.default_rng(3)
    log_odds = generator.normal(0, 2, 20_000)
    truth = beta_calibrated(log_odds[:, np.newaxis], np.array([[a], [b], [c]]))[:, 0]
    present = generator.random(20_000) < 1 / (1 + np.exp(-truth))
    found = fit_beta(log_odds, present)
    assert found == pytest.approx([a, b, c], abs=0.15)
    assert (found[:2] >= 0).all()


def test_beta_calibration_never_turns_a_ranking_round():
    log_odds = np.linspace(-3, 3, 200)
    parameters = fit_beta(log_odds, log_odds < 0)
    assert (parameters[:2] >= 0).all()
    assert (np.diff(beta_calibrated(log_odds[:, np.newaxis], parameters[:, np.newaxis])[:, 0]) >= -1e-9).all()


@settings(max_examples=60)
@given(st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.7, 0.9, 1.0]), min_size=1, max_size=30))
def test_no_threshold_has_a_higher_expected_f1(values):
    probabilities = np.array(values)

    def expected(threshold: float) -> float:
        tagged = probabilities >= threshold
        return 2 * probabilities[tagged].sum() / max(tagged.sum() + probabilities.sum(), 1e-9)

    threshold = expected_f1_threshold(probabilities)
    assert expected(threshold) >= max(expected(t) for t in (0, *values, 1.1)) - 1e-12


def test_the_threshold_is_half_of_the_expected_f1_that_it_gives():
    """A text is worth tagging while its probability is above half of the F1 that is reached."""
    probabilities = np.random.default_rng(0).beta(0.3, 0.9, 50_000)
    threshold = expected_f1_threshold(probabilities)
    tagged = probabilities >= threshold
    f1 = 2 * probabilities[tagged].sum() / (tagged.sum() + probabilities.sum())
    assert threshold == pytest.approx(f1 / 2, abs=1e-3)


def test_one_label_does_not_move_the_threshold():
    """Unlike that of the best F1, it hangs on the probabilities alone."""
    assert expected_f1_threshold(np.array([0.9, 0.6, 0.2])) == pytest.approx(0.4)
    assert expected_f1_threshold(np.zeros(3)) == 0.5
