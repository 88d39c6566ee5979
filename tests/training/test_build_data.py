"""The data is built from a corpus, grows by files, and never rewrites one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from abstracts import small_abstracts
from command import environment

from tagger import text
from training import load_dataset
from training.embeddings import learn_embeddings, read_embeddings
from training.shards import read_shard

pyarrow = pytest.importorskip("pyarrow")
from pyarrow import parquet  # noqa: E402

from training.build_data import ANNOTATIONS, AREAS, build  # noqa: E402


def write_corpus(directory: Path, first: int, n_labelled: int, n_unlabelled: int) -> list[str]:
    """Write a corpus of small abstracts whose ids count from `first`; returns the labelled abstracts."""
    directory.mkdir(exist_ok=True)
    texts, grades = small_abstracts(n_labelled + n_unlabelled, seed=first)
    rows = [
        {
            "id": f"p{first + k}",
            "title": one.partition(".")[0],
            "abstract": f"{one} Mark {'abcdefghij'[k % 10]}q.",
            "stratum": "s",
        }
        for k, one in enumerate(texts)
    ]
    labels = [
        {"split": "dev" if k % 5 == 0 else "train", "source": "tests", "sampled": "random", "categories": None}
        | dict(zip(AREAS, [*grade, *grade]))
        | dict.fromkeys(ANNOTATIONS, 1 if k % 5 == 0 else None)
        for k, grade in enumerate(grades[:n_labelled].tolist())
    ]
    labelled = [row | label for row, label in zip(rows, labels)]
    parquet.write_table(pyarrow.Table.from_pylist(labelled), directory / "labelled.parquet")
    (directory / "unlabelled.parquet").unlink(missing_ok=True)
    if n_unlabelled:
        parquet.write_table(pyarrow.Table.from_pylist(rows[n_labelled:]), directory / "unlabelled.parquet")
    return [row["abstract"] for row in labelled]


def contents(directory: Path) -> dict[str, bytes]:
    return {str(path.relative_to(directory)): path.read_bytes() for path in sorted(directory.rglob("*.*"))}


@pytest.fixture
def built(tmp_path) -> tuple[Path, list[str]]:
    """A data directory built from 30 labelled and 40 other abstracts, and the labelled ones."""
    abstracts = write_corpus(tmp_path / "corpus", 0, 30, 40)
    build(tmp_path / "corpus", tmp_path / "data")
    return tmp_path / "data", abstracts


def test_the_data_has_a_label_file_and_a_shard_of_counts(built):
    data, _ = built
    assert sorted(contents(data)) == ["embeddings.npz", "labelled/0001.npz", "labels/0001.csv"]
    dataset = load_dataset(data)
    assert dataset.ids == tuple(f"p{k}" for k in range(30))
    assert dataset.areas == AREAS
    assert len(dataset.split("dev")) == 6


def test_every_word_is_counted_and_every_pair_that_occurs_twice(built):
    data, abstracts = built
    shard = read_shard(data / "labelled" / "0001.npz")
    ngrams, matrix = shard.abstracts.vocabulary.ngrams, shard.abstracts.matrix.tocsr()
    known = set(ngrams)
    for row, abstract in enumerate(abstracts):
        part = slice(matrix.indptr[row], matrix.indptr[row + 1])
        found = {ngrams[i]: int(n) for i, n in zip(matrix.indices[part], matrix.data[part])}
        expected = text.ngrams(abstract)
        assert found == {ngram: n for ngram, n in expected.items() if ngram in known}
        assert {ngram for ngram in expected if " " not in ngram} <= known
    once = {ngram for ngram in known if " " in ngram and sum(ngram in text.ngrams(a) for a in abstracts) == 1}
    in_others = set(ngrams) & once
    assert len(in_others) < len(known) / 4


def test_a_pair_that_occurs_once_in_the_corpus_is_not_kept(tmp_path):
    write_corpus(tmp_path / "corpus", 0, 30, 0)
    rows = parquet.read_table(tmp_path / "corpus" / "labelled.parquet").to_pylist()
    rows[0]["abstract"] += " Utterly unrepeatable."
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "corpus" / "labelled.parquet")
    build(tmp_path / "corpus", tmp_path / "data")
    known = set(read_shard(tmp_path / "data" / "labelled" / "0001.npz").abstracts.vocabulary.ngrams)
    assert {"utterly", "unrepeatable"} <= known
    assert "utterly unrepeatable" not in known


def test_the_embeddings_are_those_of_all_abstracts_but_the_ones_held_out(built, tmp_path):
    data, abstracts = built
    unlabelled = parquet.read_table(tmp_path / "corpus" / "unlabelled.parquet")["abstract"].to_pylist()
    assert len(unlabelled) == 40
    train = [abstract for k, abstract in enumerate(abstracts) if k % 5]
    expected, found = learn_embeddings(train + unlabelled), read_embeddings(data / "embeddings.npz")
    assert found.words == expected.words
    assert np.array_equal(found.vectors, expected.vectors.astype(np.float16))
    assert load_dataset(data).embeddings.words == found.words


def test_what_is_held_out_does_not_change_the_embeddings(built, tmp_path):
    data, _ = built
    rows = parquet.read_table(tmp_path / "corpus" / "labelled.parquet").to_pylist()
    for row in rows:
        if row["split"] == "dev":
            row["abstract"] = "The telescope rests. " * 20
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "corpus" / "labelled.parquet")
    build(tmp_path / "corpus", tmp_path / "other")
    assert contents(tmp_path / "other")["embeddings.npz"] == contents(data)["embeddings.npz"]
    assert contents(tmp_path / "other")["labelled/0001.npz"] != contents(data)["labelled/0001.npz"]


def test_building_again_changes_nothing(built, tmp_path):
    data, _ = built
    before = contents(data)
    build(tmp_path / "corpus", data)
    assert contents(data) == before


def test_building_elsewhere_gives_the_same_bytes(built, tmp_path):
    data, _ = built
    build(tmp_path / "corpus", tmp_path / "other")
    assert contents(tmp_path / "other") == contents(data)


def test_a_later_batch_adds_files_and_changes_none(built, tmp_path):
    data, _ = built
    before = contents(data)
    second = write_corpus(tmp_path / "corpus", 1000, 12, 0)
    build(tmp_path / "corpus", data)
    after = contents(data)
    assert {name: content for name, content in after.items() if name in before} == before
    assert sorted(after.keys() - before.keys()) == ["labelled/0002.npz", "labels/0002.csv"]
    dataset = load_dataset(data)
    assert dataset.ids == (*(f"p{k}" for k in range(30)), *(f"p{1000 + k}" for k in range(12)))
    row, words = dataset.counts[np.array([41])], dataset.counts.vocabulary.ngrams
    found = {words[i]: int(n) for i, n in zip(row.matrix.indices, row.matrix.data)}
    expected = text.ngrams(second[11])
    assert found == {ngram: n for ngram, n in expected.items() if ngram in found}
    assert {ngram for ngram in expected if " " not in ngram} <= found.keys()


def test_a_pair_of_an_earlier_shard_is_counted_though_it_occurs_once_in_the_new_batch(built, tmp_path):
    data, _ = built
    known = set(read_shard(data / "labelled" / "0001.npz").abstracts.vocabulary.ngrams)
    write_corpus(tmp_path / "corpus", 1000, 1, 0)
    build(tmp_path / "corpus", data)
    added = set(read_shard(data / "labelled" / "0002.npz").abstracts.vocabulary.ngrams)
    assert {ngram for ngram in added if " " in ngram}
    assert {ngram for ngram in added if " " in ngram} <= known


def test_no_file_holds_an_abstract(built):
    data, abstracts = built
    for content in contents(data).values():
        assert not any(abstract.encode()[:40] in content for abstract in abstracts)


def test_the_module_runs_as_a_program(tmp_path):
    write_corpus(tmp_path / "corpus", 0, 30, 0)
    command = [sys.executable, "-m", "training.build_data", str(tmp_path / "corpus"), "--data", str(tmp_path / "data")]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(load_dataset(tmp_path / "data")) == 30
