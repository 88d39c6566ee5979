"""The date of a record, as precise as it is known."""

from __future__ import annotations

import re

from tagger.records import Record

_ISO = re.compile(r"\s*((?:1[5-9]|20|21)\d\d(?:-(?:0[1-9]|1[0-2]))?)")
_ARXIV = re.compile(r"(?:.*\D)?(0[7-9]|[1-9]\d)(0[1-9]|1[0-2])\.\d{4,5}(?:v\d+)?\Z", re.DOTALL)


def date_of(record: Record) -> str:
    """The date of a record in ISO 8601, of its fields or else of its arXiv id; empty if there is none."""
    for name in ("date", "published", "year"):
        if match := _ISO.match(str(record.fields.get(name) or "")):
            return match[1]
    match = _ARXIV.match(record.id)
    return f"20{match[1]}-{match[2]}" if match else ""
