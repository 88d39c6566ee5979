"""A batch of texts -> the known n-grams of each, with array operations over the whole batch.

Computes what :func:`tagger.text.ngrams` defines, restricted to a vocabulary, without a Python loop over words or
texts: words are runs in an array of bytes, a word is looked up by a 64-bit key of its bytes, and a pair of words by
the positions of the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tagger import text as definition
from tagger.hash_table import HALF, MIXER, MULTIPLIER, HashTable
from tagger.normalise import normalise_batch, runs
from tagger.vocabulary import Vocabulary

_LANE = 8
"""Bytes of a word that are hashed at a time."""
_PADDING = bytes(definition.MAX_WORD_BYTES)
_LANE_MASKS = np.array([(1 << (8 * size)) - 1 for size in range(_LANE + 1)], dtype=np.uint64)


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a batch of texts, as runs in a buffer of bytes, in order."""

    buffer: NDArray[np.uint8]
    """The normalised batch, padded so that :data:`MAX_WORD_BYTES` can be read from the start of any word."""
    starts: NDArray[np.int64]
    """Offset of each word in the buffer, shape (words,)."""
    lengths: NDArray[np.int64]
    """Bytes of each word, shape (words,)."""
    indptr: NDArray[np.int64]
    """Where each text's words start in `starts`, shape (texts + 1,)."""


def find_words(texts: Sequence[str]) -> Words:
    """Normalise `texts` and find their words."""
    batch = normalise_batch(texts)
    buffer = np.frombuffer(batch + _PADDING, dtype=np.uint8)
    starts, ends = runs(buffer[: len(batch)] > ord(" "))
    lengths = ends - starts
    if lengths.size and lengths.max() > definition.MAX_WORD_BYTES:
        short = lengths <= definition.MAX_WORD_BYTES
        starts, lengths = starts[short], lengths[short]
    ends_of_texts = np.append(np.flatnonzero(buffer[: len(batch)] == 0), len(batch))[: len(texts)]
    indptr = np.zeros(len(texts) + 1, dtype=np.int64)
    indptr[1:] = np.searchsorted(starts, ends_of_texts)
    return Words(buffer, starts, lengths, indptr)


def word_keys(words: Words) -> NDArray[np.uint64]:
    """A 64-bit key of each word's bytes, shape (words,)."""
    keys = words.lengths.astype(np.uint64) * MIXER
    lanes = np.ndarray(len(words.buffer) - _LANE + 1, dtype="<u8", buffer=words.buffer, strides=(1,))
    longer: NDArray[np.int64] | slice = slice(None)
    starts, lengths = words.starts, words.lengths
    while starts.size:
        lane = lanes[starts] & _LANE_MASKS[np.minimum(lengths, _LANE)]
        mixed = (keys[longer] ^ lane) * MULTIPLIER
        keys[longer] = mixed ^ (mixed >> HALF)
        rest = np.flatnonzero(lengths > _LANE)
        longer = rest if isinstance(longer, slice) else longer[rest]
        starts, lengths = starts[rest] + _LANE, lengths[rest] - _LANE
    return keys


@dataclass(frozen=True, slots=True)
class FeatureRows:
    """The features of a batch of texts, as a sparse matrix in compressed rows."""

    indptr: NDArray[np.int64]
    """Where each text's features start in `indices`, shape (texts + 1,)."""
    indices: NDArray[np.integer]
    """Features, each once for a text and ascending within it."""
    counts: NDArray[np.int64]
    """How often each feature occurs in its text."""


class Vectorizer:
    """Counts the n-grams of a vocabulary in batches of texts."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        """Prepare the look-up tables for `vocabulary`."""
        self.n_features = len(vocabulary)
        self._n_words = len(vocabulary.words)
        self._words = HashTable(_keys_of(vocabulary.words))
        self._pairs = HashTable(self._pair_keys(vocabulary.pairs[:, 0], vocabulary.pairs[:, 1]))

    def _pair_keys(self, first: NDArray[np.integer], second: NDArray[np.integer]) -> NDArray[np.uint64]:
        """Keys of pairs of words, by their positions; one that is `missing` makes a key that no pair has."""
        return first.astype(np.uint64) * np.uint64(self._words.missing + 1) + second.astype(np.uint64)

    def transform(self, texts: Sequence[str]) -> FeatureRows:
        """Count the vocabulary's n-grams in each of `texts`."""
        words = find_words(texts)
        return self.count(words, word_keys(words))

    def count(self, words: Words, keys: NDArray[np.uint64]) -> FeatureRows:
        """Count the vocabulary's n-grams in each text, given its words and the keys of these."""
        n_texts = len(words.indptr) - 1
        ids = self._words.find(keys)
        pairs = self._pairs.find(self._pair_keys(ids[:-1], ids[1:]))
        ends = words.indptr[1:-1]
        pairs[ends[(ends > 0) & (ends < len(ids))] - 1] = self._pairs.missing  # the last word of a text begins none
        # A cell is a feature of a text: both in one number, so that sorting numbers brings the same ones together.
        first_cells = np.arange(n_texts) * self.n_features
        first_cells_of_words = np.repeat(first_cells, np.diff(words.indptr))
        known, found = np.flatnonzero(ids < self._words.missing), np.flatnonzero(pairs < self._pairs.missing)
        cells_of_texts = np.append(first_cells, n_texts * self.n_features)
        dtype = np.int32 if cells_of_texts[-1] < 2**31 else np.int64  # shorter numbers are sorted faster
        cells = np.concatenate(
            [
                first_cells_of_words.take(known) + ids.take(known),
                first_cells_of_words.take(found) + pairs.take(found) + self._n_words,
            ]
        ).astype(dtype)
        cells.sort()
        is_first = np.empty(len(cells) + 1, dtype=bool)
        is_first[0] = is_first[-1] = True  # the end counts as the first of what would follow
        np.not_equal(cells[1:], cells[:-1], out=is_first[1:-1])
        firsts = np.flatnonzero(is_first)
        distinct = cells.take(firsts[:-1])
        cells_of_texts = cells_of_texts.astype(dtype)
        indptr = np.searchsorted(distinct, cells_of_texts)
        indices: NDArray[np.integer] = distinct - np.repeat(cells_of_texts[:-1], np.diff(indptr))
        return FeatureRows(indptr, indices, np.diff(firsts))


def _keys_of(words: Sequence[str]) -> NDArray[np.uint64]:
    encoded = [word.encode() for word in words]
    lengths = np.array([len(word) for word in encoded], dtype=np.int64)
    buffer = np.frombuffer(b"".join(encoded) + _PADDING, dtype=np.uint8)
    starts = np.cumsum(lengths) - lengths
    return word_keys(Words(buffer, starts, lengths, np.zeros(1, dtype=np.int64)))
