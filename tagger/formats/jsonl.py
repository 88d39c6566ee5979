"""JSON Lines: an object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from tagger.errors import InputError
from tagger.formats.fields import Fields
from tagger.records import Record


def read(stream: TextIO, source: str, fields: Fields) -> Iterator[Record]:
    """Yield a record for each line of `stream` that is not blank."""
    name = "stdin" if source == "standard input" else Path(source).name
    number = 0
    for at, line in enumerate(stream, 1):
        if not line.strip():
            continue
        number += 1
        record = _record(line, f"{name}:{number}", source, f"line {at}", fields)
        if number == 1 and fields.abstract and record.error and fields.abstract in record.error:
            raise InputError(f"{source}: {record.error}")
        yield record


def _record(line: str, default_id: str, source: str, position: str, fields: Fields) -> Record:
    try:
        row = json.loads(line)
    except ValueError as error:
        return Record(default_id, error=f"not JSON ({error})", source=source, position=position)
    except RecursionError:
        return Record(default_id, error="not JSON that can be read (nested too deep)", source=source, position=position)
    if isinstance(row, str):
        return Record(default_id, row, source=source, position=position)
    if not isinstance(row, dict):
        return Record(default_id, error=f"expected a JSON object, got {_kind(row)}", source=source, position=position)
    return record_of_mapping(row, default_id, source, position, fields)


def record_of_mapping(row: dict[str, Any], default_id: str, source: str, position: str, fields: Fields) -> Record:
    """The record in a mapping from field names to values, with an error if it has no abstract."""
    id_field, title_field = fields.find_id(row), fields.find_title(row)
    id_ = row[id_field] if id_field else None
    record_id = str(id_) if isinstance(id_, (str, int)) and str(id_).strip() else default_id
    title = row[title_field] if title_field else None
    title = title if isinstance(title, str) and title.strip() else None
    field = fields.find_abstract(row)
    if field is None:
        wanted = fields.abstract or "abstract"
        found = ", ".join(list(row)[:8]) or "nothing"
        error = f"no field {wanted!r} among {found}; name the field with --text-field"
        return Record(record_id, title=title, error=error, source=source, position=position, fields=row)
    if not isinstance(row[field], str):
        error = f"expected {field!r} to be a string, got {_kind(row[field])}"
        return Record(record_id, title=title, error=error, source=source, position=position, fields=row)
    return Record(record_id, row[field], title, None, source, position, row)


def _kind(value: object) -> str:
    names = {
        type(None): "null",
        bool: "a boolean",
        int: "a number",
        float: "a number",
        list: "a list",
        dict: "an object",
    }
    return names.get(type(value), "a string")
