"""Parquet and Arrow files (IPC files and streams, Feather) as a stream of records, a batch of rows at a time."""

from __future__ import annotations

import io
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO

from tagger.errors import InputError
from tagger.formats.cells import is_text, values_of
from tagger.formats.extras import require
from tagger.formats.fields import Fields, NoListError
from tagger.formats.mapping import record_of_mapping
from tagger.formats.parquet_rows import write_parquet
from tagger.records import Record

__all__ = ["read_arrow", "read_parquet", "write_parquet"]

_BATCH_ROWS = 1024
_BUFFER_BYTES = 1 << 20
"""So much of each column is read at a time: a row group may be of any size, and is read whole by default."""

_FILE_MAGIC, _FILE_MAGIC_BYTES = b"ARROW1", 8
_FEATHER_1_MAGIC = b"FEA1"


def read_parquet(stream: BinaryIO, source: str, fields: Fields) -> Iterator[Record]:
    """Yield a record for each row of a Parquet file; a stream that cannot seek is copied to a temporary file first.

    Values are those that JSON can hold: dates and times are ISO 8601 strings.

    Raises
    ------
    NoListError
        If it has no column of text.
    InputError
        If it is no Parquet file. Where it is damaged further on, one more record has an error that says so, and is the
        last.
    MissingExtraError
        If pyarrow is not installed.
    """
    parquet = require("pyarrow.parquet", "reading Parquet")
    with _seekable(stream) as file:
        with _refusing(source, "a Parquet file"):
            opened = parquet.ParquetFile(file, pre_buffer=False, buffer_size=_BUFFER_BYTES)
            schema = opened.schema_arrow
        yield from _records(_parquet_batches(opened), schema, source, fields)


def _parquet_batches(opened: Any) -> Iterator[Any]:
    # Row group by row group, so that no batch has rows of a sound one and of a damaged one.
    for group in range(opened.num_row_groups):
        yield from opened.iter_batches(_BATCH_ROWS, row_groups=[group], use_threads=False)


def read_arrow(stream: BinaryIO, source: str, fields: Fields) -> Iterator[Record]:
    """Yield a record for each row of an Arrow IPC file (Feather is one) or an Arrow IPC stream.

    A batch of the file is read whole, so memory grows with the largest of them. Values and errors are those of
    :func:`read_parquet`. Of a file that breaks off, the batches before are read.
    """
    ipc = require("pyarrow.ipc", "reading Arrow")
    head = stream.read(_FILE_MAGIC_BYTES)
    if head.startswith(_FEATHER_1_MAGIC):
        raise InputError(f"{source}: is Feather of version 1, which is not read; write it again as version 2")
    if not head.startswith(_FILE_MAGIC):
        with _refusing(source, "an Arrow file or stream"):
            opened = ipc.open_stream(_Joined(head, stream))
        yield from _records(opened, opened.schema, source, fields)
        return
    with _seekable(stream, head) as file:
        try:
            opened = ipc.open_file(file)
        except _damage():
            # Without the table of contents at its end, a file is a stream after the first bytes.
            file.seek(_FILE_MAGIC_BYTES)
            with _refusing(source, "a whole Arrow file"):
                opened = ipc.open_stream(file)
            yield from _records(_breaking_off(opened), opened.schema, source, fields)
            return
        batches = (opened.get_batch(number) for number in range(opened.num_record_batches))
        yield from _records(batches, opened.schema, source, fields)


def _records(batches: Iterator[Any], schema: Any, source: str, fields: Fields) -> Iterator[Record]:
    with _refusing(source, "a file"):
        columns = _Columns(schema, source, fields)
    name = "stdin" if source == "standard input" else Path(source).name
    rows = columns.rows(batches)
    for number in count(1):
        position, default_id = f"row {number}", f"{name}:{number}"
        try:
            row = next(rows, None)
        except _damage() as error:
            reason = f"the file is damaged from {position} on ({_one_line(error)}); get it again"
            yield Record(default_id, error=reason, source=source, position=position)
            return
        if row is None:
            return
        yield record_of_mapping(row, default_id, source, position=position, fields=columns.fields)


class _Columns:
    """The columns of a file, and which of them hold abstract, id and title."""

    def __init__(self, schema: Any, source: str, fields: Fields) -> None:
        self._names = _distinct(schema.names)
        self.fields = Fields(
            _abstract_column(dict(zip(self._names, schema.types)), source, fields),
            fields.find_id(self._names),
            fields.find_title(self._names),
        )

    def rows(self, batches: Iterator[Any]) -> Iterator[dict[str, Any]]:
        """Each row of the batches as a mapping from name to value."""
        for batch in batches:
            for start in range(0, batch.num_rows, _BATCH_ROWS):
                part = batch.slice(start, _BATCH_ROWS)
                values = {name: values_of(column) for name, column in zip(self._names, part.columns)}
                if self.fields.id:
                    values[self.fields.id] = [_whole_number(value) for value in values[self.fields.id]]
                for row in zip(*values.values()):
                    yield dict(zip(self._names, row))


def _distinct(names: Sequence[str]) -> list[str]:
    """`names`, of which Arrow allows the same twice, with something after those that came before."""
    distinct: dict[str, None] = {}
    for name in names:
        while name in distinct:
            name += "_"
        distinct[name] = None
    return list(distinct)


def _abstract_column(types: dict[str, Any], source: str, fields: Fields) -> str:
    texts = [name for name, type_ in types.items() if is_text(type_)]
    empty = [name for name, type_ in types.items() if str(type_) == "null"]
    found = fields.find_abstract(texts) or fields.find_abstract(empty)
    if found:
        return found
    other = fields.find_abstract(types)
    if other:
        raise NoListError(f"{source}: column {other!r} holds {types[other]}, not text; name another with --text-field")
    shown = ", ".join(name[:40] for name in list(types)[:8]) or "nothing"
    wanted = f"column {fields.abstract!r}" if fields.abstract else "text column"
    raise NoListError(f"{source}: no {wanted} among {shown}; name the column with --text-field")


def _whole_number(value: Any) -> Any:
    """`value`, as an integer if it is a float that is one: pandas makes a column of numbers float if one is missing."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _damage() -> tuple[type[Exception], ...]:
    """What pyarrow raises for bytes that are not what they should be."""
    return (require("pyarrow", "reading Arrow").ArrowException, OSError, ValueError, EOFError, MemoryError)


@contextmanager
def _refusing(source: str, kind: str) -> Iterator[None]:
    try:
        yield
    except _damage() as error:
        raise InputError(f"{source}: is not {kind} that can be read ({_one_line(error)}); get it again") from error


def _one_line(error: Exception) -> str:
    text = " ".join(str(error).split()).rstrip(".")
    return text[:150] or type(error).__name__


def _breaking_off(batches: Iterator[Any]) -> Iterator[Any]:
    yield from batches
    raise EOFError("it breaks off")


@contextmanager
def _seekable(stream: BinaryIO, head: bytes = b"") -> Iterator[BinaryIO]:
    """A stream that can seek, with the bytes of `stream` after `head`, which was read from it."""
    if stream.seekable():
        stream.seek(-len(head), io.SEEK_CUR)
        yield stream
        return
    with tempfile.TemporaryFile() as spooled:
        spooled.write(head)
        shutil.copyfileobj(stream, spooled)
        spooled.seek(0)
        yield spooled


class _Joined(io.RawIOBase):
    """`head`, and then what is left of `stream`."""

    def __init__(self, head: bytes, stream: BinaryIO) -> None:
        self._head = head
        self._stream = stream

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if not self._head:
            return self._stream.read(size)
        taken = len(self._head) if size < 0 else min(size, len(self._head))
        head, self._head = self._head[:taken], self._head[taken:]
        return head + (self._stream.read(size - taken if size >= 0 else -1) if taken != size else b"")
