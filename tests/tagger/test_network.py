"""The hidden units of a network are those of a plain loop, text by text, and no odd network is accepted."""

from __future__ import annotations

from dataclasses import replace

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from random_models import hidden_by_loops, random_counts, random_network, rows_of

from tagger import network as network_module
from tagger.network import INPUT_LENGTH, Network, sublinear

N_NGRAMS = 20
seeds = st.integers(0, 10_000)


@settings(max_examples=40)
@given(seeds, st.integers(0, N_NGRAMS), st.integers(0, 6))
def test_hidden_units_are_those_of_a_plain_loop(seed, n_features, n_texts):
    generator = np.random.default_rng(seed)
    network = random_network(generator, N_NGRAMS, n_features)
    counts = random_counts(generator, n_texts, N_NGRAMS)
    hidden = network.hidden(rows_of(counts))
    assert hidden.dtype == np.float32
    assert hidden.shape == (n_texts, 5)
    assert hidden == pytest.approx(hidden_by_loops(network, counts), abs=1e-5)


@settings(max_examples=40)
@given(seeds, st.data())
def test_hidden_units_of_a_text_do_not_depend_on_its_neighbours(seed, data):
    generator = np.random.default_rng(seed)
    network = random_network(generator, N_NGRAMS, 12)
    counts = random_counts(generator, 6, N_NGRAMS)
    together = network.hidden(rows_of(counts))
    order = data.draw(st.permutations(range(6)))
    assert network.hidden(rows_of(counts[order])) == pytest.approx(together[order], abs=1e-5)
    for k in range(6):
        assert network.hidden(rows_of(counts[[k]])) == pytest.approx(together[[k]], abs=1e-5)


def test_hidden_units_are_the_same_to_the_last_bit_in_any_company():
    """What is written must not depend on how many processes shared the work."""
    generator = np.random.default_rng(4)
    network = random_network(generator, 400, 300, hidden=288, dimensions=64)
    counts = random_counts(generator, 130, 400)
    counts[:, 390:] = 0
    together = network.hidden(rows_of(counts))
    for size in (1, 7, 64):
        parts = [network.hidden(rows_of(counts[k : k + size])) for k in range(0, 130, size)]
        assert np.array_equal(np.concatenate(parts), together)


@given(seeds, st.sampled_from([1, 10, 50, 100]))
def test_a_batch_too_large_to_be_padded_at_once_gives_the_same(seed, most):
    generator = np.random.default_rng(seed)
    network = random_network(generator, N_NGRAMS, 12)
    rows = rows_of(random_counts(generator, 9, N_NGRAMS))
    expected = network.hidden(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(network_module, "MOST_CELLS", most)
        assert network.hidden(rows) == pytest.approx(expected, abs=1e-5)


def test_one_very_long_text_does_not_make_its_neighbours_as_long(monkeypatch):
    """Without a bound, one text of 10,000 n-grams would take memory for that many in each of the others."""
    generator = np.random.default_rng(0)
    network = random_network(generator, 10_000, 10_000)
    counts = np.zeros((200, 10_000), dtype=np.int32)
    counts[:, :5] = 1
    counts[77] = 1
    largest, taken = [], network_module._Inputs.some

    def watched(*arguments):
        vectors, shares = taken(*arguments)
        largest.append(vectors.base.size)
        return vectors, shares

    monkeypatch.setattr(network_module._Inputs, "some", watched)
    hidden = network.hidden(rows_of(counts))
    assert max(largest) <= network_module.MOST_CELLS
    assert hidden == pytest.approx(np.tile(hidden[0], (200, 1)) * (np.arange(200) != 77)[:, np.newaxis]
                                   + hidden * (np.arange(200) == 77)[:, np.newaxis], abs=1e-5)  # fmt: skip


def test_what_a_network_does_not_read_changes_nothing():
    generator = np.random.default_rng(1)
    network = random_network(generator, 10, 6)
    counts = random_counts(generator, 8, 30, share=0.5)
    only_read = np.zeros_like(counts)
    only_read[:, network.features] = counts[:, network.features]
    assert np.array_equal(network.hidden(rows_of(counts)), network.hidden(rows_of(only_read)))


def test_a_text_without_known_ngrams_has_the_units_of_the_bias():
    network = random_network(np.random.default_rng(2), 10, 6)
    nothing = np.zeros((2, 10), dtype=np.int32)
    assert np.array_equal(network.hidden(rows_of(nothing)), np.maximum(np.tile(network.bias, (2, 1)), 0))


def test_the_input_of_every_text_has_the_same_length():
    """However often a single n-gram occurs, its vector counts the same."""
    network = Network(
        np.array([3], dtype=np.int32), np.array([2.5], dtype=np.float32),
        np.array([[1, 2]], dtype=np.float16), np.eye(2, dtype=np.float32), np.zeros(2, dtype=np.float32),
    )  # fmt: skip
    counts = np.zeros((2, 5), dtype=np.int32)
    counts[:, 3] = (1, 40)
    assert network.hidden(rows_of(counts)) == pytest.approx(INPUT_LENGTH * np.array([[1, 2], [1, 2]]))


def test_term_frequency_is_sublinear():
    assert sublinear(np.array([1, 2, 100])) == pytest.approx([1, 1 + np.log(2), 1 + np.log(100)])


GOOD = random_network(np.random.default_rng(3), N_NGRAMS, 4)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"features": GOOD.features[::-1]}, "ascend"),
        ({"features": np.array([1, 1, 2, 3], dtype=np.int32)}, "ascend"),
        ({"features": np.array([-1, 1, 2, 3], dtype=np.int32)}, "ascend"),
        ({"features": GOOD.features[:3]}, "3 features"),
        ({"features": GOOD.features[:, np.newaxis]}, "features of shape"),
        ({"idf": GOOD.idf[:3]}, "idf of shape"),
        ({"idf": GOOD.idf * 0}, "positive"),
        ({"idf": -GOOD.idf}, "positive"),
        ({"idf": GOOD.idf * np.float32("nan")}, "not finite"),
        ({"embedding": GOOD.embedding[:, :2]}, "embedding of shape"),
        ({"embedding": GOOD.embedding * np.float16("inf")}, "not finite"),
        ({"projection": GOOD.projection[:2]}, "projection of shape"),
        ({"projection": GOOD.projection[:, :4]}, "projection of shape"),
        ({"projection": GOOD.projection[0]}, "projection of shape"),
        ({"projection": GOOD.projection * np.float32("nan")}, "not finite"),
        ({"bias": GOOD.bias[:3]}, "bias of shape"),
        ({"bias": GOOD.bias[:, np.newaxis]}, "bias of shape"),
        ({"bias": GOOD.bias * np.float32("nan")}, "not finite"),
    ],
)
def test_parts_that_are_not_those_of_a_network_are_refused(changes, complaint):
    with pytest.raises(ValueError, match=complaint):
        replace(GOOD, **changes)
