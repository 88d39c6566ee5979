"""A network with one hidden layer over the n-grams of a text: its weights and its arithmetic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tagger.vectorize import FeatureRows


@dataclass(frozen=True)
class Network:
    """Margins of a text: ``max(0, x @ embedding + hidden_bias) @ output + output_bias``.

    ``x`` holds ``scale * (1 + log(count))`` for each n-gram of the text, divided by the Euclidean norm of
    ``1 + log(count)`` over the n-grams that the network reads: sublinear term frequency, cosine-normalised (Salton and
    Buckley 1988). An average of learnt embeddings followed by layers is the deep averaging network of Iyyer et al.
    (2015).
    """

    scale: NDArray[np.float32]
    """Factor of each n-gram, 0 for those that the network does not read; shape (n-grams,)."""
    embedding: NDArray[np.float32]
    """Vector of each n-gram, shape (n-grams, hidden)."""
    hidden_bias: NDArray[np.float32]
    """Shape (hidden,)."""
    output: NDArray[np.float32]
    """Shape (hidden, outputs)."""
    output_bias: NDArray[np.float32]
    """Shape (outputs,)."""

    def margins(self, rows: FeatureRows) -> NDArray[np.float64]:
        """Margins of each text, shape (texts, outputs)."""
        n_texts = len(rows.indptr) - 1
        texts = np.repeat(np.arange(n_texts), np.diff(rows.indptr))
        scale = self.scale[rows.indices]
        read = np.flatnonzero(scale)
        texts, indices, scale = texts[read], rows.indices[read], scale[read]
        frequency = sublinear(rows.counts[read])
        norm = np.sqrt(np.bincount(texts, weights=frequency * frequency, minlength=n_texts))
        weights = scale * frequency / norm[texts]
        vectors = np.take(self.embedding, indices, axis=0)
        vectors *= weights.astype(np.float32)[:, np.newaxis]
        hidden = np.tile(self.hidden_bias, (n_texts, 1))
        present = np.flatnonzero(norm)
        if present.size:
            hidden[present] += np.add.reduceat(vectors, np.searchsorted(texts, present), axis=0)
        np.maximum(hidden, 0, out=hidden)
        return hidden.astype(np.float64) @ self.output.astype(np.float64) + self.output_bias


def sublinear(counts: NDArray[np.integer]) -> NDArray[np.float64]:
    """Sublinear term frequency, ``1 + log(count)``, of positive counts."""
    return np.asarray(1 + np.log(counts), dtype=np.float64)
