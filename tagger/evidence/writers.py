"""The forms in which explanations are written: text for people, JSON Lines, a page of HTML."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol, TextIO

from tagger.errors import InputError
from tagger.evidence.explanation import Explanation
from tagger.evidence.page import PageWriter
from tagger.evidence.terminal import TextWriter


class Writer(Protocol):
    """Writes explanations one at a time."""

    def write(self, id_: str, explanation: Explanation) -> None:
        """Write one."""

    def write_error(self, id_: str, error: str) -> None:
        """Write why there is none."""

    def close(self) -> None:
        """Write what ends the file; the stream stays open."""


class JsonWriter:
    """A JSON object a line: the tags as ``tagger tag`` writes them, the text that was read, and the evidence in it."""

    def __init__(
        self, stream: TextIO, areas: Sequence[str], chosen: Sequence[str] = (), top: int | None = None
    ) -> None:
        """Prepare to write to `stream`; phrases and n-grams of an area beyond `top` are left out."""
        self._stream = stream
        self._chosen = tuple(chosen or areas)
        self._top = top
        # A stream in UTF-8 writes half a surrogate pair as the escape that JSON has for it.
        self._ascii = (getattr(stream, "encoding", None) or "utf-8").lower() not in ("utf-8", "utf8")

    def write(self, id_: str, explanation: Explanation) -> None:
        """Write one line."""
        row = explanation.to_json()
        row["evidence"] = {
            area: row["evidence"][area] | {name: row["evidence"][area][name][: self._top] for name in _LISTS}
            for area in self._chosen
        }
        self._line({"id": id_} | row)

    def write_error(self, id_: str, error: str) -> None:
        """Write one line with ``id`` and ``error``."""
        self._line({"id": id_, "error": error})

    def close(self) -> None:
        """Nothing is left to write."""

    def _line(self, row: dict[str, Any]) -> None:
        self._stream.write(json.dumps(row, ensure_ascii=self._ascii) + "\n")


_LISTS = ("evidence", "phrases")

WRITERS: dict[str, Callable[[TextIO, Sequence[str], Sequence[str], int | None], Writer]] = {
    "text": TextWriter,
    "json": JsonWriter,
    "html": PageWriter,
}

_SUFFIXES = {".txt": "text", ".json": "json", ".jsonl": "json", ".html": "html", ".htm": "html"}


def form_of_file(path: str) -> str:
    """The form that a file's name stands for.

    Raises
    ------
    InputError
        If it stands for none.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in _SUFFIXES:
        known = ", ".join(_SUFFIXES)
        raise InputError(f"{path}: unknown output format {suffix!r}; end the name in one of {known}, or give --format")
    return _SUFFIXES[suffix]
