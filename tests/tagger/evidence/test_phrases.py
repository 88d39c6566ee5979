"""Phrases: runs of words that say the same, whose shares are parts of those of the n-grams."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from strategies import sentences

from tagger import spans, text
from tagger.evidence.phrases import STRONG, breaks_between, find_phrases, places_of_ngrams, shares_of_words
from tagger.vectorize import Vectorizer
from tagger.vocabulary import Vocabulary

VOCABULARY = Vocabulary.from_ngrams(
    ["soup", "star", "comet", "the", "soup soup", "star comet", "the star", "comet the"]
)


def phrases_of(written: str, *shares: float, split=None, title_end: int = 0):
    words = spans.words(written)
    assert len(shares) == len(words)
    whole = np.array(shares, dtype=float)
    breaks = breaks_between(written, words, title_end)
    return find_phrases(written, words, breaks, whole if split is None else np.array(split), whole)


def texts_of(phrases) -> list[tuple[str, float]]:
    return [(phrase.text, round(phrase.share, 6)) for phrase in phrases]


@given(sentences)
def test_places_are_where_the_ngrams_stand_and_as_many_as_the_model_counts(written):
    words = spans.words(written)
    rows = Vectorizer(VOCABULARY).transform([written])
    places = places_of_ngrams(rows, VOCABULARY, words)
    assert [len(some) for some in places] == rows.counts.tolist()
    for ngram, some in zip(rows.indices, places):
        parts = VOCABULARY.ngrams[ngram].split()
        assert list(some) == sorted(some)
        assert all([word.word for word in words[place : place + len(parts)]] == parts for place in some)


@given(sentences, st.integers(0, 100))
def test_the_shares_of_words_add_up_to_those_of_the_ngrams(written, seed):
    words = spans.words(written)
    rows = Vectorizer(VOCABULARY).transform([written])
    shares = np.random.default_rng(seed).standard_normal((len(rows.indices), 3))
    is_pair = rows.indices >= len(VOCABULARY.words)
    split, _ = shares_of_words(shares, places_of_ngrams(rows, VOCABULARY, words), is_pair, len(words))
    assert split.shape == (len(words), 3)
    assert split.sum(axis=0) == pytest.approx(shares.sum(axis=0), abs=1e-9)


def test_a_word_has_its_own_share_and_half_of_its_pairs():
    shares = np.array([[1.0], [3.0], [0.5]])
    split, whole = shares_of_words(shares, [(0, 2), (0,), (1,)], np.array([False, True, True]), 3)
    assert split.ravel().tolist() == [0.5 + 1.5, 1.5 + 0.25, 0.5 + 0.25]
    assert whole.ravel().tolist() == [1.0 + 1.5, 1.5 + 0.25, 1.0 + 0.25]


def test_neighbours_that_are_strong_and_of_one_sign_are_a_phrase_strongest_first():
    found = phrases_of("A slow soup of red dust, we see", 0.01, 0.3, 0.4, -0.1, -0.5, -0.9, 0.0, 0.3)
    assert texts_of(found) == [("red dust", -1.4), ("slow soup", 0.7), ("see", 0.3)]


@pytest.mark.parametrize("between", [", ", ". ", "; ", ".) ", "\n\n", "$, "])
def test_no_phrase_goes_over_a_comma_or_the_end_of_a_sentence(between):
    assert len(phrases_of(f"slow{between}soup", 1, 1)) == 2


@pytest.mark.parametrize("between", [" ", "-", "\n", "/", "'s ", ".", " (", "$ "])
def test_a_phrase_goes_over_anything_less(between):
    written = f"slow{between}soup"
    assert len(phrases_of(written, *[1] * len(text.words(written)))) == 1


def test_no_phrase_goes_from_the_title_into_the_abstract():
    assert texts_of(phrases_of("Slow\nsoup", 1, 1, title_end=4)) == [("Slow", 1), ("soup", 1)]


def test_runs_of_the_same_words_are_one_phrase_with_all_its_places():
    (found,) = phrases_of("Slow soup or slow-soup", 1, 1, 0, 1, 1, split=[0.5, 0.5, 0, 0.5, 0.5])
    assert (found.text, found.spans, found.share) == ("Slow soup", ((0, 9), (13, 22)), 2.0)


def test_a_word_weaker_than_the_bound_is_in_no_phrase():
    assert texts_of(phrases_of("soup star", 1, STRONG * 0.99)) == [("soup", 1)]


def test_in_a_text_where_all_is_weak_the_strongest_words_are_strong():
    assert texts_of(phrases_of("soup star dust", 0.02, -0.011, 0.009)) == [("soup", 0.02), ("star", -0.011)]


def test_nothing_is_a_phrase_where_nothing_has_a_share():
    assert phrases_of("soup star", 0, 0) == ()
    assert phrases_of("") == ()


@pytest.mark.parametrize(
    ("written", "shares", "phrase"),
    [
        ("the models (VLMs) see", (0, 1, 1, 0), "models (VLMs)"),
        ("the (VLMs) models see", (0, 1, 1, 0), "(VLMs) models"),
        ("by 2.4$\\times$ faster", (0, 1, 0), "2.4$\\times$"),
        ("in $O(t)$ steps", (0, 1, 1, 0), "O(t)"),
        ("the (slow) soup", (0, 1, 0), "slow"),
        ("the [slow] soup", (0, 1, 1), "[slow] soup"),
        (r"a \textbf{slow} soup", (0, 1, 1), r"{slow} soup"),
    ],
)
def test_a_bracket_beside_a_phrase_goes_with_its_other_half(written, shares, phrase):
    (found,) = phrases_of(written, *shares)
    assert found.text == phrase


def test_white_space_in_a_phrase_is_folded():
    (found,) = phrases_of("slow\n   soup", 1, 1)
    assert found.text == "slow soup"
