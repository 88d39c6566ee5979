"""Shares add up to what the model computes, exactly, and are the integral that they are said to be."""

from __future__ import annotations

from dataclasses import replace

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from random_models import random_counts, random_model, rows_of

from tagger.evidence.shares import bias, gates, shares
from tagger.network import INPUT_LENGTH, sublinear

seeds = st.integers(0, 10_000)
features = st.none() | st.integers(0, 27)
N_NGRAMS = 27


def text_of(seed: int, share: float = 0.3):
    return rows_of(random_counts(np.random.default_rng(seed), 1, N_NGRAMS, share))


@given(seeds, features, st.booleans(), st.sampled_from([0.0, 0.1, 0.5, 1.0]))
def test_bias_and_shares_add_up_to_the_log_odds_before_calibration(seed, n_features, calibrated, share):
    model, rows = random_model(seed, n_features=n_features, calibrated=calibrated), text_of(seed, share)
    found = shares(model, rows)
    assert found.dtype == np.float64
    assert found.shape == (len(rows.indices), len(model.intercept))
    assert bias(model) + found.sum(axis=0) == pytest.approx(model.margins(rows)[0], abs=1e-10)


@given(seeds, st.data())
def test_they_add_up_to_what_the_model_computes_for_a_batch_in_any_order(seed, data):
    model = random_model(seed)
    counts = random_counts(np.random.default_rng(seed), 5, N_NGRAMS)
    order = data.draw(st.permutations(range(5)))
    margins = model.margins(rows_of(counts[order]))
    for place, k in enumerate(order):
        found = shares(model, rows_of(counts[[k]]))
        assert bias(model) + found.sum(axis=0) == pytest.approx(margins[place], abs=1e-5)


@pytest.mark.parametrize("n_features", [None, 15])
def test_the_bias_is_what_an_empty_text_has(n_features):
    model = random_model(3, n_features=n_features)
    assert bias(model) == pytest.approx(model.margins(model.vectorizer.transform([""]))[0])
    assert bias(model) == pytest.approx(model.margins(model.vectorizer.transform(["no such word"]))[0])


@pytest.mark.parametrize("n_texts", [0, 2])
def test_shares_are_those_of_one_text(n_texts):
    with pytest.raises(ValueError, match="one text"):
        shares(random_model(0), rows_of(np.ones((n_texts, N_NGRAMS), dtype=np.int32)))


@settings(max_examples=25)
@given(seeds)
def test_they_are_the_integrated_gradients_from_the_empty_text(seed):
    """Against a sum of many small steps along the straight way from no input."""
    model, rows = random_model(seed), text_of(seed, 0.5)
    network = model.network
    x = np.zeros(N_NGRAMS)
    for place, feature in enumerate(network.features):
        count = rows.counts[rows.indices == feature]
        x[feature] = network.idf[place] * sublinear(count)[0] if count.size else 0.0
    x *= INPUT_LENGTH / np.linalg.norm(x) if x.any() else 0.0
    vectors = np.zeros((N_NGRAMS, len(network.bias)))
    vectors[network.features] = network.embedding.astype(float) @ network.projection
    steps = (np.arange(4000) + 0.5) / 4000
    on = (steps[:, np.newaxis] * (x @ vectors) + network.bias > 0).mean(axis=0)
    expected = (
        model.coef[np.minimum(rows.counts, 3) - 1, rows.indices]
        + ((x[:, np.newaxis] * vectors * on) @ model.output)[rows.indices]
    )
    assert shares(model, rows) == pytest.approx(expected, abs=1e-2)


@given(seeds)
def test_an_ngram_that_changes_nothing_has_no_share(seed):
    model = random_model(seed)
    dull = int(model.network.features[0])
    coef, embedding = model.coef.copy(), model.network.embedding.copy()
    coef[:, dull] = 0
    embedding[0] = 0
    model = replace(model, coef=coef, network=replace(model.network, embedding=embedding))
    rows = rows_of(np.ones((1, N_NGRAMS), dtype=np.int32))
    assert not shares(model, rows)[dull].any()


def test_units_that_are_not_moved_give_no_share():
    model = random_model(1)
    still = replace(model, network=replace(model.network, embedding=model.network.embedding * np.float16(0)))
    linear = replace(model, network=None, output=None)
    rows = text_of(1, 0.5)
    assert np.array_equal(shares(still, rows), shares(linear, rows))


def test_pulls_that_cancel_out_give_finite_shares_that_add_up():
    """A unit whose input adds up to nothing, with an n-gram for and one against."""
    model = random_model(2, n_features=2)
    embedding = np.ones_like(model.network.embedding)
    embedding[1] = -1
    idf = np.ones_like(model.network.idf)
    model = replace(model, network=replace(model.network, embedding=embedding, idf=idf))
    rows = rows_of(np.ones((1, N_NGRAMS), dtype=np.int32))
    found = shares(model, rows)
    assert np.isfinite(found).all()
    assert bias(model) + found.sum(axis=0) == pytest.approx(model.margins(rows)[0], abs=1e-10)


@pytest.mark.parametrize(
    ("start", "pull", "gate"),
    [
        *[(1, 1, 1), (1, -0.5, 1), (1, -2, 0.5), (-1, 2, 0.5), (-1, 4, 0.75), (-1, -1, 0), (-1, 0.5, 0)],
        *[(1, 0, 1), (-1, 0, 0), (0, 0, 0), (0, 3, 1), (0, -3, 0), (1, -1, 1), (-1, 1, 0)],
    ],
)
def test_a_gate_is_the_share_of_the_way_above_zero(start, pull, gate):
    assert gates(np.array([float(start)]), np.array([float(pull)])) == pytest.approx([gate])
