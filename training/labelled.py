"""Labelled texts in a file of one's own: CSV, JSON or another format with an abstract and its areas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagger.errors import InputError
from tagger.formats import read_records
from tagger.formats.fields import Fields
from tagger.records import full_text
from training.grades import PROVENANCE, UNKNOWN

_Row = tuple[str, Mapping[str, Any]]
"""Where a row is, and its fields."""

LIST_FIELDS = ("areas", "labels", "tags")
"""A field that lists the areas of an abstract, all others being absent."""

_GRADES = {
    "0": 0,
    "1": 1,
    "2": 2,
    "false": 0,
    "true": 1,
    "no": 0,
    "yes": 1,
    "": UNKNOWN,
    "null": UNKNOWN,
    "-1": UNKNOWN,
}


@dataclass(frozen=True)
class LabelledTexts:
    """Texts with a grade for each area."""

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    areas: tuple[str, ...]
    grades: NDArray[np.int8]
    """2 central, 1 present, 0 absent, -1 unknown; shape (texts, areas)."""
    titles: tuple[str | None, ...] = ()
    """Title of each text, None where it has none; empty if no text has one."""

    @property
    def full_texts(self) -> list[str]:
        """The texts as they are read when they are tagged: with their titles."""
        if not self.titles:
            return list(self.texts)
        return [full_text(text, title) for text, title in zip(self.texts, self.titles)]


def read_labelled(path: str | Path, areas: Sequence[str] | None = None, fields: Fields = Fields()) -> LabelledTexts:
    """Read labelled texts.

    Areas are either columns (or JSON fields) of grades - 2, 1, 0, true, false, or empty for unknown - or one
    field ``areas`` that lists those present (a JSON list, or text with semicolons between them).

    Parameters
    ----------
    path : path
        The file, in any format that has fields, compressed or not.
    areas : sequence of str, optional
        The areas to read; all that the file has if None.
    fields : Fields
        Names of the fields that hold the abstract, the id and the title.

    Raises
    ------
    InputError
        If the file cannot be read, has no text or no areas, or holds a label that is none; names the row.
    """
    path = Path(path)
    rows = list(_rows(path, fields))
    names = list(dict.fromkeys(name for _, row in rows for name in row))
    text_field, id_field, title_field = fields.find_abstract(names), fields.find_id(names), fields.find_title(names)
    if text_field is None:
        raise InputError(f"{path}: no text column among {', '.join(names)}; name the column with --text-field")
    list_field = next((name for name in names if name.lower() in LIST_FIELDS), None)
    found = _area_fields(rows, names, {text_field, id_field, title_field}) if not list_field else ()
    if list_field:
        found = tuple(dict.fromkeys(area for _, row in rows for area in _listed(row.get(list_field)) or ()))
    if not found:
        raise InputError(f"{path}: no areas; give each a column of 2, 1 or 0, or list them in a column named areas")
    wanted = tuple(areas) if areas is not None else found
    if areas is not None and not set(wanted) & set(found):
        raise InputError(f"{path}: areas {', '.join(found)} are none of the model's ({', '.join(wanted)})")
    grades = np.full((len(rows), len(wanted)), UNKNOWN, dtype=np.int8)
    texts, ids, titles = [], [], []
    for index, (place, row) in enumerate(rows):
        text = row.get(text_field)
        if not isinstance(text, str) or not text.strip():
            raise InputError(f"{path}: {place}: no text in {text_field!r}; fill it or remove the row")
        texts.append(text)
        title = row.get(title_field) if title_field else None
        titles.append(title if isinstance(title, str) and title.strip() else None)
        ids.append(str(row.get(id_field) or f"{path.name}:{index + 1}") if id_field else f"{path.name}:{index + 1}")
        if list_field:
            listed = _listed(row.get(list_field))
            if unknown := [area for area in listed or () if area not in wanted]:
                raise InputError(f"{path}: {place}: unknown area {unknown[0]!r}; the areas are {', '.join(wanted)}")
            if listed is not None:
                grades[index] = [int(area in listed) for area in wanted]
        else:
            grades[index] = [_grade(row.get(area), area, f"{path}: {place}") for area in wanted]
    return LabelledTexts(tuple(ids), tuple(texts), wanted, grades, tuple(titles) if any(titles) else ())


def _rows(path: Path, fields: Fields) -> Iterator[_Row]:
    for record in read_records(path, fields=fields):
        if record.error:
            raise InputError(f"{path}: {record.position}: {record.error}")
        yield record.position, record.fields


def _area_fields(rows: list[_Row], names: list[str], taken: set[str | None]) -> tuple[str, ...]:
    """The fields that hold nothing but grades, and at least one."""
    found = []
    for name in names:
        if name in taken or name in PROVENANCE:
            continue
        values = {_plain(row.get(name)) for _, row in rows}
        if values <= _GRADES.keys() and values & {"0", "1", "2", "true", "false", "yes", "no"}:
            found.append(name)
    return tuple(found)


def _plain(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip().lower()


def _grade(value: Any, area: str, place: str) -> int:
    grade = _GRADES.get(_plain(value))
    if grade is None:
        raise InputError(f"{place}: label {value!r} for {area}; use 2, 1 or 0, or leave it empty")
    return grade


def _listed(value: Any) -> list[str] | None:
    """The areas in a list field; None where there is nothing, which is unknown."""
    if value is None:
        return None
    items = value if isinstance(value, list) else str(value).replace("|", ";").split(";")
    return [str(item).strip() for item in items if str(item).strip()]
