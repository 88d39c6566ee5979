"""Notes of OpenReview's API, versions 1 and 2, as flat mappings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_OUTSIDE = ("id", "forum", "number", "cdate", "mdate", "pdate", "ddate", "license")
"""Fields of a note itself that say something about its paper."""


def is_note(row: Mapping[str, Any]) -> bool:
    """Whether `row` is a note: an id, content, and an invitation (version 1) or invitations (version 2)."""
    return isinstance(row.get("content"), dict) and "id" in row and ("invitation" in row or "invitations" in row)


def flatten(note: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a note's content beside those of the note, which win where both have a name.

    Version 2 of the API wraps each value of the content, as ``{"value": ...}``; version 1 does not.
    """
    content = note.get("content")
    flat = {name: _unwrapped(value) for name, value in content.items()} if isinstance(content, dict) else {}
    return flat | {name: note[name] for name in _OUTSIDE if name in note}


def _unwrapped(value: Any) -> Any:
    return value["value"] if isinstance(value, dict) and "value" in value else value
