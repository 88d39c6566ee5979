"""Trees: their margins part the texts, they repeat to the last bit, and they read what they say they read."""

from __future__ import annotations

import numpy as np
import pytest
from abstracts import small_abstracts

from training import count_ngrams
from training.embeddings import Embeddings, learn_embeddings
from training.selection import best_by_chi_squared
from training.trees import TreeSettings, dense_features, fit_ensembles, fit_ngram_trees, pooled_embeddings

TEXTS, GRADES = small_abstracts(160, seed=3)
COUNTS = count_ngrams(TEXTS)
TARGETS = (GRADES > 0).astype(np.float32)
WEIGHTS = np.ones(len(TEXTS))
SETTINGS = TreeSettings(features=60, rounds=30, learning_rate=0.3, leaves=7, min_texts=5, feature_share=0.5)


def fit(targets=TARGETS, weights=WEIGHTS, seed=0):
    return fit_ngram_trees(COUNTS.matrix, targets, weights, SETTINGS, seed)


def test_texts_with_the_area_have_higher_margins():
    margins = fit().margins(COUNTS.matrix)
    assert margins.shape == TARGETS.shape
    for column, truth in zip(margins.T, TARGETS.T > 0):
        assert np.median(column[truth]) > np.median(column[~truth]) + 2


def test_a_fit_repeats_to_the_last_bit_and_another_seed_makes_other_trees():
    margins = fit().margins(COUNTS.matrix)
    assert margins.tobytes() == fit().margins(COUNTS.matrix).tobytes()
    assert margins.tobytes() != fit(seed=1).margins(COUNTS.matrix).tobytes()


def test_the_trees_read_the_ngrams_that_chi_squared_chooses():
    trees = fit()
    assert trees.features.tolist() == sorted(best_by_chi_squared(COUNTS.matrix, TARGETS, 60).tolist())
    changed = COUNTS.matrix.copy()
    changed.data[~np.isin(changed.indices, trees.features)] += 5
    assert trees.margins(changed).tobytes() == trees.margins(COUNTS.matrix).tobytes()


def test_unknown_labels_take_no_part():
    targets = TARGETS.copy()
    targets[::3] = np.nan
    known = ~np.isnan(targets[:, 0])
    features = count_ngrams(TEXTS).matrix.toarray().astype(np.float32)
    some = fit_ensembles(features, targets, WEIGHTS, SETTINGS)
    without = fit_ensembles(features[known], TARGETS[known], WEIGHTS[known], SETTINGS)
    for one, other in zip(some, without):
        assert one.margins(features).tobytes() == other.margins(features).tobytes()


def test_an_output_with_one_kind_of_label_has_the_same_margin_everywhere():
    targets = TARGETS.copy()
    targets[:, 1] = 0
    margins = fit(targets).margins(COUNTS.matrix)
    assert (margins[:, 1] == margins[0, 1]).all()
    assert margins[0, 1] < -3
    assert len(np.unique(margins[:, 0])) > 1


def test_a_text_of_greater_weight_is_fitted_more_closely():
    present = TARGETS[:, 0] > 0
    margins = fit().margins(COUNTS.matrix)[:, 0]
    hardest = int(np.argmin(np.where(present, margins, np.inf)))
    weights = WEIGHTS.copy()
    weights[hardest] = 20
    assert fit(weights=weights).margins(COUNTS.matrix)[hardest, 0] > margins[hardest]


def test_chi_squared_puts_what_marks_an_area_before_what_is_everywhere():
    counts = count_ngrams(["bread soup is", "bread is", "soup is", "comet star is", "star is", "comet is"])
    targets = np.array([[1, 1, 1, 0, 0, 0]], dtype=np.float32).T
    best = best_by_chi_squared(counts.matrix, targets, len(counts.vocabulary))
    names = [counts.vocabulary.ngrams[column] for column in best]
    assert names[-1] == "is"
    assert len(best_by_chi_squared(counts.matrix, targets, 3)) == 3


def test_dense_features_are_embeddings_margins_and_length():
    embeddings = learn_embeddings(TEXTS * 3)
    margins = np.arange(len(TEXTS) * 2, dtype=np.float64).reshape(-1, 2)
    features = dense_features(COUNTS, embeddings, margins)
    width = embeddings.vectors.shape[1]
    assert features.shape == (len(TEXTS), width + 3)
    assert features.dtype == np.float32
    assert features[:, width:-1] == pytest.approx(margins)
    n_words = len(COUNTS.vocabulary.words)
    assert features[:, -1] == pytest.approx(np.log1p(COUNTS.matrix[:, :n_words].toarray().sum(axis=1)))


def test_a_pooled_embedding_is_the_mean_of_the_vectors_and_rare_words_count_more():
    embeddings = Embeddings(("rare", "common"), np.eye(2, dtype=np.float32))
    counts = count_ngrams(["rare common", "common", "common unknown", "unknown"])
    pooled = pooled_embeddings(counts, embeddings)
    assert pooled[1] == pytest.approx([0, 1])
    assert pooled[2] == pytest.approx([0, 1])
    assert pooled[3] == pytest.approx([0, 0])
    assert pooled[0].sum() == pytest.approx(1)
    assert pooled[0, 0] > pooled[0, 1]


def test_without_embeddings_margins_and_length_are_left():
    assert dense_features(COUNTS, None, np.zeros((len(TEXTS), 4))).shape == (len(TEXTS), 5)
