"""Text that is gathered and written at flushes: an error or an interrupt between them leaves no half row behind."""

from __future__ import annotations

import io
from collections.abc import Callable

MOST_CHARACTERS = 2**20
"""Text that is gathered before it is written all the same."""


class GatheredText(io.TextIOBase):
    """A stream that gives what is written to it to `sink`."""

    encoding = "utf-8"

    def __init__(self, sink: Callable[[str], None]) -> None:
        self._sink = sink
        self._pieces: list[str] = []
        self._size = 0
        self.skipping = False
        """Whether what is written is dropped."""

    def writable(self) -> bool:
        """Yes."""
        return True

    def write(self, text: str) -> int:
        """Gather `text`."""
        if not self.skipping:
            self._pieces.append(text)
            self._size += len(text)
            if self._size > MOST_CHARACTERS:
                self.flush()
        return len(text)

    def flush(self) -> None:
        """Write what is gathered."""
        if self._pieces:
            text = "".join(self._pieces)
            self.clear()
            self._sink(text)

    def clear(self) -> None:
        """Drop what is gathered."""
        self._pieces.clear()
        self._size = 0
