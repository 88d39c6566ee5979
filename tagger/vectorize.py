"""A batch of texts -> the known n-grams of each, with array operations over the whole batch.

Computes what :func:`tagger.text.ngrams` defines, restricted to a vocabulary, without a Python loop over words or
texts: the batch is one byte string with NULs between its texts, words are runs in an array of bytes, a word is looked
up by a 64-bit key of its bytes, and a pair of words by the ids of the two.
"""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tagger import text as definition
from tagger.vocabulary import Vocabulary

_TAG = re.compile(definition.TAG.encode())
_ENTITY = re.compile(definition.ENTITY.encode())
_URL = re.compile(definition.URL.encode())
_BARE_URL = re.compile(definition.BARE_URL.encode())
_LATEX = re.compile(definition.LATEX.encode())
_LATEX_OF_STR = re.compile(definition.LATEX, re.ASCII)
_TIMES = re.compile(rb"\\times(?![a-zA-Z])")

_LETTERS = np.frombuffer(string.ascii_letters.encode(), dtype=np.uint8)
_WHITESPACE = b" \t\n\r\f\v"
_ERASED = ord("`")
"""Overwrites what a number loses: one of the marks that are deleted at the end; nothing in between minds it."""

_LANE = 8
"""Bytes of a word that are hashed at a time."""
_PADDING = bytes(definition.MAX_WORD_BYTES)
_LANE_MASKS = np.array([(1 << (8 * size)) - 1 for size in range(_LANE + 1)], dtype=np.uint64)
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio: Fibonacci hashing (Knuth 1973, 6.4)
_MIXER = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)


def _separate_all_but_words() -> bytes:
    """A translation table: upper case to lower, bytes of words and NUL to themselves, any other byte to a space."""
    table = bytearray(b" " * 256)
    for byte in b"\0" + string.ascii_lowercase.encode() + string.digits.encode() + b"%" + bytes(range(0x80, 0x100)):
        table[byte] = byte
    for upper, lower in zip(string.ascii_uppercase.encode(), string.ascii_lowercase.encode()):
        table[upper] = lower
    return bytes(table)


_TRANSLATION = _separate_all_but_words()
_DELETED = definition.DELETED.encode()


@lru_cache(maxsize=4096)
def _undo_latex(markup: bytes) -> bytes:
    match = _LATEX_OF_STR.fullmatch(markup.decode())
    assert match is not None
    return definition.undo_latex(match).encode()


def normalise_batch(texts: Sequence[str]) -> bytes:
    """Normalise `texts` as :func:`tagger.text.normalise` does, joined by NULs, with every separator a space."""
    joined = "\0".join(texts)
    if joined.count("\0") >= max(len(texts), 1):
        joined = "\0".join([text.replace("\0", " ") for text in texts])
    batch = joined.encode("utf-8", "replace")
    if not batch.isascii():
        batch = _fold_non_ascii(batch)
    batch = _TAG.sub(b" ", batch)
    batch = _ENTITY.sub(b" ", batch)
    batch = _URL.sub(b" url ", batch)
    batch = _BARE_URL.sub(b" url ", batch)
    batch = _fold_numbers(batch)
    batch = _LATEX.sub(lambda match: _undo_latex(match[0]), batch)
    characters = np.frombuffer(batch + b" ", dtype=np.uint8).copy()
    closing = np.flatnonzero(characters == ord("}"))
    characters[closing[characters[closing + 1] == ord("{")]] = ord(" ")
    return characters[:-1].tobytes().translate(_TRANSLATION, _DELETED)


def _fold_non_ascii(batch: bytes) -> bytes:
    """Fold the runs of bytes outside ASCII; they are few, so they are found first and the rest is copied whole."""
    starts, ends = _runs(np.frombuffer(batch, dtype=np.uint8) >= 0x80)
    pieces, done = [], 0
    for start, end in zip(starts.tolist(), ends.tolist()):
        pieces += [batch[done:start], definition.fold_run(batch[start:end].decode()).encode()]
        done = end
    return b"".join([*pieces, batch[done:]])


def _fold_numbers(batch: bytes) -> bytes:
    """Replace what :data:`tagger.text.NUMBER` matches by :func:`tagger.text.number_class` of it, in place."""
    characters = np.frombuffer(batch + b"    ", dtype=np.uint8).copy()
    starts, ends = _runs((characters - np.uint8(ord("0"))) < 10)
    if not starts.size:
        return batch
    between = characters[ends[:-1]]
    continues = (starts[1:] == ends[:-1] + 1) & ((between == ord(".")) | (between == ord(",")))
    starts, ends = starts[np.append(True, ~continues)], ends[np.append(~continues, True)]

    follows, second = characters[ends], characters[ends + 1]
    spaced = np.isin(follows, np.frombuffer(_WHITESPACE, dtype=np.uint8))
    percent = np.where(follows == ord("%"), 1, 0)
    percent[(spaced | (follows == ord("\\"))) & (second == ord("%"))] = 2
    percent[spaced & (second == ord("\\")) & (characters[ends + 2] == ord("%"))] = 3
    after_x = np.isin(second, _LETTERS) | (second - np.uint8(ord("0")) < 10)
    times = np.where(((follows == ord("x")) | (follows == ord("X"))) & ~after_x, 1, 0)
    for match in _TIMES.finditer(batch):
        end = len(batch[: match.start()].rstrip(_WHITESPACE + b"$"))
        number = np.searchsorted(ends, end)
        if number < len(ends) and ends[number] == end:
            times[number] = match.end() - end

    suffix = np.where(times > 0, times, percent)
    changed = (suffix > 0) | (ends - starts > 1)
    starts, ends, times, suffix = starts[changed], (ends + suffix)[changed], times[changed], suffix[changed]
    erased = np.zeros(len(characters) + 1, dtype=np.int8)
    erased[starts] += 1
    erased[ends] -= 1  # a number may begin where another ends: `5%12`
    characters[np.cumsum(erased[:-1], dtype=np.int8).view(bool)] = _ERASED
    characters[starts] = ord("0")
    with_suffix = suffix > 0
    characters[starts[with_suffix] + 1] = np.where(times[with_suffix] > 0, ord("x"), ord("%"))
    return characters[: len(batch)].tobytes()


def _runs(mask: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Start and end of each run of true values."""
    padded = np.zeros(len(mask) + 2, dtype=bool)
    padded[1:-1] = mask
    edges = np.flatnonzero(padded[1:] != padded[:-1])
    return edges[0::2], edges[1::2]


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a batch of texts, as runs in a buffer of bytes, in order."""

    buffer: NDArray[np.uint8]
    """The normalised batch, padded so that :data:`MAX_WORD_BYTES` can be read from the start of any word."""
    starts: NDArray[np.int64]
    """Offset of each word in the buffer, shape (words,)."""
    lengths: NDArray[np.int64]
    """Bytes of each word, shape (words,)."""
    rows: NDArray[np.int64]
    """Index of the text that each word is in, shape (words,)."""


def find_words(texts: Sequence[str]) -> Words:
    """Normalise `texts` and find their words."""
    batch = normalise_batch(texts)
    buffer = np.frombuffer(batch + _PADDING, dtype=np.uint8)
    starts, ends = _runs(buffer[: len(batch)] > ord(" "))
    lengths = ends - starts
    ends_of_texts = np.append(np.flatnonzero(buffer[: len(batch)] == 0), len(batch))[: len(texts)]
    words_before = np.searchsorted(starts, ends_of_texts)
    rows = np.repeat(np.arange(len(texts)), np.diff(words_before, prepend=0))
    if lengths.size and lengths.max() > definition.MAX_WORD_BYTES:
        short = lengths <= definition.MAX_WORD_BYTES
        starts, lengths, rows = starts[short], lengths[short], rows[short]
    return Words(buffer, starts, lengths, rows)


def word_keys(words: Words) -> NDArray[np.uint64]:
    """A 64-bit key of each word's bytes, shape (words,)."""
    keys = words.lengths.astype(np.uint64) * _MIXER
    lanes = np.ndarray(len(words.buffer) - _LANE + 1, dtype="<u8", buffer=words.buffer, strides=(1,))
    longer: NDArray[np.int64] | slice = slice(None)
    starts, lengths = words.starts, words.lengths
    while starts.size:
        lane = lanes[starts] & _LANE_MASKS[np.minimum(lengths, _LANE)]
        mixed = (keys[longer] ^ lane) * _MULTIPLIER
        keys[longer] = mixed ^ (mixed >> _HALF)
        rest = np.flatnonzero(lengths > _LANE)
        longer = rest if isinstance(longer, slice) else longer[rest]
        starts, lengths = starts[rest] + _LANE, lengths[rest] - _LANE
    return keys


class HashTable:
    """A map from distinct 64-bit keys to their positions, looked up for whole arrays (open addressing)."""

    def __init__(self, keys: NDArray[np.uint64]) -> None:
        """Build the table.

        Parameters
        ----------
        keys : array of uint64, shape (n,)
            Distinct keys.

        Raises
        ------
        ValueError
            If two keys are equal.
        """
        if len(np.unique(keys)) != len(keys):
            raise ValueError("keys of a hash table must be distinct")
        bits = max(4, int(4 * len(keys)).bit_length())
        self._shift = np.uint64(64 - bits)
        self._last_slot = np.int64((1 << bits) - 1)
        self._values = np.full(1 << bits, -1, dtype=np.int32)
        self._keys = np.zeros(1 << bits, dtype=np.uint64)
        pending = np.arange(len(keys), dtype=np.int32)
        slots = self._first_slots(keys)
        while pending.size:
            free = self._values[slots] < 0
            self._values[slots[free]] = pending[free]  # of several that want a slot, one gets it
            placed = self._values[slots] == pending
            self._keys[slots[placed]] = keys[pending[placed]]
            pending, slots = pending[~placed], (slots[~placed] + 1) & self._last_slot

    def _first_slots(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        return ((keys * _MULTIPLIER) >> self._shift).astype(np.int64)

    def find(self, keys: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Positions of `keys` (array of uint64, shape (n,)), -1 for those not in the table; int32, shape (n,)."""
        slots = self._first_slots(keys)
        found = self._values[slots]
        missed = np.flatnonzero((self._keys[slots] != keys) & (found >= 0))
        slots = slots[missed]
        while missed.size:
            slots = (slots + 1) & self._last_slot
            found[missed] = self._values[slots]
            again = (self._keys[slots] != keys[missed]) & (found[missed] >= 0)
            missed, slots = missed[again], slots[again]
        return found


@dataclass(frozen=True, slots=True)
class FeatureRows:
    """The features of a batch of texts, as a sparse matrix in compressed rows."""

    indptr: NDArray[np.int64]
    """Where each text's features start in `indices`, shape (texts + 1,)."""
    indices: NDArray[np.int64]
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
        self._pairs = HashTable(_pair_keys(vocabulary.pairs[:, 0], vocabulary.pairs[:, 1]))

    def transform(self, texts: Sequence[str]) -> FeatureRows:
        """Count the vocabulary's n-grams in each of `texts`."""
        words = find_words(texts)
        return self.count(words, word_keys(words), len(texts))

    def count(self, words: Words, keys: NDArray[np.uint64], n_texts: int) -> FeatureRows:
        """Count the vocabulary's n-grams in each of `n_texts` texts, given their words and the keys of these."""
        ids = self._words.find(keys)
        known = np.flatnonzero(ids >= 0)
        ids, rows = ids[known].astype(np.int64), words.rows[known]
        follows = np.flatnonzero((np.diff(known) == 1) & (np.diff(rows) == 0))
        pairs = self._pairs.find(_pair_keys(ids[follows], ids[follows + 1]))
        found = np.flatnonzero(pairs >= 0)
        cells = np.concatenate(
            [
                rows * self.n_features + ids,
                rows[follows[found]] * self.n_features + self._n_words + pairs[found],
            ]
        )
        cells, counts = np.unique(cells, return_counts=True)
        rows, indices = np.divmod(cells, max(self.n_features, 1))
        return FeatureRows(np.searchsorted(rows, np.arange(n_texts + 1)), indices, counts)


def _keys_of(words: Sequence[str]) -> NDArray[np.uint64]:
    encoded = [word.encode() for word in words]
    lengths = np.array([len(word) for word in encoded], dtype=np.int64)
    buffer = np.frombuffer(b"".join(encoded) + _PADDING, dtype=np.uint8)
    starts = np.cumsum(lengths) - lengths
    return word_keys(Words(buffer, starts, lengths, np.zeros_like(starts)))


def _pair_keys(first: NDArray[np.integer], second: NDArray[np.integer]) -> NDArray[np.uint64]:
    return (first.astype(np.uint64) << _HALF) | second.astype(np.uint64)
