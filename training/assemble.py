"""Fitted classifiers and their blend -> the model that the runtime has, calibrated and with its thresholds."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from tagger.model import LEVELS, NO_CALIBRATION, Model, beta_calibrated
from tagger.network import Network
from tagger.vocabulary import Vocabulary
from training.blend import RARE, Blend
from training.calibration import expected_f1_threshold, fit_beta, unsure_band
from training.cross_validation import Fitted
from training.linear import LinearClassifiers
from training.network import FittedNetwork


def assemble(
    chosen: tuple[str, ...],
    whole: Mapping[str, Fitted],
    blend: Blend,
    vocabulary: Vocabulary,
    areas: tuple[str, ...],
    central: tuple[str, ...],
) -> Model:
    """Multiply the blend into the classifiers that were fitted on all texts.

    Parameters
    ----------
    chosen : tuple of str
        Kinds of classifiers in the order in which `blend` has their margins.
    whole : mapping from kind to what was fitted
        Those of `chosen`, and perhaps others.
    blend : Blend
        Its outputs are the areas, then those in `central`.
    vocabulary : Vocabulary
        The n-grams that the classifiers read.
    areas, central : tuple of str
        Names.
    """
    n_outputs = len(areas) + len(central)
    coef = np.zeros((LEVELS, len(vocabulary), n_outputs))
    intercept = blend.intercept
    network: Network | None = None
    output: NDArray[np.float32] | None = None
    for position, kind in enumerate(chosen):
        weights = blend.weights[position * n_outputs : (position + 1) * n_outputs]
        fitted = whole[kind]
        if isinstance(fitted, LinearClassifiers):
            coef = fitted.levels() @ weights
            intercept = intercept + fitted.intercept @ weights
        elif isinstance(fitted, FittedNetwork):
            network = fitted.network
            output = (fitted.output.astype(np.float64) @ weights).astype(np.float32)
            intercept = intercept + fitted.output_bias.astype(np.float64) @ weights
    return Model(
        areas=areas,
        vocabulary=vocabulary,
        coef=coef.astype(np.float32),
        intercept=intercept,
        thresholds=np.full(n_outputs, 0.5),
        unsure=np.tile([0.0, 1.0], (len(areas), 1)),
        central=central,
        network=network,
        output=output,
    )


def decide(
    log_odds: NDArray[np.float64],
    targets: NDArray[np.float32],
    judged: NDArray[np.bool_],
    n_areas: int,
    rare: Collection[int],
    accuracy: float,
    forms: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Calibration, thresholds and unsure bands from log-odds of texts that the classifiers did not see.

    Parameters
    ----------
    log_odds : array of float, shape (texts, outputs)
        Blended, before beta calibration.
    targets : array of float32, shape (texts, outputs)
        1, 0, or NaN where unknown.
    judged : array of bool, shape (texts,)
        Texts drawn at random from what will be tagged.
    n_areas : int
        The first outputs, which have an unsure band.
    rare : collection of int
        Outputs about which too little is known: no calibration, a threshold of 0.5, everything unsure.
    accuracy : float
        Share of the decisions outside the unsure band that must be right.
    forms : int
        How many times the texts are there, in several forms: all in one form, then all in the next.

    Returns
    -------
    calibration : array of float, shape (3, outputs)
    thresholds : array of float, shape (outputs,)
    unsure : array of float, shape (areas, 2)
    """
    n_outputs = targets.shape[1]
    calibration = np.tile(NO_CALIBRATION, n_outputs)
    thresholds = np.full(n_outputs, 0.5)
    unsure = np.tile([0.0, 1.0], (n_areas, 1))
    for column in range(n_outputs):
        known = ~np.isnan(targets[:, column]) & judged
        truth = targets[known, column] > 0
        if column in rare or min(truth.sum(), (~truth).sum()) < RARE * forms:
            continue
        calibration[:, column] = fit_beta(log_odds[known, column], truth, forms)
        probabilities = expit(beta_calibrated(log_odds[known][:, [column]], calibration[:, [column]])[:, 0])
        thresholds[column] = expected_f1_threshold(probabilities)
        if column < n_areas:
            band = unsure_band(probabilities, truth, thresholds[column], accuracy)
            # The runtime's probabilities are float32: those at the edges must stay inside when they are rounded.
            unsure[column] = np.nextafter(np.array(band, dtype=np.float32), np.array([0, 1], dtype=np.float32))
    return calibration, thresholds, unsure
