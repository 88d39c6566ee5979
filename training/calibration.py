"""Margins -> probabilities -> decisions: Platt calibration, thresholds, and the band in which a person should look."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit


@dataclass(frozen=True, slots=True)
class PlattCalibration:
    """Log-odds as a line in the margin: ``slope * margin + offset``."""

    slope: float
    offset: float

    def log_odds(self, margins: NDArray[np.float64]) -> NDArray[np.float64]:
        """Calibrated log-odds, of the shape of `margins`."""
        return self.slope * margins + self.offset


def fit_platt(margins: NDArray[np.float64], present: NDArray[np.bool_], forms: int = 1) -> PlattCalibration:
    """Fit the line by maximum likelihood on held-out margins (Platt 1999, with his smoothed targets).

    Parameters
    ----------
    margins : array of float, shape (texts,)
        Margins of texts that the classifier was not fitted on.
    present : array of bool, shape (texts,)
        Which texts have the area.
    forms : int
        How many times each text is there.
    """
    target = _smoothed(present, forms)
    scale = float(np.std(margins)) or 1.0

    def loss_and_gradient(parameters: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        log_odds = parameters[0] * margins / scale + parameters[1]
        error = expit(log_odds) - target
        loss = float(np.sum(np.logaddexp(0, log_odds) - target * log_odds))
        return loss, np.array([np.sum(error * margins / scale), np.sum(error)])

    fitted = minimize(loss_and_gradient, np.array([1.0, 0.0]), jac=True, method="BFGS")
    slope, offset = fitted.x
    return PlattCalibration(float(slope) / scale, float(offset))


def _smoothed(present: NDArray[np.bool_], forms: int) -> NDArray[np.float64]:
    """Targets a little inside 0 and 1, as if one text more had each (Platt 1999): no fit then runs to certainty."""
    n_present, n_absent = present.sum() / forms, (~present).sum() / forms
    return np.asarray(np.where(present, (n_present + 1) / (n_present + 2), 1 / (n_absent + 2)))


def fit_beta(log_odds: NDArray[np.float64], present: NDArray[np.bool_], forms: int = 1) -> NDArray[np.float64]:
    """Fit :func:`tagger.model.beta_calibrated` by maximum likelihood on held-out log-odds, with Platt's targets.

    Parameters
    ----------
    log_odds : array of float, shape (texts,)
        Log-odds of texts that the classifiers did not see.
    present : array of bool, shape (texts,)
        What is true.
    forms : int
        How many times each text is there.

    Returns
    -------
    array of float, shape (3,)
        `a` and `b`, at least 0, and `c`.
    """
    terms = np.stack([-np.logaddexp(0, -log_odds), np.logaddexp(0, log_odds), np.ones(len(log_odds))], axis=1)
    target = _smoothed(present, forms)

    def loss_and_gradient(parameters: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        calibrated = terms @ parameters
        loss = float(np.mean(np.logaddexp(0, calibrated) - target * calibrated))
        return loss, np.asarray(terms.T @ (expit(calibrated) - target) / len(target))

    bounds = [(0, None), (0, None), (None, None)]
    fitted = minimize(loss_and_gradient, np.array([1.0, 1.0, 0.0]), jac=True, method="L-BFGS-B", bounds=bounds)
    return np.asarray(fitted.x, dtype=np.float64)


def best_f1_threshold(probabilities: NDArray[np.float64], present: NDArray[np.bool_]) -> float:
    """The probability from which tagging gives the highest F1; halfway to the next lower probability.

    0.5 where no text has the area.
    """
    if not present.any():
        return 0.5
    order = np.argsort(-probabilities, kind="stable")
    ranked, hits = probabilities[order], np.cumsum(present[order])
    f1 = 2 * hits / (np.arange(1, len(order) + 1) + present.sum())
    last_of_ties = np.append(ranked[1:] != ranked[:-1], True)
    best = int(np.argmax(np.where(last_of_ties, f1, -1)))
    below = ranked[best + 1] if best + 1 < len(ranked) else 0.0
    return float((ranked[best] + below) / 2)


def expected_f1_threshold(probabilities: NDArray[np.float64]) -> float:
    """The probability from which tagging has the highest expected F1, if the probabilities are right.

    It varies less with the sample than :func:`best_f1_threshold`, which follows single labels near the threshold
    (Lipton, Elkan and Narayanaswamy 2014; the expectation is of the ratio's two sides apart).

    Parameters
    ----------
    probabilities : array of float, shape (texts,)
        Calibrated probabilities of texts drawn at random.

    Returns
    -------
    float
        Halfway between the last probability that is tagged and the next lower one; 0.5 if there are none above 0.
    """
    if not (probabilities > 0).any():
        return 0.5
    ranked = np.sort(probabilities)[::-1]
    f1 = 2 * np.cumsum(ranked) / (np.arange(1, len(ranked) + 1) + ranked.sum())
    last_of_ties = np.append(ranked[1:] != ranked[:-1], True)
    best = int(np.argmax(np.where(last_of_ties, f1, -1)))
    below = ranked[best + 1] if best + 1 < len(ranked) else 0.0
    return float((ranked[best] + below) / 2)


def unsure_band(
    probabilities: NDArray[np.float64], present: NDArray[np.bool_], threshold: float, accuracy: float
) -> tuple[float, float]:
    """The narrowest band around `threshold` outside which at least `accuracy` of the decisions are right.

    The band grows from the threshold in log-odds steps, on the side where it removes more errors for each text that
    it takes in.

    Returns
    -------
    low, high : float
        Lowest and highest probability of the band; both are `threshold` if nothing needs to be in it.
    """
    order = np.argsort(probabilities, kind="stable")
    ranked = probabilities[order]
    wrong = (ranked >= threshold) != present[order]
    middle = int(np.searchsorted(ranked, threshold))
    errors_before = np.append(0, np.cumsum(wrong))
    total = int(errors_before[-1])
    # Equal probabilities are inside together or outside together.
    edges = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1], [True]]))
    starts, ends = edges[edges <= middle], edges[edges >= middle]
    # For each start, the first end that leaves few enough errors outside: the condition is monotone in the end.
    best: tuple[int, int, int] | None = None
    for start in starts[:: max(1, len(starts) // 2000)]:
        outside = total - (errors_before[ends] - errors_before[start])
        allowed = (1 - accuracy) * (len(ranked) - (ends - start))
        good = np.flatnonzero(outside <= allowed)
        if good.size and (best is None or ends[good[0]] - start < best[0]):
            best = (int(ends[good[0]] - start), int(start), int(ends[good[0]]))
    if best is None or best[0] == 0:
        return threshold, threshold
    _, start, end = best
    low = ranked[start] if start < middle else threshold
    high = ranked[end - 1] if end > middle else threshold
    return float(low), float(high)


def operating_points(
    probabilities: NDArray[np.floating], present: NDArray[np.bool_], n_points: int = 100
) -> list[list[float]]:
    """Where else the threshold could be: `[threshold, precision, recall]`, thresholds ascending.

    Parameters
    ----------
    probabilities : array of float, shape (texts,)
        Out-of-fold probabilities.
    present : array of bool, shape (texts,)
        Which texts have the area.
    n_points : int
        Thresholds are quantiles of the probabilities of texts that have the area, this many.
    """
    if not present.any():
        return []
    thresholds = np.unique(np.quantile(probabilities[present], np.linspace(0, 1, n_points, endpoint=False)).round(4))
    points = []
    for threshold in thresholds.tolist():
        decided = probabilities >= threshold
        hits = float((decided & present).sum())
        if decided.any():
            points.append([threshold, round(hits / float(decided.sum()), 4), round(hits / float(present.sum()), 4)])
    return points
