"""Shards of counts: read as written, added and never rewritten, refused if damaged."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from abstracts import small_abstracts
from hypothesis import HealthCheck, given, settings
from strategies import texts

from tagger import InputError
from tagger.text import TEXT_VERSION
from training.counts import NgramCounts, count_ngrams
from training.shards import LARGEST_COUNT, Shard, read_shard, write_shard


def shard_of(abstracts: list[str], titles: list[str]) -> Shard:
    both = count_ngrams([*abstracts, *titles])
    ids = tuple(f"paper:{number}" for number in range(len(abstracts)))
    return Shard(ids, both[: len(abstracts)], both[len(abstracts) :])


@pytest.fixture
def shard() -> Shard:
    written = small_abstracts(12, seed=1)[0]
    return shard_of(written[:6], written[6:])


def assert_same(counts: NgramCounts, expected: NgramCounts) -> None:
    assert counts.vocabulary.ngrams == expected.vocabulary.ngrams
    assert counts.shape == expected.shape
    assert counts.matrix.indptr.tolist() == expected.matrix.indptr.tolist()
    assert counts.matrix.indices.tolist() == expected.matrix.indices.tolist()
    assert counts.matrix.data.tolist() == np.minimum(expected.matrix.data, LARGEST_COUNT).tolist()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=6))
def test_a_shard_is_read_as_it_was_written(tmp_path, papers):
    path = tmp_path / "0001.npz"
    path.unlink(missing_ok=True)
    written = shard_of([abstract for abstract, _ in papers], [title for _, title in papers])
    write_shard(path, written)
    read = read_shard(path)
    assert read.ids == written.ids
    assert_same(read.abstracts, written.abstracts)
    assert_same(read.titles, written.titles)


def test_papers_without_any_word_are_kept(tmp_path):
    write_shard(tmp_path / "0001.npz", shard_of(["", " "], ["", ""]))
    assert read_shard(tmp_path / "0001.npz").abstracts.shape == (2, 0)


def test_a_shard_holds_counts_and_no_text(tmp_path, shard):
    write_shard(tmp_path / "0001.npz", shard)
    with np.load(tmp_path / "0001.npz", allow_pickle=False) as archive:
        words = archive["words"].tobytes().decode().split("\n")
        assert words == sorted(words)
        assert all(archive[name].dtype.kind in "iu" for name in archive.files)


def test_the_same_counts_give_the_same_bytes(tmp_path, shard):
    write_shard(tmp_path / "a.npz", shard)
    write_shard(tmp_path / "b.npz", shard)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_a_shard_is_never_rewritten(tmp_path, shard):
    write_shard(tmp_path / "0001.npz", shard)
    before = (tmp_path / "0001.npz").read_bytes()
    with pytest.raises(FileExistsError):
        write_shard(tmp_path / "0001.npz", shard_of(["other"], ["words"]))
    assert (tmp_path / "0001.npz").read_bytes() == before


@pytest.mark.parametrize("keep", [0, 10, 400, -1])
def test_a_truncated_shard_is_refused_by_name(tmp_path, shard, keep):
    path = tmp_path / "0001.npz"
    write_shard(path, shard)
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(InputError, match=r"0001.npz: not a shard"):
        read_shard(path)


def test_a_shard_whose_arrays_do_not_fit_each_other_is_refused(tmp_path, shard):
    path = tmp_path / "0001.npz"
    write_shard(path, shard)
    with np.load(path) as archive:
        arrays = dict(archive)
    for name, array in arrays.items():
        if array.ndim == 0:
            continue
        for damaged in (array[..., : array.shape[-1] // 2], None, np.array(["x"], dtype=object)):
            changed = (
                arrays | {name: damaged} if damaged is not None else {n: a for n, a in arrays.items() if n != name}
            )
            np.savez(path, **changed)
            with pytest.raises(InputError, match=r"0001.npz: not a shard"):
                read_shard(path)


def test_a_shard_of_another_text_version_is_refused(tmp_path, shard):
    path = tmp_path / "0001.npz"
    write_shard(path, shard)
    with np.load(path) as archive:
        np.savez(path, **dict(archive) | {"text_version": np.array(TEXT_VERSION + 1)})
    with pytest.raises(InputError, match=f"text definition {TEXT_VERSION + 1}, not {TEXT_VERSION}"):
        read_shard(path)


def test_a_missing_shard_is_refused_by_name(tmp_path):
    with pytest.raises(InputError, match=r"nowhere.npz"):
        read_shard(tmp_path / "nowhere.npz")
