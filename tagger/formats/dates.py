"""Dates as bibliographies write them -> ISO: ``2025``, ``2025-05`` or ``2025-05-17``, as precise as they are."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from typing import Any

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_YEAR = r"(?P<year>1[5-9]\d\d|20\d\d|21\d\d)"
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)})[a-z]*\.?"

_FLAGS = re.ASCII | re.IGNORECASE

_ANY_YEAR = re.compile(rf"(?<!\d){_YEAR}(?!\d)", re.ASCII)
_PATTERNS = (
    re.compile(rf"(?<!\d)(?P<day>\d\d?)(?:st|nd|rd|th)?\.?[\s-]+{_MONTH},?[\s-]+{_YEAR}(?!\d)", _FLAGS),
    re.compile(rf"\b{_MONTH}[\s~]+(?P<day>\d\d?)(?:st|nd|rd|th)?,?\s+{_YEAR}(?!\d)", _FLAGS),
    re.compile(rf"(?<!\d){_YEAR}\s+{_MONTH}(?:\s+(?P<day>\d\d?))?(?!\d)", _FLAGS),
    re.compile(rf"\b{_MONTH}[a-z/-]*,?\s*{_YEAR}(?!\d)", _FLAGS),
    re.compile(rf"^\s*{_YEAR}(?P<month>\d\d)(?P<day>\d\d)(?!\d)", _FLAGS),
    re.compile(rf"^\s*{_YEAR}[-/.](?P<month>\d\d?)(?:[-/.](?P<day>\d\d?))?(?!\d)", _FLAGS),
    _ANY_YEAR,
)
"""The first that is found in a text tells its date."""

_SINCE_1970 = re.compile(r"[0-9]{10,13}")
_SECONDS_AT_MOST = 10_000_000_000
"""A larger number counts milliseconds."""


def iso_date(value: Any) -> str:
    """The date that a value means.

    Parameters
    ----------
    value : str, int, float, date, mapping or sequence
        A date in words or digits, a year, seconds or milliseconds since 1970, a date of CSL (``date-parts``), or
        several of these, of which the first counts.

    Returns
    -------
    str
        In ISO 8601; empty if it is none.
    """
    if isinstance(value, bool):
        return ""
    if isinstance(value, datetime.date):
        return value.isoformat()[:10]
    if isinstance(value, (int, float)):
        return _of_number(value)
    if isinstance(value, str):
        return _of_number(int(value)) if _SINCE_1970.fullmatch(value) else _of_text(value[:200])
    if isinstance(value, Mapping):
        parts = value.get("date-parts")
        if isinstance(parts, Sequence) and parts and isinstance(parts[0], Sequence):
            return join_date(*(parts[0] or [None])[:3])
        parts = (value.get(name) for name in ("raw", "literal", "value", "created"))
        return next((date for part in parts if not isinstance(part, Mapping) and (date := iso_date(part))), "")
    if isinstance(value, Sequence):
        items = (item for item in value if isinstance(item, (str, int, float, Mapping)))
        return next((date for item in items if (date := iso_date(item))), "")
    return ""


def join_date(year: Any, month: Any = None, day: Any = None) -> str:
    """The date of a year, a month (a number or a name) and a day, as far as they are there and make sense."""
    found = _ANY_YEAR.search(str(year))
    if found is None:
        return ""
    name = re.match(_MONTH, str(month or "").strip(), _FLAGS)
    number = _MONTHS.index(name["month"].lower()) + 1 if name else _integer(month)
    if number is None or not 1 <= number <= 12:
        return found["year"]
    date = f"{found['year']}-{number:02}"
    try:
        return datetime.date(int(found["year"]), number, _integer(day) or 0).isoformat()
    except ValueError:
        return date


def _of_number(value: float) -> str:
    if 1500 <= value < 2200:
        return str(int(value))
    if 15_000_101 <= value < 22_000_000:
        return _of_text(str(int(value)))
    seconds = value / 1000 if abs(value) > _SECONDS_AT_MOST else value
    try:
        return datetime.datetime.fromtimestamp(seconds, datetime.UTC).date().isoformat() if seconds > 1e8 else ""
    except (ValueError, OverflowError, OSError):
        return ""


def _of_text(text: str) -> str:
    for pattern in _PATTERNS:
        if match := pattern.search(text):
            parts = match.groupdict()
            return join_date(parts["year"], parts.get("month"), parts.get("day"))
    return ""


def _integer(value: Any) -> int | None:
    match = re.match(r"\s*([0-9]{1,2})(?![0-9])", str(value if value is not None else ""))
    return int(match[1]) if match else None
