"""A mapping from field names to values, as JSON, Parquet and others have them -> a Record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tagger.formats.fields import Fields
from tagger.records import Record


def record_of_mapping(
    row: Mapping[str, Any], default_id: str, source: str, fields: Fields, position: str = ""
) -> Record:
    """The record in a mapping from field names to values, with an error if it has no abstract; see :func:`reason_in`.

    A note of OpenReview has its fields within the field ``content``, in version 2 each as ``{"value": ...}``; they are
    found there, and the record's fields are those of the note and those of its content.
    """
    row = fields.with_nested(row)
    if isinstance(row.get("content"), dict):
        row = _flattened(row)
    field, id_field, title_field = fields.find(row)
    record_id = (_id(row[id_field]) if id_field else "") or default_id
    title = row[title_field] if title_field else None
    title = title if isinstance(title, str) and title.strip() else None
    reason = reason_in(row, field)
    if reason is not None:
        return Record(record_id, "", title, reason, source, position, row)
    if field is None:
        wanted = fields.abstract or "abstract"
        found = ", ".join(list(row)[:8]) or "nothing"
        error = f"no field {wanted!r} among {found}; name the field with --text-field"
        return Record(record_id, "", title, error, source, position, row)
    abstract = row[field]
    if not isinstance(abstract, str):
        error = f"expected {field!r} to be a string, got {kind_of(abstract)}"
        return Record(record_id, "", title, error, source, position, row)
    return Record(record_id, abstract, title, None, source, position, row)


def reason_in(row: Mapping[str, Any], abstract_field: str | None) -> str | None:
    """Why a row has no abstract, if that is what it says: what made it, such as ``tagger fetch``, put it in `error`."""
    reason = row.get("error")
    if not isinstance(reason, str) or not reason.strip():
        return None
    abstract = row[abstract_field] if abstract_field is not None else None
    is_empty = abstract is None or (isinstance(abstract, str) and not abstract.strip())
    return reason if is_empty else None


def kind_of(value: object) -> str:
    """What a value of JSON is called."""
    names = {
        type(None): "null",
        bool: "a boolean",
        int: "a number",
        float: "a number",
        list: "a list",
        dict: "an object",
    }
    return names.get(type(value), "a string")


def _id(value: Any) -> str:
    """An id as text, empty if it is none; a whole number that became a float in a table is written as it was."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    is_id = isinstance(value, (str, int, float)) and not isinstance(value, bool) and value == value
    return str(value) if is_id and str(value).strip() else ""


def _flattened(note: Mapping[str, Any]) -> Mapping[str, Any]:
    row = {name: value for name, value in note.items() if name != "content"}
    for name, value in note["content"].items():
        row.setdefault(name, value["value"] if isinstance(value, dict) and "value" in value else value)
    return row
