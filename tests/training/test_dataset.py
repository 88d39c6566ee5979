"""Labels and counts become a dataset: the shipped ones, and what is wrong with others."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from abstracts import AREAS, small_abstracts
from labelled_data import COLUMNS, rows_of, write_counts, write_data, write_labels

from tagger import InputError, text
from training import load_dataset
from training.embeddings import read_embeddings
from training.grades import UNKNOWN


def counts_of(dataset, row: int) -> dict[str, int]:
    part = dataset.counts[np.array([row])]
    return {part.vocabulary.ngrams[i]: int(n) for i, n in zip(part.matrix.indices, part.matrix.data)}


def test_labels_and_counts_are_joined_by_id(tmp_path):
    dataset = load_dataset(write_data(tmp_path, 20))
    texts, grades = small_abstracts(20)
    assert dataset.ids == tuple(f"p{k}" for k in range(20))
    assert dataset.areas == AREAS
    assert np.array_equal(dataset.grades, grades)
    assert [counts_of(dataset, k) for k in range(20)] == [dict(text.ngrams(one)) for one in texts]
    assert dataset.titles.shape == dataset.counts.shape
    assert list(dataset.provenance["split"][:4]) == ["train", "train", "train", "dev"]


def test_splits_part_the_dataset(tmp_path):
    dataset = load_dataset(write_data(tmp_path, 20))
    train, dev = dataset.split("train"), dataset.split("dev")
    assert dev.ids == ("p3", "p7", "p11", "p15", "p19")
    assert sorted(train.ids + dev.ids) == sorted(dataset.ids)
    assert counts_of(dev, 1) == counts_of(dataset, 7)
    assert np.array_equal(dev.grades[1], dataset.grades[7])
    assert len(dataset.split("test")) == 0


def test_abstracts_picked_because_a_model_was_unsure_are_not_representative(tmp_path):
    dataset = load_dataset(write_data(tmp_path, 20))
    assert np.flatnonzero(~dataset.representative).tolist() == [0, 8, 16]


def test_a_later_batch_adds_abstracts_and_corrects_labels(tmp_path):
    write_data(tmp_path, 8)
    first = rows_of(1, 0)[0] | dict.fromkeys(AREAS, "1")
    write_labels(tmp_path / "labels" / "0002.csv", [first, *rows_of(4, 9, prefix="q")])
    write_counts(tmp_path / "labelled" / "0002.npz", 4, 9, prefix="q")
    dataset = load_dataset(tmp_path)
    assert len(dataset) == 12
    assert dataset.grades[dataset.ids.index("p0")].tolist() == [1, 1]
    assert counts_of(dataset, dataset.ids.index("q2")) == dict(text.ngrams(small_abstracts(4, 9)[0][2]))
    assert counts_of(dataset, dataset.ids.index("p2")) == dict(text.ngrams(small_abstracts(8)[0][2]))


def test_an_area_that_was_not_judged_is_unknown(tmp_path):
    write_data(tmp_path, 6)
    rows = [row | {"art": ""} for row in rows_of(6, 0)[:2]]
    rows[0] |= {"astronomy": "", "art": "2"}
    write_labels(tmp_path / "labels" / "0002.csv", rows, (*COLUMNS, "art"))
    dataset = load_dataset(tmp_path)
    assert dataset.areas == (*AREAS, "art")
    assert dataset.grades[:, 2].tolist() == [2, *[UNKNOWN] * 5]
    assert dataset.grades[0, 0] == UNKNOWN


def test_two_annotations_of_an_area_are_not_areas(tmp_path):
    write_data(tmp_path, 4)
    rows = [row | {"cooking_a": "1", "cooking_b": "0"} for row in rows_of(4, 0)]
    write_labels(tmp_path / "labels" / "0001.csv", rows, (*COLUMNS, "cooking_a", "cooking_b"))
    assert load_dataset(tmp_path).areas == AREAS


@pytest.mark.parametrize("grade", ["3", "-1", "yes", "1.0"])
def test_a_grade_that_is_none_is_refused_with_file_and_line(tmp_path, grade):
    write_data(tmp_path, 4)
    rows = rows_of(4, 0)
    rows[2]["cooking"] = grade
    write_labels(tmp_path / "labels" / "0001.csv", rows)
    with pytest.raises(InputError, match=f"0001.csv: line 4: grade '{grade}' for cooking"):
        load_dataset(tmp_path)


def test_what_is_missing_is_refused_by_name(tmp_path):
    with pytest.raises(InputError, match=r"nowhere.*no label files"):
        load_dataset(tmp_path / "nowhere")
    write_labels(tmp_path / "labels" / "0001.csv", rows_of(4, 0))
    with pytest.raises(InputError, match="labelled: no shards"):
        load_dataset(tmp_path)
    write_counts(tmp_path / "labelled" / "0001.npz", 3, 0)
    with pytest.raises(InputError, match="no counts of p3"):
        load_dataset(tmp_path)
    write_labels(tmp_path / "labels" / "0002.csv", rows_of(4, 0), COLUMNS[1:])
    with pytest.raises(InputError, match=r"0002.csv: no column id"):
        load_dataset(tmp_path)


def test_labels_that_are_no_text_and_counts_that_are_no_shard_are_refused_by_name(tmp_path):
    write_data(tmp_path, 4)
    labels = tmp_path / "labels" / "0002.csv"
    labels.write_bytes(b"\xff\xfe\x00broken")
    with pytest.raises(InputError, match=r"0002.csv"):
        load_dataset(tmp_path)
    labels.unlink()
    (tmp_path / "labelled" / "0002.npz").write_bytes(b"broken")
    with pytest.raises(InputError, match=r"0002.npz"):
        load_dataset(tmp_path)


@pytest.fixture(scope="module")
def shipped(repository):
    return load_dataset(repository / "data")


def test_the_shipped_data_has_the_labelled_abstracts_in_their_splits(shipped):
    assert len(shipped) == len(set(shipped.ids)) == 15_148
    assert len(shipped.split("train")) == 14_548
    assert len(shipped.split("dev")) == 600
    assert shipped.areas == ("reasoning", "efficiency", "multimodal", "theory")
    assert shipped.grades.min() >= 0
    assert len(shipped.counts) == len(shipped.titles) == len(shipped)
    assert (np.diff(shipped.counts.matrix.indptr) > 0).all()


def test_the_shipped_labels_are_those_of_the_corpus(shipped, corpus):
    from pyarrow import parquet

    table = parquet.read_table(corpus / "labelled.parquet", columns=["id", "split", *shipped.areas])
    assert table["id"].to_pylist() == list(shipped.ids)
    assert table["split"].to_pylist() == shipped.provenance["split"].tolist()
    for column, area in enumerate(shipped.areas):
        assert table[area].to_numpy().tolist() == shipped.grades[:, column].tolist()


def test_the_shipped_counts_are_those_of_the_texts_without_rare_pairs(shipped, real_abstracts):
    known = set(shipped.counts.vocabulary.ngrams)
    chosen = [k for k in range(len(shipped)) if k % 97 == 0 or not real_abstracts[k].isascii()][:1500]
    part = shipped.counts[np.array(chosen)]
    ngrams, matrix = part.vocabulary.ngrams, part.matrix
    for row, k in enumerate(chosen):
        found = {
            ngrams[i]: int(n)
            for i, n in zip(*(a[matrix.indptr[row] : matrix.indptr[row + 1]] for a in (matrix.indices, matrix.data)))
        }
        expected = text.ngrams(real_abstracts[k])
        assert found == {ngram: n for ngram, n in expected.items() if ngram in known}
        assert not [ngram for ngram in expected if " " not in ngram and ngram not in known]


def test_the_project_holds_no_abstract_text(repository):
    for path in sorted((repository / "data" / "labels").glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            assert max(len(cell) for row in csv.reader(file) for cell in row) < 100
    assert {path.suffix for path in (repository / "data" / "labelled").iterdir()} == {".npz"}
    words = read_embeddings(repository / "data" / "embeddings.npz").words
    assert not [word for word in words if " " in word or len(word.encode()) > text.MAX_WORD_BYTES]
