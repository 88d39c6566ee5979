"""Is the new model better? Two models on the same abstracts, with a paired bootstrap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tagger.errors import InputError
from tagger.model import Model
from training.evaluate import precision_recall_f1
from training.grades import UNKNOWN


@dataclass(frozen=True, slots=True)
class Difference:
    """F1 of two models on the same abstracts."""

    old: float
    new: float
    low: float
    high: float
    """Ends of the 95 % bootstrap interval of new - old."""

    @property
    def verdict(self) -> str:
        """``better`` or ``worse`` if the interval leaves zero out, else ``no clear difference``."""
        if self.low > 0:
            return "better"
        return "worse" if self.high < 0 else "no clear difference"


@dataclass(frozen=True)
class Comparison:
    """What changes if one model replaces another."""

    n_abstracts: int
    areas: dict[str, Difference]
    """F1 of each area that both models have."""
    macro: Difference
    """Macro-F1 over those areas."""
    changed: dict[str, tuple[list[int], list[int]]]
    """For each area, which abstracts the new model gets right and the old one wrong, and the other way round; those
    with the largest change of probability first."""


def compare(
    old: Model,
    new: Model,
    old_probabilities: NDArray[np.floating],
    new_probabilities: NDArray[np.floating],
    areas: Sequence[str],
    grades: NDArray[np.int8],
    n_bootstrap: int = 2000,
    seed: int = 0,
) -> Comparison:
    """Compare two models on the areas that both have.

    Parameters
    ----------
    old, new : Model
        Hold the names and thresholds.
    old_probabilities, new_probabilities : array of float, shape (abstracts, areas of that model)
        What each model gives to the same abstracts.
    areas : sequence of str
        Names of the columns of `grades`.
    grades : array of int, shape (abstracts, areas)
        2 or 1 where an area is present, 0 where absent, -1 where unknown and not judged.
    n_bootstrap : int
        Resamples; both models are judged on each (Efron and Tibshirani 1993, paired).
    seed : int
        Of the resampling.

    Raises
    ------
    InputError
        If the models share none of the labelled areas.
    """
    shared = [area for area in areas if area in old.areas and area in new.areas]
    if not shared:
        raise InputError("the two models share no labelled area; compare models of the same areas")
    columns = [list(areas).index(area) for area in shared]
    known, present = grades[:, columns] != UNKNOWN, grades[:, columns] > 0
    probabilities = [
        matrix[:, [model.areas.index(area) for area in shared]]
        for model, matrix in ((old, old_probabilities), (new, new_probabilities))
    ]
    decided = [
        matrix >= model.thresholds[[model.areas.index(area) for area in shared]]
        for model, matrix in zip((old, new), probabilities)
    ]
    point = np.array([_f1(guess, present, known) for guess in decided])
    generator = np.random.default_rng(seed)
    draws = np.empty((n_bootstrap, len(shared)))
    for draw in draws:
        rows = generator.integers(0, len(grades), len(grades))
        before, after = (_f1(guess[rows], present[rows], known[rows]) for guess in decided)
        draw[:] = after - before
    low, high = np.quantile(draws, [0.025, 0.975], axis=0)
    macro_low, macro_high = np.quantile(draws.mean(axis=1), [0.025, 0.975])
    return Comparison(
        n_abstracts=len(grades),
        areas={
            area: Difference(*(float(value) for value in (point[0, i], point[1, i], low[i], high[i])))
            for i, area in enumerate(shared)
        },
        macro=Difference(float(point[0].mean()), float(point[1].mean()), float(macro_low), float(macro_high)),
        changed={area: _changed(i, decided, probabilities, present, known) for i, area in enumerate(shared)},
    )


def _f1(decided: NDArray[np.bool_], present: NDArray[np.bool_], known: NDArray[np.bool_]) -> NDArray[np.float64]:
    columns = range(present.shape[1])
    return np.array([precision_recall_f1(decided[known[:, i], i], present[known[:, i], i])[2] for i in columns])


def _changed(
    column: int,
    decided: list[NDArray[np.bool_]],
    probabilities: list[NDArray[np.floating]],
    present: NDArray[np.bool_],
    known: NDArray[np.bool_],
) -> tuple[list[int], list[int]]:
    old_right, new_right = (guess[:, column] == present[:, column] for guess in decided)
    change = np.abs(probabilities[1][:, column] - probabilities[0][:, column])
    order = np.argsort(-change, kind="stable")
    judged = known[:, column]
    better, worse = judged & new_right & ~old_right, judged & old_right & ~new_right
    return order[better[order]].tolist(), order[worse[order]].tolist()
