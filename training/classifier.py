"""AreaClassifier: the scikit-learn estimator that learns areas from labelled abstracts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import f1_score, log_loss
from sklearn.model_selection import KFold
from sklearn.utils.validation import check_is_fitted

from tagger.errors import InputError
from tagger.model import LEVELS, NO_CALIBRATION, Model, beta_calibrated
from tagger.network import Network
from tagger.vectorize import FeatureRows
from tagger.vocabulary import Vocabulary
from training.blend import RARE, Blend, fit_blend
from training.calibration import best_f1_threshold, fit_beta, unsure_band
from training.counts import NgramCounts, restrict
from training.embeddings import Embeddings
from training.grades import UNKNOWN
from training.inputs import as_counts, as_grades, targets_of
from training.linear import LinearClassifiers, fit_linear_outputs
from training.network import FittedNetwork, NetworkSettings, fit_network

CANDIDATES: tuple[tuple[str, ...], ...] = (("linear",), ("network",), ("linear", "network"))
"""Sets of classifiers that are blended and compared; of equals, the first is taken."""
NETWORK_MIN_TEXTS = 50
"""Texts from which a network is tried; with fewer it only costs time."""
JOINT_MIN_TEXTS = 1000
"""Texts from which the margins of one output help to decide another."""


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
        whether it was ``chosen``.
    out_of_fold_ : array of float, shape (texts, outputs)
        Calibrated log-odds of each training text from models and blends that did not see it, where its label is known.
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

        frequency = np.bincount(counts.matrix.indices, minlength=len(counts.vocabulary))
        vocabulary = restrict(counts.vocabulary, frequency >= self.min_df)
        if not len(vocabulary):
            raise InputError(f"no n-gram occurs in {self.min_df} texts; give more texts or lower min_df")
        counts = NgramCounts(vocabulary, counts.columns(vocabulary))
        central = tuple(
            area for area, column in zip(self.areas_, grades.T) if min((column == 2).sum(), (column == 1).sum()) >= RARE
        )
        targets = targets_of(grades, self.areas_, central)
        self.rare_ = tuple(
            area for area, column in zip(self.areas_, targets.T) if min((column == 1).sum(), (column == 0).sum()) < RARE
        )

        kinds = ["linear", "network"] if len(counts) >= NETWORK_MIN_TEXTS else ["linear"]
        margins, whole = self._cross_validate(kinds, counts, targets, weights)
        self.tried_ = []
        best: tuple[float, tuple[str, ...], Blend, NDArray[np.float64]] | None = None
        for chosen in (candidate for candidate in CANDIDATES if set(candidate) <= set(kinds)):
            stacked = np.concatenate([margins[kind] for kind in chosen], axis=1)
            blend, out_of_fold = fit_blend(stacked, targets, judged, JOINT_MIN_TEXTS, self.random_state)
            loss = _mean_log_loss(out_of_fold, targets, judged)
            self.tried_.append({"classifiers": list(chosen), "log_loss": round(loss, 5), "chosen": False})
            if best is None or loss < best[0]:
                best = (loss, chosen, blend, out_of_fold)
        assert best is not None
        _, chosen, blend, self.out_of_fold_ = best
        for tried in self.tried_:
            tried["chosen"] = tried["classifiers"] == list(chosen)
        self.model_ = self._model(chosen, whole, blend, vocabulary, targets, judged, central)
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

    def _cross_validate(
        self,
        kinds: list[str],
        counts: NgramCounts,
        targets: NDArray[np.float32],
        weights: NDArray[np.float64],
    ) -> tuple[dict[str, NDArray[np.float64]], dict[str, LinearClassifiers | FittedNetwork]]:
        """Out-of-fold margins of each kind of classifier, shape (texts, outputs), and each fitted on all texts."""
        everything = np.arange(len(counts))
        splitter = KFold(min(self.folds, len(counts)), shuffle=True, random_state=self.random_state)
        splits = [*splitter.split(everything), (everything, everything[:0])]
        # The network first: its fits are the longest, and the short ones fill the gaps.
        tasks = [(kind, *split) for kind in reversed(kinds) for split in splits]
        fits = Parallel(n_jobs=self.n_jobs)(
            delayed(_fit_and_predict)(self, kind, counts, targets, weights, train, held_out)
            for kind, train, held_out in tasks
        )
        margins = {kind: np.empty(targets.shape) for kind in kinds}
        whole: dict[str, LinearClassifiers | FittedNetwork] = {}
        for (kind, _, held_out), (fitted, predicted) in zip(tasks, fits):
            if len(held_out):
                margins[kind][held_out] = predicted
            else:
                whole[kind] = fitted
        return margins, whole

    def _model(
        self,
        chosen: tuple[str, ...],
        whole: dict[str, LinearClassifiers | FittedNetwork],
        blend: Blend,
        vocabulary: Vocabulary,
        targets: NDArray[np.float32],
        judged: NDArray[np.bool_],
        central: tuple[str, ...],
    ) -> Model:
        """Multiply the blend into the classifiers; bend its log-odds, set thresholds and bands, all out of fold."""
        n_outputs = targets.shape[1]
        blocks = {kind: blend.weights[i * n_outputs : (i + 1) * n_outputs] for i, kind in enumerate(chosen)}
        coef = np.zeros((LEVELS, len(vocabulary), n_outputs))
        intercept = blend.intercept
        linear = whole["linear"]
        if "linear" in chosen and isinstance(linear, LinearClassifiers):
            coef = linear.levels() @ blocks["linear"]
            intercept = intercept + linear.intercept @ blocks["linear"]
        network: Network | None = None
        output: NDArray[np.float32] | None = None
        fitted = whole.get("network")
        if "network" in chosen and isinstance(fitted, FittedNetwork):
            network = fitted.network
            output = (fitted.output.astype(np.float64) @ blocks["network"]).astype(np.float32)
            intercept = intercept + fitted.output_bias.astype(np.float64) @ blocks["network"]
        calibration = np.tile(NO_CALIBRATION, n_outputs)
        thresholds = np.full(n_outputs, 0.5)
        unsure = np.tile([0.0, 1.0], (len(self.areas_), 1))
        for column, name in enumerate((*self.areas_, *central)):
            known = ~np.isnan(targets[:, column]) & judged
            truth = targets[known, column] > 0
            if name in self.rare_ or min(truth.sum(), (~truth).sum()) < RARE:
                continue
            calibration[:, column] = fit_beta(self.out_of_fold_[known, column], truth)
            bent = beta_calibrated(self.out_of_fold_[:, [column]], calibration[:, [column]])
            self.out_of_fold_[:, [column]] = bent
            probabilities = expit(self.out_of_fold_[known, column])
            thresholds[column] = best_f1_threshold(probabilities, truth)
            if column < len(self.areas_):
                band = unsure_band(probabilities, truth, thresholds[column], self.accuracy)
                # The runtime's probabilities are float32: those at the edges must stay inside when they are rounded.
                unsure[column] = np.nextafter(np.array(band, dtype=np.float32), np.array([0, 1], dtype=np.float32))
        return Model(
            areas=self.areas_,
            vocabulary=vocabulary,
            coef=coef.astype(np.float32),
            intercept=intercept,
            thresholds=thresholds,
            unsure=unsure,
            central=central,
            network=network,
            output=output,
            calibration=calibration,
        )


def _fit_and_predict(
    settings: AreaClassifier,
    kind: str,
    counts: NgramCounts,
    targets: NDArray[np.float32],
    weights: NDArray[np.float64],
    train: NDArray[np.int64],
    held_out: NDArray[np.int64],
) -> tuple[LinearClassifiers | FittedNetwork | None, NDArray[np.float64]]:
    """Fit one kind of classifier on some texts; the classifier itself is given back only if no text is held out."""
    rows, known, importance = counts.matrix[train], targets[train], weights[train]
    fitted: LinearClassifiers | FittedNetwork
    if kind == "network":
        single = importance.astype(np.float32)
        shape, seed = settings.network, settings.random_state
        fitted = fit_network(rows, counts.vocabulary, settings.embeddings, known, single, shape, seed)
    else:
        fitted = fit_linear_outputs(rows, known, importance, settings.C, settings.smoothing)
    if len(held_out):
        return None, fitted.margins(counts.matrix[held_out])
    return fitted, np.empty((0, targets.shape[1]))


def _mean_log_loss(log_odds: NDArray[np.float64], targets: NDArray[np.float32], judged: NDArray[np.bool_]) -> float:
    """Mean over the outputs of the cross-entropy on the texts that are judged."""
    losses = []
    for column, target in zip(log_odds.T, targets.T):
        known = judged & ~np.isnan(target)
        if known.any():
            losses.append(log_loss(target[known] > 0, expit(column[known]), labels=[False, True]))
    return float(np.mean(losses)) if losses else 0.0
