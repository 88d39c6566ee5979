"""Tagged records as a table in Markdown, as GitHub shows it."""

from __future__ import annotations

import re
from typing import TextIO

from tagger.formats.layout import Layout
from tagger.formats.table import labels_of
from tagger.records import Tagged
from tagger.terminal import clean

LONGEST_TEXT = 100
LONGEST_ID = 60
_MARKUP = re.compile(r"[\\`*_\[\]<>|~$&#@]")
_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;", "@": "&#64;"}


class MarkdownWriter:
    """A row a record: id, areas with their probabilities as in the table for a terminal, and how the text begins.

    Below the table stands which model the tags are from.
    """

    def __init__(self, stream: TextIO, layout: Layout) -> None:
        self._stream = stream
        self._layout = layout
        names = ["id", "areas", "text"] if layout.areas else ["id", "text"]
        self._row(names)
        self._row(["---"] * len(names))

    def write(self, tagged: Tagged) -> None:
        """Write one row."""
        record, tags = tagged.record, tagged.tags
        error = tags.error or record.error
        cells = [escaped(record.id, LONGEST_ID)]
        if error:
            cells += ["**error**"] if self._layout.areas else []
            cells.append(escaped(error, LONGEST_TEXT))
        else:
            labels = [escaped(label, LONGEST_TEXT) for label, _ in labels_of(tags)]
            cells += [", ".join(labels)] if self._layout.areas else []
            cells.append(escaped(record.title or record.abstract, LONGEST_TEXT))
        self._row(cells)

    def close(self) -> None:
        """Name the model."""
        if self._layout.areas and self._layout.model:
            self._stream.write(f"\nTagged by the model {escaped(self._layout.model, LONGEST_TEXT)}.\n")

    def _row(self, cells: list[str]) -> None:
        self._stream.write(f"| {' | '.join(cells)} |\n")


def escaped(text: str, longest: int) -> str:
    """How `text` begins, on one line, with nothing in it that Markdown would read as markup."""
    line = clean(text, 4 * longest)
    if len(line) > longest:
        line = line[: longest - 1].rstrip() + "…"
    return _MARKUP.sub(lambda match: _ENTITIES.get(match[0], f"\\{match[0]}"), line)
