"""Tags and records as the API gives them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tagger.formats.bibliography import bibliography
from tagger.records import Record, Tagged, Tags

DECIMALS = 6


def key_of(abstract: str) -> str:
    """What identifies an abstract, wherever it comes from: a hash of its text, however it is wrapped."""
    folded = " ".join(abstract.split())
    return hashlib.sha256(folded.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def abstract_of(item: str | Record | Mapping[str, Any]) -> str:
    """The abstract of an item that could be tagged."""
    if isinstance(item, Record):
        return item.abstract
    return item if isinstance(item, str) else str(item["abstract"])


def tags_json(tags: Tags) -> dict[str, Any]:
    """Tags as an object; only ``error`` if there are none."""
    if tags.error:
        return {"error": tags.error}
    row: dict[str, Any] = {"areas": tags.areas, "probabilities": _rounded(tags.probabilities), "unsure": tags.unsure}
    if tags.central_probabilities:
        row |= {"central": tags.central, "central_probabilities": _rounded(tags.central_probabilities)}
    if tags.marks:
        row["marks"] = tags.marks
    return row


def record_json(number: int, tagged: Tagged, key: str, corrections: Mapping[str, int] | None) -> dict[str, Any]:
    """A record of a file or a list with its tags; `number` is its place there, from 0."""
    record = tagged.record
    row: dict[str, Any] = {"number": number, "id": record.id, "title": record.title, "abstract": record.abstract}
    row |= tags_json(tagged.tags) | {"source": record.source, "position": record.position}
    if record.fields and (date := bibliography(record).date):
        row["date"] = date
    if tagged.tags.error is None:
        row["key"] = key
        if corrections:
            row["corrections"] = corrections
    return row


def corrected(tags: Tags, corrections: Mapping[str, int]) -> Tags:
    """Tags as a person corrected them: 2 central, 1 present, 0 absent; the probabilities stay the model's."""
    if tags.error or not corrections:
        return tags
    grades = {area: corrections.get(area) for area in tags.probabilities}
    return replace(
        tags,
        areas=tuple(area for area, grade in grades.items() if (area in tags.areas if grade is None else grade > 0)),
        central=tuple(area for area, grade in grades.items() if (area in tags.central if grade is None else grade > 1)),
        unsure=tuple(area for area in tags.unsure if grades.get(area) is None),
    )


def _rounded(probabilities: Mapping[str, float]) -> dict[str, float]:
    return {area: round(value, DECIMALS) for area, value in probabilities.items()}
