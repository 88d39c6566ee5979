"""The audit: near-duplicates are all found and nothing else is, and labels that look wrong come first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled_data import write_data
from scipy import sparse

from training import count_ngrams, load_dataset
from training.audit import Duplicate, audit, main, near_duplicates, suspicious_labels

TEXT = "We bake bread on hot stone and count how many loaves keep their crust for a week in a dry room."
CHANGED = TEXT.replace("a week", "two days")
OTHER = "A comet passes the southern sky every other night and leaves dust behind that hides two stars."


def brute_force(sets: list[set[int]], similarity: float) -> set[tuple[int, int]]:
    return {
        (one, other)
        for other in range(len(sets))
        for one in range(other)
        if sets[one] | sets[other] and len(sets[one] & sets[other]) >= similarity * len(sets[one] | sets[other])
    }


def counts_of(sets: list[set[int]], n_ngrams: int = 30) -> sparse.csr_array:
    matrix = np.zeros((len(sets), n_ngrams), dtype=np.int32)
    for row, ngrams in enumerate(sets):
        matrix[row, sorted(ngrams)] = 1 + row % 3
    return sparse.csr_array(matrix)


def test_a_text_and_its_changed_copy_are_found_and_others_are_not():
    counts = count_ngrams([OTHER, TEXT, CHANGED])
    (pair,) = near_duplicates(counts.matrix)
    assert (pair.first, pair.second) == (1, 2)
    assert 0.5 <= pair.similarity < 1


def test_a_copy_has_similarity_1_and_comes_first():
    pairs = near_duplicates(count_ngrams([TEXT, CHANGED, OTHER, TEXT]).matrix)
    assert pairs[0] == Duplicate(0, 3, 1.0)
    assert {(pair.first, pair.second) for pair in pairs} == {(0, 1), (0, 3), (1, 3)}


def test_how_often_a_text_has_an_ngram_does_not_matter():
    (pair,) = near_duplicates(count_ngrams(["bread and bread and bread and", "and bread and"]).matrix)
    assert pair.similarity == 1.0


def test_texts_without_ngrams_are_like_no_other():
    assert near_duplicates(count_ngrams(["", "", "bread"]).matrix) == []


@given(
    st.lists(st.sets(st.integers(0, 29), max_size=12), max_size=14), st.sampled_from([0.2, 1 / 3, 0.5, 0.6, 0.9, 1.0])
)
def test_no_pair_is_missed_and_none_is_made_up(sets, similarity):
    found = near_duplicates(counts_of(sets), similarity)
    assert {(pair.first, pair.second) for pair in found} == brute_force(sets, similarity)


def test_pairs_are_told_apart_by_the_splits_they_are_in(tmp_path):
    dataset = load_dataset(write_data(tmp_path, n=8))
    texts = [f"text{number} number{number} is{number} unlike{number} others{number}" for number in range(8)]
    texts[3] = texts[0]  # dev and train
    texts[2] = texts[1]  # both in train
    found = audit(replace(dataset, counts=count_ngrams(texts)))
    assert {splits: [(pair.first, pair.second) for pair in pairs] for splits, pairs in found.items()} == {
        ("dev", "dev"): [],
        ("dev", "train"): [(0, 3)],
        ("train", "train"): [(1, 2)],
    }


def test_the_command_prints_counts_and_ids(tmp_path, monkeypatch, capsys):
    data = write_data(tmp_path, n=60)
    monkeypatch.setattr("sys.argv", ["audit", "--data", str(data), "--similarity", "1"])
    main()
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.endswith("pairs") for line in lines) == 3
    expected = near_duplicates(load_dataset(data).counts.matrix, 1.0)
    assert len(lines) == 3 + len(expected)
    assert all(line.startswith("  p") for line in lines if not line.endswith("pairs"))


def test_labels_that_are_contradicted_most_come_first():
    log_odds = np.array([[4.0, -1.0], [-3.0, 2.0], [0.5, -5.0]])
    grades = np.array([[0, 0], [2, 1], [1, -1]], dtype=np.int8)
    first, second, *others = suspicious_labels(log_odds, grades)
    assert (first.text, first.area, first.grade) == (0, 0, 0)
    assert first.probability == pytest.approx(1 / (1 + np.exp(-4)))
    assert (second.text, second.area, second.grade) == (1, 0, 2)
    assert len(others) == 3


def test_unknown_labels_are_never_suspicious_and_further_outputs_are_not_read():
    log_odds = np.array([[0.0, 9.0, -9.0]])
    found = suspicious_labels(log_odds, np.array([[1, -1]], dtype=np.int8))
    assert [(suspicion.text, suspicion.area) for suspicion in found] == [(0, 0)]


def test_no_more_labels_are_given_back_than_asked_for():
    assert len(suspicious_labels(np.zeros((5, 2)), np.zeros((5, 2), dtype=np.int8), n=3)) == 3
