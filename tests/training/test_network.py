"""The network is fitted on what is known, repeats to the last bit, and is the network that the runtime has."""

from __future__ import annotations

from dataclasses import replace

import hypothesis.strategies as st
import numpy as np
import pytest
from abstracts import small_abstracts
from hypothesis import given, settings
from random_models import hidden_by_loops, random_counts, random_network
from scipy import sparse

from tagger.vectorize import FeatureRows, Vectorizer
from training.counts import count_ngrams
from training.embeddings import Embeddings
from training.network import FittedNetwork, NetworkSettings, fit_network
from training.selection import best_by_chi_squared

TEXTS, GRADES = small_abstracts(80)
COUNTS = count_ngrams(TEXTS)
TARGETS = (GRADES > 0).astype(np.float32)
SMALL = NetworkSettings(
    features=300, min_df=2, hidden=8, epochs=25, min_steps=0, batch_size=16, learning_rate=0.02
)  # fmt: skip
NEW_TEXTS, NEW_GRADES = small_abstracts(60, seed=21)


def fit(targets=TARGETS, counts=COUNTS, embeddings=None, weights=None, seed=0, **changes) -> FittedNetwork:
    weights = np.ones(len(targets), dtype=np.float32) if weights is None else weights
    chosen = replace(SMALL, **changes)
    return fit_network(counts.matrix, counts.vocabulary, embeddings, targets, weights, chosen, seed)


def bytes_of(fitted: FittedNetwork) -> list[bytes]:
    network = fitted.network
    layers = (network.embedding, network.projection, network.bias, fitted.output, fitted.output_bias)
    parts = (network.features, network.idf, *layers)
    return [part.tobytes() for part in parts]


def margins_of(fitted: FittedNetwork, texts=NEW_TEXTS) -> np.ndarray:
    return fitted.margins(count_ngrams(texts).columns(COUNTS.vocabulary))


@pytest.fixture(scope="module")
def fitted() -> FittedNetwork:
    return fit()


@settings(max_examples=40)
@given(st.integers(0, 10_000))
def test_the_runtime_gives_the_margins_of_training(seed):
    generator = np.random.default_rng(seed)
    network = random_network(generator, 30, 20)
    output, bias = generator.standard_normal((5, 3)).astype(np.float32), generator.standard_normal(3).astype(np.float32)
    counts = random_counts(generator, 7, 30)
    matrix = sparse.csr_array(counts)
    margins = FittedNetwork(network, output, bias).margins(matrix)
    hidden = network.hidden(FeatureRows(matrix.indptr, matrix.indices, matrix.data))
    assert margins == pytest.approx(hidden @ output + bias, abs=1e-5)
    assert margins == pytest.approx(hidden_by_loops(network, counts) @ output + bias, abs=1e-4)


def test_the_runtime_gives_the_margins_of_training_for_texts(fitted):
    rows = Vectorizer(COUNTS.vocabulary).transform([*NEW_TEXTS, "", "nothing known here whatsoever"])
    runtime = fitted.network.hidden(rows) @ fitted.output + fitted.output_bias
    assert runtime == pytest.approx(margins_of(fitted, [*NEW_TEXTS, "", "nothing known here whatsoever"]), abs=1e-5)


def test_new_texts_are_told_apart(fitted):
    assert ((margins_of(fitted) > 0) == (NEW_GRADES > 0)).mean() > 0.9


def test_fitting_again_gives_the_same_bytes_and_another_seed_does_not(fitted):
    assert bytes_of(fit()) == bytes_of(fitted)
    assert bytes_of(fit(seed=1)) != bytes_of(fitted)


def test_no_text_of_the_call_is_changed():
    targets, weights, before = TARGETS.copy(), np.ones(80, dtype=np.float32), COUNTS.matrix.copy()
    fit(targets, weights=weights)
    assert np.array_equal(targets, TARGETS)
    assert (weights == 1).all()
    assert np.array_equal(COUNTS.matrix.data, before.data)


def test_a_text_whose_targets_are_all_unknown_has_no_more_part_than_one_without_weight():
    unknown = np.arange(80) % 4 == 0
    targets, weights = TARGETS.copy(), np.where(unknown, 0, 1).astype(np.float32)
    targets[unknown] = np.nan
    assert bytes_of(fit(targets)) == bytes_of(fit(targets, weights=weights)) != bytes_of(fit())


def test_an_unknown_target_is_not_taken_for_absent():
    hidden = (TARGETS[:, 1] == 1) & (np.arange(80) % 3 > 0)
    unknown, absent = TARGETS.copy(), TARGETS.copy()
    unknown[hidden, 1], absent[hidden, 1] = np.nan, 0
    truth = NEW_GRADES[:, 1] > 0
    right, wrong = (((margins_of(fit(t))[:, 1] > 0) == truth).mean() for t in (unknown, absent))
    assert right > wrong + 0.1
    assert right > 0.85


def test_an_output_without_any_known_target_changes_nothing_in_the_others(fitted):
    """What it adds is a third column of the last layer, which draws other random numbers: outputs stay as good."""
    with_unknown = np.column_stack([TARGETS, np.full(80, np.nan, dtype=np.float32)])
    margins = margins_of(fit(with_unknown))
    assert np.isfinite(margins).all()
    assert ((margins[:, :2] > 0) == (NEW_GRADES > 0)).mean() > 0.9


def test_the_targets_of_texts_of_no_weight_do_not_matter():
    """But for how many there are, which sets where the fit starts."""
    weights, moved = np.ones(80, dtype=np.float32), TARGETS.copy()
    weights[:20] = 0
    moved[:20] = np.roll(moved[:20], 7, axis=0)
    assert not np.array_equal(moved, TARGETS)
    first, second = (fit(t, weights=weights, features=10_000) for t in (TARGETS, moved))
    assert bytes_of(first) == bytes_of(second)


def test_several_networks_are_merged_into_one_that_gives_the_mean_of_their_margins():
    alone = [fit(networks=1, dimensions=64, seed=seed) for seed in (5, 6, 7)]
    merged = fit(networks=3, dimensions=64, seed=5)
    assert merged.network.projection.shape == (24, 24)
    expected = np.mean([margins_of(one) for one in alone], axis=0)
    assert margins_of(merged) == pytest.approx(expected, abs=0.02)  # embeddings are kept in half precision
    assert np.abs(margins_of(alone[0]) - expected).max() > 0.2


def test_fewer_dimensions_keep_what_matters_of_the_margins():
    margins = [margins_of(fit(networks=3, dimensions=n)) for n in (64, 8, 1)]
    errors = [np.abs(m - margins[0]).mean() / np.abs(margins[0]).mean() for m in margins]
    assert errors[1] < 0.1 < errors[2]
    assert fit(networks=3, dimensions=8).network.embedding.shape[1] == 8


def test_as_many_ngrams_are_read_as_asked_for_and_the_telling_ones_first():
    network = fit(features=12, min_df=10_000).network
    assert len(network.features) == 12
    assert set(network.features) == set(best_by_chi_squared(COUNTS.matrix, TARGETS, 12))
    ngrams = {COUNTS.vocabulary.ngrams[k] for k in network.features}
    assert {"telescope", "dough"} & ngrams
    assert not {"notes", "report", "three"} & ngrams


def test_idf_is_that_of_the_texts_and_positive(fitted):
    frequency = np.bincount(COUNTS.matrix.indices, minlength=len(COUNTS.vocabulary))[fitted.network.features]
    assert fitted.network.idf == pytest.approx(np.log(81 / np.maximum(frequency, 1)))
    everywhere = count_ngrams([f"all {text}" for text in TEXTS])
    assert (fit(counts=everywhere, features=10_000).network.idf > 0).all()


def words_with_vectors(*known: str) -> Embeddings:
    generator = np.random.default_rng(0)
    return Embeddings(known, generator.standard_normal((len(known), 5)).astype(np.float32))


def test_frequent_words_that_have_a_vector_are_read_though_they_tell_nothing():
    embeddings = words_with_vectors("notes", "study", "unheard", "telescope")
    network = fit(embeddings=embeddings, features=1, min_df=2).network
    ngrams = {COUNTS.vocabulary.ngrams[k] for k in network.features}
    assert {"notes", "study", "telescope"} <= ngrams
    assert len(ngrams) <= 4
    assert "notes" not in {
        COUNTS.vocabulary.ngrams[k] for k in fit(embeddings=embeddings, features=1, min_df=81).network.features
    }


def test_a_network_starts_from_the_vectors_of_words_and_the_means_of_pairs():
    """Without a step of learning the embedding is the centred start times one projection."""
    embeddings = words_with_vectors("the", "telescope", "stars", "dough")
    network = fit(embeddings=embeddings, features=10_000, epochs=0).network
    row = {COUNTS.vocabulary.ngrams[k]: network.embedding[i].astype(float) for i, k in enumerate(network.features)}
    assert row["the telescope"] == pytest.approx((row["the"] + row["telescope"]) / 2, abs=2e-3)
    assert np.abs(row["telescope"]).max() > 0.1
    assert (row["young"] == 0).all()
    assert (row["young star"] == 0).all()
    assert (row["the young"] == 0).all()


def test_margins_before_any_step_are_the_rates_where_nothing_is_known():
    fitted = fit(epochs=0)
    rate = TARGETS.mean(axis=0)
    assert fitted.output_bias == pytest.approx(np.log(rate / (1 - rate)), abs=1e-5)


def test_large_steps_do_not_overflow():
    assert np.isfinite(margins_of(fit(learning_rate=0.5, epochs=8))).all()


@settings(max_examples=30)
@given(st.integers(0, 10_000))
def test_chi_squared_is_that_of_scikit_learn_without_unknown_targets(seed):
    from sklearn.feature_selection import chi2

    generator = np.random.default_rng(seed)
    counts = random_counts(generator, 40, 12)
    target = (generator.random(40) < 0.5).astype(np.float32)
    target[generator.random(40) < 0.2] = np.nan
    known = ~np.isnan(target)
    present = (counts > 0)[known]
    if not 0 < target[known].sum() < known.sum():
        return
    # Over the 2 x 2 table, presence and absence alike.
    scores = [
        chi2(np.column_stack([column, ~column]).astype(float), target[known])[0].sum()
        if 0 < column.sum() < len(column)
        else 0.0
        for column in present.T
    ]
    best = best_by_chi_squared(sparse.csr_array(counts), target[:, np.newaxis], 5)
    assert np.array(scores)[best] == pytest.approx(np.sort(scores)[::-1][:5], rel=1e-6, abs=1e-9)
