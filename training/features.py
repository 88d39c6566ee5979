"""What the linear classifiers see of a text: which n-grams it has, and which it has more than once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tagger.model import LEVELS

REPEATED_MIN_DF = 5
"""Texts in which an n-gram must be repeated for its repetition to be a feature."""


@dataclass(frozen=True)
class OccurrenceFeatures:
    """A feature for each n-gram (it occurs) and for some n-grams more (it occurs at least twice, three times...)."""

    repeated: tuple[NDArray[np.int64], ...]
    """N-grams with a feature for each level above the first."""

    @classmethod
    def of(cls, counts: sparse.csr_array) -> OccurrenceFeatures:
        """The features of texts, from counts of shape (texts, n-grams)."""
        repeated = []
        for level in range(2, LEVELS + 1):
            frequency = np.bincount(counts.indices[counts.data >= level], minlength=counts.shape[1])
            repeated.append(np.flatnonzero(frequency >= REPEATED_MIN_DF))
        return cls(tuple(repeated))

    def matrix(self, counts: sparse.csr_array) -> sparse.csr_array:
        """The features that each text has, as ones of float64, shape (texts, features)."""
        ones = sparse.csr_array((np.ones(counts.nnz), counts.indices, counts.indptr), shape=counts.shape)
        blocks = [ones]
        for level, ngrams in enumerate(self.repeated, 2):
            blocks.append(sparse.csr_array(counts[:, ngrams] >= level, dtype=np.float64))
        features = sparse.csr_array(sparse.hstack(blocks, format="csr"))
        # liblinear takes 32-bit indices only.
        features.indices, features.indptr = features.indices.astype(np.int32), features.indptr.astype(np.int32)
        return features

    def to_levels(self, coef: NDArray[np.float64], n_ngrams: int) -> NDArray[np.float64]:
        """Weights of the features, shape (features, outputs), as those of a model, shape (LEVELS, n-grams, outputs).

        An n-gram that occurs twice has the feature "occurs" and the feature "at least twice": their sum is its weight
        in a text where it occurs twice.
        """
        levels = np.repeat(coef[np.newaxis, :n_ngrams], LEVELS, axis=0)
        start = n_ngrams
        for level, ngrams in enumerate(self.repeated, 1):
            levels[level:, ngrams] += coef[start : start + len(ngrams)]
            start += len(ngrams)
        return levels
