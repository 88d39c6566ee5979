"""Tagged records as CSV or TSV."""

from __future__ import annotations

import csv
from collections.abc import Callable
from typing import Any, TextIO

from tagger.formats.formulas import FIRST_CHARACTERS, harmless
from tagger.formats.json_rows import json_of
from tagger.formats.layout import Layout
from tagger.formats.results import DECIMALS, OTHER, kept_fields
from tagger.records import Record, Tagged


def columns_of(layout: Layout) -> list[str]:
    """The columns that every row has, before those of kept fields.

    With tags: a column for each area holds its probability, ``AREA_central`` the probability that it is central.
    """
    if not layout.areas:
        return ["id", "title", "abstract", "error"]
    columns = ["id", "title", "areas", "central", "unsure", "marks"]
    after = ["error", "source", "position", "model"]
    for name in (*layout.areas, *(f"{area}_central" for area in layout.central)):
        while name in columns or name in after:
            name = f"area_{name}"
        columns.append(name)
    return columns + after


class CsvWriter:
    """A row a record, of the columns that :func:`columns_of` tells and those of kept fields.

    Areas are joined by ``; ``, a value that is no text is JSON, and a cell that a spreadsheet would run as a formula
    gets a leading apostrophe, which the reader takes away again; see :mod:`tagger.formats.formulas`.
    """

    delimiter = ","

    def __init__(self, stream: TextIO, layout: Layout) -> None:
        self._layout = layout
        self._columns = columns_of(layout)
        self._reserved = frozenset(self._columns) | {OTHER}
        self._kept = tuple(layout.kept or ())
        # The csv module quotes a lone carriage return only where it is part of the line end, which it else is not.
        self._rows = csv.writer(_LineFeeds(stream), delimiter=self.delimiter, lineterminator="\r\n")
        self._has_other = layout.kept is not None and layout.more
        self._write([*self._columns, *self._kept, *([OTHER] if self._has_other else [])])

    def write(self, tagged: Tagged) -> None:
        """Write one row."""
        cells = self._tags_of(tagged) if self._layout.areas else self._text_of(tagged.record)
        if self._layout.kept is not None:
            kept = kept_fields(tagged.record, dict(zip(self._columns, cells)), self._reserved)
            cells += [_cell(kept.pop(name, None)) for name in self._kept]
            if self._has_other:
                cells.append(json_of(kept) if kept else "")
        self._write(cells)

    def close(self) -> None:
        """Nothing ends a CSV file."""

    def _text_of(self, record: Record) -> list[str]:
        return [record.id, record.title or "", "" if record.error else record.abstract, record.error or ""]

    def _tags_of(self, tagged: Tagged) -> list[str]:
        record, tags, layout = tagged.record, tagged.tags, self._layout
        lists = ["; ".join(names) for names in (tags.areas, tags.central, tags.unsure, tags.marks)]
        present, central = tags.probabilities, tags.central_probabilities
        numbers = [f"{present[area]:.{DECIMALS}f}" if area in present else "" for area in layout.areas]
        numbers += [f"{central[area]:.{DECIMALS}f}" if area in central else "" for area in layout.central]
        origin = [tags.error or "", record.source, record.position, layout.model]
        return [record.id, record.title or "", *lists, *numbers, *origin]

    def _write(self, cells: list[str]) -> None:
        self._rows.writerow([harmless(cell) if cell[:1] in FIRST_CHARACTERS else cell for cell in cells])


class TsvWriter(CsvWriter):
    """The same with tabs between the cells."""

    delimiter = "\t"


class _LineFeeds:
    """Gives the rows of a csv.writer to a stream with line feeds as line ends."""

    def __init__(self, stream: TextIO) -> None:
        self._write: Callable[[str], Any] = stream.write

    def write(self, row: str) -> None:
        self._write(row[:-2] + "\n")


def _cell(value: object) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json_of(value)
