"""Tagged abstracts as JSON Lines, CSV or a table, to a stream or to a file that appears whole."""

from __future__ import annotations

import csv
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, TextIO

from tagger.errors import InputError
from tagger.formats.table import TableWriter
from tagger.records import Tagged

DECIMALS = 6


class Writer(Protocol):
    """Writes tagged abstracts one at a time."""

    def write(self, tagged: Tagged) -> None:
        """Write one."""


class JsonlWriter:
    """A JSON object a line."""

    def __init__(self, stream: TextIO, areas: tuple[str, ...]) -> None:
        self._stream = stream
        self._ascii = (getattr(stream, "encoding", None) or "utf-8").lower() not in ("utf-8", "utf8")

    def write(self, tagged: Tagged) -> None:
        """Write one line: `id`, `title` if there is one, `areas`, `probabilities`, `unsure`, and `error` if any."""
        row = row_of(tagged)
        self._stream.write(json.dumps(row, ensure_ascii=self._ascii) + "\n")


class CsvWriter:
    """A row an abstract, areas joined by ``; ``, a column for each area's probability."""

    def __init__(self, stream: TextIO, areas: tuple[str, ...]) -> None:
        self._writer = csv.writer(stream, lineterminator="\n")
        self._areas = areas
        self._writer.writerow(["id", "title", "areas", "central", "unsure", *areas, "error"])

    def write(self, tagged: Tagged) -> None:
        """Write one row; a cell that a spreadsheet would run as a formula gets a leading apostrophe."""
        tags, record = tagged.tags, tagged.record
        probabilities = [tags.probabilities.get(area) for area in self._areas]
        cells = [record.id, record.title or "", *("; ".join(some) for some in (tags.areas, tags.central, tags.unsure))]
        numbers = ["" if value is None else f"{value:.{DECIMALS}f}" for value in probabilities]
        self._writer.writerow([*map(_harmless, cells), *numbers, _harmless(tags.error or "")])


WRITERS: dict[str, Callable[[TextIO, tuple[str, ...]], Writer]] = {
    "table": TableWriter,
    "jsonl": JsonlWriter,
    "csv": CsvWriter,
}

_SUFFIXES = {".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl", ".csv": "csv"}


def row_of(tagged: Tagged) -> dict[str, object]:
    """A tagged abstract as the object that JSON Lines hold."""
    tags, record = tagged.tags, tagged.record
    row: dict[str, object] = {"id": record.id}
    if record.title:
        row["title"] = record.title
    row["areas"] = list(tags.areas)
    row["probabilities"] = {area: round(value, DECIMALS) for area, value in tags.probabilities.items()}
    if tags.central_probabilities:
        row["central"] = list(tags.central)
        central = tags.central_probabilities.items()
        row["central_probabilities"] = {area: round(value, DECIMALS) for area, value in central}
    row["unsure"] = list(tags.unsure)
    if tags.error:
        row["error"] = tags.error
    return row


def format_of_file(path: str) -> str:
    """The output format that a file's name stands for.

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


@contextmanager
def whole_file(path: str) -> Iterator[TextIO]:
    """Open `path` for writing so that it appears under its name only when everything has been written.

    A pipe or a device is written to as it is; of a link, the file that it points to is replaced.

    Raises
    ------
    InputError
        If it cannot be written.
    """
    target = Path(path)
    if target.is_dir():
        raise InputError(f"{path}: is a directory; name a file in it")
    if target.exists() and not target.is_file():
        with _open_text(target) as stream:
            yield stream
        return
    target = target.resolve()
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}-", dir=target.parent)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror}); name another file") from error
    try:
        with _open_text(handle) as stream:
            yield stream
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _open_text(file: Path | int) -> TextIO:
    # Half a surrogate pair, which UTF-8 cannot hold, becomes the escape that JSON has for it.
    return open(file, "w", encoding="utf-8", errors="backslashreplace", newline="")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _harmless(cell: str) -> str:
    marked = "'" + cell if cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell
    # The csv module quotes a lone carriage return from Python 3.13 on only; unquoted, it would end the row.
    return marked.replace("\r\n", "\n").replace("\r", "\n")
