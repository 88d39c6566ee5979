"""Model <-> a directory: a manifest in JSON and arrays without pickle, checked before use, written whole or not at all.

``manifest.json`` names the schema, the version of the text definition, the areas, and for every other file its size
and SHA-256; its own ``checksum`` covers the rest of it and so identifies the model. ``arrays.npz`` holds the numbers.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from tagger.arrays import from_arrays, to_arrays
from tagger.errors import ModelError
from tagger.model import Model
from tagger.text import TEXT_VERSION

SCHEMA_VERSION = 2
MANIFEST = "manifest.json"
ARRAYS = "arrays.npz"


def shipped_model() -> Path:
    """Directory of the model that comes with the package: inside it when installed, beside it in a checkout."""
    package = Path(__file__).resolve().parent
    installed = package / "models" / "areas"
    return installed if installed.is_dir() else package.parent / "models" / "areas"


def save(model: Model, directory: str | Path, documents: dict[str, str] | None = None) -> None:
    """Write `model` as `directory`, replacing a model that is there.

    Parameters
    ----------
    model : Model
        What to write.
    directory : path
        Where to; it appears whole or, if anything fails, not at all.
    documents : dict from file name to text, optional
        Further files for people to read, such as ``metrics.json`` and ``CARD.md``.

    Raises
    ------
    ModelError
        If `directory` exists and is not a model, or cannot be written.
    """
    directory = Path(directory)
    check_replaceable(directory)
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{directory.name}-", dir=directory.parent))
    except OSError as error:
        raise ModelError(f"{directory}: cannot be written ({error.strerror}); name another directory") from error
    try:
        _write(model, temporary, documents or {})
        _replace(directory, temporary)
    except OSError as error:
        raise ModelError(
            f"{directory}: cannot be written ({error.strerror}); free space or name another one"
        ) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def check_replaceable(directory: Path) -> None:
    """Make sure that nothing but a model would be lost if one were written as `directory`.

    Raises
    ------
    ModelError
        If `directory` exists and is neither empty nor a model.
    """
    is_empty = directory.is_dir() and not any(directory.iterdir())
    if directory.exists() and not is_empty and not (directory / MANIFEST).is_file():
        raise ModelError(f"{directory}: exists and is not a model; name a new directory")


def _write(model: Model, directory: Path, documents: dict[str, str]) -> None:
    arrays: dict[str, Any] = to_arrays(model)
    np.savez(directory / ARRAYS, **arrays)  # weights hardly compress, and unpacking them would be most of a cold start
    for name, text in documents.items():
        (directory / name).write_text(text, encoding="utf-8")
    manifest: dict[str, Any] = {
        "schema": SCHEMA_VERSION,
        "text": TEXT_VERSION,
        "areas": list(model.areas),
        "central": list(model.central),
        "about": model.about,
        "files": {
            file.name: {"bytes": file.stat().st_size, "sha256": _sha256(file)} for file in sorted(directory.iterdir())
        },
    }
    manifest["checksum"] = _checksum(manifest)
    (directory / MANIFEST).write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    directory.chmod(0o755)


def _replace(directory: Path, replacement: Path) -> None:
    if directory.exists():
        retired = replacement.with_name(replacement.name + "-old")
        os.rename(directory, retired)
        try:
            os.rename(replacement, directory)
        except BaseException:
            os.rename(retired, directory)
            raise
        shutil.rmtree(retired, ignore_errors=True)
    else:
        os.rename(replacement, directory)


def read_manifest(directory: str | Path) -> dict[str, Any]:
    """Read and check the manifest of a model directory.

    Raises
    ------
    ModelError
        If there is no model, or it was edited, or it needs another version of tagger.
    """
    directory = Path(directory)
    path = directory / MANIFEST
    if not directory.exists():
        raise ModelError(f"{directory}: no such model; name a directory that `tagger train` wrote")
    if not path.is_file():
        raise ModelError(
            f"{directory}: not a model ({MANIFEST} is missing); name a directory that `tagger train` wrote"
        )
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"{path}: not readable as JSON; restore the file or train the model again") from error
    if not isinstance(manifest, dict) or manifest.get("schema") != SCHEMA_VERSION:
        found = manifest.get("schema") if isinstance(manifest, dict) else None
        raise ModelError(f"{path}: schema {found}, but this tagger reads {SCHEMA_VERSION}; train the model again")
    if manifest.get("checksum") != _checksum(manifest):
        raise ModelError(f"{path}: was edited after training; restore the file or train the model again")
    if manifest.get("text") != TEXT_VERSION:
        found = manifest.get("text")
        raise ModelError(
            f"{path}: needs text definition {found}, this tagger has {TEXT_VERSION}; train the model again"
        )
    if odd := _odd_part(manifest):
        raise ModelError(f"{path}: {odd}; train the model again")
    return manifest


def _odd_part(manifest: dict[str, Any]) -> str | None:
    """What in a manifest is not as :func:`save` writes it; None if nothing is."""
    areas, about, files = manifest.get("areas"), manifest.get("about"), manifest.get("files")
    central = manifest.get("central")
    if not isinstance(areas, list) or not areas or not all(isinstance(area, str) and area for area in areas):
        return "areas are not a list of names"
    if len(set(areas)) != len(areas):
        return "an area is named twice"
    if not isinstance(central, list) or not all(area in areas for area in central):
        return "central is not a list of areas"
    if len(set(central)) != len(central):
        return "an area is central twice"
    if not isinstance(about, dict):
        return "about is not an object"
    if not isinstance(files, dict) or ARRAYS not in files:
        return f"files do not list {ARRAYS}"
    for name, file in files.items():
        if Path(name).name != name:
            return f"file {name!r} is not in the directory"
        if not isinstance(file, dict) or not file.keys() >= {"bytes", "sha256"}:
            return f"size and SHA-256 of {name} are missing"
    return None


def load(directory: str | Path) -> Model:
    """Load the model in `directory` after checking every file that it uses.

    Raises
    ------
    ModelError
        If the directory is missing, damaged, edited or made for another version.
    """
    directory = Path(directory)
    manifest = read_manifest(directory)
    for name, expected in manifest["files"].items():
        file = directory / name
        if not file.is_file():
            raise ModelError(f"{file}: missing; restore it or train the model again")
        size = file.stat().st_size
        if size != expected["bytes"]:
            raise ModelError(f"{file}: {size} bytes where {expected['bytes']} were written; restore it or train again")
        if _sha256(file) != expected["sha256"]:
            raise ModelError(f"{file}: changed after training (its SHA-256 differs); restore it or train again")
    try:
        with (directory / ARRAYS).open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        about = manifest["about"] | {"checksum": manifest["checksum"]}
        return from_arrays(arrays, tuple(manifest["areas"]), tuple(manifest["central"]), about)
    except Exception as error:  # whatever a damaged archive makes numpy or zipfile raise
        raise ModelError(f"{directory / ARRAYS}: not the arrays of a model ({error}); train the model again") from error


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _checksum(manifest: dict[str, Any]) -> str:
    covered = {key: value for key, value in manifest.items() if key != "checksum"}
    return hashlib.sha256(json.dumps(covered, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
