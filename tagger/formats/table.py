"""Tagged abstracts as a table for a terminal."""

from __future__ import annotations

import os
import re
import shutil
import unicodedata
from typing import TextIO

from tagger.records import Tagged, Tags

_COLOURS = (36, 33, 35, 32, 34, 31)  # cyan, yellow, magenta, green, blue, red
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]+")


class TableWriter:
    """A line an abstract: id, areas with their probabilities, and how the title or the text begins.

    A question mark follows an area that a person should look at; one in brackets is not tagged.
    """

    def __init__(self, stream: TextIO, areas: tuple[str, ...]) -> None:
        self._stream = stream
        in_colour = stream.isatty() and not os.environ.get("NO_COLOR")  # https://no-color.org
        self._colours = dict(zip(areas, _COLOURS * len(areas))) if in_colour else {}
        self._width = shutil.get_terminal_size((100, 24)).columns
        self._id_width = min(28, max(12, self._width // 5))
        longest = max((len(area) for area in areas), default=0)
        self._areas_width = min(max(2 * (longest + 6), 24), max(24, self._width // 2))
        self._line("id", [("areas", None)], "text")

    def write(self, tagged: Tagged) -> None:
        """Write one line, or more where several areas do not fit in the column."""
        record, tags = tagged.record, tagged.tags
        start = _clean(record.title or record.abstract)
        if tags.error:
            self._line(record.id, [("error", None)], _clean(tags.error))
            return
        lines = self._wrap(_labels(tags, self._areas_width))
        self._line(record.id, lines[0], start)
        for line in lines[1:]:
            self._line("", line, "")

    def _wrap(self, labels: list[tuple[str, str | None]]) -> list[list[tuple[str, str | None]]]:
        lines: list[list[tuple[str, str | None]]] = [[]]
        for label in labels:
            used = sum(len(text) + 2 for text, _ in lines[-1])
            if lines[-1] and used + len(label[0]) > self._areas_width:
                lines.append([])
            lines[-1].append(label)
        return lines

    def _line(self, id_: str, labels: list[tuple[str, str | None]], text: str) -> None:
        plain = "  ".join(label for label, _ in labels)
        shown = "  ".join(self._coloured(label, area) for label, area in labels)
        padding = " " * max(0, self._areas_width - len(plain))
        rest = self._width - self._id_width - self._areas_width - 4
        line = f"{_fit(_clean(id_), self._id_width)}  {shown}{padding}  {_fit(text, max(rest, 1)).rstrip()}"
        self._stream.write(line.rstrip() + "\n")

    def _coloured(self, label: str, area: str | None) -> str:
        colour = self._colours.get(area or "")
        return f"\x1b[{colour}m{label}\x1b[0m" if colour else label


def _labels(tags: Tags, width: int) -> list[tuple[str, str | None]]:
    labels: list[tuple[str, str | None]] = []
    for area, probability in tags.probabilities.items():
        name = _fit(area, width - len("( 0.00?)")).rstrip() if len(area) > width - len("( 0.00?)") else area
        if area in tags.areas:
            labels.append((f"{name} {probability:.2f}{'?' if area in tags.unsure else ''}", area))
        elif area in tags.unsure:
            labels.append((f"({name} {probability:.2f}?)", None))
    return labels or [("-", None)]


def _clean(text: str) -> str:
    """Text on one line, without the characters that would drive a terminal."""
    return " ".join(_CONTROL.sub(" ", text[:2000]).split())


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _fit(text: str, width: int) -> str:
    """`text` cut or padded to `width` columns, East Asian wide characters counting two."""
    used = 0
    kept: list[str] = []
    for character in text:
        size = _columns(character)
        if used + size > width:
            while kept and used > width - 1:
                used -= _columns(kept.pop())
            kept.append("…")
            used += 1
            break
        kept.append(character)
        used += size
    return "".join(kept) + " " * (width - used)
