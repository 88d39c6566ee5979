"""Counts of n-grams: what a classifier learns from, made from texts or read from shards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tagger.text import ngrams
from tagger.vocabulary import Vocabulary


@dataclass(frozen=True)
class NgramCounts:
    """How often each n-gram of a vocabulary occurs in each text; takes the place of a list of texts in training."""

    vocabulary: Vocabulary
    matrix: sparse.csr_array
    """Counts, shape (texts, n-grams), rows with sorted indices."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of texts and of n-grams."""
        n_texts, n_ngrams = self.matrix.shape
        return int(n_texts), int(n_ngrams)

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    def __getitem__(self, rows: Any) -> NgramCounts:
        """Counts of some of the texts: positions or a mask, alone or followed by an ellipsis as scikit-learn asks."""
        if isinstance(rows, tuple):
            rows = rows[0]
        return NgramCounts(self.vocabulary, self.matrix[np.arange(len(self))[rows]])

    def columns(self, vocabulary: Vocabulary) -> sparse.csr_array:
        """The counts of another vocabulary's n-grams, shape (texts, len(vocabulary)); zero for those unknown here."""
        if vocabulary is self.vocabulary:
            return self.matrix
        here = vocabulary_positions(self.vocabulary, vocabulary)
        known = np.flatnonzero(here >= 0)
        chosen = sparse.csr_array(
            (np.ones(len(known), dtype=self.matrix.dtype), (here[known], known)),
            shape=(len(self.vocabulary), len(vocabulary)),
        )
        result = sparse.csr_array(self.matrix @ chosen)
        result.sort_indices()
        return result


def count_ngrams(texts: Iterable[str]) -> NgramCounts:
    """Count the n-grams of `texts` as :func:`tagger.text.ngrams` defines them."""
    counted = [ngrams(text) for text in texts]
    vocabulary = Vocabulary.from_ngrams(ngram for counts in counted for ngram in counts)
    index = vocabulary.index
    indptr = np.cumsum([0] + [len(counts) for counts in counted])
    indices = np.fromiter((index[ngram] for counts in counted for ngram in counts), dtype=np.int32, count=indptr[-1])
    data = np.fromiter((n for counts in counted for n in counts.values()), dtype=np.int32, count=indptr[-1])
    matrix = sparse.csr_array((data, indices, indptr), shape=(len(counted), len(vocabulary)))
    matrix.sort_indices()
    return NgramCounts(vocabulary, matrix)


def add_counts(first: NgramCounts, second: NgramCounts) -> NgramCounts:
    """The counts of texts and of what belongs to each, such as its title, taken together."""
    both = stack_counts([first, second])
    matrix = sparse.csr_array(both.matrix[: len(first)] + both.matrix[len(first) :])
    matrix.sort_indices()
    return NgramCounts(both.vocabulary, matrix)


def stack_counts(parts: Sequence[NgramCounts]) -> NgramCounts:
    """The counts of several collections, one after the other, over the union of their vocabularies."""
    if len(parts) == 1:
        return parts[0]
    if all(part.vocabulary is parts[0].vocabulary for part in parts):
        matrices = [part.matrix for part in parts]
        return NgramCounts(parts[0].vocabulary, sparse.csr_array(sparse.vstack(matrices, format="csr")))
    words = tuple(sorted(set().union(*(part.vocabulary.words for part in parts))))
    position = {word: index for index, word in enumerate(words)}
    moved = [np.array([position[w] for w in part.vocabulary.words], dtype=np.int32) for part in parts]
    pairs = np.unique(np.concatenate([move[part.vocabulary.pairs] for part, move in zip(parts, moved)]), axis=0)
    union = Vocabulary(words, pairs.astype(np.int32).reshape(-1, 2))
    return NgramCounts(union, sparse.csr_array(sparse.vstack([part.columns(union) for part in parts], format="csr")))


def vocabulary_positions(vocabulary: Vocabulary, wanted: Vocabulary) -> NDArray[np.int64]:
    """Position in `vocabulary` of each n-gram of `wanted`, -1 where it is not there; shape (len(wanted),)."""
    position = {word: index for index, word in enumerate(vocabulary.words)}
    words = np.array([position.get(word, -1) for word in wanted.words], dtype=np.int64)
    keys = _pair_keys(vocabulary.pairs.astype(np.int64))
    wanted_pairs = words[wanted.pairs] if wanted.pairs.size else np.empty((0, 2), dtype=np.int64)
    wanted_keys = _pair_keys(wanted_pairs)
    slots = np.minimum(np.searchsorted(keys, wanted_keys), max(len(keys) - 1, 0))
    known = (wanted_pairs >= 0).all(axis=1) & (len(keys) > 0)
    if len(keys):
        known &= keys[slots] == wanted_keys
    return np.concatenate([words, np.where(known, slots + len(vocabulary.words), -1) if known.size else slots[:0]])


def restrict(vocabulary: Vocabulary, keep: NDArray[np.bool_]) -> Vocabulary:
    """The part of `vocabulary` that a mask over its n-grams keeps, with the words that its pairs need."""
    n_words = len(vocabulary.words)
    pairs = vocabulary.pairs[keep[n_words:]]
    needed = keep[:n_words].copy()
    needed[pairs.ravel()] = True
    moved = np.cumsum(needed) - 1
    words = tuple(word for word, is_needed in zip(vocabulary.words, needed.tolist()) if is_needed)
    return Vocabulary(words, moved[pairs].astype(np.int32).reshape(-1, 2))


def _pair_keys(pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    return (pairs[:, 0] << 32) + pairs[:, 1]
