"""What writers share that give records back as the text they were read from, and make text for the others."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, TextIO

from tagger.formats.layout import Layout
from tagger.records import Record, Tagged, Tags


class EntryWriter(ABC):
    """Writes the entry of a record with tags in it, or a new entry for a record of another format."""

    format: ClassVar[str]
    """The format of the entries that are given back."""

    def __init__(self, stream: TextIO, layout: Layout) -> None:
        self._stream = stream
        self._layout = layout
        self._end = ""
        self._source = ""

    def write(self, tagged: Tagged) -> None:
        """Write one; a record that could not be tagged stays as it is, or is made with a note that says why."""
        record, tags = tagged.record, tagged.tags
        if record.entry and record.entry.format == self.format:
            keep = not self._layout.areas or record.error or tags.error
            text = record.entry.text if keep else self.with_tags(record.entry.text, record, tags)
            between = "" if record.source == self._source else self._line_end()
        else:
            text = self.new_entry(record, tags)
            between = self._line_end() + ("\n" if self._end else "")
        self._stream.write(between + text)
        self._end, self._source = text[-1:] or self._end, record.source

    def close(self) -> None:  # noqa: B027 - not abstract: there is nothing to add
        """Nothing follows the last entry."""

    @abstractmethod
    def with_tags(self, text: str, record: Record, tags: Tags) -> str:
        """The text of the record's entry with tags."""

    @abstractmethod
    def new_entry(self, record: Record, tags: Tags) -> str:
        """An entry for a record of another format."""

    def _line_end(self) -> str:
        """What the text so far lacks for the next to begin on a line of its own."""
        return "" if self._end in ("", "\n", "\r") else "\n"
