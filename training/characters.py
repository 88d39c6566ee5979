"""Character n-grams within words, derived from counts of words, and the linear classifiers on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from training.counts import NgramCounts
from training.linear import LinearClassifier, fit_linear

SHORTEST, LONGEST = 3, 5
"""Characters of an n-gram, with the marks of the word's ends."""
START, END = "<", ">"
"""Marks of a word's ends; no word has them."""
MIN_DF = 5
"""Texts that must have a character n-gram for it to be a feature."""
STRENGTH = 0.01
"""Inverse strength of the penalty: a text has ten times as many character n-grams as words and pairs of words."""


@dataclass(frozen=True)
class CharacterFeatures:
    """A feature for each character n-gram that occurs within the words of enough texts."""

    spelling: sparse.csr_array
    """Ones where a word has a character n-gram, shape (words, character n-grams)."""

    @classmethod
    def of(cls, words: sparse.csr_array, spelling: sparse.csr_array, min_df: int = MIN_DF) -> CharacterFeatures:
        """The character n-grams that at least `min_df` texts have.

        Parameters
        ----------
        words : sparse array, shape (texts, words)
            Counts of words.
        spelling : sparse array of ones, shape (words, character n-grams)
            As :func:`spell` makes it.
        min_df : int
            Texts that must have a character n-gram.
        """
        frequency = np.bincount(_presence(words, spelling).indices, minlength=spelling.shape[1])
        return cls(sparse.csr_array(spelling[:, np.flatnonzero(frequency >= min_df)]))

    def matrix(self, words: sparse.csr_array) -> sparse.csr_array:
        """The features that each text has, as ones of float64, shape (texts, character n-grams)."""
        return _presence(words, self.spelling)


@dataclass(frozen=True)
class CharacterClassifiers:
    """The linear classifiers of all outputs on character n-grams."""

    features: CharacterFeatures
    classifiers: tuple[LinearClassifier, ...]

    def margins(self, words: sparse.csr_array) -> NDArray[np.float64]:
        """Margins of texts, given counts of words; shape (texts, outputs)."""
        matrix = self.features.matrix(words)
        return np.stack([classifier.margins(matrix) for classifier in self.classifiers], axis=1)


def fit_characters(
    words: sparse.csr_array,
    spelling: sparse.csr_array,
    targets: NDArray[np.float32],
    weights: NDArray[np.float64],
    C: float = STRENGTH,
    smoothing: float = 1.0,
) -> CharacterClassifiers:
    """Fit every output on the character n-grams that texts have, as :func:`training.linear.fit_linear` does.

    Parameters
    ----------
    words : sparse array, shape (texts, words)
        Counts of words.
    spelling : sparse array of ones, shape (words, character n-grams)
        As :func:`spell` makes it.
    targets : array of float32, shape (texts, outputs)
        1 where an output is true, 0 where it is not, NaN where that is unknown, which takes no part.
    weights : array of float, shape (texts,)
        Weight of each text.
    C, smoothing : float
        As of :func:`training.linear.fit_linear`.
    """
    features = CharacterFeatures.of(words, spelling)
    matrix = features.matrix(words)
    classifiers = []
    for target in targets.T:
        known = np.flatnonzero(~np.isnan(target))
        classifiers.append(fit_linear(matrix[known], target[known] > 0, weights[known], C, smoothing))
    return CharacterClassifiers(features, tuple(classifiers))


def word_counts(counts: NgramCounts) -> sparse.csr_array:
    """The counts of words alone, shape (texts, words)."""
    return sparse.csr_array(counts.matrix[:, : len(counts.vocabulary.words)])


def spell(words: Sequence[str]) -> tuple[sparse.csr_array, tuple[str, ...]]:
    """Which character n-grams each word has.

    Returns
    -------
    spelling : sparse array of ones, shape (words, character n-grams)
        A word has an n-gram once, however often it occurs in it.
    names : tuple of str
        The character n-grams, with the marks of a word's ends.
    """
    spelt = [sorted(character_ngrams(word)) for word in words]
    names = tuple(sorted({ngram for ngrams in spelt for ngram in ngrams}))
    position = {ngram: index for index, ngram in enumerate(names)}
    indptr = np.cumsum([0] + [len(ngrams) for ngrams in spelt])
    indices = np.fromiter((position[ngram] for ngrams in spelt for ngram in ngrams), dtype=np.int32, count=indptr[-1])
    shape = (len(words), len(names))
    return sparse.csr_array((np.ones(len(indices)), indices, indptr), shape=shape), names


def character_ngrams(word: str) -> set[str]:
    """The runs of :data:`SHORTEST` to :data:`LONGEST` characters of `word` between the marks of its ends.

    The whole of a short word is one of them: ``ai`` has ``<ai``, ``ai>`` and ``<ai>``.
    """
    marked = f"{START}{word}{END}"
    lengths = range(SHORTEST, min(LONGEST, len(marked)) + 1)
    return {marked[start : start + length] for length in lengths for start in range(len(marked) - length + 1)}


def _presence(words: sparse.csr_array, spelling: sparse.csr_array) -> sparse.csr_array:
    """Which character n-grams the words of each text have, as ones of float64."""
    ones = sparse.csr_array((np.ones(words.nnz), words.indices, words.indptr), shape=words.shape)
    present = sparse.csr_array(ones @ spelling)
    present.sort_indices()
    # liblinear takes 32-bit indices only.
    indices, indptr = present.indices.astype(np.int32), present.indptr.astype(np.int32)
    return sparse.csr_array((np.ones(present.nnz), indices, indptr), shape=present.shape)
