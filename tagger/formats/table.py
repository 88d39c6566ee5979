"""Tagged abstracts as a table for a terminal."""

from __future__ import annotations

import shutil
from typing import TextIO

from tagger.formats.layout import Layout
from tagger.records import Tagged, Tags
from tagger.terminal import COLOURS, clean, fit, in_colour


class TableWriter:
    """A line an abstract: id, areas with their probabilities, and how the title or the text begins.

    A question mark follows an area that a person should look at; one in brackets is not tagged. After an exclamation
    mark stands why the tags should not be trusted.
    """

    def __init__(self, stream: TextIO, layout: Layout) -> None:
        self._stream = stream
        self._colours = dict(zip(layout.areas, COLOURS * len(layout.areas))) if in_colour(stream) else {}
        self._width = shutil.get_terminal_size((100, 24)).columns
        self._id_width = min(28, max(12, self._width // 5))
        longest = max((len(area) for area in layout.areas), default=0)
        self._areas_width = min(max(2 * (longest + 6), 24), max(24, self._width // 2)) if layout.areas else 0
        self._line("id", [("areas", None)] if layout.areas else [], "text")

    def write(self, tagged: Tagged) -> None:
        """Write one line, or more where several areas do not fit in the column."""
        record, tags = tagged.record, tagged.tags
        error = tags.error or record.error
        if error:
            self._line(record.id, [("error", None)] if self._areas_width else [], clean(error))
            return
        lines = self._wrap(labels_of(tags, self._areas_width)) if self._areas_width else [[]]
        self._line(record.id, lines[0], clean(record.title or record.abstract))
        for line in lines[1:]:
            self._line("", line, "")

    def close(self) -> None:
        """Nothing ends the table."""

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
        padding = " " * (max(0, self._areas_width - len(plain)) + 2) if self._areas_width else ""
        rest = self._width - self._id_width - (self._areas_width + 2 if self._areas_width else 0) - 2
        line = f"{fit(clean(id_), self._id_width)}  {shown}{padding}{fit(text, max(rest, 1)).rstrip()}"
        self._stream.write(line.rstrip() + "\n")

    def _coloured(self, label: str, area: str | None) -> str:
        colour = self._colours.get(area or "")
        return f"\x1b[{colour}m{label}\x1b[0m" if colour else label


def labels_of(tags: Tags, width: int = 1000) -> list[tuple[str, str | None]]:
    """What a table says of an abstract, each with the area that it names if that is tagged, and within `width`."""
    labels: list[tuple[str, str | None]] = []
    for area, probability in tags.probabilities.items():
        name = fit(area, width - len("( 0.00?)")).rstrip() if len(area) > width - len("( 0.00?)") else area
        if area in tags.areas:
            labels.append((f"{name} {probability:.2f}{'?' if area in tags.unsure else ''}", area))
        elif area in tags.unsure:
            labels.append((f"({name} {probability:.2f}?)", None))
    return (labels or [("-", None)]) + [(f"!{mark}", None) for mark in tags.marks]
