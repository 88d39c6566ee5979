"""A path, a directory, a pattern or standard input -> named files, and their bytes, decompressed, in chunks."""

from __future__ import annotations

import glob
import io
import os
import stat
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO

from tagger.errors import InputError
from tagger.formats.chunks import Chunks, ChunkStream
from tagger.formats.compression import decompressed, is_compressed
from tagger.partfile import is_leftover

STANDARD_INPUT = "standard input"
"""Name of the source that a lone ``-`` stands for."""
_CHUNK_BYTES = 2**16
_SPOOLED_BYTES = 2**24
"""A stream that must be seekable and is not is kept in memory up to this size, then in a temporary file."""


@dataclass(slots=True)
class Bytes:
    """How far the reading has come, counted in bytes of the files as they are, compressed or not."""

    total: int | None = None
    """Bytes of all files; None if one is a pipe, whose size nobody knows."""
    read: int = 0
    """Bytes read so far."""


@dataclass(frozen=True, slots=True)
class Source:
    """One file to read."""

    path: str
    """Where it is; ``-`` for standard input."""
    name: str
    """What messages and records call it."""
    named: bool = True
    """Whether a person named this very file, and not a directory or a pattern that it was found by."""
    size: int | None = None
    """Bytes of a regular file; None for a pipe or a device, which can be read once only."""


def default_id_prefix(source: str) -> str:
    """What the ids of records that have none begin with: the name of the file."""
    return "stdin" if source == STANDARD_INPUT else os.path.basename(source)


def find(paths: Sequence[str]) -> list[Source]:
    """The files that `paths` stand for, in order.

    A directory stands for the files in it and in its directories, sorted, without hidden ones and without links to
    directories; a pattern (``*``, ``?``, ``[...]``, ``**``) that is no file's name for what it matches, sorted; ``-``
    for standard input. What an interrupted run left beside its output is passed over, but where a pattern asks for it.

    Raises
    ------
    InputError
        If a file is missing, or a directory or a pattern stands for none.
    """
    found: list[Source] = []
    for path in paths:
        if path == "-":
            if any(source.path == "-" for source in found):
                raise InputError(f"{STANDARD_INPUT}: named twice; it can be read once")
            found.append(Source("-", STANDARD_INPUT, size=_size_of_standard_input()))
        elif os.path.isdir(path):
            inside = _inside(path)
            if not inside:
                raise InputError(f"{path}: is a directory without files; name one with lists of abstracts")
            found += inside
        elif glob.has_magic(path) and not os.path.lexists(path):
            found += _matching(path)
        else:
            found.append(_named(path))
    return found


def _named(path: str) -> Source:
    try:
        state = os.stat(path)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; check the name") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read ({getattr(error, 'strerror', error)}); check the file") from error
    return Source(path, path, size=state.st_size if stat.S_ISREG(state.st_mode) else None)


def _matching(pattern: str) -> list[Source]:
    matches = sorted(glob.glob(pattern, recursive=True))
    # `**` has been into the directories already.
    directories = [] if "**" in pattern else [path for path in matches if os.path.isdir(path)]
    leftovers = is_leftover(pattern)
    files = [_found(path) for path in matches if not os.path.isdir(path) and (leftovers or not is_leftover(path))]
    found = files + [source for path in directories for source in _inside(path)]
    if not found:
        raise InputError(f"{pattern}: no file has a name like this; check the pattern")
    return sorted(found, key=_order)


def _inside(directory: str) -> list[Source]:
    found: list[Source] = []

    def unreadable(error: OSError) -> None:
        found.append(Source(str(error.filename), str(error.filename), named=False))

    for parent, directories, files in os.walk(directory, onerror=unreadable):
        directories[:] = [name for name in directories if not name.startswith(".")]
        paths = [os.path.join(parent, name) for name in files if not name.startswith(".")]
        found += [_found(path) for path in paths if not is_leftover(path)]
    return sorted(found, key=_order)


def _found(path: str) -> Source:
    try:
        state = os.stat(path)
    except OSError:  # it is asked for all the same, and then the error is that of its record
        return Source(path, path, named=False)
    return Source(path, path, named=False, size=state.st_size if stat.S_ISREG(state.st_mode) else None)


def _order(source: Source) -> list[str]:
    return source.path.split(os.sep)


def _size_of_standard_input() -> int | None:
    try:
        state = os.fstat(sys.stdin.fileno())
    except (AttributeError, OSError, ValueError):  # closed, or a stream without a file
        return None
    return state.st_size if stat.S_ISREG(state.st_mode) else None


def total_bytes(sources: Sequence[Source]) -> int | None:
    """Bytes of all `sources`; None if one of them has no size."""
    sizes = [source.size for source in sources]
    return sum(size for size in sizes if size is not None) if None not in sizes else None


class Content:
    """The bytes of an open file, decompressed; they can be taken once, as chunks or as a stream."""

    def __init__(self, raw: io.RawIOBase, seekable: bool) -> None:
        packed = Chunks(_chunks(raw))
        self._raw = raw if seekable and not is_compressed(packed) else None
        self.chunks = Chunks(decompressed(packed))
        """The bytes."""
        self.is_empty = not self.chunks.head(1)
        if self.is_empty and self.chunks.failure is not None:
            raise self.chunks.failure

    def stream(self) -> BinaryIO:
        """The bytes as a stream that gives them as they come; where they end early, it raises the failure."""
        return ChunkStream(self.chunks, self.chunks)  # type: ignore[return-value]  # a binary stream in all but name

    @contextmanager
    def seekable(self) -> Iterator[BinaryIO]:
        """The bytes as a stream that can be searched, for formats whose table of contents is at their end.

        Bytes that end early are all that the stream has; that they do is the failure of `chunks`.
        """
        if self._raw is not None:
            self._raw.seek(0)
            yield io.BufferedReader(self._raw)
            return
        with tempfile.SpooledTemporaryFile(_SPOOLED_BYTES) as spooled:
            for chunk in self.chunks:
                spooled.write(chunk)
            spooled.seek(0)
            yield spooled  # type: ignore[misc]  # its class is a binary stream in all but name


@contextmanager
def open_source(source: Source, progress: Bytes) -> Iterator[Content]:
    """Open a file; what is read of it is added to `progress`.

    Raises
    ------
    InputError
        If standard input is closed.
    DamagedError
        If it is compressed and damaged at its very beginning.
    MissingExtraError
        If it is compressed in a way that needs a library that is not installed.
    OSError
        If it cannot be opened or read.
    """
    if source.path == "-":
        if sys.stdin is None:
            raise InputError(f"{STANDARD_INPUT}: is closed; name a file, or send one through a pipe")
        buffer = sys.stdin.buffer
        yield Content(_Counted(getattr(buffer, "raw", buffer), progress, source.size), seekable=False)
        return
    with open(source.path, "rb", buffering=0) as file:
        counted = _Counted(file, progress, source.size)
        try:
            yield Content(counted, seekable=source.size is not None)
        finally:
            counted.count_rest()


class _Counted(io.RawIOBase):
    """A binary stream that counts what is read of it; also one without a raw layer, as a test gives."""

    def __init__(self, stream: io.RawIOBase | BinaryIO, progress: Bytes, most: int | None = None) -> None:
        self._stream = stream
        self._progress = progress
        self._left = most

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._stream.seekable()

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._stream.read(len(buffer)) or b""
        buffer[: len(data)] = data
        counted = len(data)
        if self._left is not None:  # what is read again, after a seek, is not counted twice
            counted = min(counted, self._left)
            self._left -= counted
        self._progress.read += counted
        return len(data)

    def count_rest(self) -> None:
        """Count what is not going to be read."""
        self._progress.read += self._left or 0
        self._left = 0

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        return self._stream.tell()


def _chunks(raw: io.RawIOBase) -> Iterator[bytes]:
    while chunk := raw.read(_CHUNK_BYTES):
        yield chunk
