"""Metrics of a model on labelled abstracts, with bootstrap confidence intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score

from tagger.model import Model
from tagger.vectorize import FeatureRows
from training.counts import NgramCounts
from training.dataset import UNKNOWN

ECE_BINS = 10
AREA_METRICS = ("precision", "recall", "f1", "average_precision", "calibration_error")
MACRO_METRICS = ("f1", "average_precision", "precision", "recall")


@dataclass(frozen=True)
class Evaluation:
    """What a model does on labelled abstracts."""

    n_abstracts: int
    areas: dict[str, dict[str, float]]
    """For each area: `n` judged abstracts, how many are `present`, and :data:`AREA_METRICS`."""
    macro: dict[str, tuple[float, float, float]]
    """Mean over the areas of :data:`MACRO_METRICS`: value, and the ends of its 95 % bootstrap interval."""
    decisions: dict[str, float]
    """Over all areas: share inside the `unsure` band and `accuracy_outside` it."""

    def to_json(self) -> dict[str, Any]:
        """The evaluation as plain values, rounded to 4 decimals."""
        return {
            "abstracts": self.n_abstracts,
            "areas": {
                area: {name: value if name in ("n", "present") else round(value, 4) for name, value in values.items()}
                for area, values in self.areas.items()
            },
            "macro": {
                name: {"value": round(value, 4), "low": round(low, 4), "high": round(high, 4)}
                for name, (value, low, high) in self.macro.items()
            },
            "decisions": {name: round(value, 4) for name, value in self.decisions.items()},
        }


def log_odds_of_counts(model: Model, counts: NgramCounts) -> NDArray[np.float64]:
    """Calibrated log-odds that `model` gives to texts whose n-grams are counted; shape (texts, areas)."""
    matrix = counts.columns(model.vocabulary)
    return model.log_odds(FeatureRows(matrix.indptr, matrix.indices, matrix.data))


def probabilities_of(log_odds: NDArray[np.float64]) -> NDArray[np.float32]:
    """Probabilities as the runtime gives them, from calibrated log-odds of the same shape."""
    return (1 / (1 + np.exp(-log_odds))).astype(np.float32)


def evaluate(
    model: Model,
    probabilities: NDArray[np.floating],
    grades: NDArray[np.int8],
    n_bootstrap: int = 1000,
    seed: int = 0,
) -> Evaluation:
    """Judge the decisions that `model` takes from `probabilities`.

    Parameters
    ----------
    model : Model
        Names the areas and holds the thresholds and the unsure bands.
    probabilities : array of float, shape (abstracts, areas)
        What the model gave.
    grades : array of int, shape (abstracts, areas)
        2 or 1 where an area is present, 0 where it is absent, -1 where that is unknown and not judged.
    n_bootstrap : int
        Resamples of the abstracts behind each interval (Efron 1979, percentile intervals).
    seed : int
        Of the resampling.
    """
    decided = probabilities >= model.thresholds
    known, present = grades != UNKNOWN, grades > 0
    inside = (probabilities >= model.unsure[:, 0]) & (probabilities <= model.unsure[:, 1])
    outside = known & ~inside
    areas = {
        area: _area_metrics(probabilities[known[:, i], i], decided[known[:, i], i], present[known[:, i], i])
        for i, area in enumerate(model.areas)
    }
    point = _macro(probabilities, decided, present, known)
    generator = np.random.default_rng(seed)
    resamples = (generator.integers(0, len(grades), len(grades)) for _ in range(n_bootstrap))
    draws = np.array([_macro(probabilities[r], decided[r], present[r], known[r]) for r in resamples])
    low, high = np.quantile(draws, [0.025, 0.975], axis=0)
    return Evaluation(
        n_abstracts=len(grades),
        areas=areas,
        macro={name: (point[i], float(low[i]), float(high[i])) for i, name in enumerate(MACRO_METRICS)},
        decisions={
            "unsure": float(inside[known].mean()),
            "accuracy_outside": float((decided == present)[outside].mean()) if outside.any() else 1.0,
        },
    )


def calibration_error(probabilities: NDArray[np.floating], present: NDArray[np.bool_], bins: int = ECE_BINS) -> float:
    """Expected calibration error over bins of equal mass (Nguyen and O'Connor 2015); 0 is perfect.

    Parameters
    ----------
    probabilities : array of float, shape (n,)
        Predicted probabilities.
    present : array of bool, shape (n,)
        What is true.
    bins : int
        Number of bins.
    """
    order = np.argsort(probabilities, kind="stable")
    gaps = [
        abs(float(probabilities[part].mean()) - float(present[part].mean())) * len(part)
        for part in np.array_split(order, bins)
        if len(part)
    ]
    return sum(gaps) / max(len(order), 1)


def precision_recall_f1(decided: NDArray[np.bool_], present: NDArray[np.bool_]) -> tuple[float, float, float]:
    """Precision, recall and F1 of decisions; 0 where undefined."""
    hits = float(np.sum(decided & present))
    n_decided, n_present = float(decided.sum()), float(present.sum())
    precision = hits / n_decided if n_decided else 0.0
    recall = hits / n_present if n_present else 0.0
    return precision, recall, 2 * hits / (n_decided + n_present) if n_decided + n_present else 0.0


def _area_metrics(
    probabilities: NDArray[np.floating], decided: NDArray[np.bool_], present: NDArray[np.bool_]
) -> dict[str, float]:
    precision, recall, f1 = precision_recall_f1(decided, present)
    return {
        "n": len(present),
        "present": int(present.sum()),
        "precision": precision,
        "recall": recall,
        "f1": f1,
        "average_precision": _average_precision(present, probabilities),
        "calibration_error": calibration_error(probabilities, present),
    }


def _macro(
    probabilities: NDArray[np.floating],
    decided: NDArray[np.bool_],
    present: NDArray[np.bool_],
    known: NDArray[np.bool_],
) -> list[float]:
    """:data:`MACRO_METRICS` of one sample, over the areas that have any abstract in it."""
    rows = []
    for i in range(present.shape[1]):
        judged = known[:, i]
        truth, guess = present[judged, i], decided[judged, i]
        if truth.any():
            precision, recall, f1 = precision_recall_f1(guess, truth)
            rows.append((f1, _average_precision(truth, probabilities[judged, i]), precision, recall))
    return [float(value) for value in np.mean(rows, axis=0)] if rows else [0.0] * len(MACRO_METRICS)


def _average_precision(present: NDArray[np.bool_], probabilities: NDArray[np.floating]) -> float:
    return float(average_precision_score(present, probabilities)) if present.any() else 0.0
