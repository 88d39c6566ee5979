"""The linear classifier of an area: its margins part the texts, and its settings do what they say."""

from __future__ import annotations

import numpy as np
import pytest
from abstracts import small_abstracts
from scipy import sparse

from training import count_ngrams
from training.linear import fit_linear


@pytest.fixture(scope="module")
def features():
    texts, grades = small_abstracts(60, seed=4)
    matrix = sparse.csr_array(count_ngrams(texts).matrix > 0, dtype=np.float64)
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    return matrix, grades[:, 0] > 0


def fit(features, weights=None, C=0.1, smoothing=1.0):
    matrix, present = features
    return fit_linear(matrix, present, np.ones(len(present)) if weights is None else weights, C, smoothing)


def test_texts_with_the_area_have_higher_margins(features):
    matrix, present = features
    margins = fit(features).margins(matrix)
    assert margins.shape == present.shape
    assert margins[present].min() > margins[~present].max()


def test_a_margin_is_the_intercept_and_the_weights_of_the_features_that_a_text_has(features):
    matrix, _ = features
    fitted = fit(features)
    expected = [fitted.intercept + fitted.coef[row].sum() for row in matrix.toarray().astype(bool)]
    assert fitted.margins(matrix) == pytest.approx(np.array(expected))


def test_a_fit_repeats_to_the_last_bit(features):
    first, again = fit(features), fit(features)
    assert first.coef.tobytes() == again.coef.tobytes()
    assert first.intercept == again.intercept


def test_a_stronger_penalty_makes_smaller_weights(features):
    assert np.abs(fit(features, C=0.01).coef).sum() < np.abs(fit(features, C=1.0).coef).sum()


def test_a_text_of_greater_weight_is_fitted_more_closely(features):
    matrix, present = features
    hardest = int(np.argmin(np.where(present, fit(features).margins(matrix), np.inf)))
    weights = np.ones(len(present))
    weights[hardest] = 20
    assert fit(features, weights).margins(matrix)[hardest] > fit(features).margins(matrix)[hardest]


def test_a_feature_that_no_text_has_keeps_the_margins_finite(features):
    matrix, present = features
    wider = sparse.csr_array(sparse.hstack([matrix, sparse.csr_array((matrix.shape[0], 3))], format="csr"))
    wider.indices, wider.indptr = wider.indices.astype(np.int32), wider.indptr.astype(np.int32)
    fitted = fit((wider, present))
    assert np.isfinite(fitted.coef).all()
    assert fitted.coef[-3:] == pytest.approx(0)
