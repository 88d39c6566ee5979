"""Compressed bytes -> bytes: gzip, bzip2, xz and Zstandard, known by their first bytes, in any number of members."""

from __future__ import annotations

import bz2
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from tagger.formats.chunks import Chunks, DamagedError
from tagger.formats.extras import require

_MAGIC_BYTES = 10
"""Bytes that tell how a file is compressed."""
_MEMBER_BYTES = 6
"""Bytes that tell another member; every member is longer."""
_CHUNK_BYTES = 2**16
"""Least number of bytes that are passed on at once, if there are so many."""
_PIECE_BYTES = 2**10
"""Compressed bytes that are worked on at once: so many may be lost before a damage, and they bound the memory that a
file which expands a thousandfold takes."""


class _Decompressor(Protocol):
    """What the libraries' decompressors of one member have in common."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class _Codec:
    title: str
    magic: re.Pattern[bytes]
    """How a file begins."""
    member: re.Pattern[bytes]
    """How another member begins; here it need not be told from text."""
    start: Callable[[], _Decompressor]
    """A decompressor for one member."""


def _zstandard() -> _Decompressor:
    # Archives of papers are packed with windows of up to 2 GB, which must be allowed.
    decompressor: Any
    try:
        from compression import zstd  # type: ignore[import-not-found, unused-ignore]  # from Python 3.14 on
    except ImportError:
        library = require("zstandard", "reading Zstandard-compressed files")
        decompressor = library.ZstdDecompressor(max_window_size=2**31).decompressobj()
    else:
        decompressor = zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: 31})
    return decompressor  # type: ignore[no-any-return]


def _codec(title: str, magic: bytes, start: Callable[[], _Decompressor], member: bytes | None = None) -> _Codec:
    return _Codec(title, re.compile(magic, re.DOTALL), re.compile(member or magic, re.DOTALL), start)


_CODECS = (
    _codec("gzip", rb"\x1f\x8b\x08", lambda: zlib.decompressobj(wbits=31)),
    _codec("bzip2", rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)", bz2.BZ2Decompressor, rb"BZh[1-9]"),
    _codec("xz", rb"\xfd7zXZ\0", lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ)),
    _codec("Zstandard", rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18", _zstandard),
)


def is_compressed(chunks: Chunks) -> bool:
    """Whether `chunks`, none of which is taken, are compressed in a way that is known."""
    return _codec_of(chunks) is not None


def decompressed(chunks: Chunks) -> Iterator[bytes]:
    """The bytes that `chunks` of a file hold: decompressed if they are compressed, else as they are.

    Raises
    ------
    DamagedError
        Where the compressed data are damaged or end too early, after all that could be read before.
    MissingExtraError
        If the library that it takes is not installed.
    """
    codec = _codec_of(chunks)
    return _as_they_are(chunks) if codec is None else _members(chunks, codec)


def _codec_of(chunks: Chunks) -> _Codec | None:
    head = chunks.head(_MAGIC_BYTES)
    return next((codec for codec in _CODECS if codec.magic.match(head)), None)


def _as_they_are(chunks: Chunks) -> Iterator[bytes]:
    yield from chunks
    if chunks.failure is not None:
        raise chunks.failure


def _members(chunks: Chunks, codec: _Codec) -> Iterator[bytes]:
    decompressor: _Decompressor | None = codec.start()
    between = b""
    """Bytes after the end of a member that do not yet tell what follows it."""
    done: list[bytes] = []
    for chunk in chunks:
        for start in range(0, len(chunk), _PIECE_BYTES):
            piece = between + chunk[start : start + _PIECE_BYTES]
            between = b""
            while piece:
                if decompressor is None:
                    piece = piece.lstrip(b"\0")  # some programs fill up the last block
                    if len(piece) < _MEMBER_BYTES:
                        between = piece
                        break
                    if not codec.member.match(piece):
                        yield b"".join(done)
                        raise DamagedError(f"after the {codec.title}-compressed data come others; get the file again")
                    decompressor = codec.start()
                try:
                    done.append(decompressor.decompress(piece))
                except Exception as error:  # each library has errors of its own
                    yield b"".join(done)
                    raise _damaged(codec, str(error)) from error
                piece = b""
                if decompressor.eof:
                    piece, decompressor = decompressor.unused_data, None
            if sum(map(len, done)) >= _CHUNK_BYTES:
                yield b"".join(done)
                done.clear()
        yield b"".join(done)
        done.clear()
    if chunks.failure is not None:
        raise chunks.failure
    if decompressor is not None or between:
        raise _damaged(codec, "they end too early")


def _damaged(codec: _Codec, why: str) -> DamagedError:
    return DamagedError(f"the {codec.title}-compressed data are damaged from here on ({why}); get the file again")
