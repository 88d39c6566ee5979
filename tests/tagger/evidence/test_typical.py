"""The strongest n-grams of a model: what one of them adds, those first that do so in many texts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from random_models import random_model

from tagger.evidence.typical import strongest, typical_shares


def test_without_a_network_the_share_is_that_of_one_occurrence_and_ranks_alone():
    model = random_model(0, n_features=None)
    assert np.array_equal(typical_shares(model), model.coef[0])
    for column, area in enumerate(model.areas):
        best, worst = strongest(model, 4)[area]
        ranked = sorted(zip(model.vocabulary.ngrams, model.coef[0, :, column].tolist()), key=lambda item: -item[1])
        assert best == ranked[:4]
        assert worst == ranked[::-1][:4]


def test_the_network_adds_to_the_ngrams_that_it_reads_and_to_no_other():
    model = random_model(1)
    read = np.isin(np.arange(len(model.vocabulary)), model.network.features)
    shares = typical_shares(model)
    assert np.array_equal(shares[~read], model.coef[0, ~read])
    assert (shares[read] != model.coef[0, read]).all()


def test_the_network_adds_what_it_does_in_texts_drawn_as_its_frequencies_say():
    """The mean-field gates are close to the mean of what n-grams add in many random texts."""
    model = random_model(5)
    network, generator = model.network, np.random.default_rng(0)
    frequency = np.exp(-network.idf.astype(float))
    vectors = network.embedding.astype(float) @ network.projection
    on, scales = [], []
    for _ in range(3000):
        x = network.idf * (generator.random(len(frequency)) < frequency)
        if x.any():
            scales.append(3 / np.linalg.norm(x))
            on.append(x * scales[-1] @ vectors + network.bias > 0)
    measured = (np.mean(scales) * network.idf[:, np.newaxis] * vectors * np.mean(on, axis=0)) @ model.output
    found = (typical_shares(model) - model.coef[0])[network.features]
    assert np.corrcoef(found.ravel(), measured.ravel())[0, 1] > 0.9


def test_of_two_with_the_same_share_the_one_in_more_texts_comes_first():
    model = random_model(2, n_features=2)
    features = model.network.features
    idf = np.array([np.log(100), np.log(4)], dtype=np.float32)
    network = replace(model.network, idf=idf, embedding=model.network.embedding * np.float16(0))
    coef = model.coef.copy()
    coef[:, features] = 1.0
    best, worst = strongest(replace(model, network=network, coef=coef), 5)["a"]
    assert best == [(model.vocabulary.ngrams[k], pytest.approx(1.0)) for k in features[::-1]]
    assert worst == []


def test_the_shipped_model_lists_what_its_areas_are_about():
    from tagger import load

    lists = strongest(load().model, 10)
    for area, ngram in (("theory", "prove"), ("multimodal", "vision language"), ("efficiency", "latency")):
        assert ngram in [name for name, _ in lists[area][0]]
    assert "reasoning" in [name for name, _ in lists["reasoning"][0]]
