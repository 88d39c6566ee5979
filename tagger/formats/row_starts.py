"""How the rows of a table begin, by which a line is told from the rest of the row before it."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable

_FEWEST_ROWS = 5
_LEAST_SHARE = 0.8
"""Share of the rows that must begin alike for it to be relied on."""
_LONGEST_ID = 60
_PROSE, _QUOTED_PROSE = "prose", '"prose'


class RowStarts:
    """How the rows of a table begin: the shapes of their first cells, as far as these are alike."""

    def __init__(self, lines: Iterable[str], delimiter: str, width: int) -> None:
        """Learn from those of `lines` that are whole rows, of `width` cells."""
        self._delimiter = delimiter
        self._width = width
        shapes = Counter(self._shape(line) for line in lines if self.has_width(line))
        often = {shape: n for shape, n in shapes.items() if n >= max(2, shapes.total() / 50)}
        self._shapes = often.keys()
        self.known = shapes.total() >= _FEWEST_ROWS and sum(often.values()) >= _LEAST_SHARE * shapes.total()
        """Whether enough of them are alike, and unlike prose."""
        if _PROSE in often:
            self.known = False

    def has_width(self, line: str) -> bool:
        """Whether a line is a whole row on its own."""
        try:
            cells = next(csv.reader([line], delimiter=self._delimiter, strict=True), [])
        except csv.Error:
            return False
        return len(cells) == self._width > 1

    def begins(self, line: str) -> bool:
        """Whether a line begins as rows do."""
        return self._shape(line) in self._shapes

    def may_begin(self, line: str) -> bool:
        """Whether a line begins as rows do, or as one whose first cell is empty."""
        return self._shape(line) == "" or self.begins(line)

    def is_row(self, line: str) -> bool:
        """Whether a line is a whole row and begins as rows do."""
        return self.begins(line) and self.has_width(line)

    def _shape(self, line: str) -> str:
        """The first cell with a sign for each run of letters, of digits and of both: ``2505.01234`` is ``0.0``."""
        cell = line[:_LONGEST_ID].partition(self._delimiter)[0].strip()
        bare = cell.strip('"')
        if len(bare.split()) > 2 or len(cell) > _LONGEST_ID - 2:
            return _QUOTED_PROSE if cell.startswith('"') else _PROSE
        return re.sub(r"[^\W_]+", lambda run: _class_of(run[0]), bare)


def _class_of(run: str) -> str:
    return "0" if run.isdigit() else "a" if run.isalpha() else "x"
