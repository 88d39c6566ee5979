"""From shares of n-grams to phrases of a text: n-grams overlap, phrases do not, and both add up to the same."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tagger.spans import Word
from tagger.vectorize import FeatureRows
from tagger.vocabulary import Vocabulary

STRONG = 0.2
"""Log-odds, for or against, from which a word belongs to a phrase."""

_BREAK = re.compile(r"[.,!?;:][\"')\]}$]*\s|\n\s*\n")
_BRACKETS = {"(": ")", "[": "]", "{": "}"}

Span = tuple[int, int]
"""The characters from the first up to before the second, as in ``text[start:end]``."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """Neighbouring words that all speak for an area, or all against it, wherever they stand in a text."""

    text: str
    """The words as they are written where they come first, white space folded."""
    spans: tuple[Span, ...]
    """Where they stand, ascending."""
    share: float
    """Their share in the log-odds of the area, of all places together."""


def places_of_ngrams(rows: FeatureRows, vocabulary: Vocabulary, words: Sequence[Word]) -> list[tuple[int, ...]]:
    """Where the n-grams of a text stand: for each, the position in `words` of its first word at each occurrence."""
    places: dict[str | tuple[str, str], list[int]] = {}
    for position, word in enumerate(words):
        places.setdefault(word.word, []).append(position)
        if position + 1 < len(words):
            places.setdefault((word.word, words[position + 1].word), []).append(position)
    known, n_words = vocabulary.words, len(vocabulary.words)
    found = []
    for ngram in rows.indices.tolist():
        if ngram < n_words:
            found.append(tuple(places[known[ngram]]))
        else:
            first, second = vocabulary.pairs[ngram - n_words].tolist()
            found.append(tuple(places[known[first], known[second]]))
    return found


def shares_of_words(
    shares: NDArray[np.float64], places: Sequence[tuple[int, ...]], is_pair: NDArray[np.bool_], n_words: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give each word of a text its own n-gram's share and half of that of each pair that it is in.

    Parameters
    ----------
    shares : array of float64, shape (n-grams, outputs)
        Share of each n-gram of the text.
    places : sequence of tuples, length n-grams
        Position of the first word of each occurrence.
    is_pair : array of bool, shape (n-grams,)
        Which n-grams are pairs.
    n_words : int
        Words of the text.

    Returns
    -------
    split, whole : arrays of float64, shape (words, outputs)
        With the share of an n-gram split evenly over its occurrences, which adds up to `shares`; and with all of it at
        each, which tells how strong a word is, however often it is said.
    """
    counts = np.array([len(some) for some in places], dtype=np.int64)
    ngrams = np.repeat(np.arange(len(places)), counts)
    firsts = np.array([place for some in places for place in some], dtype=np.int64)
    paired = is_pair[ngrams]
    whole_shares = shares[ngrams] * np.where(paired, 0.5, 1.0)[:, np.newaxis]
    result = []
    for part in (whole_shares / counts[ngrams][:, np.newaxis], whole_shares):
        sums = np.zeros((n_words, shares.shape[1]))
        np.add.at(sums, firsts, part)
        np.add.at(sums, firsts[paired] + 1, part[paired])
        result.append(sums)
    return result[0], result[1]


def breaks_between(text: str, words: Sequence[Word], title_end: int = 0) -> list[bool]:
    """For each word, whether a clause, a sentence, a paragraph or the title ends right before it."""
    broken = [True] * min(len(words), 1)
    for before, after in pairwise(words):
        ends_title = before.end <= title_end <= after.start and title_end > 0
        broken.append(ends_title or bool(_BREAK.search(text, before.end, after.start)))
    return broken


def find_phrases(
    text: str, words: Sequence[Word], breaks: Sequence[bool], split: NDArray[np.float64], whole: NDArray[np.float64]
) -> tuple[Phrase, ...]:
    """The phrases of a text for one output, strongest first.

    A phrase is a longest run of words, with no comma or full stop between, that are all strong and all of one sign;
    runs of the same words are one phrase. A word is strong whose share is :data:`STRONG`, or half that of the strongest
    word of the text where that is less. Words that are in no phrase have the rest of the log-odds.

    Parameters
    ----------
    text : str
        The text as it was written.
    words : sequence of Word
        Its words.
    breaks : sequence of bool
        Whether no run may go on from the word before, for each word.
    split, whole : arrays of float64, shape (words,)
        What :func:`shares_of_words` gives for the output.
    """
    strong = min(STRONG, float(np.abs(whole).max(initial=0.0)) / 2)
    signs = (np.sign(whole) * ((np.abs(whole) >= strong) & (whole != 0))).astype(int).tolist()
    runs: dict[tuple[int, tuple[str, ...]], list[tuple[int, int]]] = {}
    start = 0
    for end in range(1, len(words) + 1):
        if end < len(words) and signs[end] == signs[start] and not breaks[end]:
            continue
        if signs[start]:
            key = (signs[start], tuple(word.word for word in words[start:end]))
            runs.setdefault(key, []).append((start, end))
        start = end
    phrases = []
    for some in runs.values():
        spans = tuple(_closed(text, words[first].start, words[last - 1].end) for first, last in some)
        share = float(sum(split[first:last].sum() for first, last in some))
        phrases.append(Phrase(" ".join(text[slice(*spans[0])].split()), spans, share))
    return tuple(sorted(phrases, key=lambda phrase: (-abs(phrase.share), phrase.spans)))


def _closed(text: str, start: int, end: int) -> Span:
    """A span with the bracket or dollar sign beside it whose other half is in it: ``models (VLMs`` takes its ``)``."""
    inside = text[start:end]
    for opening, closing in _BRACKETS.items():
        surplus = inside.count(opening) - inside.count(closing)
        if surplus > 0 and text[end : end + 1] == closing:
            end += 1
        elif surplus < 0 and text[max(start - 1, 0) : start] == opening:
            start -= 1
    if inside.count("$") % 2 and text[end : end + 1] == "$":
        end += 1
    return start, end
