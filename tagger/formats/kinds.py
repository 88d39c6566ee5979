"""What kind of values a field has over a whole run, to give it a column of one type."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, TypeAlias

_DEEPEST = 20
_MOST_NAMES = 200
_EXACT_AS_FLOAT = 1 << 53
_INT64 = 1 << 63

MIXED = "mixed"
"""Kind of values that no one type holds."""


@dataclass(frozen=True, slots=True)
class ListOf:
    """Kind of lists whose items have the same kind."""

    items: Kind | None


@dataclass(frozen=True, slots=True)
class ObjectOf:
    """Kind of objects with the same names."""

    parts: tuple[tuple[str, Kind | None], ...]


Kind: TypeAlias = str | ListOf | ObjectOf
"""``bool``, ``int`` (that floats hold, too), ``long`` (that they do not), ``float``, ``string``, ``mixed``; or lists or
objects of these."""


def kind_of(value: Any, depth: int = 0) -> Kind | None:
    """The kind of one value of a field; None for null, which goes with any."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, str):
        return "string"
    if isinstance(value, int):
        return "int" if abs(value) <= _EXACT_AS_FLOAT else "long" if -_INT64 <= value < _INT64 else MIXED
    if isinstance(value, float):
        return "float"
    if depth < _DEEPEST and isinstance(value, list | tuple):
        items: Kind | None = None
        for item in value:
            items = joined(items, kind_of(item, depth + 1))
        return MIXED if items == MIXED else ListOf(items)
    if depth < _DEEPEST and isinstance(value, dict) and 0 < len(value) <= _MOST_NAMES and all(map(_is_name, value)):
        parts = tuple((name, kind_of(value[name], depth + 1)) for name in value)
        return MIXED if any(kind == MIXED for _, kind in parts) else ObjectOf(parts)
    return MIXED


def joined(one: Kind | None, other: Kind | None) -> Kind | None:
    """The kind of a field that has values of both kinds."""
    if one is None or one == other:
        return other
    if other is None:
        return one
    if isinstance(one, ListOf) and isinstance(other, ListOf):
        items = joined(one.items, other.items)
        return MIXED if items == MIXED else ListOf(items)
    if isinstance(one, ObjectOf) and isinstance(other, ObjectOf):
        return _joined_objects(one, other)
    numbers = {one, other}
    return "float" if numbers == {"int", "float"} else "long" if numbers == {"int", "long"} else MIXED


def _joined_objects(one: ObjectOf, other: ObjectOf) -> Kind:
    others = dict(other.parts)
    if others.keys() != dict(one.parts).keys():
        return MIXED
    parts = tuple((name, joined(kind, others[name])) for name, kind in one.parts)
    return MIXED if any(kind == MIXED for _, kind in parts) else ObjectOf(parts)


def arrow_type(arrow: Any, kind: Kind | None) -> Any:
    """The type of a column of values of this kind; strings where there is none that holds them all."""
    if isinstance(kind, ListOf):
        return arrow.list_(arrow_type(arrow, kind.items))
    if isinstance(kind, ObjectOf):
        return arrow.struct([(name, arrow_type(arrow, part)) for name, part in kind.parts])
    types = {"bool": arrow.bool_(), "int": arrow.int64(), "long": arrow.int64(), "float": arrow.float64()}
    return types.get(kind or "", arrow.string())


def as_json(value: Any) -> str | None:
    """A value of a mixed field, as the text that its column has for it."""
    return None if value is None else json.dumps(value, ensure_ascii=False, default=str)


def _is_name(name: Any) -> bool:
    return isinstance(name, str) and name.isprintable()
