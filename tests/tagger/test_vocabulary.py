"""The vocabulary: words, pairs of them, and their form as arrays."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from strategies import batches

from tagger import text
from tagger.vocabulary import Vocabulary

vocabularies = batches.map(lambda batch: Vocabulary.from_ngrams(n for one in batch for n in text.ngrams(one)))


@given(vocabularies)
def test_a_vocabulary_comes_back_from_its_arrays(vocabulary):
    again = Vocabulary.from_arrays(vocabulary.to_arrays())
    assert again.words == vocabulary.words
    assert np.array_equal(again.pairs, vocabulary.pairs)
    assert again.ngrams == vocabulary.ngrams


@given(vocabularies)
def test_every_ngram_stands_where_the_index_says(vocabulary):
    assert len(vocabulary.ngrams) == len(vocabulary) == len(vocabulary.index)
    assert all(vocabulary.ngrams[position] == ngram for ngram, position in vocabulary.index.items())


@given(st.sets(st.sampled_from(["soup", "star", "the star", "star soup", "comet", "comet comet"])))
def test_a_vocabulary_holds_the_ngrams_given_and_the_words_of_their_pairs(ngrams):
    expected = ngrams | {word for ngram in ngrams for word in ngram.split()}
    assert set(Vocabulary.from_ngrams(ngrams).ngrams) == expected


def test_words_and_pairs_are_sorted_whatever_the_order_they_came_in():
    first = Vocabulary.from_ngrams(["star soup", "comet", "apple star"])
    second = Vocabulary.from_ngrams(["apple star", "star soup", "comet"])
    assert first.ngrams == second.ngrams == ("apple", "comet", "soup", "star", "apple star", "star soup")


@pytest.mark.parametrize(
    ("pairs", "complaint"),
    [
        (np.zeros((1, 3), dtype=np.int32), "shape"),
        (np.zeros(2, dtype=np.int32), "shape"),
        (np.zeros((1, 2), dtype=np.float64), "dtype"),
        (np.array([[0, 2]], dtype=np.int32), "outside"),
        (np.array([[-1, 0]], dtype=np.int32), "outside"),
        (np.array([[0, 1], [0, 1]], dtype=np.int32), "twice"),
    ],
)
def test_arrays_that_are_no_vocabulary_are_refused(pairs, complaint):
    words = np.frombuffer(b"soup\nstar", dtype=np.uint8)
    with pytest.raises(ValueError, match=complaint):
        Vocabulary.from_arrays({"words": words, "pairs": pairs})


def test_a_word_that_is_there_twice_is_refused():
    words = np.frombuffer(b"soup\nsoup", dtype=np.uint8)
    with pytest.raises(ValueError, match="twice"):
        Vocabulary.from_arrays({"words": words, "pairs": np.empty((0, 2), dtype=np.int32)})
