"""The network beside the linear classifiers: which n-grams it reads, and how it is fitted to all outputs at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tagger.network import INPUT_LENGTH, Network, sublinear
from tagger.vocabulary import Vocabulary
from training.embeddings import Embeddings
from training.selection import best_by_chi_squared
from training.threads import one_thread

_FIRST_DECAY, _SECOND_DECAY, _EPSILON = np.float32(0.9), np.float32(0.999), np.float32(1e-8)


@dataclass(frozen=True, slots=True)
class NetworkSettings:
    """How a network is built and fitted."""

    features: int = 15_000
    """N-grams chosen by chi-squared; words that have an embedding are read besides."""
    min_df: int = 5
    """Texts that must have a word for its embedding to be read."""
    networks: int = 3
    """Networks that are fitted from different starts and taken together."""
    hidden: int = 96
    """Units of the hidden layer of each."""
    dimensions: int = 64
    """Length of the vectors of n-grams that the networks come to share."""
    epochs: int = 10
    min_steps: int = 600
    """Small sets of texts are gone through more often, until there were this many steps."""
    batch_size: int = 64
    learning_rate: float = 2e-3
    """At the start; it falls to zero in a line."""
    dropout: float = 0.5
    """Share of the inputs, and of the hidden units, that is left out of a step."""


@dataclass(frozen=True)
class FittedNetwork:
    """A network and the layer from its hidden units to the margins of the outputs.

    It may stand for several: their hidden units side by side, and the mean of their margins.
    """

    network: Network
    output: NDArray[np.float32]
    """Shape (hidden, outputs)."""
    output_bias: NDArray[np.float32]
    """Shape (outputs,)."""

    @one_thread
    def margins(self, counts: sparse.csr_array) -> NDArray[np.float64]:
        """Margins of texts, given counts of the vocabulary's n-grams; shape (texts, outputs)."""
        inputs = _inputs(counts[:, self.network.features], self.network.idf)
        vectors = inputs @ self.network.embedding.astype(np.float32)
        hidden = np.maximum(vectors @ self.network.projection + self.network.bias, 0)
        return np.asarray(hidden.astype(np.float64) @ self.output.astype(np.float64) + self.output_bias)


@one_thread
def fit_network(
    counts: sparse.csr_array,
    vocabulary: Vocabulary,
    embeddings: Embeddings | None,
    targets: NDArray[np.float32],
    weights: NDArray[np.float32],
    settings: NetworkSettings,
    seed: int,
) -> FittedNetwork:
    """Choose the n-grams, start from their embeddings, fit several networks and merge them into one.

    The mean of networks that differ by chance errs less than each (Hansen and Salamon 1990).

    Parameters
    ----------
    counts : sparse array, shape (texts, n-grams)
        Counts of the n-grams of `vocabulary`.
    vocabulary : Vocabulary
        Names the columns.
    embeddings : Embeddings or None
        Vectors of words to start from; a pair of words starts as the mean of the two.
    targets : array of float32, shape (texts, outputs)
        1 where an output is true, 0 where it is not, NaN where that is unknown, which takes no part.
    weights : array of float32, shape (texts,)
        Weight of each text.
    settings : NetworkSettings
        Shape and schedule.
    seed : int
        Of the start, the order and the dropout; each further network takes the next.
    """
    frequency = np.bincount(counts.indices, minlength=counts.shape[1])
    has_vector = _start(vocabulary, embeddings, settings, seed).any(axis=1) & (frequency >= settings.min_df)
    has_vector[len(vocabulary.words) :] = False
    chosen = np.zeros(counts.shape[1], dtype=bool)
    chosen[best_by_chi_squared(counts, targets, settings.features)] = True
    features = np.flatnonzero(chosen | has_vector).astype(np.int32)
    idf = np.log((counts.shape[0] + 1) / np.maximum(frequency[features], 1)).astype(np.float32)
    inputs = _inputs(counts[:, features], idf)
    layers = []
    for number in range(seed, seed + settings.networks):
        start = _start(vocabulary, embeddings, settings, number)[features]
        layers.append(_fit_layers(inputs, start, targets, weights, settings, number))
    wide = np.concatenate([embedding @ projection for embedding, projection, *_ in layers], axis=1)
    embedding, projection = _factors(wide, inputs, settings.dimensions)
    biases, outputs, output_biases = zip(*(layer[2:] for layer in layers))
    network = Network(features, idf, embedding.astype(np.float16), projection, np.concatenate(biases))
    output = (np.concatenate(outputs) / len(layers)).astype(np.float32)
    return FittedNetwork(network, output, np.mean(output_biases, axis=0).astype(np.float32))


def _factors(
    wide: NDArray[np.float32], inputs: sparse.csr_array, dimensions: int
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The two thin matrices whose product comes nearest to `wide`, rows weighing what `inputs` make of them.

    What networks learn of n-grams has few dimensions, since they start from the same vectors: their matrices side by
    side are nearly of low rank (Eckart and Young 1936).
    """
    weight = np.sqrt(np.asarray(inputs.multiply(inputs).sum(axis=0), dtype=np.float64).ravel())
    weighted = wide * weight[:, np.newaxis]
    _, directions = np.linalg.eigh(weighted.T @ weighted)
    chosen = np.ascontiguousarray(directions[:, ::-1][:, :dimensions])
    return (wide @ chosen).astype(np.float32), np.ascontiguousarray(chosen.T, dtype=np.float32)


def _inputs(counts: sparse.csr_array, idf: NDArray[np.float32]) -> sparse.csr_array:
    """What a network reads of texts: see :class:`tagger.network.Network`."""
    counts = sparse.csr_array(counts)
    weights = idf[counts.indices] * sublinear(counts.data)
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    length = np.sqrt(np.bincount(rows, weights=weights * weights, minlength=counts.shape[0]))
    data = (INPUT_LENGTH * weights / length[rows]).astype(np.float32)
    return sparse.csr_array((data, counts.indices, counts.indptr), shape=counts.shape)


def _start(
    vocabulary: Vocabulary, embeddings: Embeddings | None, settings: NetworkSettings, seed: int
) -> NDArray[np.float32]:
    """Vectors to start from, centred, shape (n-grams, dimensions); zero where nothing is known."""
    n_words = len(vocabulary.words)
    if embeddings is None:
        generator = np.random.default_rng(seed)
        return 0.1 * generator.standard_normal((len(vocabulary), settings.hidden), dtype=np.float32)
    index = embeddings.index
    rows = np.array([index.get(word, -1) for word in vocabulary.words], dtype=np.int64)
    centred = embeddings.vectors - embeddings.vectors.mean(axis=0)
    vectors = np.zeros((len(vocabulary), centred.shape[1]), dtype=np.float32)
    known = np.flatnonzero(rows >= 0)
    vectors[known] = centred[rows[known]]
    first, second = rows[vocabulary.pairs[:, 0]], rows[vocabulary.pairs[:, 1]]
    both = np.flatnonzero((first >= 0) & (second >= 0))
    vectors[n_words + both] = (centred[first[both]] + centred[second[both]]) / 2
    return vectors


def _fit_layers(
    inputs: sparse.csr_array,
    embedding: NDArray[np.float32],
    targets: NDArray[np.float32],
    weights: NDArray[np.float32],
    settings: NetworkSettings,
    seed: int,
) -> tuple[NDArray[np.float32], ...]:
    """Fit embedding, projection, bias, output and output bias by Adam (Kingma and Ba 2015) on cross-entropy.

    Inputs and hidden units are dropped at random (Srivastava et al. 2014). The moments of an embedding move only in
    steps whose texts have its n-gram, which makes a step as cheap as its texts are short.
    """
    generator = np.random.default_rng(seed)
    n_texts, n_dimensions, n_outputs = inputs.shape[0], embedding.shape[1], targets.shape[1]
    known = (~np.isnan(targets)).astype(np.float32)
    truth = np.nan_to_num(targets)
    rate = np.clip((truth * known).sum(axis=0) / np.maximum(known.sum(axis=0), 1), 1e-3, 1 - 1e-3)

    embedding = embedding.copy()
    shape = (n_dimensions, settings.hidden)
    projection = generator.standard_normal(shape, dtype=np.float32) * np.float32(np.sqrt(2 / n_dimensions))
    bias = np.zeros(settings.hidden, dtype=np.float32)
    output = generator.standard_normal((settings.hidden, n_outputs), dtype=np.float32)
    output *= np.float32(1 / np.sqrt(settings.hidden))
    output_bias = np.log(rate / (1 - rate)).astype(np.float32)
    dense = [projection, bias, output, output_bias]
    dense_moments = [[np.zeros_like(part), np.zeros_like(part)] for part in dense]
    embedding_moments = [np.zeros_like(embedding), np.zeros_like(embedding)]

    keep = np.float32(1 - settings.dropout)
    n_batches = -(-n_texts // settings.batch_size)
    n_epochs = max(settings.epochs, -(-settings.min_steps // n_batches))
    n_steps = n_epochs * n_batches
    step = 0
    for _ in range(n_epochs):
        order = generator.permutation(n_texts)
        shuffled = inputs[order]
        for start in range(0, n_texts, settings.batch_size):
            batch = shuffled[start : start + settings.batch_size]
            rows = order[start : start + settings.batch_size]
            data = batch.data * (generator.random(batch.nnz, dtype=np.float32) < keep) / keep
            columns, local = np.unique(batch.indices, return_inverse=True)
            present = sparse.csr_array((data, local, batch.indptr), shape=(len(rows), len(columns)))

            vectors = present @ embedding[columns]
            before = vectors @ projection + bias
            kept = (generator.random(before.shape, dtype=np.float32) < keep) / keep
            hidden = np.maximum(before, 0) * kept
            # Below -80 the probability is 0 for all that float32 can tell, and further down exp overflows.
            probabilities = 1 / (1 + np.exp(-np.maximum(hidden @ output + output_bias, -80)))
            error = (probabilities - truth[rows]) * known[rows] * (weights[rows, np.newaxis] / np.float32(len(rows)))
            hidden_error = (error @ output.T) * kept * (before > 0)
            vector_error = hidden_error @ projection.T

            step += 1
            rate_now = settings.learning_rate * (1 - step / n_steps)
            rate_now *= np.sqrt(1 - float(_SECOND_DECAY) ** step) / (1 - float(_FIRST_DECAY) ** step)
            moved = [moment[columns] for moment in embedding_moments]
            embedding[columns] -= _adam_step(moved, present.T @ vector_error, rate_now)
            for moment, changed in zip(embedding_moments, moved):
                moment[columns] = changed
            gradients = [vectors.T @ hidden_error, hidden_error.sum(axis=0), hidden.T @ error, error.sum(axis=0)]
            for part, moments, gradient in zip(dense, dense_moments, gradients):
                part -= _adam_step(moments, gradient, rate_now)
    return embedding, projection, bias, output, output_bias


def _adam_step(moments: list[NDArray[np.float32]], gradient: NDArray[np.float32], rate: float) -> NDArray[np.float32]:
    """Update `moments` in place and return the step."""
    first, second = moments
    first *= _FIRST_DECAY
    first += (1 - _FIRST_DECAY) * gradient
    second *= _SECOND_DECAY
    second += (1 - _SECOND_DECAY) * gradient * gradient
    return np.asarray(np.float32(rate) * first / (np.sqrt(second) + _EPSILON), dtype=np.float32)
