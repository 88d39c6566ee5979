"""Ways to turn log-odds into probabilities, compared out of fold: none, Platt, isotonic and beta."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

from training.calibration import fit_platt
from training.evaluate import calibration_error

Calibrator = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""Log-odds -> probabilities."""

FOLDS = 5
MIN_TEXTS = 2 * FOLDS
"""Texts with an output, and without it, that the comparison needs."""


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
    """Beta calibration (Kull, Silva Filho and Flach 2017): ``a ln p - b ln (1 - p) + c``, a and b at least 0."""

    def terms(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.stack([-np.logaddexp(0, -values), np.logaddexp(0, values), np.ones(len(values))], axis=1)

    inputs, target = terms(log_odds), truth.astype(np.float64)

    def loss_and_gradient(parameters: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        calibrated = inputs @ parameters
        loss = float(np.mean(np.logaddexp(0, calibrated) - target * calibrated))
        return loss, np.asarray(inputs.T @ (expit(calibrated) - target) / len(target))

    bounds = [(0, None), (0, None), (None, None)]
    fitted = minimize(loss_and_gradient, np.array([1.0, 1.0, 0.0]), jac=True, method="L-BFGS-B", bounds=bounds)
    return lambda values: np.asarray(expit(terms(values) @ fitted.x))


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
        For each of :data:`CALIBRATORS` the ``log_loss`` and ``calibration_error``, means over the outputs that have
        :data:`MIN_TEXTS` texts of either kind, and the ``worst_calibration_error`` of an output.
    """
    results = {}
    for name, fit in CALIBRATORS.items():
        losses, errors = [], []
        for values, target in zip(log_odds.T, targets.T):
            known = ~np.isnan(target)
            margins, truth = values[known], target[known] > 0
            if min(truth.sum(), (~truth).sum()) < MIN_TEXTS:
                continue
            probabilities = np.empty(len(truth))
            for train, held_out in StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(margins, truth):
                probabilities[held_out] = fit(margins[train], truth[train])(margins[held_out])
            losses.append(float(log_loss(truth, probabilities, labels=[False, True])))
            errors.append(calibration_error(probabilities, truth))
        if losses:
            results[name] = {
                "log_loss": float(np.mean(losses)),
                "calibration_error": float(np.mean(errors)),
                "worst_calibration_error": max(errors),
            }
    return results
