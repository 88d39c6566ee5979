"""The linear classifier of an area: logistic regression on features weighted by naive Bayes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from training.features import OccurrenceFeatures


@dataclass(frozen=True, slots=True)
class LinearClassifier:
    """Margin of an area: ``intercept + coef[features that a text has].sum()``."""

    coef: NDArray[np.float64]
    """Weight of each feature, shape (features,)."""
    intercept: float

    def margins(self, features: sparse.csr_array) -> NDArray[np.float64]:
        """Margins of texts, given which features each has (ones, shape (texts, features)); shape (texts,)."""
        return np.asarray(features @ self.coef) + self.intercept


def fit_linear(
    features: sparse.csr_array,
    present: NDArray[np.bool_],
    weights: NDArray[np.float64],
    C: float,
    smoothing: float,
) -> LinearClassifier:
    """Fit one area (Wang and Manning 2012, NBSVM, with the logistic loss).

    Each feature is scaled by its naive Bayes log-count ratio between texts that have the area and texts that do not,
    then a balanced logistic regression is fitted.

    Parameters
    ----------
    features : sparse array of ones, shape (texts, features)
        Which features each text has.
    present : array of bool, shape (texts,)
        Which texts have the area.
    weights : array of float, shape (texts,)
        Weight of each text.
    C : float
        Inverse strength of the L2 penalty.
    smoothing : float
        Added to every feature's count on both sides of the ratio.
    """
    n_with, n_without = int(present.sum()), int((~present).sum())
    if not n_with or not n_without:
        # Nothing to tell apart: say how rare the area is.
        return LinearClassifier(np.zeros(features.shape[1]), float(np.log((n_with + 0.5) / (n_without + 0.5))))
    with_area = features[present].sum(axis=0) + smoothing
    without = features[~present].sum(axis=0) + smoothing
    ratio = np.log(with_area / with_area.sum()) - np.log(without / without.sum())
    scaled = sparse.csr_array(features.multiply(ratio))
    # liblinear is seeded so that its coordinate order, and with it the last bits of the weights, repeats.
    logistic = LogisticRegression(C=C, class_weight="balanced", solver="liblinear", random_state=0, max_iter=300)
    logistic.fit(scaled, present, sample_weight=weights)
    return LinearClassifier(logistic.coef_[0] * ratio, float(logistic.intercept_[0]))


@dataclass(frozen=True)
class LinearClassifiers:
    """The linear classifiers of all outputs, over the same features."""

    features: OccurrenceFeatures
    n_ngrams: int
    classifiers: tuple[LinearClassifier, ...]

    def margins(self, counts: sparse.csr_array) -> NDArray[np.float64]:
        """Margins of texts, given counts of shape (texts, n-grams); shape (texts, outputs)."""
        matrix = self.features.matrix(counts)
        return np.stack([classifier.margins(matrix) for classifier in self.classifiers], axis=1)

    def levels(self) -> NDArray[np.float64]:
        """Weights as a model has them, shape (LEVELS, n-grams, outputs)."""
        coef = np.stack([classifier.coef for classifier in self.classifiers], axis=1)
        return self.features.to_levels(coef, self.n_ngrams)

    @property
    def intercept(self) -> NDArray[np.float64]:
        """Margins of a text without any n-gram, shape (outputs,)."""
        return np.array([classifier.intercept for classifier in self.classifiers])


def fit_linear_outputs(
    counts: sparse.csr_array,
    targets: NDArray[np.float32],
    weights: NDArray[np.float64],
    C: float,
    smoothing: float,
) -> LinearClassifiers:
    """Fit every output, each on the texts where it is known.

    Parameters
    ----------
    counts : sparse array, shape (texts, n-grams)
        How often each text has each n-gram.
    targets : array of float32, shape (texts, outputs)
        1, 0, or NaN where unknown.
    weights : array of float, shape (texts,)
        Weight of each text.
    C, smoothing : float
        As in :func:`fit_linear`.
    """
    features = OccurrenceFeatures.of(counts)
    matrix = features.matrix(counts)
    classifiers = []
    for target in targets.T:
        known = np.flatnonzero(~np.isnan(target))
        classifiers.append(fit_linear(matrix[known], target[known] > 0, weights[known], C, smoothing))
    return LinearClassifiers(features, counts.shape[1], tuple(classifiers))
