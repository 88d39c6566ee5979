"""Margins of several classifiers -> log-odds of each output, by a logistic regression that never sees its own text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold

from training.calibration import PlattCalibration, fit_platt
from training.threads import one_thread

FOLDS = 5
RARE = 5
"""Texts with an area, and without it, that its cross-validation needs."""
UNREPRESENTATIVE_WEIGHT = 0.5
"""Weight of texts that were not drawn at random, in the blend."""


@dataclass(frozen=True)
class Blend:
    """Log-odds as ``margins @ weights + intercept``."""

    weights: NDArray[np.float64]
    """Shape (margins, outputs)."""
    intercept: NDArray[np.float64]
    """Shape (outputs,)."""

    def log_odds(self, margins: NDArray[np.float64]) -> NDArray[np.float64]:
        """Blend margins of shape (texts, margins) to log-odds of shape (texts, outputs)."""
        return margins @ self.weights + self.intercept


@one_thread
def fit_blend(
    margins: NDArray[np.float64],
    targets: NDArray[np.float32],
    representative: NDArray[np.bool_],
    n_joint: int,
    seed: int,
    forms: int = 1,
) -> tuple[Blend, NDArray[np.float64]]:
    """Fit the blend of each output over all margins (stacking, Wolpert 1992), then calibrate it.

    Parameters
    ----------
    margins : array of float, shape (texts, margins)
        Out-of-fold margins of every classifier for every output.
    targets : array of float32, shape (texts, outputs)
        1, 0, or NaN where unknown.
    representative : array of bool, shape (texts,)
        Texts drawn at random from what will be tagged: calibration uses these alone.
    n_joint : int
        Below this number of texts an output is blended from its own margins only: more weights would be noise. From
        it on, all margins are used but those of other outputs that are rare.
    seed : int
        Of the folds.
    forms : int
        How many times the texts are there, in several forms: all in one form, then all in the next. All forms of a
        text are in one fold, and together weigh as much as one.

    Returns
    -------
    blend : Blend
        Fitted on all texts and calibrated.
    out_of_fold : array of float, shape (texts, outputs)
        Calibrated log-odds of each text from blends that did not see it.
    """
    n_texts, n_outputs = targets.shape
    n_classifiers = margins.shape[1] // n_outputs
    weights = np.zeros((margins.shape[1], n_outputs))
    intercept = np.zeros(n_outputs)
    out_of_fold = np.empty((n_texts, n_outputs))
    importance = np.where(representative, 1.0, UNREPRESENTATIVE_WEIGHT) / forms
    own = np.arange(n_classifiers) * n_outputs
    # Margins of a rare output vary with the fold more than with the text: in a blend of others they would be noise
    # that the classifiers fitted on all texts carry far outside the range that the blend was fitted on.
    kinds = np.minimum((targets == 1).sum(axis=0), (targets == 0).sum(axis=0)) // forms
    learnt = (own[:, np.newaxis] + np.flatnonzero(kinds >= RARE)).ravel()
    for output in range(n_outputs):
        known = np.flatnonzero(~np.isnan(targets[:, output]))
        truth = targets[known, output] > 0
        n_known = len(known) // forms
        if n_known < 2:
            # Nothing to compare: the intercept says what little is known of the rate.
            intercept[output] = out_of_fold[:, output] = log_odds_of_rate(truth)
            continue
        used = np.union1d(learnt, own + output) if n_known >= n_joint else own + output
        inputs = margins[:, used]
        blended = np.empty(len(known))
        for train, held_out in _splits(n_known, forms, seed):
            part = _logistic(inputs[known[train]], truth[train], importance[known[train]])
            blended[held_out] = inputs[known[held_out]] @ part[0] + part[1]
        judged = representative[known]
        if not 2 <= truth[judged].sum() <= judged.sum() - 2:
            judged = np.ones(len(known), dtype=bool)
        calibration = calibrate(blended[judged], truth[judged], forms)
        whole = _logistic(inputs[known], truth, importance[known])
        weights[used, output] = calibration.slope * whole[0]
        intercept[output] = calibration.slope * whole[1] + calibration.offset
        out_of_fold[:, output] = inputs @ weights[used, output] + intercept[output]
        out_of_fold[known, output] = calibration.log_odds(blended)
    return Blend(weights, intercept), out_of_fold


def _splits(n_texts: int, forms: int, seed: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Folds of `n_texts` texts that are there in several forms, each text in one fold with all its forms."""
    shifts = n_texts * np.arange(forms)[:, np.newaxis]
    for train, held_out in KFold(min(FOLDS, n_texts), shuffle=True, random_state=seed).split(np.arange(n_texts)):
        yield (shifts + train).ravel(), (shifts + held_out).ravel()


def calibrate(margins: NDArray[np.float64], truth: NDArray[np.bool_], forms: int = 1) -> PlattCalibration:
    """Platt's calibration, or none where it would turn the ranking round: then only the base rate is right."""
    fitted = fit_platt(margins, truth, forms)
    if fitted.slope > 0:
        return fitted
    return PlattCalibration(1e-3, log_odds_of_rate(truth))


def log_odds_of_rate(truth: NDArray[np.bool_]) -> float:
    """Log-odds of how often `truth` is true, as if it had been half a time more often both ways."""
    rate = (truth.sum() + 0.5) / (len(truth) + 1)
    return float(np.log(rate / (1 - rate)))


def _logistic(
    margins: NDArray[np.float64], truth: NDArray[np.bool_], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float]:
    """Weights and intercept of a logistic regression on standardised margins, in terms of the margins as they are."""
    mean, spread = margins.mean(axis=0), np.maximum(margins.std(axis=0), 1e-6)
    if truth.all() or not truth.any():
        return np.zeros(margins.shape[1]), log_odds_of_rate(truth)
    fitted = LogisticRegression(C=0.1, max_iter=1000).fit((margins - mean) / spread, truth, sample_weight=weights)
    coef = fitted.coef_[0] / spread
    return coef, float(fitted.intercept_[0] - coef @ mean)
