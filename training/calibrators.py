"""Ways to turn log-odds into probabilities, compared out of fold: none, Platt, isotonic and beta."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.isotonic import IsotonicRegression
from sklearn.model_selection import StratifiedKFold

from tagger.model import beta_calibrated
from training.calibration import fit_beta, fit_platt
from training.evaluate import calibration_error

Calibrator = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""Log-odds -> probabilities."""

FOLDS = 5
MIN_TEXTS = 2 * FOLDS
"""Texts with an output, and without it, that the comparison needs."""
LEAST = 1e-15
"""A probability of what is true counts as at least this in the log-loss."""


def no_calibrator(log_odds: NDArray[np.float64], truth: NDArray[np.bool_]) -> Calibrator:
    """Take the log-odds at their word."""
    return lambda values: np.asarray(expit(values))


def platt_calibrator(log_odds: NDArray[np.float64], truth: NDArray[np.bool_]) -> Calibrator:
    """A line in the log-odds: :func:`training.calibration.fit_platt`."""
    fitted = fit_platt(log_odds, truth)
    return lambda values: np.asarray(expit(fitted.log_odds(values)))


def isotonic_calibrator(log_odds: NDArray[np.float64], truth: NDArray[np.bool_]) -> Calibrator:
    """The best increasing steps (Zadrozny and Elkan 2002), kept half a text away from certainty."""
    edge = 0.5 / (len(truth) + 1)
    fitted = IsotonicRegression(y_min=edge, y_max=1 - edge, out_of_bounds="clip").fit(log_odds, truth)
    return lambda values: np.asarray(fitted.predict(values), dtype=np.float64)


def beta_calibrator(log_odds: NDArray[np.float64], truth: NDArray[np.bool_]) -> Calibrator:
    """A curve in the log-odds: :func:`training.calibration.fit_beta` (Kull, Silva Filho and Flach 2017)."""
    fitted = fit_beta(log_odds, truth)[:, np.newaxis]
    return lambda values: np.asarray(expit(beta_calibrated(values[:, np.newaxis], fitted)[:, 0]))


CALIBRATORS: dict[str, Callable[[NDArray[np.float64], NDArray[np.bool_]], Calibrator]] = {
    "none": no_calibrator,
    "Platt": platt_calibrator,
    "isotonic": isotonic_calibrator,
    "beta": beta_calibrator,
}


def compare_calibrators(
    log_odds: NDArray[np.float64], targets: NDArray[np.float32], seed: int = 0
) -> dict[str, dict[str, float]]:
    """Fit each kind on four fifths of the texts, judge it on the fifth, in turn.

    Parameters
    ----------
    log_odds : array of float, shape (texts, outputs)
        Log-odds or margins of texts that the classifiers did not see.
    targets : array of float32, shape (texts, outputs)
        1, 0, or NaN where unknown.
    seed : int
        Of the folds.

    Returns
    -------
    dict
        For each of :data:`CALIBRATORS` its metrics: ``log_loss``, and how much larger that is ``against_none`` with the
        standard error of the difference as ``error``; ``calibration_error``, and the ``worst_calibration_error`` of an
        output. All others are means over the outputs that have :data:`MIN_TEXTS` texts of either kind.
    """
    results: dict[str, dict[str, float]] = {}
    uncalibrated: NDArray[np.float64] | None = None
    for name, fit in CALIBRATORS.items():
        losses, errors = np.full(log_odds.shape, np.nan), []
        for output, target in enumerate(targets.T):
            known = np.flatnonzero(~np.isnan(target))
            margins, truth = log_odds[known, output], target[known] > 0
            if min(truth.sum(), (~truth).sum()) < MIN_TEXTS:
                continue
            probabilities = np.empty(len(truth))
            for train, held_out in StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(margins, truth):
                probabilities[held_out] = fit(margins[train], truth[train])(margins[held_out])
            losses[known, output] = -np.log(np.maximum(np.where(truth, probabilities, 1 - probabilities), LEAST))
            errors.append(calibration_error(probabilities, truth))
        if not errors:
            return {}
        judged = ~np.isnan(losses).all(axis=0)
        rows = ~np.isnan(losses).all(axis=1)
        if uncalibrated is None:
            uncalibrated = losses
        difference = np.nanmean((losses - uncalibrated)[np.ix_(rows, judged)], axis=1)
        results[name] = {
            "log_loss": float(np.nanmean(losses[:, judged], axis=0).mean()),
            "against_none": float(difference.mean()),
            "error": float(difference.std() / np.sqrt(len(difference))),
            "calibration_error": float(np.mean(errors)),
            "worst_calibration_error": max(errors),
        }
    return results
