"""What is said of a record: the row that JSON Lines, Parquet and, with cells for values, CSV and TSV hold."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from tagger.formats.layout import Layout
from tagger.records import Record, Tagged

DECIMALS = 6
OTHER = "other"
"""Column for the fields that have none of their own."""

TAGGED_NAMES = (
    "id", "title", "areas", "probabilities", "central", "central_probabilities", "unsure", "marks", "error",
    "source", "position", "model",
)  # fmt: skip
CONVERTED_NAMES = ("id", "title", "abstract", "error")


def row_of(tagged: Tagged, layout: Layout) -> dict[str, Any]:
    """A record as one object: with its tags, or, if `layout` has no areas, with its abstract and all its fields.

    Without tags: `id`, `title` if there is one, `abstract` or `error`. With them: `id`, `title`, `areas`,
    `probabilities`, `central` and `central_probabilities` if the model knows what is central, `unsure`, `marks` and
    `error` if there are any, `source`, `position` and `model`. Fields that are kept follow; see :func:`kept_fields`.
    """
    row = ours_of(tagged, layout)
    if layout.kept is not None:
        row.update(kept_fields(tagged.record, row, names_of(layout)))
    return row


def ours_of(tagged: Tagged, layout: Layout) -> dict[str, Any]:
    """The row without the fields that are kept."""
    return _tags_of(tagged, layout) if layout.areas else _text_of(tagged.record)


def names_of(layout: Layout) -> tuple[str, ...]:
    """The names that :func:`row_of` gives a meaning to."""
    return TAGGED_NAMES if layout.areas else CONVERTED_NAMES


def kept_fields(record: Record, ours: Mapping[str, Any], reserved: Collection[str]) -> dict[str, Any]:
    """The fields of a record by the names that they have beside ours.

    A field has its own name, or, if that is reserved, ``input_NAME``; then it is left out if it is empty or our row
    says the same. One that our row has as the abstract is left out, too. A text without fields has its abstract as one.
    """
    kept: dict[str, Any] = {}
    fields = record.fields or ({"abstract": record.abstract} if record.abstract else {})
    abstract = ours.get("abstract") or None
    for field, value in fields.items():
        name = str(field)
        if name in reserved and _says_nothing_new(value, ours.get(name)):
            continue
        if abstract is not None and value == abstract:
            continue
        while name in reserved or name in kept:
            name = f"input_{name}"
        kept[name] = value
    return kept


def kept_names(records: Iterable[Record], layout: Layout, reserved: Collection[str]) -> tuple[str, ...]:
    """Names of all fields that the records keep, in the order in which they come up; their tags need not be known."""
    names: dict[str, None] = {}
    for record in records:
        ours = _origin_of(record, layout) if layout.areas else _text_of(record)
        names.update(dict.fromkeys(kept_fields(record, ours, reserved)))
    return tuple(names)


def _says_nothing_new(value: object, ours: object) -> bool:
    if isinstance(value, int):
        value = str(value)  # as ids are read
    return value == ours or value in (None, "", [], {})


def _name_of(record: Record) -> dict[str, Any]:
    return {"id": record.id, "title": record.title} if record.title else {"id": record.id}


def _text_of(record: Record) -> dict[str, Any]:
    text = {"abstract": record.abstract} if record.error is None else {"error": record.error}
    return _name_of(record) | text


def _origin_of(record: Record, layout: Layout) -> dict[str, Any]:
    origin = {"source": record.source, "position": record.position, "model": layout.model}
    return _name_of(record) | origin


def _tags_of(tagged: Tagged, layout: Layout) -> dict[str, Any]:
    tags, record = tagged.tags, tagged.record
    row = _name_of(record)
    row["areas"] = list(tags.areas)
    row["probabilities"] = {area: round(value, DECIMALS) for area, value in tags.probabilities.items()}
    if layout.central:
        row["central"] = list(tags.central)
        central = tags.central_probabilities.items()
        row["central_probabilities"] = {area: round(value, DECIMALS) for area, value in central}
    row["unsure"] = list(tags.unsure)
    if tags.marks:
        row["marks"] = list(tags.marks)
    if tags.error:
        row["error"] = tags.error
    row["source"], row["position"], row["model"] = record.source, record.position, layout.model
    return row
