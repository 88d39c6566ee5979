"""Answers of services, kept on disk so that nobody is asked twice for the same thing."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import time
import zlib
from pathlib import Path

DAY = 24 * 3600.0
LONGEST = 30 * DAY
"""Seconds after which an answer is removed."""

_MAGIC = b"tagger answer 1\n"


def cache_directory() -> Path:
    """Where the platform wants caches to be: ``TAGGER_CACHE`` if set, else a folder of the user's cache directory."""
    if chosen := os.environ.get("TAGGER_CACHE"):
        return Path(chosen)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "area-tagger"


class Cache:
    """Bodies of answers by the key of what was asked: a file each, written whole or not at all."""

    def __init__(self, directory: Path) -> None:
        """Use `directory`, which is made when the first answer is kept; answers past their time are removed."""
        self._directory = directory
        for path in directory.glob("??/*"):
            try:
                if time.time() - path.stat().st_mtime > LONGEST:
                    path.unlink()
            except OSError:
                continue  # another process removed it, or does not let us

    def get(self, key: str, age: float) -> bytes | None:
        """The answer to `key`; None if there is none, it is older than `age` seconds, or the file is damaged."""
        path = self._path(key)
        try:
            if not -60 < time.time() - path.stat().st_mtime < age:
                return None  # too old, or from a clock that was ahead
            content = path.read_bytes()
            start = _start(key)
            return zlib.decompress(content[len(start) :]) if content.startswith(start) else None
        except (OSError, zlib.error):
            return None

    def put(self, key: str, body: bytes) -> None:
        """Keep `body`.

        Raises
        ------
        OSError
            If it cannot be written.
        """
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, temporary = tempfile.mkstemp(dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_start(key) + zlib.compress(body))
            os.replace(temporary, path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise

    def _path(self, key: str) -> Path:
        name = hashlib.sha256(key.encode()).hexdigest()
        return self._directory / name[:2] / name[2:]


def _start(key: str) -> bytes:
    return _MAGIC + key.encode() + b"\n"
