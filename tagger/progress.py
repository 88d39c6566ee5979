"""How far a run is, on a terminal: records, rate, and the time left where the size of the input is known."""

from __future__ import annotations

import importlib
import sys
import threading
import time
from typing import Any, Protocol


class Bytes(Protocol):
    """How much of the input has been read, as :class:`tagger.formats.sources.Bytes` counts it."""

    total: int | None
    read: int


class Progress(Protocol):
    """Is told how a run goes."""

    def at(self, done: int) -> None:
        """Say that `done` records have been written; it must cost next to nothing."""

    def say(self, line: str) -> None:
        """Say something else on standard error."""

    def close(self) -> None:
        """Leave the terminal as it was."""


class Silent:
    """Shows no progress."""

    def at(self, done: int) -> None:
        """Show nothing."""

    def say(self, line: str) -> None:
        """Print `line`."""
        print(line, file=sys.stderr)

    def close(self) -> None:
        """Nothing was shown."""


class Bar:
    """One line at the bottom of a terminal, which goes when the run ends."""

    def __init__(self, doing: str, input_: Bytes | None, begun_at: int = 0) -> None:
        tqdm: Any = importlib.import_module("tqdm").tqdm
        tqdm.monitor_interval = 0  # no thread that looks after the line: we come by often enough
        tqdm.set_lock(threading.RLock())  # its own would be shared by processes, which none of ours needs
        self._doing, self._input, self._begun_at = doing, input_, begun_at
        self._total = input_.total if input_ is not None else None
        self._started = time.monotonic()
        known = "{desc}  {percentage:3.0f}% {bar} {remaining} left"
        self._bar: Any = tqdm(
            total=self._total,
            bar_format=known if self._total else "{desc}  {elapsed}",
            file=sys.stderr,
            leave=False,
            delay=0.5,
            mininterval=0.2,
            dynamic_ncols=True,
        )
        self._say_done(begun_at)

    def at(self, done: int) -> None:
        """Show that `done` records have been written."""
        self._say_done(done)
        read = self._input.read if self._input is not None and self._total else done
        self._bar.update(max(0, min(read, self._total or read) - self._bar.n))

    def say(self, line: str) -> None:
        """Print `line` above."""
        self._bar.write(line, file=sys.stderr)

    def close(self) -> None:
        """Take the line away."""
        self._bar.close()

    def _say_done(self, done: int) -> None:
        if done <= self._begun_at:
            self._started = time.monotonic()  # these are only passed over
        seconds = time.monotonic() - self._started
        rate = f", {(done - self._begun_at) / seconds:,.0f} a second" if done > self._begun_at and seconds > 1 else ""
        self._bar.set_description_str(f"{self._doing} {done:,}{rate}", refresh=False)


class Voice:
    """Says on standard error what comes up while records are read, above the line that shows the progress."""

    def __init__(self) -> None:
        self.progress: Progress = Silent()

    def __call__(self, message: str) -> None:
        """Say `message`."""
        self.progress.say(f"tagger: {message}")


def progress_of(doing: str, input_: Bytes | None, to_file: bool, begun_at: int = 0) -> Progress:
    """What shows how far a run is.

    Parameters
    ----------
    doing : str
        What is done with the records: ``tagging``.
    input_ : Bytes, optional
        How much there is to read, and how much has been.
    to_file : bool
        Whether the results go to a file. In a terminal they would show the progress themselves, and what they are piped
        into may have the terminal for itself.
    begun_at : int
        Records that were done before.
    """
    if to_file and sys.stderr is not None and sys.stderr.isatty():
        try:
            return Bar(doing, input_, begun_at)
        except ImportError:
            pass
    return Silent()
