"""CSV and TSV with a header line; cells may span lines (RFC 4180)."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from tagger.errors import InputError
from tagger.formats.fields import Fields
from tagger.formats.jsonl import record_of_mapping
from tagger.records import Record

_DELIMITERS = ",;\t|"


def read_csv(stream: TextIO, source: str, fields: Fields) -> Iterator[Record]:
    """Yield a record for each row of a CSV file, whose delimiter is found from its header line."""
    yield from _read(stream, source, fields, None)


def read_tsv(stream: TextIO, source: str, fields: Fields) -> Iterator[Record]:
    """Yield a record for each row of a TSV file."""
    yield from _read(stream, source, fields, "\t")


def detect(head: str) -> str | None:
    """``csv`` or ``tsv`` if `head` begins with a header line that names an abstract, else None."""
    lines = head.splitlines()
    if not lines:
        return None
    delimiter = delimiter_of(lines[0])
    names = next(csv.reader([lines[0]], delimiter=delimiter), [])
    if len(names) > 1 and Fields().find_abstract(names):
        return "tsv" if delimiter == "\t" else "csv"
    return None


def _read(stream: TextIO, source: str, fields: Fields, delimiter: str | None) -> Iterator[Record]:
    csv.field_size_limit(sys.maxsize)
    header = stream.readline()
    while header and not header.strip():
        header = stream.readline()
    if not header:
        return
    delimiter = delimiter or delimiter_of(header)
    names = next(csv.reader([header], delimiter=delimiter))
    if fields.find_abstract(names) is None:
        shown = ", ".join(name[:40] for name in names[:8])
        wanted = f"column {fields.abstract!r}" if fields.abstract else "text column"
        raise InputError(f"{source}: no {wanted} among {shown}; name the column with --text-field")
    rows = csv.reader(stream, delimiter=delimiter)
    name = "stdin" if source == "standard input" else Path(source).name
    number = 0
    while True:
        try:
            row = next(rows, None)
        except csv.Error as error:
            number += 1
            yield Record(f"{name}:{number}", error=f"line {rows.line_num + 1}: not CSV ({error})", source=source)
            continue
        if row is None:
            return
        if not row:
            continue
        number += 1
        yield _record(names, row, f"{name}:{number}", source, f"row {number}", fields)


def _record(names: list[str], row: list[str], default_id: str, source: str, position: str, fields: Fields) -> Record:
    if len(row) > len(names) and any(row[len(names) :]):
        error = f"{len(row)} cells where the header has {len(names)}; quote cells that hold the delimiter"
        return Record(default_id, error=error, source=source, position=position)
    return record_of_mapping(dict(zip(names, row)), default_id, source, position, fields)


def delimiter_of(header: str) -> str:
    """The delimiter of a file that begins with the line `header`: the one that occurs most often in it."""
    return max(_DELIMITERS, key=header.count)
