"""Rows as JSON Lines: to standard output, or to a file that a run which was stopped can go on with."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

from tagger.failures import Failures
from tagger.fetch.paging import Row
from tagger.partfile import PartFile, is_device
from tagger.records import Record


class Output:
    """Where rows go; knows what is there already."""

    def __init__(self, path: str | None, resume: bool = False, force: bool = False) -> None:
        """Look at the place, and refuse it or not.

        Parameters
        ----------
        path : str, optional
            A file; standard output if None. A pipe or a device is written to as it is.
        resume : bool
            Go on with what a run that was stopped left of the file.
        force : bool
            Replace what is there.

        Raises
        ------
        InputError
            If the file is there and may not be replaced, or cannot be written.
        """
        self._path = path
        as_it_is = path is None or is_device(path)
        self.part = None if as_it_is or path is None else PartFile(path, resume=resume, force=force)
        """The file; None for what is written to as it is."""
        self._stream: TextIO | None = None
        self.ids: list[str] = []
        """Ids of the rows that are there, in order."""
        self.failures = Failures()

    def open(self, asked: Mapping[str, Any]) -> None:
        """Begin, or go on with rows that were asked for with the same options.

        Raises
        ------
        InputError
            If what is there was asked for otherwise.
        """
        if self.part is not None:
            self._stream = self.part.open(asked)
            self.failures = Failures(self.part.state.get("failures"))
            with self.part.part.open(encoding="utf-8") as rows:
                self.ids = [str(json.loads(row)["id"]) for row in rows]
        elif self._path is not None:
            # Closed by `leave`.
            self._stream = Path(self._path).open("w", encoding="utf-8", errors="backslashreplace")  # noqa: SIM115
        else:
            self._stream = sys.stdout

    def write(self, row: Row, source: str) -> None:
        """Write a row; what has been written stays, whatever happens."""
        assert self._stream is not None
        # Half a surrogate pair, which UTF-8 cannot hold, becomes the escape that JSON has for it.
        encoding = (self._stream.encoding or "utf-8").lower()
        self._stream.write(json.dumps(row, ensure_ascii=encoding not in ("utf-8", "utf8")) + "\n")
        self.ids.append(str(row["id"]))
        if "error" in row:
            self.failures.add(Record(str(row["id"]), source=source), row["error"])
        if self.part is not None:
            self.part.mark({"failures": self.failures.state})

    def finish(self) -> None:
        """Give the file its name."""
        if self.part is not None:
            self.part.finish()
        else:
            self.leave()

    def leave(self) -> str:
        """Leave what is there for another run; returns how to go on, as the end of a sentence."""
        if self.part is None:
            if self._stream is not None and self._path is not None:
                self._stream.close()
            elif self._stream is not None:
                with contextlib.suppress(OSError):
                    self._stream.flush()
            return ""
        if self._stream is None:
            return ""
        if not self.ids:
            self.part.discard()
            return ""
        self.part.keep()
        return f"; {len(self.ids):,} papers are kept in {self._path}.part, --resume goes on from there"
