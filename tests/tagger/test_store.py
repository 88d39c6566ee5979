"""Models in directories: they come back as they were, whole or not at all, and damage is refused in one line."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from abstracts import small_abstracts

from tagger import ModelError, store

TEXTS = small_abstracts(20, seed=3)[0]


def files_of(directory: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(directory.iterdir())}


def test_a_loaded_model_gives_the_probabilities_of_the_one_saved(model, model_directory):
    loaded = store.load(model_directory)
    assert loaded.areas == model.areas
    assert loaded.vocabulary.ngrams == model.vocabulary.ngrams
    assert np.array_equal(loaded.probabilities(TEXTS), model.probabilities(TEXTS))
    assert np.array_equal(loaded.thresholds, model.thresholds)
    assert np.array_equal(loaded.unsure, model.unsure)


def test_saving_a_loaded_model_gives_the_same_arrays_byte_for_byte(model_directory, tmp_path):
    store.save(store.load(model_directory), tmp_path / "again")
    assert (tmp_path / "again" / store.ARRAYS).read_bytes() == (model_directory / store.ARRAYS).read_bytes()


def test_the_same_model_saved_twice_is_the_same_directory(model, tmp_path):
    store.save(model, tmp_path / "one")
    store.save(model, tmp_path / "two")
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two")


def test_what_is_known_of_a_model_comes_back_with_its_checksum(model, model_directory):
    about = store.load(model_directory).about
    assert about["checksum"] == store.read_manifest(model_directory)["checksum"]
    assert {key: value for key, value in about.items() if key != "checksum"} == model.about


def test_documents_are_written_beside_the_arrays(model_directory):
    assert (model_directory / "metrics.json").read_text() == "{}\n"


def test_no_file_of_a_model_holds_a_pickle(model_directory):
    with np.load(model_directory / store.ARRAYS, allow_pickle=False) as archive:
        assert all(archive[name].dtype != object for name in archive.files)
    assert {path.suffix for path in model_directory.iterdir()} <= {".json", ".npz", ".md", ".txt"}


def test_saving_replaces_a_model_and_leaves_nothing_of_the_old_one(model, model_directory):
    (model_directory / "notes.txt").write_text("old")
    store.save(model, model_directory)
    assert sorted(files_of(model_directory)) == [store.ARRAYS, store.MANIFEST]
    assert [path.name for path in model_directory.parent.iterdir()] == [model_directory.name]


def test_saving_fills_an_empty_directory_and_makes_the_directories_above(model, tmp_path):
    (tmp_path / "empty").mkdir()
    store.save(model, tmp_path / "empty")
    store.save(model, tmp_path / "new" / "deep")
    assert store.load(tmp_path / "empty").areas == store.load(tmp_path / "new" / "deep").areas == model.areas


def test_saving_refuses_to_replace_what_is_not_a_model(model, tmp_path):
    directory = tmp_path / "thesis"
    directory.mkdir()
    (directory / "chapter.txt").write_text("years of work")
    with pytest.raises(ModelError, match=r"thesis.*not a model"):
        store.save(model, directory)
    assert files_of(directory) == {"chapter.txt": b"years of work"}
    with pytest.raises(ModelError, match=r"chapter.txt"):
        store.save(model, directory / "chapter.txt")
    with pytest.raises(ModelError, match=r"chapter.txt"):
        store.save(model, directory / "chapter.txt" / "inside")
    assert files_of(directory) == {"chapter.txt": b"years of work"}


def full_disk(*args, **kwargs):
    raise OSError(28, "No space left on device")


def test_a_full_disk_leaves_the_old_model_and_nothing_else(model, model_directory, monkeypatch):
    before = files_of(model_directory)
    monkeypatch.setattr(store.np, "savez", full_disk)
    with pytest.raises(ModelError, match=r"model: cannot be written \(No space left on device\)"):
        store.save(model, model_directory)
    assert files_of(model_directory) == before
    assert list(model_directory.parent.iterdir()) == [model_directory]


@pytest.mark.parametrize("failing", [1, 2])
def test_a_rename_that_fails_leaves_the_old_model(model, model_directory, monkeypatch, failing):
    before, calls, rename = files_of(model_directory), [], os.rename

    def rename_until(source, target):
        calls.append(target)
        if len(calls) == failing:
            full_disk()
        rename(source, target)

    monkeypatch.setattr(store.os, "rename", rename_until)
    with pytest.raises(ModelError, match="cannot be written"):
        store.save(model, model_directory)
    assert files_of(model_directory) == before
    assert list(model_directory.parent.iterdir()) == [model_directory]


def test_an_interrupted_save_leaves_no_model_where_there_was_none(model, tmp_path, monkeypatch):
    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(store.np, "savez", interrupt)
    with pytest.raises(KeyboardInterrupt):
        store.save(model, tmp_path / "new")
    assert list(tmp_path.iterdir()) == []


def test_the_shipped_model_loads_and_names_its_files(repository):
    directory = store.shipped_model()
    assert directory == repository / "models" / "areas"
    assert store.load(directory).areas == ("reasoning", "efficiency", "multimodal", "theory")
    assert set(store.read_manifest(directory)["files"]) == {p.name for p in directory.iterdir()} - {store.MANIFEST}


def test_a_model_can_be_moved(model_directory, tmp_path):
    shutil.move(model_directory, tmp_path / "elsewhere")
    assert store.load(str(tmp_path / "elsewhere")).areas
