"""N-gram counts: made from texts, taken apart, put together."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
from hypothesis import given
from strategies import batches, sentences

from tagger import text
from tagger.vectorize import Vectorizer
from tagger.vocabulary import Vocabulary
from training import NgramCounts, count_ngrams
from training.counts import restrict, stack_counts, vocabulary_positions

few_texts = st.lists(sentences, max_size=6)


def rows_of(counts: NgramCounts) -> list[dict[str, int]]:
    """The counts as one dict a text."""
    assert counts.matrix.shape == counts.shape == (len(counts), len(counts.vocabulary))
    ngrams, matrix = counts.vocabulary.ngrams, counts.matrix
    return [
        {ngrams[i]: int(n) for i, n in zip(matrix.indices[a:b], matrix.data[a:b])}
        for a, b in zip(matrix.indptr[:-1], matrix.indptr[1:])
    ]


def vocabulary_of(texts: list[str]) -> Vocabulary:
    return Vocabulary.from_ngrams(ngram for one in texts for ngram in text.ngrams(one))


@given(batches)
def test_counts_are_those_of_the_text_definition(texts):
    counts = count_ngrams(texts)
    assert rows_of(counts) == [dict(text.ngrams(one)) for one in texts]
    assert counts.matrix.has_sorted_indices


def test_counts_are_made_from_any_iterable():
    assert rows_of(count_ngrams(iter(["soup", ""]))) == [{"soup": 1}, {}]
    assert rows_of(count_ngrams([])) == []


@given(few_texts, few_texts)
def test_the_columns_of_another_vocabulary_are_the_counts_of_its_ngrams(texts, others):
    counts, vocabulary = count_ngrams(texts), vocabulary_of(others)
    expected = [{n: c for n, c in text.ngrams(one).items() if n in vocabulary.index} for one in texts]
    assert rows_of(NgramCounts(vocabulary, counts.columns(vocabulary))) == expected


@given(few_texts, few_texts)
def test_training_and_runtime_count_the_same(texts, others):
    vocabulary = vocabulary_of(others)
    matrix, rows = count_ngrams(texts).columns(vocabulary), Vectorizer(vocabulary).transform(texts)
    assert matrix.indptr.tolist() == rows.indptr.tolist()
    assert matrix.indices.tolist() == rows.indices.tolist()
    assert matrix.data.tolist() == rows.counts.tolist()


def test_a_pair_that_is_not_counted_is_not_found_though_both_its_words_are():
    pair, single = vocabulary_of(["soup star"]), vocabulary_of(["soup", "star"])
    assert vocabulary_positions(single, pair).tolist() == [0, 1, -1]
    assert count_ngrams(["soup", "star"]).columns(pair).toarray().tolist() == [[1, 0, 0], [0, 1, 0]]


@given(few_texts, few_texts)
def test_positions_are_those_of_the_index(texts, others):
    here, wanted = vocabulary_of(texts), vocabulary_of(others)
    assert vocabulary_positions(here, wanted).tolist() == [here.index.get(ngram, -1) for ngram in wanted.ngrams]


@given(st.lists(few_texts, min_size=1, max_size=4))
def test_stacked_counts_are_those_of_all_texts(parts):
    stacked = stack_counts([count_ngrams(part) for part in parts])
    everything = [one for part in parts for one in part]
    assert rows_of(stacked) == [dict(text.ngrams(one)) for one in everything]
    assert stacked.vocabulary.ngrams == vocabulary_of(everything).ngrams


@given(st.lists(sentences, min_size=1, max_size=6), st.data())
def test_rows_are_taken_by_position_by_mask_and_by_slice(texts, data):
    counts, rows = count_ngrams(texts), rows_of(count_ngrams(texts))
    positions = data.draw(st.lists(st.integers(0, len(texts) - 1), max_size=6))
    assert rows_of(counts[np.array(positions, dtype=int)]) == [rows[position] for position in positions]
    assert rows_of(counts[np.array(positions, dtype=int), ...]) == [rows[position] for position in positions]
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts))))
    assert rows_of(counts[mask]) == [row for row, is_wanted in zip(rows, mask) if is_wanted]
    assert rows_of(counts[1:]) == rows[1:]


@given(few_texts, st.data())
def test_a_restricted_vocabulary_keeps_what_is_asked_and_the_words_of_its_pairs(texts, data):
    vocabulary = vocabulary_of(texts)
    keep = data.draw(st.lists(st.booleans(), min_size=len(vocabulary), max_size=len(vocabulary)))
    kept = [ngram for ngram, is_kept in zip(vocabulary.ngrams, keep) if is_kept]
    assert restrict(vocabulary, np.array(keep, dtype=bool)).ngrams == Vocabulary.from_ngrams(kept).ngrams
