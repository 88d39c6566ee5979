"""The bytes of a file in chunks: looked ahead into, and as a stream; what ends them early waits until they are used."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TextIO

from tagger.errors import InputError


class DamagedError(InputError):
    """A file that cannot be read from some place on; what was read before is sound."""


class Chunks(Iterator[bytes]):
    """Chunks of bytes. An error among them is their end; it is kept, for what came before is of use."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self.failure: DamagedError | OSError | None = None
        """Why the chunks ended where they did; None if that is the end of the file, or not yet reached."""

    def __next__(self) -> bytes:
        try:
            return next(self._chunks)
        except (DamagedError, OSError) as error:
            self.failure = error
            raise StopIteration from None

    def head(self, size: int) -> bytes:
        """The next `size` bytes, or all there are, which stay among the chunks."""
        chunks: list[bytes] = []
        missing = size
        while missing > 0 and (chunk := next(self, None)) is not None:
            chunks.append(chunk)
            missing -= len(chunk)
        head = b"".join(chunks)
        self._chunks = chain([head], self._chunks) if head else self._chunks
        return head[:size]


class ChunkStream(io.RawIOBase):
    """Chunks as a stream. Where they ended early it ends once, as a file does, and then raises their failure.

    So what a buffer above it holds is delivered before the error comes.
    """

    def __init__(self, chunks: Iterator[bytes], origin: Chunks) -> None:
        """`chunks` are made from `origin`, whose failure is theirs."""
        self._chunks = chunks
        self._origin = origin
        self._rest = memoryview(b"")
        self._ended = False

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill `buffer` as far as one chunk does; gives the number of bytes."""
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                if self._ended and self._origin.failure is not None:
                    raise self._origin.failure
                self._ended = True
                return 0
            self._rest = memoryview(chunk)
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size


def failure_of(stream: TextIO) -> DamagedError | OSError | None:
    """Why a stream that has come to its end ended there; None if that is the end of the file."""
    try:
        stream.read(1)  # a :class:`ChunkStream` ends before it fails
    except (DamagedError, OSError) as error:
        return error
    return None


class TextLines:
    """The lines of a stream, up to where it can be read."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.failure: DamagedError | OSError | None = None
        """After the last line: why there are no more, if that is not the end of the file; that line may be cut."""

    def __iter__(self) -> Iterator[str]:
        try:
            yield from self._stream
        except (DamagedError, OSError) as error:
            self.failure = error
        else:
            self.failure = failure_of(self._stream)
