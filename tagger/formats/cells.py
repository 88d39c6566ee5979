"""Values of Arrow columns as what JSON can hold."""

from __future__ import annotations

import datetime
from typing import Any

from tagger.formats.extras import require

_TEXT = frozenset({"string", "large_string", "string_view", "binary", "large_binary", "binary_view"})
_AS_THEY_ARE = frozenset(
    {"null", "bool", "float", "double", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}
    | {"string", "large_string", "string_view"}
)


def is_text(type_: Any) -> bool:
    """Whether a column of this Arrow type holds texts; bytes are, since some writers do not say that they are text."""
    while _is_encoded(type_):
        type_ = type_.value_type
    return str(getattr(type_, "storage_type", type_)) in _TEXT


def values_of(column: Any) -> list[Any]:
    """The values of an Arrow array: None, booleans, numbers, strings, and lists and dictionaries of these.

    Dates and times become ISO 8601 strings, bytes are decoded as UTF-8, and what JSON has no word for becomes text.

    Raises
    ------
    pyarrow.ArrowInvalid
        If the array is damaged: offsets that point outside of it would crash the process when they are used.
    """
    arrow = require("pyarrow", "reading Arrow")
    column = _plain_array(arrow, _checked(arrow, column))
    try:
        values: list[Any] = column.to_pylist()
    except (ArithmeticError, LookupError, ValueError):
        # Python has no such value; Arrow may have a text for it, as for a date after the year 9999.
        return _written_out(arrow, column)
    return values if str(column.type) in _AS_THEY_ARE else [_plain(value) for value in values]


def _is_encoded(type_: Any) -> bool:
    return str(type_).startswith(("dictionary", "run_end_encoded"))


def _checked(arrow: Any, column: Any) -> Any:
    """`column` if it is sound; as bytes if all that is wrong is that its text is not UTF-8."""
    try:
        column.validate(full=True)
    except arrow.ArrowInvalid as error:
        if "UTF8" not in str(error):
            raise
        column = column.cast(_as_bytes(arrow, column.type))
        column.validate(full=True)
    return column


def _plain_array(arrow: Any, column: Any) -> Any:
    """`column` without what only says how it is stored, and in microseconds, which Python's dates have."""
    while _is_encoded(column.type) or hasattr(column, "storage"):
        if hasattr(column, "storage"):
            column = column.storage
        elif hasattr(column, "dictionary_decode"):
            column = column.dictionary_decode()
        else:
            column = require("pyarrow.compute", "reading Arrow").run_end_decode(column)
    kind = str(column.type)
    if kind.startswith("timestamp[ns"):
        return column.cast(arrow.timestamp("us", column.type.tz), safe=False)
    coarser = {"time64[ns]": arrow.time64("us"), "duration[ns]": arrow.duration("us")}.get(kind)
    return column if coarser is None else column.cast(coarser, safe=False)


def _as_bytes(arrow: Any, type_: Any) -> Any:
    """`type_` with bytes in place of text."""
    kind = str(type_)
    if _is_encoded(type_):
        return _as_bytes(arrow, type_.value_type)
    if kind.startswith("list<"):
        return arrow.list_(_as_bytes(arrow, type_.value_type))
    if kind.startswith("large_list<"):
        return arrow.large_list(_as_bytes(arrow, type_.value_type))
    if kind.startswith("struct<"):
        return arrow.struct([(field.name, _as_bytes(arrow, field.type)) for field in type_])
    return arrow.large_binary() if kind in ("string", "large_string", "string_view") else type_


def _written_out(arrow: Any, column: Any) -> list[Any]:
    try:
        values: list[Any] = column.cast(arrow.string()).to_pylist()
    except (arrow.ArrowException, ValueError):
        values = [None] * len(column)
    return values


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, dict):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return value.item() if hasattr(value, "item") else str(value)
