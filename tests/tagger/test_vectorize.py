"""The fast path equals the reference on any input."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
from abstracts import MARKED_UP, small_abstracts
from hypothesis import given, settings
from strategies import batches, sentences

from tagger import text
from tagger.vectorize import FeatureRows, Vectorizer, find_words
from tagger.vocabulary import Vocabulary


def words_of_each(batch: list[str]) -> list[list[str]]:
    """The words that the fast path finds in each text of a batch."""
    found = find_words(batch)
    buffer = found.buffer.tobytes()
    spans = list(zip(found.starts.tolist(), (found.starts + found.lengths).tolist()))
    return [
        [buffer[start:end].decode() for start, end in spans[first:last]]
        for first, last in zip(found.indptr[:-1], found.indptr[1:])
    ]


def counts_of_each(rows: FeatureRows, vocabulary: Vocabulary) -> list[dict[str, int]]:
    """The n-grams that the fast path counts in each text of a batch."""
    ngrams = vocabulary.ngrams
    return [
        {ngrams[i]: count for i, count in zip(rows.indices[a:b].tolist(), rows.counts[a:b].tolist())}
        for a, b in zip(rows.indptr[:-1], rows.indptr[1:])
    ]


@settings(max_examples=400)
@given(batches)
def test_the_words_of_a_batch_are_those_of_the_reference(batch):
    assert words_of_each(batch) == [text.words(one) for one in batch]


@settings(max_examples=200)
@given(batches, st.randoms(use_true_random=False))
def test_the_counts_of_a_batch_are_those_of_the_reference_for_any_vocabulary(batch, random):
    counted = [text.ngrams(one) for one in batch]
    ngrams = sorted({ngram for counts in counted for ngram in counts})
    vocabulary = Vocabulary.from_ngrams(random.sample(ngrams, random.randint(0, len(ngrams))))
    known = set(vocabulary.ngrams)
    expected = [{ngram: n for ngram, n in counts.items() if ngram in known} for counts in counted]
    assert counts_of_each(Vectorizer(vocabulary).transform(batch), vocabulary) == expected


@given(st.lists(sentences, max_size=8))
def test_repeated_pairs_are_counted_as_often_as_they_occur(batch):
    counted = [text.ngrams(one) for one in batch]
    vocabulary = Vocabulary.from_ngrams(ngram for counts in counted for ngram in counts)
    assert counts_of_each(Vectorizer(vocabulary).transform(batch), vocabulary) == [dict(c) for c in counted]


@given(batches)
def test_features_ascend_within_a_text_and_each_comes_once(batch):
    vocabulary = Vocabulary.from_ngrams(ngram for one in batch for ngram in text.ngrams(one))
    rows = Vectorizer(vocabulary).transform(batch)
    assert len(rows.indptr) == len(batch) + 1
    assert rows.indptr[-1] == len(rows.indices) == len(rows.counts)
    for start, end in zip(rows.indptr[:-1], rows.indptr[1:]):
        assert (np.diff(rows.indices[start:end]) > 0).all()


def test_a_pair_does_not_reach_over_the_end_of_a_text_or_over_an_unknown_word():
    vocabulary = Vocabulary.from_ngrams(["soup star", "comet"])
    rows = Vectorizer(vocabulary).transform(["comet soup", "star", "soup unknown star", "soup star"])
    assert [sorted(counts) for counts in counts_of_each(rows, vocabulary)] == [
        ["comet", "soup"], ["star"], ["soup", "star"], ["soup", "soup star", "star"],
    ]  # fmt: skip


def test_an_empty_batch_an_empty_text_and_an_empty_vocabulary_give_no_features():
    vocabulary = Vocabulary.from_ngrams(["soup"])
    assert Vectorizer(vocabulary).transform([]).indptr.tolist() == [0]
    assert Vectorizer(vocabulary).transform(["", "\0", "soup", ""]).indptr.tolist() == [0, 0, 0, 1, 1]
    assert Vectorizer(Vocabulary.from_ngrams([])).transform(["soup"]).indptr.tolist() == [0, 0]


def test_the_fast_path_equals_the_reference_on_abstracts():
    written = [*small_abstracts()[0], *MARKED_UP]
    assert words_of_each(written) == [text.words(one) for one in written]


def test_the_fast_path_equals_the_reference_on_every_real_abstract(real_abstracts):
    index: dict[str, int] = {}
    for start in range(0, len(real_abstracts), 256):
        batch = real_abstracts[start : start + 256]
        expected = [text.words(one) for one in batch]
        assert words_of_each(batch) == expected
        index.update(dict.fromkeys((word for words in expected[::16] for word in words), 0))
    vocabulary = Vocabulary.from_ngrams(ngram for one in real_abstracts[::16] for ngram in text.ngrams(one))
    vectorizer, known = Vectorizer(vocabulary), set(vocabulary.ngrams)
    for start in range(0, len(real_abstracts), 2048):
        batch = real_abstracts[start : start + 256]
        expected = [{ngram: n for ngram, n in text.ngrams(one).items() if ngram in known} for one in batch]
        assert counts_of_each(vectorizer.transform(batch), vocabulary) == expected
