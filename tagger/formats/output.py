"""The way out: which format a file's name stands for, and the writer of a format."""

from __future__ import annotations

import importlib
import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from tagger.errors import InputError
from tagger.formats import csv_rows, results
from tagger.formats.layout import Layout, Writer
from tagger.formats.registry import FORMATS
from tagger.records import Record

WRITABLE = tuple(name for name, format_ in FORMATS.items() if format_.writer)
"""Names of the formats that can be written."""
PEEKED = 1000
"""Records whose fields become columns of their own."""
WITH_COLUMNS = ("csv", "tsv", "parquet")
"""Formats that must know the fields before the first record is written."""
WITHOUT_FIELDS = ("table", "markdown")
"""Formats that have no room for the fields of the input."""
COMPRESSED = (".gz", ".bz2", ".xz", ".zst")


def format_of_file(path: str) -> str:
    """The output format that a file's name stands for; an ending that says how it is compressed is passed over.

    Raises
    ------
    InputError
        If it stands for none.
    """
    name = Path(path).name.lower()
    for suffix in COMPRESSED:
        name = name.removesuffix(suffix)
    # `.csl.json` comes before `.json`, and a format before those that have its name as another ending.
    endings = {ending: format_ for format_ in reversed(WRITABLE) for ending in FORMATS[format_].suffixes}
    endings |= {f".{format_}": format_ for format_ in WRITABLE if f".{format_}" in endings}
    for ending in sorted(endings, key=len, reverse=True):
        if name.endswith(ending) and name != ending:
            return endings[ending]
    known = ", ".join(reversed(endings))
    raise InputError(f"{path}: unknown output format; end the name in one of {known}, or give --format")


def is_made_at_the_end(format_: str) -> bool:
    """Whether a file of this format cannot grow: a function makes it from JSON Lines when those are complete."""
    return (FORMATS[format_].writer or "").partition(":")[2][:1].islower()


def open_writer(format_: str, stream: TextIO, layout: Layout) -> Writer:
    """The writer of a format; of one that is made at the end, the writer of the JSON Lines that it is made from."""
    name = FORMATS["jsonl" if is_made_at_the_end(format_) else format_].writer
    assert name is not None
    writer: Writer = _loaded(name)(stream, layout)
    return writer


def maker_of(format_: str, layout: Layout) -> Callable[[Path, Path], None] | None:
    """What makes a file from JSON Lines, for a format that is made at the end; None for the others.

    Raises
    ------
    MissingExtraError
        If a library that it takes is not installed.
    """
    if not is_made_at_the_end(format_):
        return None
    write_rows = _loaded(FORMATS[format_].writer or "")
    write_rows((), io.BytesIO(), layout)  # what is amiss is better known before a long run than after it
    return lambda lines, whole: write_rows(_Rows(lines), whole, layout)


class _Rows:
    """The rows of a file of JSON Lines, which can be gone through more than once."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __iter__(self) -> Iterator[dict[str, Any]]:
        with self._path.open(encoding="utf-8", newline="\n") as lines:
            yield from map(json.loads, lines)


def with_columns(format_: str, layout: Layout, first: Sequence[Record], more: bool) -> Layout:
    """`layout` with the names under which the fields of the `first` records are kept.

    Parameters
    ----------
    format_ : str
        Name of a format; the columns of CSV and TSV have other names than the fields of JSON Lines.
    layout : Layout
        What else there is to write.
    first : sequence of Record
        The records that decide.
    more : bool
        Whether there are others after these.
    """
    if format_ in ("csv", "tsv"):
        reserved = (*csv_rows.columns_of(layout), results.OTHER)
    else:
        reserved = results.names_of(layout)
    return replace(layout, kept=results.kept_names(first, layout, reserved), more=more)


def _loaded(name: str) -> Any:
    module, _, attribute = name.partition(":")
    return getattr(importlib.import_module(module), attribute)
