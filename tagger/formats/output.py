"""The way out: which format a file's name stands for, and the writer of a format."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from tagger.errors import InputError
from tagger.formats import csv_rows, rows
from tagger.formats.layout import Layout, Writer
from tagger.formats.registry import FORMATS
from tagger.records import Record

WRITABLE = tuple(name for name, format_ in FORMATS.items() if format_.writer)
"""Names of the formats that can be written."""
PEEKED = 1000
"""Records whose fields become columns of their own."""
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
    name = Path(path)
    suffix = (name.with_suffix("") if name.suffix.lower() in COMPRESSED else name).suffix.lower()
    if suffix[1:] in WRITABLE:
        return suffix[1:]
    known = {ending: format_ for format_ in reversed(WRITABLE) for ending in FORMATS[format_].suffixes}
    if suffix not in known:
        endings = ", ".join(reversed(known))
        raise InputError(
            f"{path}: unknown output format {suffix!r}; end the name in one of {endings}, or give --format"
        )
    return known[suffix]


def is_made_at_the_end(format_: str) -> bool:
    """Whether a file of this format cannot grow: it is made from JSON Lines when those are complete."""
    return format_ == "parquet"


def open_writer(format_: str, stream: TextIO, layout: Layout) -> Writer:
    """The writer of a format; of one that is made at the end, the writer of the JSON Lines that it is made from."""
    name = FORMATS["jsonl" if is_made_at_the_end(format_) else format_].writer
    assert name is not None
    writer: Writer = _loaded(name)(stream, layout)
    return writer


def maker_of(format_: str, layout: Layout) -> Callable[[Path, Path], None] | None:
    """What makes a file from JSON Lines, for a format that is made at the end; None for the others."""
    name = FORMATS[format_].writer
    if not is_made_at_the_end(format_) or name is None:
        return None
    write_rows = _loaded(name)

    def make(lines: Path, whole: Path) -> None:
        with lines.open(encoding="utf-8", newline="\n") as file:
            write_rows((without_half_characters(json.loads(line)) for line in file), whole, layout)

    return make


def without_half_characters(value: Any) -> Any:
    """`value` with a question mark for each half of a surrogate pair, which only JSON can hold."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {without_half_characters(name): without_half_characters(part) for name, part in value.items()}
    if isinstance(value, list):
        return [without_half_characters(part) for part in value]
    return value


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
    is_delimited = format_ in ("csv", "tsv")
    reserved = [*csv_rows.columns_of(layout), rows.OTHER] if is_delimited else [*rows.names_of(layout), rows.OTHER]
    return replace(layout, kept=rows.kept_names(first, layout, reserved), more=more)


def _loaded(name: str) -> Any:
    module, _, attribute = name.partition(":")
    return getattr(importlib.import_module(module), attribute)
