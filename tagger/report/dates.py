"""The date of a record, as precise as it is known."""

from __future__ import annotations

import re

from tagger.formats.bibliography import bibliography
from tagger.records import Record

_MONTH_OF_ARXIV_ID = re.compile(r"(0[7-9]|[1-9]\d)(0[1-9]|1[0-2])\.\d{4,5}")


def date_of(record: Record) -> str:
    """The date of a record in ISO 8601: what its fields say, or else its arXiv id; empty if there is none."""
    found = bibliography(record)
    match = _MONTH_OF_ARXIV_ID.fullmatch(found.arxiv_id)
    return found.date or (f"20{match[1]}-{match[2]}" if match else "")
