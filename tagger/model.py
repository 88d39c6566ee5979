"""A trained model and its arithmetic: n-grams -> log-odds -> probabilities -> tags."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagger.records import Tags
from tagger.vectorize import FeatureRows, Vectorizer
from tagger.vocabulary import Vocabulary

LEVELS = 3
"""Occurrences of an n-gram in a text are told apart up to this many."""


@dataclass(frozen=True)
class Model:
    """One linear classifier an area over the n-grams of a text and how often each occurs, calibrated.

    The log-odds of an area are ``intercept + sum of coef[occurrences - 1, n-gram]`` over the n-grams of the text:
    calibration is linear in the margin (Platt 1999), so it is already multiplied into `coef` and `intercept`.
    """

    areas: tuple[str, ...]
    vocabulary: Vocabulary
    coef: NDArray[np.float32]
    """Share of an n-gram that occurs once, twice, ... in each area's log-odds, shape (LEVELS, n-grams, areas)."""
    intercept: NDArray[np.float64]
    """Log-odds of an empty text, shape (areas,)."""
    thresholds: NDArray[np.float64]
    """Probability from which an area is tagged, shape (areas,)."""
    unsure: NDArray[np.float64]
    """Lowest and highest probability at which a person should look, shape (areas, 2)."""
    about: dict[str, Any] = field(default_factory=dict)
    """What is known of the model besides its arithmetic: what it was trained on, by what, with what result."""

    def __post_init__(self) -> None:
        n_areas = len(self.areas)
        shapes = {
            "coef": (LEVELS, len(self.vocabulary), n_areas),
            "intercept": (n_areas,),
            "thresholds": (n_areas,),
            "unsure": (n_areas, 2),
        }
        for name, shape in shapes.items():
            array = getattr(self, name)
            if array.shape != shape:
                raise ValueError(f"{name} has shape {array.shape}, not {shape}")
            if not np.isfinite(array).all():
                raise ValueError(f"{name} has values that are not finite")

    @cached_property
    def vectorizer(self) -> Vectorizer:
        """Counts the model's n-grams in texts."""
        return Vectorizer(self.vocabulary)

    def log_odds(self, rows: FeatureRows) -> NDArray[np.float64]:
        """Calibrated log-odds of each area for each text, shape (texts, areas)."""
        texts = np.repeat(np.arange(len(rows.indptr) - 1), np.diff(rows.indptr))
        shares = self.coef[np.minimum(rows.counts, LEVELS) - 1, rows.indices]
        sums = [np.bincount(texts, weights=share, minlength=len(rows.indptr) - 1) for share in shares.T]
        return np.stack(sums, axis=1) + self.intercept

    def probabilities(self, texts: list[str]) -> NDArray[np.float32]:
        """Probability of each area for each text, shape (texts, areas)."""
        log_odds = self.log_odds(self.vectorizer.transform(texts))
        return (1 / (1 + np.exp(-log_odds))).astype(np.float32)

    def tags(self, probabilities: NDArray[np.float32]) -> list[Tags]:
        """Apply the thresholds to `probabilities`, shape (texts, areas)."""
        present = probabilities >= self.thresholds
        unsure = (probabilities >= self.unsure[:, 0]) & (probabilities <= self.unsure[:, 1])
        return [
            Tags(
                areas=tuple(area for area, is_present in zip(self.areas, row_present) if is_present),
                probabilities=dict(zip(self.areas, row)),
                unsure=tuple(area for area, is_unsure in zip(self.areas, row_unsure) if is_unsure),
            )
            for row, row_present, row_unsure in zip(probabilities.tolist(), present.tolist(), unsure.tolist())
        ]
