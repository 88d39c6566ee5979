"""A network with one hidden layer over the n-grams of a text: its weights and its arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tagger.vectorize import FeatureRows

INPUT_LENGTH = 3.0
"""Euclidean length of a text's input to a network."""
PADDING = 16
"""Texts are padded to a multiple of this many n-grams: sums then come out the same, to the last bit, next to any
other texts, since linear algebra adds so many numbers or a part of so many at a time."""
MOST_CELLS = 2**18
"""Texts times the n-grams of the longest of them that are worked on at once: it bounds the memory."""

TEXTS_AT_ONCE = 8
"""Texts whose vectors are gathered at once, and stay in the cache until they are summed."""


@dataclass(frozen=True)
class Network:
    """Hidden units of a text: ``max(0, x @ embedding @ projection + bias)``.

    ``x`` holds ``idf * (1 + log(count))`` for each n-gram that the network reads, scaled to length
    :data:`INPUT_LENGTH`: sublinear term frequency, cosine-normalised (Salton and Buckley 1988). An average of learnt
    embeddings followed by layers is the deep averaging network of Iyyer et al. (2015).
    """

    features: NDArray[np.int32]
    """The n-grams that it reads, as ascending positions in the model's vocabulary; shape (features,)."""
    idf: NDArray[np.float32]
    """Inverse document frequency of each, positive; shape (features,)."""
    embedding: NDArray[np.float16]
    """Vector of each, shape (features, dimensions)."""
    projection: NDArray[np.float32]
    """From a text's vector to its hidden units, shape (dimensions, hidden)."""
    bias: NDArray[np.float32]
    """Shape (hidden,)."""

    def __post_init__(self) -> None:
        n_features = len(self.features)
        if self.features.ndim != 1 or self.bias.ndim != 1 or self.projection.ndim != 2:
            raise ValueError(
                f"a network has features of shape {self.features.shape}, projection of shape {self.projection.shape}, "
                f"bias of shape {self.bias.shape}"
            )
        n_dimensions, n_hidden = self.projection.shape
        shapes = (self.idf.shape, self.embedding.shape, self.bias.shape)
        if shapes != ((n_features,), (n_features, n_dimensions), (n_hidden,)):
            raise ValueError(
                f"a network of {n_features} features with a projection of shape {self.projection.shape} has idf of "
                f"shape {self.idf.shape}, embedding of shape {self.embedding.shape}, bias of shape {self.bias.shape}"
            )
        if n_features and (self.features[0] < 0 or (np.diff(self.features) <= 0).any() or (self.idf <= 0).any()):
            raise ValueError("the features of a network must ascend and their idf be positive")
        if not all(np.isfinite(array).all() for array in (self.idf, self.embedding, self.projection, self.bias)):
            raise ValueError("a network has values that are not finite")

    @cached_property
    def _row_of_ngram(self) -> NDArray[np.int32]:
        """Row of each n-gram up to the last that the network reads; for those that it does not, `len(features)`."""
        rows = np.full(int(self.features[-1]) + 2 if len(self.features) else 1, len(self.features), dtype=np.int32)
        rows[self.features] = np.arange(len(self.features), dtype=np.int32)
        return rows

    @cached_property
    def _vectors(self) -> NDArray[np.float32]:
        return self.embedding.astype(np.float32)

    def hidden(self, rows: FeatureRows) -> NDArray[np.float32]:
        """Hidden units of each text, shape (texts, hidden)."""
        n_texts = len(rows.indptr) - 1
        longest = _padded(np.diff(rows.indptr))
        if n_texts > 1 and n_texts * longest > MOST_CELLS:
            middle = n_texts // 2
            return np.concatenate([self.hidden(_part(rows, *ends)) for ends in ((0, middle), (middle, n_texts))])
        read = self._row_of_ngram.take(rows.indices, mode="clip")  # the last entry stands for all further n-grams
        known = np.flatnonzero(read < len(self.features))
        read, counts = read.take(known), rows.counts.take(known)
        weights = self.idf.take(read)
        repeated = np.flatnonzero(counts > 1)  # a fifth, and logarithms take long
        weights[repeated] *= sublinear(counts.take(repeated))
        inputs = _Inputs(read, weights, np.searchsorted(known, rows.indptr))
        means = np.empty((n_texts, 1, len(self.projection)), dtype=np.float32)
        for start in range(0, n_texts, TEXTS_AT_ONCE):
            vectors, shares = inputs.some(start, start + TEXTS_AT_ONCE)
            np.matmul(shares, self._vectors.take(vectors, axis=0), out=means[start : start + len(vectors)])
        # A product for each text: one for all would round a text's units as the number of its neighbours has it.
        units = np.matmul(means, self.projection)[:, 0]
        hidden = np.empty_like(units)
        hidden[inputs.order] = units
        hidden += self.bias
        return np.asarray(np.maximum(hidden, 0, out=hidden))


class _Inputs:
    """What the network reads of each text of a batch, from the shortest text to the longest."""

    def __init__(self, read: NDArray[np.int32], weights: NDArray[np.float32], indptr: NDArray[np.int64]) -> None:
        lengths = np.diff(indptr)
        self.order = np.argsort(lengths, kind="stable")
        """The texts, as they stand in the batch, in this order."""
        self._lengths = lengths[self.order]
        n_texts, longest = len(lengths), _padded(lengths)
        places = np.empty(n_texts, dtype=np.int64)
        places[self.order] = np.arange(n_texts)
        cells = np.arange(len(read)) + np.repeat(places * longest - indptr[:-1], lengths)
        self._vectors = np.zeros((n_texts, longest), dtype=np.int64)
        self._vectors.reshape(-1)[cells] = read
        shares = np.zeros((n_texts, longest), dtype=np.float32)
        shares.reshape(-1)[cells] = weights
        length = np.sqrt(np.einsum("ij,ij->i", shares, shares))
        shares *= (INPUT_LENGTH / np.where(length > 0, length, 1))[:, np.newaxis]
        self._shares = shares[:, np.newaxis]

    def some(self, start: int, end: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Rows of the vectors of some texts and their shares in the texts' input, padded with shares of 0.

        Shapes (texts, longest) and (texts, 1, longest), of the longest of these texts.
        """
        longest = _padded(self._lengths[start:end])
        return self._vectors[start:end, :longest], self._shares[start:end, :, :longest]


def _padded(lengths: NDArray[np.integer]) -> int:
    """The largest length, rounded up to a multiple of :data:`PADDING`."""
    return -(-int(lengths.max(initial=0)) // PADDING) * PADDING


def _part(rows: FeatureRows, first: int, end: int) -> FeatureRows:
    """The texts from `first` to before `end`."""
    start, stop = rows.indptr[first], rows.indptr[end]
    return FeatureRows(rows.indptr[first : end + 1] - start, rows.indices[start:stop], rows.counts[start:stop])


def sublinear(counts: NDArray[np.integer]) -> NDArray[np.float64]:
    """Sublinear term frequency, ``1 + log(count)``, of positive counts."""
    return np.asarray(1 + np.log(counts), dtype=np.float64)
