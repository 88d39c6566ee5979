"""Metrics of a model on labelled abstracts, with bootstrap confidence intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagger.model import Model
from tagger.vectorize import FeatureRows
from training.counts import NgramCounts
from training.grades import UNKNOWN

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
    central: dict[str, dict[str, float]]
    """For each area that can be told to be central, the same as `areas`, with `present` counting the central ones."""
    central_macro: dict[str, tuple[float, float, float]]
    """As `macro`, over those areas; empty if there are none."""

    def to_json(self) -> dict[str, Any]:
        """The evaluation as plain values, rounded to 4 decimals."""
        result: dict[str, Any] = {
            "abstracts": self.n_abstracts,
            "areas": _rounded(self.areas),
            "macro": _intervals(self.macro),
            "decisions": {name: round(value, 4) for name, value in self.decisions.items()},
        }
        if self.central:
            result["central"] = _rounded(self.central)
            result["central_macro"] = _intervals(self.central_macro)
        return result


def _rounded(areas: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    counts = ("n", "present")
    return {
        area: {name: value if name in counts else round(value, 4) for name, value in values.items()}
        for area, values in areas.items()
    }


def _intervals(macro: dict[str, tuple[float, float, float]]) -> dict[str, dict[str, float]]:
    return {
        name: {"value": round(value, 4), "low": round(low, 4), "high": round(high, 4)}
        for name, (value, low, high) in macro.items()
    }


def log_odds_of_counts(model: Model, counts: NgramCounts) -> NDArray[np.float64]:
    """Calibrated log-odds that `model` gives to texts whose n-grams are counted; shape (texts, outputs)."""
    matrix = counts.columns(model.vocabulary)
    return model.log_odds(FeatureRows(matrix.indptr, matrix.indices, matrix.data))


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
    probabilities : array of float, shape (abstracts, outputs) or (abstracts, areas)
        What the model gave; without the outputs that tell what is central, these are not judged.
    grades : array of int, shape (abstracts, areas)
        2 or 1 where an area is present, 0 where it is absent, -1 where that is unknown and not judged.
    n_bootstrap : int
        Resamples of the abstracts behind each interval (Efron 1979, percentile intervals).
    seed : int
        Of the resampling.
    """
    n_areas = len(model.areas)
    if not (grades == 2).any():  # nobody said what is central
        probabilities = probabilities[:, :n_areas]
    n_central = probabilities.shape[1] - n_areas
    of_central = [model.areas.index(area) for area in model.central[:n_central]]
    known = np.concatenate([grades != UNKNOWN, grades[:, of_central] != UNKNOWN], axis=1)
    truth = np.concatenate([grades > 0, grades[:, of_central] == 2], axis=1)
    decided = probabilities >= model.thresholds[: probabilities.shape[1]]
    decided[:, n_areas:] &= decided[:, of_central]
    metrics = [
        _area_metrics(probabilities[known[:, i], i], decided[known[:, i], i], truth[known[:, i], i])
        for i in range(probabilities.shape[1])
    ]
    presence = probabilities[:, :n_areas]
    inside = (presence >= model.unsure[:, 0]) & (presence <= model.unsure[:, 1])
    judged, right = known[:, :n_areas], (decided == truth)[:, :n_areas]
    outside = judged & ~inside

    def macro(columns: slice) -> dict[str, tuple[float, float, float]]:
        judged_columns = probabilities[:, columns], decided[:, columns], truth[:, columns], known[:, columns]
        return _macro_with_intervals(*judged_columns, n_bootstrap, seed)

    return Evaluation(
        n_abstracts=len(grades),
        areas=dict(zip(model.areas, metrics)),
        macro=macro(slice(n_areas)),
        decisions={
            "unsure": float(inside[judged].mean()) if judged.any() else 0.0,
            "accuracy_outside": float(right[outside].mean()) if outside.any() else 1.0,
        },
        central=dict(zip(model.central, metrics[n_areas:])),
        central_macro=macro(slice(n_areas, None)) if n_central else {},
    )


def _macro_with_intervals(
    probabilities: NDArray[np.floating],
    decided: NDArray[np.bool_],
    truth: NDArray[np.bool_],
    known: NDArray[np.bool_],
    n_bootstrap: int,
    seed: int,
) -> dict[str, tuple[float, float, float]]:
    point = _macro(probabilities, decided, truth, known)
    generator = np.random.default_rng(seed)
    resamples = (generator.integers(0, len(truth), len(truth)) for _ in range(n_bootstrap))
    draws = np.array([_macro(probabilities[r], decided[r], truth[r], known[r]) for r in resamples])
    low, high = np.quantile(draws, [0.025, 0.975], axis=0)
    return {name: (point[i], float(low[i]), float(high[i])) for i, name in enumerate(MACRO_METRICS)}


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
    """Average precision as scikit-learn defines it; a bootstrap calls it too often for scikit-learn's own checks."""
    if not present.any():
        return 0.0
    order = np.argsort(-probabilities, kind="stable")
    ranked = probabilities[order]
    last_of_ties = np.append(ranked[1:] != ranked[:-1], True)
    hits = np.cumsum(present[order])[last_of_ties]
    precision = hits / (np.flatnonzero(last_of_ties) + 1)
    return float(np.sum(np.diff(hits, prepend=0) * precision) / hits[-1])
