"""AreaClassifier: the scikit-learn estimator that learns areas from labelled abstracts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.validation import check_is_fitted

from tagger.errors import InputError
from tagger.model import LEVELS, Model
from tagger.vectorize import FeatureRows
from tagger.vocabulary import Vocabulary
from training.calibration import PlattCalibration, best_f1_threshold, fit_platt, unsure_band
from training.counts import NgramCounts, count_ngrams, restrict
from training.dataset import UNKNOWN
from training.linear import fit_linear


class AreaClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Multi-label classifier of texts with one calibrated linear classifier an area.

    Parameters
    ----------
    areas : sequence of str, optional
        Names of the areas, one a column of the labels; ``area 1``, ``area 2``... if None.
    min_df : int
        An n-gram is a feature if at least this many texts have it.
    C : float
        Inverse strength of the L2 penalty of the logistic regressions.
    smoothing : float
        Smoothing of the naive Bayes ratios that scale the n-grams.
    folds : int
        Folds of the cross-validation that calibration and thresholds come from.
    accuracy : float
        Share of the out-of-fold decisions outside the unsure band that must be right.
    random_state : int
        Seed of the folds.
    n_jobs : int
        Processes that fit at the same time.

    Attributes
    ----------
    areas_ : tuple of str
        Names of the areas.
    classes_ : array of str, shape (areas,)
        The same, where scikit-learn looks for it.
    model_ : tagger.model.Model
        The fitted model, as the runtime uses it.
    out_of_fold_ : array of float, shape (texts, areas)
        Calibrated log-odds of each training text from the models that did not see it; NaN where the label is unknown.
    """

    def __init__(
        self,
        areas: Sequence[str] | None = None,
        *,
        min_df: int = 3,
        C: float = 0.1,
        smoothing: float = 1.0,
        folds: int = 5,
        accuracy: float = 0.985,
        random_state: int = 0,
        n_jobs: int = 1,
    ) -> None:
        self.areas = areas
        self.min_df = min_df
        self.C = C
        self.smoothing = smoothing
        self.folds = folds
        self.accuracy = accuracy
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(
        self,
        X: Sequence[str] | NgramCounts,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        representative: ArrayLike | None = None,
    ) -> AreaClassifier:
        """Learn the areas.

        Parameters
        ----------
        X : sequence of str or NgramCounts, length n
            The texts.
        y : array, shape (n, areas) or (n,) for one area
            Grades: 1 or 2 where the area is present, 0 where it is absent, -1 or NaN where that is unknown.
        sample_weight : array of float, shape (n,), optional
            Weight of each text in the fit; 1 if None.
        representative : array of bool, shape (n,), optional
            Texts drawn at random from what the model will tag; calibration and thresholds use these alone. All if
            None.

        Returns
        -------
        self

        Raises
        ------
        InputError
            If the labels do not fit the texts, or an area lacks texts with it or without it.
        """
        counts = as_counts(X)
        grades = as_grades(y)
        if len(grades) != len(counts):
            raise InputError(f"{len(counts)} texts but {len(grades)} rows of labels; give one row for each text")
        self.areas_ = self._area_names(grades.shape[1])
        self.classes_ = np.array(self.areas_)
        weights = np.ones(len(counts)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        judged = np.ones(len(counts), dtype=bool) if representative is None else np.asarray(representative, dtype=bool)

        frequency = np.bincount(counts.matrix.indices, minlength=len(counts.vocabulary))
        vocabulary = restrict(counts.vocabulary, frequency >= self.min_df)
        if not len(vocabulary):
            raise InputError(f"no n-gram occurs in {self.min_df} texts; give more texts or lower min_df")
        features = occurrence_features(counts, vocabulary)

        fitted = Parallel(n_jobs=self.n_jobs)(
            delayed(_fit_area)(self, area, features, column, weights, judged)
            for area, column in zip(self.areas_, grades.T)
        )
        self.out_of_fold_ = np.stack([area.out_of_fold for area in fitted], axis=1)
        self.model_ = Model(
            areas=self.areas_,
            vocabulary=vocabulary,
            coef=cumulative_coef(np.stack([area.coef for area in fitted], axis=1)),
            intercept=np.array([area.intercept for area in fitted]),
            thresholds=np.array([area.threshold for area in fitted]),
            unsure=np.array([area.unsure for area in fitted]),
        )
        return self

    def decision_function(self, X: Sequence[str] | NgramCounts) -> NDArray[np.float64]:
        """Calibrated log-odds of each area, shape (n, areas)."""
        check_is_fitted(self)
        matrix = as_counts(X).columns(self.model_.vocabulary)
        return self.model_.log_odds(FeatureRows(matrix.indptr, matrix.indices, matrix.data))

    def predict_proba(self, X: Sequence[str] | NgramCounts) -> NDArray[np.float64]:
        """Calibrated probability of each area, shape (n, areas)."""
        return np.asarray(expit(self.decision_function(X)))

    def predict(self, X: Sequence[str] | NgramCounts) -> NDArray[np.int64]:
        """1 where an area's probability reaches its threshold, else 0; shape (n, areas)."""
        return (self.predict_proba(X) >= self.model_.thresholds).astype(np.int64)

    def score(self, X: Sequence[str] | NgramCounts, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Macro-F1 over the areas, on the labels that are known."""
        grades, predicted = as_grades(y), self.predict(X)
        weights = None if sample_weight is None else np.asarray(sample_weight)
        scores = []
        for truth, guess in zip(grades.T, predicted.T):
            known = truth != UNKNOWN
            if known.any():
                weight = None if weights is None else weights[known]
                scores.append(f1_score(truth[known] > 0, guess[known], sample_weight=weight, zero_division=0.0))
        return float(np.mean(scores))

    def _area_names(self, n_areas: int) -> tuple[str, ...]:
        if self.areas is None:
            return tuple(f"area {number}" for number in range(1, n_areas + 1))
        if len(self.areas) != n_areas:
            raise InputError(f"{len(self.areas)} names of areas but {n_areas} columns of labels")
        return tuple(self.areas)


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


def occurrence_features(counts: NgramCounts, vocabulary: Vocabulary) -> sparse.csr_array:
    """Which n-grams of `vocabulary` each text has at least once, at least twice, ... as ones.

    Returns
    -------
    sparse array of float64, shape (texts, LEVELS * len(vocabulary))
        A block of columns for each of the :data:`tagger.model.LEVELS` levels, one column an n-gram.
    """
    matrix = counts.columns(vocabulary)
    blocks = []
    for level in range(1, LEVELS + 1):
        block = sparse.csr_array(matrix >= level, dtype=np.float64)
        blocks.append(block)
    features = sparse.csr_array(sparse.hstack(blocks, format="csr"))
    # liblinear takes 32-bit indices only.
    features.indices, features.indptr = features.indices.astype(np.int32), features.indptr.astype(np.int32)
    return features


def cumulative_coef(coef: NDArray[np.float64]) -> NDArray[np.float32]:
    """Weights of :func:`occurrence_features`, shape (LEVELS * n-grams, areas), as the weights of a model.

    An n-gram that occurs twice has the feature "at least once" and the feature "at least twice": their sum is its
    weight in a text where it occurs twice.
    """
    return np.cumsum(coef.reshape(LEVELS, -1, coef.shape[1]), axis=0).astype(np.float32)


class _FittedArea:
    """What one area contributes to the model."""

    def __init__(
        self,
        coef: NDArray[np.float64],
        intercept: float,
        threshold: float,
        unsure: tuple[float, float],
        out_of_fold: NDArray[np.float64],
    ) -> None:
        self.coef = coef
        self.intercept = intercept
        self.threshold = threshold
        self.unsure = unsure
        self.out_of_fold = out_of_fold


def _fit_area(
    settings: AreaClassifier,
    area: str,
    features: sparse.csr_array,
    grades: NDArray[np.int8],
    weights: NDArray[np.float64],
    representative: NDArray[np.bool_],
) -> _FittedArea:
    known = np.flatnonzero(grades != UNKNOWN)
    present = grades[known] > 0
    n_rare = int(min(present.sum(), (~present).sum()))
    if n_rare < 2:
        kind = "with" if present.sum() < 2 else "without"
        raise InputError(f"area {area}: {n_rare} texts {kind} it; label at least 2 of each kind")
    rows, row_weights = features[known], weights[known]

    margins = np.empty(len(known))
    for train, held_out in _folds(present, min(settings.folds, n_rare), settings.random_state):
        part = fit_linear(rows[train], present[train], row_weights[train], settings.C, settings.smoothing)
        margins[held_out] = part.margins(rows[held_out])

    judged = representative[known]
    if min(present[judged].sum(), (~present[judged]).sum()) < 2:
        judged = np.ones(len(known), dtype=bool)
    calibration: PlattCalibration = fit_platt(margins[judged], present[judged])
    log_odds = calibration.log_odds(margins)
    probabilities = expit(log_odds)[judged]
    threshold = best_f1_threshold(probabilities, present[judged])
    whole = fit_linear(rows, present, row_weights, settings.C, settings.smoothing)
    out_of_fold = np.full(len(grades), np.nan)
    out_of_fold[known] = log_odds
    return _FittedArea(
        coef=calibration.slope * whole.coef,
        intercept=calibration.slope * whole.intercept + calibration.offset,
        threshold=threshold,
        unsure=unsure_band(probabilities, present[judged], threshold, settings.accuracy),
        out_of_fold=out_of_fold,
    )


def _folds(
    present: NDArray[np.bool_], n_folds: int, seed: int
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    yield from splitter.split(np.zeros(len(present)), present)
