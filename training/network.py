"""Fit the network of :mod:`tagger.network`: n-gram counts and soft or hard targets -> weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tagger.network import sublinear

_FIRST_DECAY, _SECOND_DECAY, _EPSILON = np.float32(0.9), np.float32(0.999), np.float32(1e-8)


@dataclass(frozen=True, slots=True)
class NetworkSettings:
    """How a network is built and fitted."""

    hidden: int = 64
    """Units of the hidden layer."""
    scale: float = 3.0
    """Euclidean norm of a text's input."""
    epochs: int = 14
    batch_size: int = 128
    learning_rate: float = 3e-3
    """At the start; it falls to zero in a line."""
    dropout: float = 0.2
    """Share of the inputs, and of the hidden units, that is left out of a step."""
    embedding_scale: float = 0.1
    """Standard deviation of the embeddings at the start, times the root of `hidden`."""


@dataclass(frozen=True, slots=True)
class FittedNetwork:
    """Weights over the features that the network was fitted on."""

    embedding: NDArray[np.float32]
    hidden_bias: NDArray[np.float32]
    output: NDArray[np.float32]
    output_bias: NDArray[np.float32]

    def margins(self, inputs: sparse.csr_array) -> NDArray[np.float64]:
        """Margins of texts, given :func:`network_inputs`; shape (texts, outputs)."""
        hidden = np.maximum(inputs @ self.embedding + self.hidden_bias, 0)
        return np.asarray(hidden.astype(np.float64) @ self.output.astype(np.float64) + self.output_bias)


def network_inputs(counts: sparse.csr_array, scale: float) -> sparse.csr_array:
    """Sublinear, cosine-normalised counts; float32, shape (texts, features), rows of norm `scale` or zero."""
    frequency = sublinear(counts.data)
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    norm = np.sqrt(np.bincount(rows, weights=frequency * frequency, minlength=counts.shape[0]))
    data = (scale * frequency / norm[rows]).astype(np.float32)
    return sparse.csr_array((data, counts.indices, counts.indptr), shape=counts.shape)


def fit_network(
    inputs: sparse.csr_array,
    targets: NDArray[np.float32],
    weights: NDArray[np.float32],
    settings: NetworkSettings,
    seed: int,
) -> FittedNetwork:
    """Fit a network by Adam (Kingma and Ba 2015) on cross-entropy, with dropout (Srivastava et al. 2014).

    The moments of an embedding are updated in the steps whose texts have its n-gram ("lazy" Adam).

    Parameters
    ----------
    inputs : sparse array of float32, shape (texts, features)
        From :func:`network_inputs`.
    targets : array of float32, shape (texts, outputs)
        Probability that each output is true; NaN where unknown, which takes no part.
    weights : array of float32, shape (texts,)
        Weight of each text.
    settings : NetworkSettings
        Shape and schedule.
    seed : int
        Of the start, the order and the dropout.
    """
    generator = np.random.default_rng(seed)
    n_texts, n_features = inputs.shape
    n_outputs = targets.shape[1]
    known = (~np.isnan(targets)).astype(np.float32)
    targets = np.nan_to_num(targets)
    spread = np.float32(1 / np.sqrt(settings.hidden))

    embedding = generator.standard_normal((n_features, settings.hidden), dtype=np.float32)
    embedding *= spread * np.float32(settings.embedding_scale)
    rate = np.clip((targets * known).sum(axis=0) / np.maximum(known.sum(axis=0), 1), 1e-3, 1 - 1e-3)
    hidden_bias = np.zeros(settings.hidden, dtype=np.float32)
    output = generator.standard_normal((settings.hidden, n_outputs), dtype=np.float32) * spread
    output_bias = np.log(rate / (1 - rate)).astype(np.float32)
    dense = [hidden_bias, output, output_bias]
    embedding_moments = [np.zeros_like(embedding), np.zeros_like(embedding)]
    dense_moments = [[np.zeros_like(part), np.zeros_like(part)] for part in dense]

    keep = np.float32(1 - settings.dropout)
    n_steps = settings.epochs * -(-n_texts // settings.batch_size)
    step = 0
    for _ in range(settings.epochs):
        order = generator.permutation(n_texts)
        shuffled = inputs[order]
        for start in range(0, n_texts, settings.batch_size):
            batch = shuffled[start : start + settings.batch_size]
            rows = order[start : start + settings.batch_size]
            data = batch.data * (generator.random(batch.nnz, dtype=np.float32) < keep) / keep
            columns, local = np.unique(batch.indices, return_inverse=True)
            present = sparse.csr_array((data, local, batch.indptr), shape=(len(rows), len(columns)))

            before = present @ embedding[columns] + hidden_bias
            kept = (generator.random(before.shape, dtype=np.float32) < keep) / keep
            hidden = np.maximum(before, 0) * kept
            probabilities = 1 / (1 + np.exp(-(hidden @ output + output_bias)))
            error = (probabilities - targets[rows]) * known[rows] * (weights[rows, np.newaxis] / np.float32(len(rows)))
            hidden_error = (error @ output.T) * kept * (before > 0)

            step += 1
            rate_now = settings.learning_rate * (1 - step / n_steps)
            rate_now *= np.sqrt(1 - float(_SECOND_DECAY) ** step) / (1 - float(_FIRST_DECAY) ** step)
            moved = [moment[columns] for moment in embedding_moments]
            embedding[columns] -= _adam_step(moved, present.T @ hidden_error, rate_now)
            for moment, changed in zip(embedding_moments, moved):
                moment[columns] = changed
            gradients = [hidden_error.sum(axis=0), hidden.T @ error, error.sum(axis=0)]
            for part, moments, gradient in zip(dense, dense_moments, gradients):
                part -= _adam_step(moments, gradient, rate_now)
    return FittedNetwork(embedding, hidden_bias, output, output_bias)


def _adam_step(moments: list[NDArray[np.float32]], gradient: NDArray[np.float32], rate: float) -> NDArray[np.float32]:
    """Update `moments` in place and return the step."""
    first, second = moments
    first *= _FIRST_DECAY
    first += (1 - _FIRST_DECAY) * gradient
    second *= _SECOND_DECAY
    second += (1 - _SECOND_DECAY) * gradient * gradient
    return np.asarray(np.float32(rate) * first / (np.sqrt(second) + _EPSILON), dtype=np.float32)
