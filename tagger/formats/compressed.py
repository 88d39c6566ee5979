"""Compressed output, in members that can each be read alone: a file that ends after any of them is whole."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from tagger.formats.extras import require


class Compressor(Protocol):
    """What the compressors of the standard library and of zstandard have in common."""

    def compress(self, data: bytes, /) -> bytes:
        """Take `data`, and give what can be written by now."""

    def flush(self) -> bytes:
        """The rest."""


class Members:
    """Compresses what it is given, member after member; the same members give the same bytes at any time."""

    def __init__(self, new: Callable[[], Compressor]) -> None:
        self._new = new
        self._member: Compressor | None = None

    def compress(self, data: bytes) -> bytes:
        """Take `data`, and give what can be written by now."""
        self._member = self._member or self._new()
        return self._member.compress(data)

    def end(self) -> bytes:
        """The rest of the member that has begun; nothing if none has."""
        rest = self._member.flush() if self._member else b""
        self._member = None
        return rest


def members_for(path: Path) -> Members | None:
    """How a file is compressed, by its name: ``.gz``, ``.bz2``, ``.xz``, ``.zst``; None if it is not.

    Raises
    ------
    MissingExtraError
        If a library that it takes is not installed.
    """
    suffix = path.suffix.lower()
    if suffix == ".zst":
        zstandard = require("zstandard", "writing Zstandard-compressed files")
        return Members(lambda: zstandard.ZstdCompressor().compressobj())
    # 31: with the header of gzip, in which zlib writes no time.
    known: dict[str, Callable[[], Compressor]] = {
        ".gz": lambda: zlib.compressobj(6, zlib.DEFLATED, 31),
        ".bz2": bz2.BZ2Compressor,
        ".xz": lzma.LZMACompressor,
    }
    return Members(known[suffix]) if suffix in known else None
