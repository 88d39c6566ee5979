"""One request at a time to a service, with a pause before the next, for all processes of a machine."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

SHORTEST_PAUSE = 3.0
"""Seconds between two requests to arXiv or OpenReview; arXiv's terms ask for three, over one connection."""

_REAL_HOSTS = ("arxiv.org", "openreview.net")
_LONGEST_PLAUSIBLE = 24 * 3600.0


def pause_of(host: str, wanted: float | None) -> float:
    """Seconds to leave between two requests to `host`: what is `wanted`, but never too few for the real services."""
    host = host.rstrip(".")
    real = any(host == name or host.endswith(f".{name}") for name in _REAL_HOSTS)
    if wanted is None:
        return SHORTEST_PAUSE
    return max(wanted, SHORTEST_PAUSE) if real else max(wanted, 0.0)


class Pace:
    """Gives turns to requests, one at a time.

    The time of the next turn is kept in a file, which is locked during a turn, so that two commands at once, or one
    after the other in a loop, ask no faster together than one may alone.
    """

    def __init__(
        self, file: Path | None, sleep: Callable[[float], None] = time.sleep, now: Callable[[], float] = time.time
    ) -> None:
        """Prepare to give turns.

        Parameters
        ----------
        file : path, optional
            Where the processes of the machine meet; without one, or if it cannot be written, turns are kept within
            this process only.
        sleep, now : callable
            Wait for some seconds; the time in seconds since the epoch.
        """
        self._file = file
        self._sleep = sleep
        self._now = now
        self._next = 0.0
        self._turn = False

    @contextmanager
    def turn(self, pause: float) -> Iterator[None]:
        """Wait until it is this process's turn, then keep it for the body of the `with` and `pause` seconds more."""
        with self._locked() as file:
            wait = max(self._next, _read(file)) - self._now()
            if 0 < wait <= _LONGEST_PLAUSIBLE:  # longer ones come from a clock that was set back
                self._sleep(wait)
            self._next = self._now() + pause
            _write(file, self._next)  # in case that this process is killed during its turn
            self._turn = True
            try:
                yield
            finally:
                self._turn = False
                self._next = max(self._next, self._now() + pause)
                _write(file, self._next)

    def hold(self, seconds: float) -> None:
        """Give no turn for `seconds` from now."""
        self._next = max(self._next, self._now() + seconds)
        if not self._turn:  # the end of the turn writes it
            with self._locked() as file:
                _write(file, max(self._next, _read(file)))

    @contextmanager
    def _locked(self) -> Iterator[BinaryIO | None]:
        try:
            file = None if self._file is None else _open(self._file)
        except OSError:
            file = self._file = None
        if file is None:
            yield None
            return
        with file:
            _lock(file)
            yield file


def _open(path: Path) -> BinaryIO:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b")


def _read(file: BinaryIO | None) -> float:
    if file is None:
        return 0.0
    file.seek(0)
    try:
        return float(file.read(32))
    except ValueError:
        return 0.0


def _write(file: BinaryIO | None, time_: float) -> None:
    if file is not None:
        file.seek(0)
        file.truncate()
        file.write(f"{time_:.3f}".encode())
        file.flush()


if sys.platform == "win32":  # pragma: no cover

    def _lock(file: BinaryIO) -> None:
        import msvcrt

        while True:
            try:
                file.seek(64)  # past what is written: a locked byte cannot be read
                msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)  # freed when the file is closed
                return
            except OSError:
                time.sleep(0.1)

else:

    def _lock(file: BinaryIO) -> None:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX)  # freed when the file is closed, or its process ends
