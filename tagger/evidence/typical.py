"""The strongest n-grams of each area for a model as a whole."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tagger.model import Model
from tagger.network import INPUT_LENGTH, Network


def typical_shares(model: Model) -> NDArray[np.float64]:
    """Share in the log-odds that each n-gram has when it occurs once in an average text, shape (n-grams, outputs).

    The linear part is the same in every text. What an n-gram adds through the network depends on the rest of the text.
    It is taken here for the text that the model's document frequencies make one expect: every n-gram there as often
    as it is in texts, independently of the others. Then the length to which the input is scaled is known, and a hidden
    unit, whose input is a sum of many small parts, is on with the probability that a normal variable is positive.
    """
    result: NDArray[np.float64] = model.coef[0].astype(np.float64)
    if model.network is not None and model.output is not None and len(model.network.features):
        network = model.network
        inputs = _typical_inputs(network)
        vectors = network.embedding.astype(np.float64) @ network.projection
        moved = inputs[:, np.newaxis] * vectors * _typical_gates(network, inputs, vectors)
        result[network.features] += moved @ model.output.astype(np.float64)
    return result


def strongest(model: Model, n: int) -> dict[str, tuple[list[tuple[str, float]], list[tuple[str, float]]]]:
    """The `n` strongest n-grams for and against each area, with their :func:`typical_shares`, strongest first.

    They are ranked by share times the standard deviation of their presence in texts, as standardised coefficients are:
    by what they do over many texts, not by what they would do in the one text in a thousand that has them. Ranked are
    the n-grams whose document frequency the model knows, which are those that its network reads; without a network all
    are, by their shares alone.
    """
    result = typical_shares(model)
    ranked, spread = np.arange(len(model.vocabulary)), np.ones(len(model.vocabulary))
    if model.network is not None:
        frequency = _frequencies(model.network)
        ranked, spread = model.network.features.astype(np.int64), np.sqrt(frequency * (1 - frequency))

    def named(places: list[int], column: int) -> list[tuple[str, float]]:
        return [(model.vocabulary.ngrams[ranked[k]], float(result[ranked[k], column])) for k in places]

    lists = {}
    for column, area in enumerate(model.areas):
        weights = result[ranked, column] * spread
        order = np.argsort(-weights, kind="stable")
        best = [k for k in order[:n].tolist() if weights[k] > 0]
        worst = [k for k in order[::-1][:n].tolist() if weights[k] < 0]
        lists[area] = named(best, column), named(worst, column)
    return lists


def _frequencies(network: Network) -> NDArray[np.float64]:
    """Share of texts that have each n-gram that the network reads, shape (features,)."""
    return np.asarray(np.minimum(np.exp(-network.idf.astype(np.float64)), 1.0))


def _typical_inputs(network: Network) -> NDArray[np.float64]:
    """Input of each n-gram where it occurs once in a text of the expected length, shape (features,)."""
    idf = network.idf.astype(np.float64)
    return np.asarray(INPUT_LENGTH * idf / math.sqrt(float(np.sum(_frequencies(network) * idf * idf))))


def _typical_gates(network: Network, inputs: NDArray[np.float64], vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probability that each hidden unit is on, shape (hidden,)."""
    frequency = _frequencies(network)
    mean = (frequency * inputs) @ vectors + network.bias
    variance = (frequency * (1 - frequency) * inputs**2) @ vectors**2
    return np.array(
        [
            0.5 * (1 + math.erf(m / math.sqrt(2 * v))) if v > 0 else float(m > 0)
            for m, v in zip(mean.tolist(), variance.tolist())
        ]
    )
