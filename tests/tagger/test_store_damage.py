"""Every way in which a model directory can be damaged, edited or forged gives one line that names the file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tagger import ModelError, store
from tagger.text import TEXT_VERSION


def refusal(directory: Path) -> str:
    """The message with which loading is refused; fails the test if it is not one short line."""
    with pytest.raises(ModelError) as refused:
        store.load(directory)
    message = str(refused.value)
    assert len(message.splitlines()) == 1
    assert len(message) < 400
    return message


def flip_a_byte(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


def truncate(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-2])


def test_a_missing_directory_is_named(tmp_path):
    assert str(tmp_path / "nowhere") in refusal(tmp_path / "nowhere")


def test_a_directory_without_manifest_and_a_file_are_not_models(tmp_path):
    assert "not a model" in refusal(tmp_path)
    (tmp_path / "file").write_text("x")
    assert str(tmp_path / "file") in refusal(tmp_path / "file")


@pytest.mark.parametrize("name", ["arrays.npz", "metrics.json"])
@pytest.mark.parametrize("damage", [Path.unlink, truncate, flip_a_byte, lambda file: file.write_bytes(b"")])
def test_a_damaged_file_is_named(model_directory, name, damage):
    damage(model_directory / name)
    assert str(model_directory / name) in refusal(model_directory)


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"null", b'"model"', b"\xff\xfe\x00", b"[" * 100_000, b'{"schema": NaN}', b'{"schema": []}'],
)
def test_a_manifest_that_is_none_is_named(model_directory, content):
    (model_directory / store.MANIFEST).write_bytes(content)
    assert str(model_directory / store.MANIFEST) in refusal(model_directory)


@pytest.mark.parametrize(
    ("old", "new"), [('"astronomy"', '"astrology"'), ('"bytes": ', '"bytes": 1'), ('"checksum": "', '"checksum": "0')]
)
def test_an_edited_manifest_is_named(model_directory, old, new):
    path = model_directory / store.MANIFEST
    edited = path.read_text().replace(old, new, 1)
    assert edited != path.read_text()
    path.write_text(edited)
    assert str(path) in refusal(model_directory)


# From here on the damage is signed: sizes, hashes and checksum fit, so only what the files say is wrong.


def sign(directory: Path, change: Callable[[dict[str, Any]], object] = lambda manifest: None) -> None:
    """Change the manifest and make every size and checksum in it right again."""
    path = directory / store.MANIFEST
    manifest = json.loads(path.read_text())
    for name in manifest["files"]:
        data = (directory / name).read_bytes()
        manifest["files"][name] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    change(manifest)
    del manifest["checksum"]
    covered = json.dumps(manifest, sort_keys=True, ensure_ascii=False).encode()
    path.write_text(json.dumps(manifest | {"checksum": hashlib.sha256(covered).hexdigest()}))


def arrays_of(directory: Path) -> dict[str, np.ndarray]:
    with np.load(directory / store.ARRAYS) as archive:
        return {name: archive[name] for name in archive.files}


def write_arrays(directory: Path, arrays: dict[str, Any]) -> None:
    with (directory / store.ARRAYS).open("wb") as file:
        np.savez(file, **arrays)
    sign(directory)


def test_signing_alone_changes_nothing(model_directory, model):
    write_arrays(model_directory, arrays_of(model_directory))
    assert store.load(model_directory).areas == model.areas


def test_another_schema_is_refused_with_what_this_tagger_reads(model_directory):
    sign(model_directory, lambda manifest: manifest.update(schema=99))
    assert "schema 99" in refusal(model_directory)


def test_another_text_version_is_refused_with_both_versions(model_directory):
    sign(model_directory, lambda manifest: manifest.update(text=TEXT_VERSION + 1))
    message = refusal(model_directory)
    assert str(TEXT_VERSION + 1) in message
    assert "train the model again" in message


@pytest.mark.parametrize("key", ["text", "areas", "central", "files", "about"])
@pytest.mark.parametrize("value", [None, 7, "absent"])
def test_a_manifest_that_lacks_a_part_or_has_another_kind_in_its_place_is_refused(model_directory, key, value):
    def change(manifest):
        manifest[key] = value
        if value == "absent":
            del manifest[key]

    sign(model_directory, change)
    assert store.MANIFEST in refusal(model_directory)


@pytest.mark.parametrize("areas", [[], ["astronomy"], ["astronomy", "astronomy"], ["astronomy", 3], ["a", "b", "c"]])
def test_areas_that_do_not_fit_the_arrays_or_are_no_names_are_refused(model_directory, areas):
    sign(model_directory, lambda manifest: manifest.update(areas=areas))
    assert str(model_directory) in refusal(model_directory)


@pytest.mark.parametrize(
    "central", [[], ["cooking"], ["chess"], ["cooking", "cooking"], ["cooking", 3], [["cooking"]], {"cooking": 1}]
)
def test_central_areas_that_do_not_fit_the_arrays_or_are_no_areas_are_refused(model_directory, central):
    sign(model_directory, lambda manifest: manifest.update(central=central))
    assert str(model_directory) in refusal(model_directory)


def test_arrays_that_the_manifest_does_not_cover_are_refused(model_directory):
    sign(model_directory, lambda manifest: manifest["files"].pop("arrays.npz"))
    assert "arrays.npz" in refusal(model_directory)


def test_a_file_outside_the_directory_is_refused(model_directory):
    (model_directory.parent / "secret.txt").write_text("x")
    sign(model_directory, lambda manifest: manifest["files"].update({"../secret.txt": {"bytes": 1, "sha256": "0"}}))
    message = refusal(model_directory)
    assert store.MANIFEST in message
    assert "secret.txt" in message


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04 no more", b"\x93NUMPY", b"\x80\x04N."])
def test_arrays_that_are_no_archive_are_refused(model_directory, content):
    (model_directory / store.ARRAYS).write_bytes(content)
    sign(model_directory)
    assert store.ARRAYS in refusal(model_directory)


def test_an_archive_whose_compressed_data_is_broken_is_refused(model_directory):
    flip_a_byte(model_directory / store.ARRAYS)
    sign(model_directory)
    assert store.ARRAYS in refusal(model_directory)


class Bomb:
    """Leaves a mark if it is ever unpickled."""

    mark: Path

    def __reduce__(self):
        return (Path.touch, (self.mark,))


def test_a_pickled_array_is_refused_and_nothing_in_it_runs(model_directory, tmp_path):
    bomb = Bomb()
    bomb.mark = tmp_path / "exploded"
    original = arrays_of(model_directory)
    for name in original:
        write_arrays(model_directory, original | {name: np.array([bomb], dtype=object)})
        assert store.ARRAYS in refusal(model_directory)
    assert not bomb.mark.exists()


def test_each_array_that_is_missing_or_of_another_shape_or_type_is_refused(model_directory):
    original = arrays_of(model_directory)
    for name, array in original.items():
        write_arrays(model_directory, {other: value for other, value in original.items() if other != name})
        assert store.ARRAYS in refusal(model_directory)
        for damaged in (array[: len(array) // 2], array[..., np.newaxis], array.astype(complex), array.astype("U9")):
            write_arrays(model_directory, original | {name: damaged})
            assert store.ARRAYS in refusal(model_directory)


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_not_finite_is_refused_in_any_array(model_directory, odd):
    original = arrays_of(model_directory)
    for name, array in original.items():
        if array.dtype.kind == "f":
            damaged = array.copy()
            damaged.flat[-1] = odd
            write_arrays(model_directory, original | {name: damaged})
            assert store.ARRAYS in refusal(model_directory)


def test_words_that_are_not_utf8_are_refused(model_directory):
    arrays = arrays_of(model_directory)
    arrays["words"][0] = 0xFF
    write_arrays(model_directory, arrays)
    assert store.ARRAYS in refusal(model_directory)
