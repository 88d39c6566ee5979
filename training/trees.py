"""Gradient-boosted trees: one ensemble an output, on selected n-grams or on dense features of a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import lightgbm
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from training.counts import NgramCounts
from training.embeddings import Embeddings
from training.selection import best_by_chi_squared


@dataclass(frozen=True, slots=True)
class TreeSettings:
    """How the trees are grown."""

    features: int = 2500
    """N-grams chosen by chi-squared."""
    rounds: int = 300
    """Trees of each output."""
    learning_rate: float = 0.06
    leaves: int = 15
    """Most leaves of a tree."""
    min_texts: int = 20
    """Texts that a leaf needs."""
    feature_share: float = 0.3
    """Share of the features that a tree may split on."""
    text_share: float = 0.8
    """Share of the texts that a tree is grown on."""


@dataclass(frozen=True)
class Ensemble:
    """The trees of one output, or a constant where there was nothing to tell apart."""

    booster: lightgbm.Booster | None
    constant: float = 0.0

    def margins(self, features: sparse.csr_matrix | NDArray[np.float32]) -> NDArray[np.float64]:
        """Log-odds as the trees have them, shape (texts,)."""
        if self.booster is None:
            return np.full(features.shape[0], self.constant)
        return np.asarray(self.booster.predict(features, raw_score=True, num_threads=1), dtype=np.float64)


@dataclass(frozen=True)
class NgramTrees:
    """Trees of all outputs on counts of n-grams."""

    features: NDArray[np.int64]
    """Columns of the counts that the trees read, ascending."""
    ensembles: tuple[Ensemble, ...]

    def margins(self, counts: sparse.csr_array) -> NDArray[np.float64]:
        """Margins of texts, given counts of all n-grams; shape (texts, outputs)."""
        read = _read(counts, self.features)
        return np.stack([ensemble.margins(read) for ensemble in self.ensembles], axis=1)


def fit_ngram_trees(
    counts: sparse.csr_array,
    targets: NDArray[np.float32],
    weights: NDArray[np.float64],
    settings: TreeSettings = TreeSettings(),
    seed: int = 0,
) -> NgramTrees:
    """Choose n-grams by chi-squared and grow the trees of every output on their counts.

    Parameters
    ----------
    counts : sparse array, shape (texts, n-grams)
        Counts of n-grams.
    targets : array of float32, shape (texts, outputs)
        1 where an output is true, 0 where it is not, NaN where that is unknown, which takes no part.
    weights : array of float, shape (texts,)
        Weight of each text.
    settings : TreeSettings
        How the trees are grown.
    seed : int
        Of the features and texts that each tree sees.
    """
    features = np.sort(best_by_chi_squared(counts, targets, settings.features))
    return NgramTrees(features, fit_ensembles(_read(counts, features), targets, weights, settings, seed))


def fit_ensembles(
    features: sparse.csr_matrix | NDArray[np.float32],
    targets: NDArray[np.float32],
    weights: NDArray[np.float64],
    settings: TreeSettings = TreeSettings(),
    seed: int = 0,
) -> tuple[Ensemble, ...]:
    """Grow the trees of every output (LightGBM, Ke et al. 2017); repeats to the last bit.

    Parameters
    ----------
    features : array, shape (texts, features)
        Sparse, or dense of float32.
    targets, weights, settings, seed
        As of :func:`fit_ngram_trees`.
    """
    parameters: dict[str, Any] = {
        "objective": "binary",
        "learning_rate": settings.learning_rate,
        "num_leaves": settings.leaves,
        "min_data_in_leaf": settings.min_texts,
        "feature_fraction": settings.feature_share,
        "bagging_fraction": settings.text_share,
        "bagging_freq": 1,
        "seed": seed,
        "deterministic": True,
        "force_row_wise": True,
        "num_threads": 1,
        "verbosity": -1,
    }
    ensembles = []
    for target in targets.T:
        known = np.flatnonzero(~np.isnan(target))
        truth = target[known]
        if len(np.unique(truth)) < 2:
            n_true = float(truth.sum())
            ensembles.append(Ensemble(None, float(np.log((n_true + 0.5) / (len(truth) - n_true + 0.5)))))
            continue
        data = lightgbm.Dataset(features[known], truth, weight=weights[known], params={"verbosity": -1})
        ensembles.append(Ensemble(lightgbm.train(parameters, data, num_boost_round=settings.rounds)))
    return tuple(ensembles)


def dense_features(
    counts: NgramCounts, embeddings: Embeddings | None, margins: NDArray[np.float64]
) -> NDArray[np.float32]:
    """Features of a text that are few and dense: the mean of its word vectors, margins of other classifiers, length.

    Parameters
    ----------
    counts : NgramCounts
        The texts.
    embeddings : Embeddings or None
        Vectors of words; without them only margins and length are features. A word counts less the more texts have
        it, by its inverse document frequency in `counts`.
    margins : array of float, shape (texts, margins)
        Margins from classifiers that did not see the text.

    Returns
    -------
    array of float32, shape (texts, dimensions + margins + 1)
        The last column is the logarithm of the number of words that are counted.
    """
    n_words = len(counts.vocabulary.words)
    words = sparse.csr_array(counts.matrix[:, :n_words])
    length = np.log1p(np.asarray(words.sum(axis=1), dtype=np.float64).ravel())
    return np.column_stack([pooled_embeddings(counts, embeddings), margins, length]).astype(np.float32)


def pooled_embeddings(counts: NgramCounts, embeddings: Embeddings | None) -> NDArray[np.float32]:
    """Mean of the vectors of each text's words, weighted by inverse document frequency, shape (texts, dimensions).

    Zero where no word has a vector; of no columns without embeddings.
    """
    if embeddings is None:
        return np.empty((len(counts), 0), dtype=np.float32)
    index = embeddings.index
    rows = np.array([index.get(word, -1) for word in counts.vocabulary.words], dtype=np.int64)
    known = np.flatnonzero(rows >= 0)
    words = sparse.csr_array(counts.matrix[:, known], dtype=np.float32)
    frequency = np.bincount(words.indices, minlength=len(known))
    idf = np.log((len(counts) + 1) / np.maximum(frequency, 1)).astype(np.float32)
    weighted = words.multiply(idf[np.newaxis, :]).tocsr()
    total = np.maximum(np.asarray(weighted.sum(axis=1)).reshape(-1, 1), 1e-9)
    return np.asarray(weighted @ embeddings.vectors[rows[known]] / total, dtype=np.float32)


def _read(counts: sparse.csr_array, features: NDArray[np.int64]) -> sparse.csr_matrix:
    """The counts that trees read, as LightGBM takes them: a sparse matrix of floats."""
    return sparse.csr_matrix(sparse.csr_array(counts[:, features], dtype=np.float32))
