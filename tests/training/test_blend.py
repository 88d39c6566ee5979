"""The blend of margins: calibrated, blind to the text out of fold, deaf to unknown labels, and never a reversal."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.metrics import log_loss

from training.blend import Blend, calibrate, fit_blend, log_odds_of_rate

N = 300


def problem(seed: int = 0, n: int = N, noise: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Margins of two classifiers for two outputs, and the targets that they speak of."""
    generator = np.random.default_rng(seed)
    truth = generator.random((n, 2)) < (0.4, 0.2)
    signal = np.where(truth, 1.5, -1.5)
    margins = np.concatenate([signal + generator.normal(0, 2 * noise, (n, 2)) for _ in range(2)], axis=1)
    return margins, truth.astype(np.float32)


def everywhere(n: int = N) -> np.ndarray:
    return np.ones(n, dtype=bool)


def loss_of(log_odds: np.ndarray, truth: np.ndarray) -> float:
    return log_loss(truth, 1 / (1 + np.exp(-log_odds)), labels=[0, 1])


def test_log_odds_are_a_sum_over_margins():
    blend = Blend(np.array([[1.0, 0], [0, 2], [3, 0]]), np.array([0.5, -0.5]))
    assert blend.log_odds(np.array([[1.0, 2, 3], [0, 0, 0]])) == pytest.approx(np.array([[10.5, 3.5], [0.5, -0.5]]))


@pytest.mark.parametrize("n_joint", [1, 1000])
def test_two_classifiers_together_do_better_on_new_texts_than_either(n_joint):
    margins, targets = problem()
    new_margins, new_targets = problem(1, 3000)
    alone = [fit_blend(margins[:, 2 * k : 2 * k + 2], targets, everywhere(), n_joint, 0)[0] for k in (0, 1)]
    both = fit_blend(margins, targets, everywhere(), n_joint, 0)[0]
    for output in (0, 1):
        truth = new_targets[:, output]
        losses = [loss_of(a.log_odds(new_margins[:, 2 * k : 2 * k + 2])[:, output], truth) for k, a in enumerate(alone)]
        assert loss_of(both.log_odds(new_margins)[:, output], truth) < min(losses)


@pytest.mark.parametrize("n_joint", [1, 1000])
def test_log_odds_are_calibrated_on_new_texts(n_joint):
    blend, _ = fit_blend(*problem(2, 1000), everywhere(1000), n_joint, 0)
    margins, targets = problem(3, 5000)
    probabilities = 1 / (1 + np.exp(-blend.log_odds(margins)))
    for output in (0, 1):
        order = np.argsort(probabilities[:, output])
        for part in np.array_split(order, 5):
            assert probabilities[part, output].mean() == pytest.approx(targets[part, output].mean(), abs=0.06)


def test_with_few_texts_an_output_is_blended_from_its_own_margins_only():
    margins, targets = problem()
    own, _ = fit_blend(margins, targets, everywhere(), N + 1, 0)
    assert np.array_equal(own.weights != 0, [[True, False], [False, True]] * 2)
    joint, _ = fit_blend(margins, targets, everywhere(), N, 0)
    assert (joint.weights != 0).all()


def test_out_of_fold_log_odds_do_not_see_their_own_label():
    """With margins of pure noise nothing can be known of a text but by having seen its label."""
    generator = np.random.default_rng(0)
    margins, truth = generator.standard_normal((60, 30)), (generator.random((60, 1)) < 0.5).astype(np.float32)
    _, out_of_fold = fit_blend(margins, truth, everywhere(60), 1000, 0)
    assert loss_of(out_of_fold[:, 0], truth[:, 0]) > np.log(2) - 0.05


@settings(max_examples=15)
@given(st.integers(0, 1000), st.sampled_from([1, 1000]))
def test_texts_whose_target_is_unknown_take_no_part_in_that_output(seed, n_joint):
    margins, targets = problem(seed, 120)
    generator = np.random.default_rng(seed)
    unknown = generator.random(120) < 0.3
    targets[unknown, 1] = np.nan
    changed = margins.copy()
    changed[unknown] = generator.normal(0, 50, (unknown.sum(), 4))
    (first, first_out), (second, second_out) = (
        fit_blend(m, targets, everywhere(120), n_joint, 0) for m in (margins, changed)
    )
    assert np.array_equal(first.weights[:, 1], second.weights[:, 1])
    assert first.intercept[1] == second.intercept[1]
    assert np.array_equal(first_out[~unknown, 1], second_out[~unknown, 1])
    assert not np.array_equal(first.weights[:, 0], second.weights[:, 0])
    assert np.isfinite(first_out).all()


def test_only_texts_drawn_at_random_calibrate():
    """Half the texts were picked because they have the output; the others say how often it really occurs."""
    margins, targets = problem(4, 2000)
    picked = np.arange(2000) < 1000
    keep = ~picked | (targets[:, 0] > 0)
    margins, targets, picked = margins[keep], targets[keep], picked[keep]
    blend, _ = fit_blend(margins, targets, ~picked, 10_000, 0)
    new_margins, new_targets = problem(5, 4000)
    mean = (1 / (1 + np.exp(-blend.log_odds(new_margins)[:, 0]))).mean()
    assert mean == pytest.approx(new_targets[:, 0].mean(), abs=0.03)
    naive, _ = fit_blend(margins, targets, np.ones(len(picked), dtype=bool), 10_000, 0)
    assert (1 / (1 + np.exp(-naive.log_odds(new_margins)[:, 0]))).mean() > mean + 0.03


def test_the_blend_repeats_to_the_last_bit_and_depends_on_its_seed():
    parts = [fit_blend(*problem(), everywhere(), 1000, seed) for seed in (0, 0, 1)]
    first, again, other = ((b.weights.tobytes(), b.intercept.tobytes(), out.tobytes()) for b, out in parts)
    assert first == again
    assert first != other


@pytest.mark.parametrize("known", [0, 1, 2, 3])
@pytest.mark.parametrize("value", [0.0, 1.0])
def test_few_known_labels_of_one_kind_give_little_more_than_their_rate(known, value):
    margins, targets = problem()
    targets[known:, 1] = np.nan
    targets[:known, 1] = value
    blend, out_of_fold = fit_blend(margins, targets, everywhere(), 1000, 0)
    assert np.isfinite(blend.weights).all()
    assert np.isfinite(out_of_fold).all()
    assert np.ptp(blend.log_odds(margins)[:, 1]) < 0.1
    if known:
        assert (out_of_fold[:, 1] > 0).all() == (value == 1)
    else:
        assert (out_of_fold[:, 1] == 0).all()


def test_margins_that_rank_the_wrong_way_round_are_not_turned_round():
    margins = np.linspace(-3, 3, 100)
    fitted = calibrate(margins, margins < 0.5)
    assert 0 < fitted.slope < 0.01
    assert fitted.log_odds(margins).mean() == pytest.approx(np.log(0.58 / 0.42), abs=0.02)


@given(st.lists(st.booleans(), max_size=50))
def test_the_log_odds_of_a_rate_are_finite_and_on_the_side_of_the_majority(truth):
    log_odds = log_odds_of_rate(np.array(truth, dtype=bool))
    assert np.sign(log_odds) == np.sign(2 * sum(truth) - len(truth))
    assert np.isfinite(log_odds)


def test_an_output_that_is_rare_does_not_disturb_the_others():
    """Its margins are constant in a fold and differ between folds; those of the last fit are further off still."""
    margins, targets = problem(6, 301)
    per_fold = np.log(0.5 / np.where(np.arange(301) % 5 == 0, 239.5, 240.5))
    with_rare = np.column_stack([margins[:, :2], per_fold, margins[:, 2:], per_fold])
    absent = np.column_stack([targets, np.zeros(301, dtype=np.float32)])
    alone, _ = fit_blend(margins, targets, everywhere(301), 1, 0)
    joint, _ = fit_blend(with_rare, absent, everywhere(301), 1, 0)
    assert np.array_equal(joint.weights[[0, 1, 3, 4], :2], alone.weights)
    assert (joint.weights[[2, 5], :2] == 0).all()
    assert np.array_equal(joint.intercept[:2], alone.intercept)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 1000), st.integers(2, 3))
def test_a_text_in_several_equal_forms_weighs_as_much_as_one(seed, forms):
    margins, targets = problem(seed, 120)
    targets[::7, 0] = np.nan
    picked = np.arange(120) % 5 == 0
    once = fit_blend(margins, targets, ~picked, 100, 0)
    tiled = [np.concatenate([array] * forms) for array in (margins, targets, ~picked)]
    blend, out_of_fold = fit_blend(*tiled, 100, 0, forms)
    assert blend.weights == pytest.approx(once[0].weights, abs=5e-3)
    assert out_of_fold[:120] == pytest.approx(once[1], abs=1e-2)
    assert np.array_equal(out_of_fold[:120], out_of_fold[-120:])


def test_no_form_of_a_text_is_in_the_blend_that_judges_another():
    """Margins of noise: whoever has seen one form of a text knows the label of its twin."""
    generator = np.random.default_rng(0)
    truth = (generator.random((60, 1)) < 0.5).astype(np.float32)
    noise = generator.normal(size=(60, 40))
    noise[:, 0] = generator.normal(size=60)
    margins, targets = np.concatenate([noise, noise]), np.concatenate([truth, truth])
    _, out_of_fold = fit_blend(margins, targets, everywhere(120), 1, 0, forms=2)
    present = targets[:, 0] > 0
    assert abs(out_of_fold[present, 0].mean() - out_of_fold[~present, 0].mean()) < 0.3
