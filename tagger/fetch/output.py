"""Rows as JSON Lines: to standard output, or to a file that a run which was stopped can go on with."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from tagger.errors import InputError
from tagger.fetch.paging import Row


class Output:
    """Where rows go; knows what is there already."""

    def __init__(self, stream: BinaryIO, ids: list[str], failed: int) -> None:
        self._stream = stream
        self.ids = ids
        """Ids of the rows that are there, in order."""
        self.failed = failed
        """Rows among them that have an error."""

    def write(self, row: Row) -> None:
        """Write one row, so that it stays if the process is killed."""
        # Half a surrogate pair, which UTF-8 cannot hold, becomes the escape that JSON has for it.
        self._stream.write(json.dumps(row, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")
        self._stream.flush()
        self.ids.append(str(row["id"]))
        self.failed += "error" in row


def part_of(path: str) -> Path:
    """The file that holds the rows until all are there."""
    target = Path(path).resolve()
    return target.with_name(target.name + ".part")


@contextmanager
def open_output(path: str | None, request: str, resume: bool, force: bool) -> Iterator[Output]:
    """Open the output of a run.

    A file grows as ``FILE.part``, beside which ``FILE.part.request`` says what was asked for; it gets its name when
    everything is there. If the run is stopped, by whatever means, both stay.

    Parameters
    ----------
    path : str, optional
        The file; standard output if None. A pipe or a device is written to as it is.
    request : str
        What is asked for; a part file of another request is not gone on with.
    resume : bool
        Go on with what is there.
    force : bool
        Replace what is there.

    Raises
    ------
    InputError
        If the file is there already, cannot be written, or holds rows of another request.
    """
    if path is None or (Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir()):
        stream = sys.stdout.buffer if path is None else Path(path).open("wb")  # noqa: SIM115 - stays open, or is a pipe
        sys.stdout.flush()
        yield Output(stream, [], 0)
        if path is not None:
            stream.close()
        return
    target, part = Path(path).resolve(), part_of(path)
    asked = part.with_name(part.name + ".request")
    if target.is_dir():
        raise InputError(f"{path}: is a directory; name a file in it")
    if target.exists() and not force:
        raise InputError(f"{path}: is there already; give another name, or --force to replace it")
    if part.exists() and not (resume or force):
        raise InputError(
            f"{part}: is there from a run that was stopped; give --resume to go on, or --force to begin anew"
        )
    try:
        goes_on = resume and part.exists()
        if goes_on and (not asked.exists() or asked.read_text(encoding="utf-8") != request):
            raise InputError(f"{part}: holds what another command fetched; give that one, or --force to begin anew")
        if not goes_on:
            part.unlink(missing_ok=True)
            asked.write_text(request, encoding="utf-8")
        with part.open("r+b" if goes_on else "wb") as file:
            yield Output(file, *_rows_of(file, part))
            os.fsync(file.fileno())
        os.replace(part, target)
        asked.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror}); name another file") from error


def _rows_of(file: BinaryIO, part: Path) -> tuple[list[str], int]:
    """Ids of the rows in a part file, and how many have errors; a row that was cut off is removed."""
    ids: list[str] = []
    failed = end = 0
    for line in file if file.readable() else ():
        try:
            row = json.loads(line)
            id_ = row["id"]
        except (ValueError, LookupError, TypeError):
            id_ = None
        if id_ is None or not line.endswith(b"\n"):
            if file.read(1):
                raise InputError(f"{part}: line {len(ids) + 1} is not a row; remove the file and begin anew")
            break
        ids.append(str(id_))
        failed += "error" in row
        end += len(line)
    file.seek(end)
    file.truncate()
    return ids, failed
