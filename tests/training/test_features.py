"""Features of occurrence, and the law that turns their weights into a model's."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from random_models import random_counts
from scipy import sparse

from tagger.model import LEVELS
from training.features import REPEATED_MIN_DF, OccurrenceFeatures

seeds = st.integers(0, 10_000)


@given(seeds, st.integers(1, 40), st.integers(1, 12), st.integers(0, 30))
def test_weights_of_features_and_weights_of_a_model_give_every_text_the_same(seed, n_texts, n_ngrams, n_others):
    """On the texts that the features were found in, and on others."""
    generator = np.random.default_rng(seed)
    counts = random_counts(generator, n_texts + n_others, n_ngrams, share=0.6)
    features = OccurrenceFeatures.of(sparse.csr_array(counts[:n_texts]))
    matrix = features.matrix(sparse.csr_array(counts))
    coef = generator.standard_normal((matrix.shape[1], 3))
    levels = features.to_levels(coef, n_ngrams)
    assert levels.shape == (LEVELS, n_ngrams, 3)
    expected = np.zeros((len(counts), 3))
    for text, row in enumerate(counts.tolist()):
        for ngram, count in enumerate(row):
            if count:
                expected[text] += levels[min(count, LEVELS) - 1, ngram]
    assert matrix @ coef == pytest.approx(expected)


@given(seeds, st.integers(1, 40))
def test_repetition_is_a_feature_where_enough_texts_have_it(seed, n_texts):
    counts = random_counts(np.random.default_rng(seed), n_texts, 10, share=0.6)
    features = OccurrenceFeatures.of(sparse.csr_array(counts))
    assert len(features.repeated) == LEVELS - 1
    for level, ngrams in enumerate(features.repeated, 2):
        enough = [k for k in range(10) if sum(counts[:, k] >= level) >= REPEATED_MIN_DF]
        assert ngrams.tolist() == enough


@given(seeds)
def test_the_matrix_says_of_each_feature_whether_a_text_has_it(seed):
    counts = random_counts(np.random.default_rng(seed), 30, 6, share=0.6)
    features = OccurrenceFeatures.of(sparse.csr_array(counts))
    matrix = features.matrix(sparse.csr_array(counts))
    blocks = [counts >= 1, *(counts[:, ngrams] >= level for level, ngrams in enumerate(features.repeated, 2))]
    assert np.array_equal(matrix.toarray(), np.concatenate(blocks, axis=1).astype(float))
    assert matrix.dtype == np.float64
    assert (matrix.indices.dtype, matrix.indptr.dtype) == (np.int32, np.int32)


def test_an_ngram_that_is_never_repeated_weighs_the_same_at_every_level():
    features = OccurrenceFeatures.of(sparse.csr_array(np.ones((20, 4), dtype=np.int32)))
    levels = features.to_levels(np.arange(8.0).reshape(4, 2), 4)
    assert all(np.array_equal(level, levels[0]) for level in levels)


def test_no_texts_have_no_rows():
    features = OccurrenceFeatures.of(sparse.csr_array(np.full((9, 3), 2, dtype=np.int32)))
    assert features.matrix(sparse.csr_array((0, 3), dtype=np.int32)).shape == (0, 6)
