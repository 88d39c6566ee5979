"""The share of each n-gram of a text in the log-odds of each output: shares that add up exactly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tagger.model import LEVELS, Model
from tagger.network import INPUT_LENGTH, Network, sublinear
from tagger.vectorize import FeatureRows


def bias(model: Model) -> NDArray[np.float64]:
    """Log-odds before calibration of a text without any n-gram that the model knows, shape (outputs,)."""
    nothing = np.empty(0, dtype=np.int64)
    return np.asarray(model.margins(FeatureRows(np.zeros(2, dtype=np.int64), nothing, nothing))[0])


def shares(model: Model, rows: FeatureRows) -> NDArray[np.float64]:
    """Share of each n-gram of one text in the log-odds before calibration.

    Parameters
    ----------
    model : Model
        Any model, with a network or without.
    rows : FeatureRows
        The n-grams of one text.

    Returns
    -------
    array of float64, shape (n-grams of the text, outputs)
        Together with :func:`bias` they add up to what ``model.margins(rows)`` gives, to the precision of float64.

    Raises
    ------
    ValueError
        If `rows` has not exactly one text.

    Notes
    -----
    The linear part of the model is a sum as it stands. The network's part is given by integrated gradients from the
    empty text (Sundararajan, Taly and Yan 2017). On the straight way from no input to the input ``x`` of the text,
    unit h goes from ``bias_h`` to ``bias_h + x @ w_h`` in a line, so its mean gradient is ``w_h`` times the share of
    the way on which the unit is on, ``gate_h``, and n-gram i moves it by ``x_i * w_ih * gate_h``. That is exact and
    takes no steps. For a single hidden layer the rescale rule of DeepLIFT gives the same (Shrikumar, Greenside and
    Kundaje 2017), and so does the Aumann-Shapley value. ``x`` is the input as it is scaled for the whole text.
    """
    if len(rows.indptr) != 2:
        raise ValueError(f"expected the n-grams of one text, got those of {len(rows.indptr) - 1}")
    levels = np.minimum(rows.counts, LEVELS) - 1
    result: NDArray[np.float64] = model.coef[levels, rows.indices].astype(np.float64)
    if model.network is not None and model.output is not None:
        read, moved = _moved_units(model.network, rows)
        result[read] += moved @ model.output.astype(np.float64)
    return result


def _moved_units(network: Network, rows: FeatureRows) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """By how much each n-gram that the network reads moved each hidden unit.

    Returns the places of these n-grams in `rows`, shape (n,), and the movements, shape (n, hidden).
    """
    read = np.flatnonzero(np.isin(rows.indices, network.features))
    features = np.searchsorted(network.features, rows.indices[read])
    inputs = network.idf[features] * sublinear(rows.counts[read])
    if len(read):
        inputs *= INPUT_LENGTH / np.sqrt(np.sum(inputs * inputs))
    pulls = inputs[:, np.newaxis] * (network.embedding[features].astype(np.float64) @ network.projection)
    start = network.bias.astype(np.float64)
    moved = pulls * gates(start, pulls.sum(axis=0))
    # The network computes in float32. What that rounds off is spread, so that the sum is the model's to the last bits.
    rounded = network.hidden(rows)[0] - np.maximum(start, 0) - moved.sum(axis=0)
    weights = np.abs(pulls)
    total = weights.sum(axis=0)
    moved += weights * np.divide(rounded, total, out=np.zeros_like(total), where=total > 0)
    return read, moved


def gates(start: NDArray[np.float64], pull: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share of the straight way from `start` to ``start + pull`` that is above zero, elementwise."""
    end = start + pull
    starts_on, ends_on = start > 0, end > 0
    crosses = starts_on != ends_on
    above = np.divide(np.where(ends_on, end, -start), pull, out=np.zeros_like(pull), where=crosses)
    return np.asarray(np.where(crosses, above, starts_on.astype(np.float64)))
