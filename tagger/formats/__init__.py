"""Lists of abstracts in files: one module a format, each ``read(stream, source, fields) -> records``.

:func:`read_records` is the way in and :func:`tagger.formats.output.open_writer` the way out.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import BinaryIO, TextIO

from tagger.errors import InputError
from tagger.formats import delimited, jsonl, paragraphs
from tagger.formats.fields import Fields
from tagger.records import Record

Reader = Callable[[TextIO, str, Fields], Iterator[Record]]

READERS: dict[str, Reader] = {
    "text": paragraphs.read,
    "jsonl": jsonl.read,
    "csv": delimited.read_csv,
    "tsv": delimited.read_tsv,
}

_SUFFIXES = {
    ".txt": "text",
    ".md": "text",
    ".text": "text",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
}

_FOREIGN = {
    b"%PDF": "a PDF",
    b"PK\x03\x04": "a ZIP archive or an Office document",
    b"\x1f\x8b": "gzip-compressed",
    b"PAR1": "a Parquet file",
    b"\x89PNG": "a picture",
}

_FOREIGN_SUFFIXES = {
    ".bib": "BibTeX",
    ".ris": "RIS",
    ".xml": "XML",
    ".html": "HTML",
    ".parquet": "Parquet",
    ".bz2": "bzip2-compressed",
    ".xz": "xz-compressed",
    ".zst": "Zstandard-compressed",
}

_JSON_OBJECT = re.compile(r"\s*\{\s*[\"}]")
"""How a JSON object begins; an abstract may begin with a brace too, as in ``{\\em Reasoning} models``."""

_BYTE_ORDER_MARKS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"\xef\xbb\xbf": "utf-8-sig"}


def read_records(path: str, format: str | None = None, fields: Fields = Fields()) -> Iterator[Record]:
    """Read the abstracts of a file.

    Parameters
    ----------
    path : str
        A file, or ``-`` for standard input.
    format : str, optional
        A key of :data:`READERS`; found from the file's content and name if None.
    fields : Fields
        Names of the fields that hold the abstract, the id and the title.

    Returns
    -------
    iterator of Record
        In the order of the file. The first record has been read when this returns.

    Raises
    ------
    InputError
        If the file cannot be opened, is not in a known format or holds no abstract. What is wrong with one record
        is an ``error`` of that record.
    """
    source = "standard input" if path == "-" else path
    records = _records(path, source, format, fields)
    first = next(records, None)
    if first is None:
        raise InputError(f"{source}: holds no abstracts; give a file with at least one")
    return chain([first], records)


def _records(path: str, source: str, format: str | None, fields: Fields) -> Iterator[Record]:
    with _open(path, source) as binary:
        head = binary.peek(4096)[:4096]
        encoding = next((name for mark, name in _BYTE_ORDER_MARKS.items() if head.startswith(mark)), "utf-8")
        if format is None:
            format = _detect(head, encoding, source)
        stream = io.TextIOWrapper(binary, encoding=encoding, errors="replace", newline="")
        yield from READERS[format](stream, source, fields)


@contextmanager
def _open(path: str, source: str) -> Iterator[io.BufferedReader]:
    if path == "-":
        if sys.stdin is None:
            raise InputError(f"{source}: is closed; name a file, or send one through a pipe")
        yield io.BufferedReader(sys.stdin.buffer.raw if hasattr(sys.stdin.buffer, "raw") else _Raw(sys.stdin.buffer))
        return
    if Path(path).is_dir():
        raise InputError(f"{source}: is a directory; name the files in it")
    try:
        file = Path(path).open("rb")  # noqa: SIM115 - closed below
    except FileNotFoundError:
        raise InputError(f"{source}: no such file; check the name") from None
    except OSError as error:
        raise InputError(f"{source}: cannot be read ({error.strerror}); check the file") from error
    with file:
        yield file


class _Raw(io.RawIOBase):
    """A binary stream without a raw layer, such as a test gives for standard input."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def _detect(head: bytes, encoding: str, source: str) -> str:
    """The format of a file that begins with `head`: by content where that tells, else by name."""
    foreign = next((kind for magic, kind in _FOREIGN.items() if head.startswith(magic)), None)
    if foreign is None and encoding != "utf-16" and b"\0" in head:
        foreign = "binary"
    suffix = Path(source).suffix.lower()
    foreign = foreign or _FOREIGN_SUFFIXES.get(suffix)
    if foreign:
        known = ", ".join(READERS)
        raise InputError(f"{source}: unknown format ({foreign}); give one of {known}, or name it with --from")
    text = head.decode(encoding, "replace")
    if _JSON_OBJECT.match(text):
        return "jsonl"
    by_name = _SUFFIXES.get(suffix)
    if by_name:
        return by_name
    return delimited.detect(text) or "text"
