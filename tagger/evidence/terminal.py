"""An explanation as text for people: the abstract with its phrases marked, and what they add up to."""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby, zip_longest
from typing import TextIO

from tagger.evidence.explanation import AreaEvidence, Explanation
from tagger.evidence.marks import Mark, area_label, find_marks, shown_areas
from tagger.evidence.phrases import Phrase
from tagger.records import Tags
from tagger.terminal import COLOURS, clean, columns, fit, in_colour, neutral

WIDEST = 110
"""Columns of a text, however wide the terminal: longer lines are hard to read."""

_TWO_COLUMNS = 70
"""Columns from which what is for and what is against an area stand side by side."""
_STYLES = {1: "", 2: "1;", 3: "1;4;"}
"""Codes that go before the colour of a weak, a clear and a strong phrase: none, bold, bold and underlined."""


class TextWriter:
    """Writes explanations one after another.

    On a terminal the phrases that speak for an area have its colour, and the stronger ones are bold or underlined too.
    Elsewhere they stand in brackets, with the area behind.
    """

    def __init__(
        self, stream: TextIO, areas: Sequence[str], chosen: Sequence[str] = (), top: int | None = None
    ) -> None:
        """Prepare to write to `stream`; `areas` are the model's, `chosen` those to show if not those that matter."""
        self._stream = stream
        self._colours = dict(zip(areas, COLOURS * len(areas))) if in_colour(stream) else {}
        self._width = max(20, min(shutil.get_terminal_size((100, 24)).columns, WIDEST))
        self._chosen = tuple(chosen)
        self._top = 5 if top is None else top
        self._first = True

    def write(self, id_: str, explanation: Explanation) -> None:
        """Write one explanation."""
        shown = self._chosen or shown_areas(explanation)
        tags = explanation.tags
        named = [area for area in explanation.areas if area in tags.areas or area in tags.unsure]
        labels = [self._in_colour(clean(area_label(area, tags)), area) for area in named] or ["no area"]
        self._begin()
        self._line(self._styled(clean(id_), "1") + "  " + "  ".join(labels))
        marks = find_marks(explanation, shown)
        several = len(shown) > 1
        if explanation.abstract_start:
            self._paragraph(explanation.text, 0, explanation.abstract_start, marks, several)
        self._paragraph(explanation.text, explanation.abstract_start, len(explanation.text), marks, several)
        for area in shown:
            self._write_area(area, explanation.areas[area], tags)

    def write_error(self, id_: str, error: str) -> None:
        """Write why there is no explanation."""
        self._begin()
        self._line(f"{self._styled(clean(id_), '1')}  error: {clean(error)}")

    def close(self) -> None:
        """Nothing is left to write."""

    def _begin(self) -> None:
        if not self._first:
            self._line("")
        self._first = False

    def _write_area(self, area: str, found: AreaEvidence, tags: Tags) -> None:
        label, adds_up = clean(area_label(area, tags)), found.in_words()
        self._line("")
        if columns(label) + len(adds_up) + 4 <= self._width:
            self._line(f"  {self._in_colour(label, area)}  {adds_up}")
        else:
            self._line(f"  {self._in_colour(label, area)}")
            for line in textwrap.wrap(adds_up, self._width - 4):
                self._line(f"    {line}")
        sides = [[phrase for phrase in found.phrases if phrase.share * sign > 0][: self._top] for sign in (1, -1)]
        if self._width < _TWO_COLUMNS:
            for phrase in (*sides[0], *sides[1]):
                self._line(f"    {fit(_item(phrase), self._width - 4)}".rstrip())
            return
        width = (self._width - 6) // 2
        for pair in zip_longest(*sides):
            cells = [fit(_item(phrase), width) if phrase else " " * width for phrase in pair]
            self._line(f"    {cells[0]}  {cells[1]}".rstrip())

    def _paragraph(self, text: str, start: int, end: int, marks: Sequence[Mark], name_areas: bool) -> None:
        """Write ``text[start:end]`` with its marks, wrapped."""
        line, used, last = "", 0, None
        self._line("")
        for word in _words(text, start, end, marks, brackets=not self._colours, name_areas=name_areas):
            size = sum(columns(part) for part, _ in word)
            if used and used + 1 + size > self._width - 2:
                self._line(line)
                used = 0
            # A space within a phrase has its style: an underline has no gaps.
            space = self._marked(" ", last if last is word[0][1] else None) if used else "  "
            line = (line if used else "") + space + "".join(self._marked(part, mark) for part, mark in word)
            used += size + 1 if used else size
            last = word[-1][1]
        self._line(line)

    def _marked(self, text: str, mark: Mark | None) -> str:
        return self._in_colour(text, mark.area, _STYLES[mark.level]) if mark else text

    def _in_colour(self, text: str, area: str, style: str = "") -> str:
        return self._styled(text, f"{style}{self._colours[area]}") if self._colours else text

    def _styled(self, text: str, codes: str) -> str:
        return f"\x1b[{codes}m{text}\x1b[0m" if self._colours else text

    def _line(self, text: str) -> None:
        self._stream.write(text + "\n")


def _item(phrase: Phrase) -> str:
    times = f" ×{len(phrase.spans)}" if len(phrase.spans) > 1 else ""
    return f"{phrase.share:+.2f}  {clean(phrase.text)}{times}"


def _words(
    text: str, start: int, end: int, marks: Sequence[Mark], brackets: bool, name_areas: bool
) -> Iterator[list[tuple[str, Mark | None]]]:
    """What white space separates in ``text[start:end]``, each in parts that have one mark or none."""
    visible = neutral(text)
    owners: list[Mark | None] = [None] * len(text)
    before, after = {}, {}
    for mark in marks:
        places = [place for place in range(mark.start, mark.end) if not visible[place].isspace()]
        owners[mark.start : mark.end] = [mark] * (mark.end - mark.start)
        if brackets and places:
            before[places[0]] = "["
            after[places[-1]] = f"]{{{clean(mark.area)}}}" if name_areas else "]"
    for match in re.compile(r"\S+").finditer(visible, start, end):
        yield [
            ("".join(before.get(k, "") + visible[k] + after.get(k, "") for k in places), mark)
            for mark, places in groupby(range(*match.span()), key=lambda place: owners[place])
        ]
