"""Rows of a run as a Parquet file: a column for each thing that is said of a record."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from tagger.formats.extras import require
from tagger.formats.kinds import MIXED, Kind, arrow_type, as_json, joined, kind_of
from tagger.formats.layout import Layout

Row = Mapping[str, Any]

_GROUP_ROWS = 1 << 13
_GROUP_CHARACTERS = 1 << 25
_MOST_FIELDS = 1000
OTHER = "other"
"""Column with an object, as JSON, of the fields beyond the first thousand."""

_LISTS = ("areas", "central", "unsure", "marks")
_ORIGIN = ("error", "source", "position", "model")
_UNTAGGED = ("id", "title", "abstract", "error")
_NESTED = ("probabilities", "central_probabilities")


def write_parquet(rows: Iterable[Row], path: str | Path | BinaryIO, layout: Layout) -> None:
    """Write the rows of a run to a Parquet file, a group of them at a time.

    With tags the columns are `id`, `title`; `areas`, `central`, `unsure` and `marks`, lists of strings; for each area
    one of its name with its probability, and for those that can be central ``AREA_central``, float32; `error`,
    `source`, `position` and `model`. Without tags: `id`, `title`, `abstract` and `error`. Whatever else rows hold
    follows, each field with the type of its values, or as JSON text if they are of several. An area of the name of
    another column is ``area_NAME``, a field ``input_NAME``.

    Parameters
    ----------
    rows : iterable of mappings
        As JSON Lines hold them. What is missing is null. They are gone through twice; an
        iterator, which cannot be, is copied to a temporary file.
    path : str, Path or binary stream
        Where to write. The file is not whole before this returns.
    layout : Layout
        The areas of the model, and the fields that are kept, which come first among those that rows hold.

    Raises
    ------
    MissingExtraError
        If pyarrow is not installed.
    """
    arrow = require("pyarrow", "writing Parquet")
    parquet = require("pyarrow.parquet", "writing Parquet")
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="surrogatepass") as spool:
        again = _Spool(rows, spool) if iter(rows) is rows else rows
        columns = _columns(arrow, again, layout)
        schema = arrow.schema([(column.name, column.type) for column in columns])
        with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
            for group in _groups(again):
                arrays = [_array(arrow, [column.value(row) for row in group], column.type) for column in columns]
                writer.write_table(arrow.Table.from_arrays(arrays, schema=schema), row_group_size=len(group))


@dataclass(frozen=True, slots=True)
class _Column:
    name: str
    type: Any
    value: Callable[[Row], Any]


class _Spool:
    """Rows that were only there once, and are from a file after that."""

    def __init__(self, rows: Iterable[Row], file: Any) -> None:
        self._rows: Iterable[Row] | None = rows
        self._file = file

    def __iter__(self) -> Iterator[Row]:
        if self._rows is not None:
            rows, self._rows = self._rows, None
            for row in rows:
                self._file.write(json.dumps(row, ensure_ascii=False, default=str) + "\n")
                yield row
        else:
            self._file.seek(0)
            yield from map(json.loads, self._file)


def _columns(arrow: Any, rows: Iterable[Row], layout: Layout) -> list[_Column]:
    columns = _tag_columns(arrow, layout) if layout.areas else [_text(arrow, name) for name in _UNTAGGED]
    ours = frozenset({"id", "title", *_LISTS, *_NESTED, *_ORIGIN} if layout.areas else _UNTAGGED)
    taken = {column.name for column in columns} | {OTHER}
    kinds = _field_kinds(rows, ours, layout.kept or ())
    fields = list(kinds)
    for field in fields[:_MOST_FIELDS]:
        name = _free(field.encode("utf-8", "backslashreplace").decode(), "input_", taken)
        columns.append(_Column(name, arrow_type(arrow, kinds[field]), _field(field, kinds[field])))
    if len(fields) > _MOST_FIELDS:
        columns.append(_Column(OTHER, arrow.string(), _others(frozenset(fields[_MOST_FIELDS:]))))
    return columns


def _tag_columns(arrow: Any, layout: Layout) -> list[_Column]:
    lists = [_Column(name, arrow.list_(arrow.string()), _field(name)) for name in _LISTS]
    lists[-1] = replace(lists[-1], value=lambda row: row.get("marks") or [])  # rows without marks leave them out
    columns = [_text(arrow, "id"), _text(arrow, "title"), *lists]
    taken = {column.name for column in columns}.union(_ORIGIN)
    for area in layout.areas:
        name = _free(area, "area_", taken)
        columns.append(_Column(name, arrow.float32(), _probability("probabilities", area)))
    for area in layout.central:
        name = _free(f"{area}_central", "area_", taken)
        columns.append(_Column(name, arrow.float32(), _probability("central_probabilities", area)))
    return columns + [_text(arrow, name) for name in _ORIGIN]


def _text(arrow: Any, name: str) -> _Column:
    return _Column(name, arrow.string(), _field(name))


def _field(name: str, kind: Kind | None = None) -> Callable[[Row], Any]:
    if kind == MIXED:
        return lambda row: as_json(row.get(name))
    return lambda row: row.get(name)


def _probability(name: str, area: str) -> Callable[[Row], Any]:
    return lambda row: (row.get(name) or {}).get(area)


def _others(names: frozenset[str]) -> Callable[[Row], Any]:
    return lambda row: as_json({name: row[name] for name in row if name in names} or None)


def _free(name: str, prefix: str, taken: set[str]) -> str:
    """`name`, or with as many of `prefix` as it takes to be none of `taken`, which it then is one of."""
    while name in taken:
        name = prefix + name
    taken.add(name)
    return name


def _field_kinds(rows: Iterable[Row], ours: frozenset[str], first: Iterable[str]) -> dict[str, Kind | None]:
    """The fields of the rows beside our own, in the order in which they come up, and what kind of values they have."""
    kinds: dict[str, Kind | None] = {name: None for name in first if name not in ours}
    for row in rows:
        for name, value in row.items():
            if name not in ours and kinds.get(name) != MIXED:
                kinds[name] = joined(kinds.get(name), kind_of(value))
    return kinds


def _groups(rows: Iterable[Row]) -> Iterator[list[Row]]:
    group: list[Row] = []
    size = 0
    for row in rows:
        group.append(row)
        size += sum(map(_size, row.values()))
        if len(group) == _GROUP_ROWS or size >= _GROUP_CHARACTERS:
            yield group
            group, size = [], 0
    if group:
        yield group


def _size(value: Any) -> int:
    """About how much memory a value takes, in characters."""
    kind = type(value)
    if kind is str:
        return len(value)
    if kind is list:
        return sum(map(_size, value))
    return sum(map(_size, value.values())) if kind is dict else 8


def _array(arrow: Any, values: list[Any], type_: Any) -> Any:
    try:
        return arrow.array(values, type_)
    except UnicodeEncodeError:
        return arrow.array([_encodable(value) for value in values], type_)


def _encodable(value: Any) -> Any:
    """`value` with the escape that JSON has for half a surrogate pair, which UTF-8 cannot hold."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, Mapping):
        return {name: _encodable(part) for name, part in value.items()}
    return [_encodable(part) for part in value] if isinstance(value, list | tuple) else value
