"""AreaClassifier: the scikit-learn estimator that learns areas from labelled abstracts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import f1_score, log_loss
from sklearn.utils.validation import check_is_fitted

from tagger.errors import InputError
from tagger.model import beta_calibrated
from tagger.vectorize import FeatureRows
from training.assemble import assemble, decide
from training.blend import RARE, Blend, fit_blend
from training.counts import NgramCounts, add_counts, restrict
from training.cross_validation import FitSettings, cross_validate
from training.embeddings import Embeddings
from training.grades import UNKNOWN
from training.inputs import as_counts, as_grades, as_titles, targets_of
from training.network import NetworkSettings

CANDIDATES: tuple[tuple[str, ...], ...] = (("linear",), ("network",), ("linear", "network"))
"""Sets of classifiers that are blended and compared; of equals, the first is taken."""
NETWORK_MIN_TEXTS = 50
"""Texts from which a network is tried; with fewer it only costs time."""
JOINT_MIN_TEXTS = 1000
"""Texts from which the margins of one output help to decide another."""
JOINT_MIN_TEXTS_PER_MARGIN = 20
"""And texts for each of the margins, since each is a weight to learn; with hundreds of areas that would take hours."""


class AreaClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Multi-label classifier of texts: linear classifiers and, where it helps, a network, blended and calibrated.

    Parameters
    ----------
    areas : sequence of str, optional
        Names of the areas, one a column of the labels; ``area 1``, ``area 2``... if None.
    embeddings : Embeddings, optional
        Word embeddings that the network starts from.
    min_df : int
        An n-gram is a feature if at least this many texts have it.
    C : float
        Inverse strength of the L2 penalty of the logistic regressions.
    smoothing : float
        Smoothing of the naive Bayes ratios that scale the n-grams.
    network : NetworkSettings
        Shape and schedule of the network.
    folds : int
        Folds of the cross-validation that the blend, calibration and thresholds come from.
    accuracy : float
        Share of the out-of-fold decisions outside the unsure band that must be right.
    random_state : int
        Seed of the folds and the network.
    n_jobs : int
        Processes that fit at the same time.

    Attributes
    ----------
    areas_ : tuple of str
        Names of the areas.
    classes_ : array of str, shape (areas,)
        The same, where scikit-learn looks for it.
    rare_ : tuple of str
        Areas with too few texts of one kind to be cross-validated: their probabilities are little more than how rare
        they are, and every text is unsure.
    model_ : tagger.model.Model
        The fitted model, as the runtime uses it.
    tried_ : list of dict
        Each set of classifiers that was compared: ``classifiers``, mean ``log_loss`` over the outputs out of fold,
        the ``log_loss_of`` each area, whether it was ``chosen``.
    out_of_fold_ : array of float, shape (texts, outputs)
        Calibrated log-odds of each training text, with its title if it has one, from models and blends that did not
        see it, where its label is known.
    out_of_fold_untitled_ : array of float, shape (texts, outputs)
        The same for the texts alone.
    """

    def __init__(
        self,
        areas: Sequence[str] | None = None,
        *,
        embeddings: Embeddings | None = None,
        min_df: int = 3,
        C: float = 0.1,
        smoothing: float = 1.0,
        network: NetworkSettings = NetworkSettings(),
        folds: int = 5,
        accuracy: float = 0.985,
        random_state: int = 0,
        n_jobs: int = 1,
    ) -> None:
        self.areas = areas
        self.embeddings = embeddings
        self.min_df = min_df
        self.C = C
        self.smoothing = smoothing
        self.network = network
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
        titles: Sequence[str | None] | NgramCounts | None = None,
        progress: Callable[[str], None] = lambda message: None,
    ) -> AreaClassifier:
        """Learn the areas.

        Parameters
        ----------
        X : sequence of str or NgramCounts, length n
            The texts.
        y : array, shape (n, areas) or (n,) for one area
            Grades: 2 where the area is central, 1 where it is present, 0 where it is absent, -1 or NaN where that is
            unknown. If an area has texts of grade 2 and of grade 1, the model learns which are central.
        sample_weight : array of float, shape (n,), optional
            Weight of each text in the fit; 1 if None.
        representative : array of bool, shape (n,), optional
            Texts drawn at random from what the model will tag; calibration and thresholds use these alone. All if
            None, or if there are none.
        titles : sequence of str or None, or NgramCounts, length n, optional
            Titles of the texts, where they have one. The model learns from texts with their titles; calibration and
            thresholds are made for texts with and without.
        progress : callable, optional
            Told in a few words how far it is.

        Returns
        -------
        self

        Raises
        ------
        InputError
            If the labels do not fit the texts, or there is nothing to learn from them.
        """
        counts, grades = as_counts(X), as_grades(y)
        if len(grades) != len(counts):
            raise InputError(f"{len(counts)} texts but {len(grades)} rows of labels; give one row for each text")
        if len(counts) < 2:
            raise InputError(f"{len(counts)} texts; give at least 2")
        if (grades == UNKNOWN).all():
            raise InputError("no label is known; grade some of the texts")
        self.areas_ = self._area_names(grades.shape[1])
        self.classes_ = np.array(self.areas_)
        weights = np.ones(len(counts)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        judged = np.ones(len(counts), dtype=bool) if representative is None else np.asarray(representative, dtype=bool)
        judged = judged if judged.any() else ~judged

        known_titles = None if titles is None else as_titles(titles, len(counts))
        titled = known_titles is not None and known_titles.matrix.nnz > 0
        full = add_counts(counts, known_titles) if known_titles is not None and titled else counts
        frequency = np.bincount(full.matrix.indices, minlength=len(full.vocabulary))
        vocabulary = restrict(full.vocabulary, frequency >= self.min_df)
        if not len(vocabulary):
            raise InputError(f"no n-gram occurs in {self.min_df} texts; give more texts or lower min_df")
        forms = [part.columns(vocabulary) for part in ([full, counts] if titled else [full])]
        central = tuple(
            area for area, column in zip(self.areas_, grades.T) if min((column == 2).sum(), (column == 1).sum()) >= RARE
        )
        targets = targets_of(grades, self.areas_, central)
        self.rare_ = tuple(
            area for area, column in zip(self.areas_, targets.T) if min((column == 1).sum(), (column == 0).sum()) < RARE
        )

        kinds = ["linear", "network"] if len(counts) >= NETWORK_MIN_TEXTS else ["linear"]
        settings = FitSettings(self.C, self.smoothing, self.network, self.embeddings, self.random_state)
        margins, whole = cross_validate(
            kinds, forms, vocabulary, targets, weights, settings, self.folds, self.n_jobs, progress
        )
        n_joint = max(JOINT_MIN_TEXTS, JOINT_MIN_TEXTS_PER_MARGIN * len(kinds) * targets.shape[1])
        # Everything from here on is for texts in every form.
        targets, judged = np.tile(targets, (len(forms), 1)), np.tile(judged, len(forms))
        sets = [candidate for candidate in CANDIDATES if set(candidate) <= set(kinds)]
        blends: dict[tuple[str, ...], tuple[Blend, NDArray[np.float64]]] = {}
        for chosen in sets:
            progress(f"blending {' and '.join(chosen)}")
            stacked = np.concatenate([margins[kind] for kind in chosen], axis=1)
            blends[chosen] = fit_blend(stacked, targets, judged, n_joint, self.random_state, len(forms))
        losses = {chosen: _log_losses(blends[chosen][1], targets, judged) for chosen in sets}
        chosen = min(sets, key=lambda candidate: _mean(losses[candidate]))
        blend, out_of_fold = blends[chosen]
        self.tried_ = [
            {
                "classifiers": list(candidate),
                "log_loss": round(_mean(values), 5),
                "log_loss_of": {a: round(v, 5) for a, v in zip(self.areas_, values.tolist()) if not np.isnan(v)},
                "chosen": candidate == chosen,
            }
            for candidate, values in losses.items()
        ]
        rare = [column for column, name in enumerate((*self.areas_, *central)) if name in self.rare_]
        decisions = decide(out_of_fold, targets, judged, len(self.areas_), rare, self.accuracy, len(forms))
        calibration, thresholds, unsure = decisions
        model = assemble(chosen, whole, blend, vocabulary, self.areas_, central)
        self.model_ = replace(model, calibration=calibration, thresholds=thresholds, unsure=unsure)
        calibrated = beta_calibrated(out_of_fold, calibration).reshape(len(forms), len(grades), -1)
        self.out_of_fold_, self.out_of_fold_untitled_ = calibrated[0], calibrated[-1]
        return self

    def decision_function(self, X: Sequence[str] | NgramCounts) -> NDArray[np.float64]:
        """Calibrated log-odds of each area, shape (n, areas)."""
        check_is_fitted(self)
        matrix = as_counts(X).columns(self.model_.vocabulary)
        log_odds = self.model_.log_odds(FeatureRows(matrix.indptr, matrix.indices, matrix.data))
        return log_odds[:, : len(self.areas_)]

    def predict_proba(self, X: Sequence[str] | NgramCounts) -> NDArray[np.float64]:
        """Calibrated probability of each area, shape (n, areas)."""
        return np.asarray(expit(self.decision_function(X)))

    def predict(self, X: Sequence[str] | NgramCounts) -> NDArray[np.int64]:
        """1 where an area's probability reaches its threshold, else 0; shape (n, areas)."""
        return (self.predict_proba(X) >= self.model_.thresholds[: len(self.areas_)]).astype(np.int64)

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


def _log_losses(
    log_odds: NDArray[np.float64], targets: NDArray[np.float32], judged: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Mean cross-entropy of each output on the texts that are judged; NaN where there are none."""
    losses = np.full(targets.shape[1], np.nan)
    for output, (column, target) in enumerate(zip(log_odds.T, targets.T)):
        known = judged & ~np.isnan(target)
        if known.any():
            losses[output] = log_loss(target[known] > 0, expit(column[known]), labels=[False, True])
    return losses


def _mean(losses: NDArray[np.float64]) -> float:
    """Mean over the outputs that have a loss; 0 if none has."""
    known = losses[~np.isnan(losses)]
    return float(known.mean()) if known.size else 0.0
