"""A batch of texts -> the known n-grams of each, with array operations over the whole batch.

Computes what :func:`tagger.text.ngrams` defines, restricted to a vocabulary, without a Python loop over words or
texts: the batch is one byte string with NULs between its texts, words are runs in an array of bytes, a word is looked
up by a 64-bit key of its bytes, and a pair of words by the ids of the two.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable, Iterator, Sequence
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
_BRACES = re.compile(rb"\}\{")

_WHITESPACE = b" \t\n\r\f\v"
_IS_WHITESPACE = np.isin(np.arange(256), np.frombuffer(_WHITESPACE, dtype=np.uint8))
_IS_ALPHANUMERIC = np.isin(
    np.arange(256), np.frombuffer((string.ascii_letters + string.digits).encode(), dtype=np.uint8)
)
_ERASED = ord("`")
"""Overwrites what a number loses: one of the marks that are deleted at the end; nothing in between minds it."""

MOST_ROUNDS = 200
"""Rounds of pushing keys about after which a hash table is given more slots."""

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
    encoded = [text.encode("utf-8", "replace") for text in texts]  # text by text, since most are ASCII and quick
    batch = b"\0".join(encoded)
    if np.count_nonzero(np.frombuffer(batch, dtype=np.uint8) == 0) >= max(len(texts), 1):
        return normalise_batch([text.replace("\0", " ") for text in texts])
    if not batch.isascii():
        others = [position for position, text in enumerate(texts) if not text.isascii()]
        folded = _fold_non_ascii(b"\0".join([encoded[position] for position in others]))
        for position, text in zip(others, folded.split(b"\0")):
            encoded[position] = text
        batch = b"\0".join(encoded)
    batch = _replaced(batch, _TAG, _each(batch, b"<"), _to_space)
    batch = _replaced(batch, _ENTITY, _each(batch, b"&"), _to_space)
    batch = _replaced(batch, _URL, _starts_of_urls(batch), _to_url)
    batch = _replaced(batch, _BARE_URL, _starts_of_bare_urls(batch), _to_url)
    batch = _fold_numbers(batch)
    batch = _replaced(batch, _LATEX, _each(batch, b"\\"), _to_what_latex_means)
    batch = _replaced(batch, _BRACES, _each(batch, b"}"), _to_space)
    return batch.translate(_TRANSLATION, _DELETED)


def _replaced(
    batch: bytes,
    pattern: re.Pattern[bytes],
    candidates: Iterable[int],
    replacement: Callable[[re.Match[bytes]], bytes],
) -> bytes:
    """What ``pattern.sub(replacement, batch)`` gives, if `candidates` are, in order, where a match may begin.

    To find a byte in a batch, or two with array operations, takes a tenth of the time of a search for the pattern.
    """
    pieces, done = [], 0
    for start in candidates:
        if start >= done and (match := pattern.match(batch, start)):
            pieces += [batch[done:start], replacement(match)]
            done = match.end()
    return b"".join([*pieces, batch[done:]]) if pieces else batch


def _each(batch: bytes, byte: bytes) -> Iterator[int]:
    """Where a byte stands, in order."""
    position = batch.find(byte)
    while position >= 0:
        yield position
        position = batch.find(byte, position + 1)


def _starts_of_urls(batch: bytes) -> Iterator[int]:
    for slashes in _each_pair(batch, b"//"):
        yield from (slashes - len("https:"), slashes - len("http:"))


def _starts_of_bare_urls(batch: bytes) -> Iterator[int]:
    for dot in _each_pair(batch, b"w."):
        yield dot - len("ww")


def _each_pair(batch: bytes, pair: bytes) -> list[int]:
    """Where two bytes stand one behind the other, in order."""
    first, second = pair
    characters = np.frombuffer(batch, dtype=np.uint8)
    return np.flatnonzero((characters[:-1] == first) & (characters[1:] == second)).tolist()


def _to_space(_: re.Match[bytes]) -> bytes:
    return b" "


def _to_url(_: re.Match[bytes]) -> bytes:
    return b" url "


def _to_what_latex_means(match: re.Match[bytes]) -> bytes:
    return _undo_latex(match[0])


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
    spaced = _IS_WHITESPACE[follows]
    percent = np.where(follows == ord("%"), 1, 0)
    percent[(spaced | (follows == ord("\\"))) & (second == ord("%"))] = 2
    percent[spaced & (second == ord("\\")) & (characters[ends + 2] == ord("%"))] = 3
    times = np.where(((follows == ord("x")) | (follows == ord("X"))) & ~_IS_ALPHANUMERIC[second], 1, 0)
    for match in filter(None, (_TIMES.match(batch, start) for start in _each(batch, b"\\"))):
        end = len(batch[: match.start()].rstrip(_WHITESPACE + b"$"))
        number = np.searchsorted(ends, end)
        if number < len(ends) and ends[number] == end:
            times[number] = match.end() - end

    suffix = np.where(times > 0, times, percent)
    changed = (suffix > 0) | (ends - starts > 1)
    starts, ends, times, suffix = starts[changed], (ends + suffix)[changed], times[changed], suffix[changed]
    lengths = ends - starts
    characters[np.arange(lengths.sum()) + np.repeat(starts - np.cumsum(lengths) + lengths, lengths)] = _ERASED
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
    indptr: NDArray[np.int64]
    """Where each text's words start in `starts`, shape (texts + 1,)."""


def find_words(texts: Sequence[str]) -> Words:
    """Normalise `texts` and find their words."""
    batch = normalise_batch(texts)
    buffer = np.frombuffer(batch + _PADDING, dtype=np.uint8)
    starts, ends = _runs(buffer[: len(batch)] > ord(" "))
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
    """A map from distinct 64-bit keys to their positions, looked up for whole arrays.

    Each key is in one of two slots, so that a look-up takes two steps whatever the key (cuckoo hashing: Pagh and
    Rodler 2004). A slot holds the upper bits of a key's hash, its fingerprint, and below them the position, so that a
    step reads memory once. Of n keys, those below ``2**62 / n`` are told apart exactly, since the multiples of the
    golden ratio lie far from each other; greater keys, hashes themselves, as surely as their fingerprints differ.
    """

    def __init__(self, keys: NDArray[np.uint64]) -> None:
        """Build the table.

        Parameters
        ----------
        keys : array of uint64, shape (n,)
            Distinct keys.

        Raises
        ------
        ValueError
            If two keys, or their fingerprints, are equal.
        """
        self.missing = (1 << len(keys).bit_length()) - 1
        """What :meth:`find` gives for a key that is not in the table, and what an empty slot holds."""
        self._low_bits = np.uint64(self.missing)
        hashes = keys * _MULTIPLIER
        ordered = np.sort(hashes | self._low_bits)
        if (ordered[1:] == ordered[:-1]).any():
            raise ValueError("keys of a hash table must be distinct")
        bits = max(4, (2 * len(keys)).bit_length())
        while not self._placed(hashes, bits):
            bits += 1

    def _placed(self, hashes: NDArray[np.uint64], bits: int) -> bool:
        """Whether all keys found a place among 2**bits slots, each taking that of another, which goes to its second."""
        self._shift = np.uint64(64 - bits)
        self._slots = np.full(1 << bits, self._low_bits, dtype=np.uint64)
        entries = (hashes & ~self._low_bits) | np.arange(len(hashes), dtype=np.uint64)
        choices = np.stack([self._first(hashes), self._second(hashes)])
        holder = np.full(1 << bits, -1)
        choice = np.zeros(len(hashes), dtype=np.int64)
        waiting = np.arange(len(hashes))
        for _ in range(MOST_ROUNDS):
            slots = choices[choice[waiting], waiting]
            pushed = holder[slots]
            holder[slots] = waiting  # of several that want a slot, one gets it
            placed = holder[slots] == waiting
            waiting = np.concatenate([waiting[~placed], pushed[placed & (pushed >= 0)]])
            if not waiting.size:
                taken = np.flatnonzero(holder >= 0)
                self._slots[taken] = entries[holder[taken]]
                return True
            choice[waiting] ^= 1
        return False

    def _first(self, hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
        return (hashes >> self._shift).view(np.int64)

    def _second(self, hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
        return (((hashes ^ (hashes >> _HALF)) * _MIXER) >> self._shift).view(np.int64)

    def find(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Positions of `keys` (array of uint64, shape (n,)), `missing` for those not there; int64, shape (n,)."""
        hashes = keys * _MULTIPLIER
        entries = self._slots.take(self._first(hashes))
        found = (entries & self._low_bits).view(np.int64)
        elsewhere = np.flatnonzero((entries ^ hashes) > self._low_bits)
        hashes = hashes.take(elsewhere)
        entries = self._slots.take(self._second(hashes))
        entries[(entries ^ hashes) > self._low_bits] = self._low_bits
        found[elsewhere] = (entries & self._low_bits).view(np.int64)
        return found


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
