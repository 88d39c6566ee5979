"""Tagged records as JSON Lines or as one JSON array."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import TextIO

from tagger.formats.layout import Layout
from tagger.formats.results import DECIMALS, kept_fields, names_of, ours_of, row_of
from tagger.records import Tagged

DEEPEST = 50
"""Levels of lists and objects that are kept of a field that is nested too deep to be written."""


class JsonlWriter:
    """An object a line: what :func:`tagger.formats.results.row_of` gives."""

    def __init__(self, stream: TextIO, layout: Layout) -> None:
        self._stream = stream
        self._lines = _Lines(stream, layout)

    def write(self, tagged: Tagged) -> None:
        """Write one line."""
        self._stream.write(self._lines.line(tagged) + "\n")

    def close(self) -> None:
        """Nothing ends JSON Lines."""


class JsonWriter:
    """One array, an object a line in it."""

    def __init__(self, stream: TextIO, layout: Layout) -> None:
        self._stream = stream
        self._lines = _Lines(stream, layout)
        self._before = "[\n"

    def write(self, tagged: Tagged) -> None:
        """Write one object."""
        self._stream.write(self._before + self._lines.line(tagged))
        self._before = ",\n"

    def close(self) -> None:
        """End the array."""
        self._stream.write("[]\n" if self._before == "[\n" else "\n]\n")


class _Lines:
    """Rows as JSON.

    A run spends much of its time here, so the row of a record that was tagged is put together from pieces; it says
    what :func:`row_of` says, which makes the others.
    """

    def __init__(self, stream: TextIO, layout: Layout) -> None:
        self._layout = layout
        self._reserved = frozenset(names_of(layout))
        self._results = self._reserved - {"id", "title"}
        ascii_only = (getattr(stream, "encoding", None) or "utf-8").lower() not in ("utf-8", "utf8")
        self._quote = encode_basestring_ascii if ascii_only else encode_basestring
        self._object = _ASCII_JSON if ascii_only else json_of
        self._probabilities = self._template(layout.areas)
        self._central = self._template(layout.central)
        self._end = f', "model": {self._quote(layout.model)}'
        self._list = lru_cache(maxsize=4096)(lambda names: self._object(list(names)))

    def line(self, tagged: Tagged) -> str:
        """The row of a record, without a line end."""
        record, tags, layout = tagged.record, tagged.tags, self._layout
        if tags.error or not layout.areas or len(tags.probabilities) != len(layout.areas):
            return self._object(row_of(tagged, layout))
        quote, names = self._quote, self._list
        title = f', "title": {quote(record.title)}' if record.title else ""
        central = marks = ""
        if layout.central:
            numbers = self._central % tuple(tags.central_probabilities.values())
            central = f', "central": {names(tags.central)}, "central_probabilities": {numbers}'
        if tags.marks:
            marks = f', "marks": {names(tags.marks)}'
        line = (
            f'{{"id": {quote(record.id)}{title}, "areas": {names(tags.areas)}, '
            f'"probabilities": {self._probabilities % tuple(tags.probabilities.values())}{central}, '
            f'"unsure": {names(tags.unsure)}{marks}, '
            f'"source": {quote(record.source)}, "position": {quote(record.position)}{self._end}'
        )
        if layout.kept is None:
            return line + "}"
        if self._results.isdisjoint(record.fields):
            ours = {"id": record.id, "title": record.title}
        else:
            ours = ours_of(tagged, layout)
        kept = kept_fields(record, ours, self._reserved)
        return f"{line}, {self._object(kept)[1:]}" if kept else line + "}"

    def _template(self, names: tuple[str, ...]) -> str:
        cells = ", ".join(f"{self._quote(name)}: ".replace("%", "%%") + f"%.{DECIMALS}f" for name in names)
        return f"{{{cells}}}"


def _json_writer(ascii_only: bool) -> Callable[[object], str]:
    encode = json.JSONEncoder(ensure_ascii=ascii_only, allow_nan=False, default=_as_json).encode

    def written(value: object) -> str:
        try:
            return encode(value)
        except (ValueError, RecursionError):
            return encode(_with_limits(value))

    return written


def _with_limits(value: object, depth: int = 0) -> object:
    """`value` without what JSON has not, numbers that are not finite, and without what is nested out of all measure."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, (Mapping, list, tuple)) and depth > DEEPEST:
        return "(nested too deep)"
    if isinstance(value, Mapping):
        return {str(name): _with_limits(part, depth + 1) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_with_limits(part, depth + 1) for part in value]
    return value


def _as_json(value: object) -> object:
    """A value of a field, of a type that JSON has not, as one that it has."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if hasattr(value, "tolist"):
        return value.tolist()
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, (set, frozenset, tuple)):
        return list(value)
    return str(value)


json_of = _json_writer(ascii_only=False)
"""A value as JSON on one line, whatever it is."""
_ASCII_JSON = _json_writer(ascii_only=True)
