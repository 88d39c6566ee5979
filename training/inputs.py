"""What a classifier is given, checked once at the border: texts or counts, labels, and the targets they stand for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tagger.errors import InputError
from training.counts import NgramCounts, count_ngrams
from training.grades import UNKNOWN


def as_counts(X: Sequence[str] | NgramCounts) -> NgramCounts:
    """Texts as n-gram counts; counts as they are.

    Raises
    ------
    InputError
        If an item is not a string.
    """
    if isinstance(X, NgramCounts):
        return X
    if isinstance(X, str):
        raise InputError("expected a sequence of texts, got one string; put it in a list")
    for position, text in enumerate(X):
        if not isinstance(text, str):
            raise InputError(f"text {position}: expected a string, got {type(text).__name__}")
    return count_ngrams(X)


def as_titles(titles: Sequence[str | None] | NgramCounts, n_texts: int) -> NgramCounts:
    """Titles of texts as n-gram counts; a text without one has an empty title.

    Raises
    ------
    InputError
        If there is not one for each text, or an item is neither a string nor None.
    """
    if len(titles) != n_texts:
        raise InputError(f"{n_texts} texts but {len(titles)} titles; give one for each text, or None")
    if isinstance(titles, NgramCounts):
        return titles
    return as_counts([title or "" for title in titles])


def as_grades(y: ArrayLike) -> NDArray[np.int8]:
    """Labels as an array of grades, shape (n, areas): 2, 1, 0, or -1 where unknown.

    Raises
    ------
    InputError
        If a label is anything else.
    """
    labels = np.array(y, dtype=np.float64)
    if labels.ndim == 1:
        labels = labels[:, np.newaxis]
    labels[np.isnan(labels)] = UNKNOWN
    if odd := sorted(set(np.unique(labels).tolist()) - {2.0, 1.0, 0.0, float(UNKNOWN)}):
        raise InputError(f"label {odd[0]:g}: use 2 or 1 (present), 0 (absent) or -1 (unknown)")
    return labels.astype(np.int8)


def targets_of(grades: NDArray[np.int8], areas: tuple[str, ...], central: tuple[str, ...]) -> NDArray[np.float32]:
    """Whether each area is present, then whether those in `central` are; NaN where unknown."""
    unknown = grades == UNKNOWN
    of_central = [areas.index(area) for area in central]
    columns = [np.where(unknown, np.nan, grades > 0), np.where(unknown, np.nan, grades == 2)[:, of_central]]
    return np.concatenate(columns, axis=1).astype(np.float32)
