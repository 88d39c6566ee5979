"""Models and counts drawn at random, and their arithmetic as plain loops."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tagger.model import LEVELS, Model
from tagger.network import INPUT_LENGTH, Network
from tagger.vectorize import FeatureRows
from tagger.vocabulary import Vocabulary

WORDS = tuple(f"w{k:02d}" for k in range(24))
AREAS = ("a", "b", "c")


def random_network(
    generator: np.random.Generator, n_ngrams: int, n_features: int, hidden: int = 5, dimensions: int = 3
) -> Network:
    """A network that reads some of the n-grams."""
    return Network(
        features=np.sort(generator.choice(n_ngrams, n_features, replace=False)).astype(np.int32),
        idf=generator.uniform(0.01, 5, n_features).astype(np.float32),
        embedding=generator.standard_normal((n_features, dimensions)).astype(np.float16),
        projection=(generator.standard_normal((dimensions, hidden)) / dimensions).astype(np.float32),
        bias=generator.standard_normal(hidden).astype(np.float32),
    )


def random_model(
    seed: int, central: tuple[str, ...] = ("b",), n_features: int | None = 15, calibrated: bool = True
) -> Model:
    """A model of three areas; without a network if `n_features` is None."""
    generator = np.random.default_rng(seed)
    vocabulary = Vocabulary.from_ngrams([*WORDS, "w00 w01", "w01 w00", "w05 w05"])
    n_ngrams, n_outputs = len(vocabulary), len(AREAS) + len(central)
    coef = np.repeat(generator.standard_normal((1, n_ngrams, n_outputs)), LEVELS, axis=0)
    coef[1:, ::4] += generator.standard_normal(coef[1:, ::4].shape)
    network = None if n_features is None else random_network(generator, n_ngrams, n_features)
    output = None if network is None else generator.standard_normal((5, n_outputs)).astype(np.float32)
    return Model(
        areas=AREAS,
        vocabulary=vocabulary,
        coef=coef.astype(np.float32),
        intercept=generator.standard_normal(n_outputs),
        thresholds=generator.uniform(0.2, 0.8, n_outputs),
        unsure=np.sort(generator.uniform(0, 1, (len(AREAS), 2)), axis=1),
        central=central,
        network=network,
        output=output,
        calibration=generator.uniform(0, 2, (3, n_outputs)) if calibrated else None,
    )


def random_counts(generator: np.random.Generator, n_texts: int, n_ngrams: int, share: float = 0.3) -> NDArray[np.int32]:
    """Counts of n-grams in texts, some of which may have none."""
    counts = generator.integers(1, 6, (n_texts, n_ngrams)) * (generator.random((n_texts, n_ngrams)) < share)
    return counts.astype(np.int32)


def rows_of(counts: NDArray[np.int32]) -> FeatureRows:
    """Counts as the runtime has them."""
    matrix = sparse.csr_array(counts)
    return FeatureRows(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), matrix.data.astype(np.int64))


def hidden_by_loops(network: Network, counts: NDArray[np.int32]) -> NDArray[np.float64]:
    """Hidden units of texts, one number after the other, as the docstring of `Network` defines them."""
    units = np.zeros((len(counts), len(network.bias)))
    for text, row in enumerate(counts.tolist()):
        x = [
            float(network.idf[k]) * (1 + math.log(row[ngram])) if row[ngram] else 0.0
            for k, ngram in enumerate(network.features.tolist())
        ]
        length = math.sqrt(sum(value * value for value in x))
        vector = [0.0] * len(network.projection)
        for k, value in enumerate(x):
            for dimension in range(len(vector)):
                if value:
                    vector[dimension] += INPUT_LENGTH * value / length * float(network.embedding[k, dimension])
        for unit in range(len(network.bias)):
            total = float(network.bias[unit])
            for dimension, value in enumerate(vector):
                total += value * float(network.projection[dimension, unit])
            units[text, unit] = max(0.0, total)
    return units


def log_odds_by_loops(model: Model, counts: NDArray[np.int32]) -> NDArray[np.float64]:
    """Log-odds of texts, one number after the other, as the docstring of `Model` defines them."""
    hidden = None if model.network is None else hidden_by_loops(model.network, counts)
    log_odds = np.zeros((len(counts), len(model.intercept)))
    for text, row in enumerate(counts.tolist()):
        for output in range(len(model.intercept)):
            total = float(model.intercept[output])
            for ngram, count in enumerate(row):
                if count:
                    total += float(model.coef[min(count, LEVELS) - 1, ngram, output])
            if hidden is not None and model.output is not None:
                total += sum(float(u) * float(w) for u, w in zip(hidden[text], model.output[:, output]))
            if model.calibration is not None:
                a, b, c = model.calibration[:, output].tolist()
                p = 1 / (1 + math.exp(-total))
                total = a * math.log(p) - b * math.log(1 - p) + c
            log_odds[text, output] = total
    return log_odds
