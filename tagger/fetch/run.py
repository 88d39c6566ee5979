"""A run that fetches: rows are written one by one, and what is there survives whatever ends it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from typing import Any

from tagger.errors import FetchError, InputError, TaggerError
from tagger.fetch.cache import Cache, cache_directory
from tagger.fetch.client import TIMEOUT, Client
from tagger.fetch.output import Output
from tagger.fetch.pace import Pace
from tagger.fetch.paging import Row
from tagger.interrupts import Interrupted, Interrupts
from tagger.progress import Progress, Silent, progress_of


class Run:
    """The output of a run, its clients, and what is said on the way."""

    def __init__(self, output: Output, asked: Mapping[str, Any], keep_answers: bool = True) -> None:
        """Prepare.

        Parameters
        ----------
        output : Output
            Where to write.
        asked : mapping
            All that the rows depend on, by names for people.
        keep_answers : bool
            Whether answers are kept, and earlier ones used.
        """
        self.output = output
        self._asked = asked
        self._keep_answers = keep_answers
        self._clients = ExitStack()
        self._progress: Progress | None = None
        self._is_short = False
        self.total: int | None = None
        """Papers that there will be, where that is known."""
        self.read = 0
        """Papers that are there."""

    def client(self, service: str) -> Client:
        """A client for ``arxiv`` or ``openreview``, which is closed when the run ends."""
        directory = cache_directory()
        client = Client(
            Pace(directory / f"{service}.next"),
            _number("TAGGER_FETCH_PAUSE"),
            Cache(directory / "answers") if self._keep_answers else None,
            _number("TAGGER_FETCH_TIMEOUT") or TIMEOUT,
            self.note if sys.stderr.isatty() else lambda message: None,
        )
        return self._clients.enter_context(client)

    def fetch(self, rows: Callable[[], Iterator[Row]], source: str) -> int:
        """Write the rows, after those that are there; returns the exit code.

        Parameters
        ----------
        rows : callable
            Gives the rows that are not there yet; it is called when the output knows which are.
        source : str
            Where they come from, for people.
        """
        output = self.output
        if output.part is not None and output.part.is_complete:
            print(f"tagger: {output.part.path} is complete; nothing is left to do", file=sys.stderr)
            return 0
        output.open(self._asked)
        with Interrupts() as interrupts, self._clients:
            try:
                for row in rows():
                    interrupts.held = True
                    output.write(row, source)
                    self._show()
                    interrupts.release()
                if not output.ids:
                    raise FetchError("nothing was found; ask for something else, or for more")
                interrupts.held = True
                output.finish()
            except BrokenPipeError:
                raise  # its reader has gone, and nobody is left to be told anything
            except (Interrupted, TaggerError, OSError) as error:
                interrupts.held = True
                kept = output.leave()
                if isinstance(error, Interrupted):
                    print(f"tagger: {error.what}{kept}", file=sys.stderr)
                    return error.code
                if isinstance(error, TaggerError) and kept:
                    raise FetchError(f"{error}{kept}") from None
                raise
            finally:
                if self._progress is not None:
                    self._progress.close()
        if output.failures.count:
            print(f"tagger: {output.failures.summary(len(output.ids), 'fetched')}", file=sys.stderr)
        elif output.part is not None and sys.stderr.isatty():
            print(f"tagger: {len(output.ids):,} papers fetched, {output.part.path} written", file=sys.stderr)
        return 1 if output.failures.count or self._is_short else 0

    def counted(self, total: int) -> None:
        """Hear how many papers there are."""
        self.total = total

    def note(self, message: str) -> None:
        """Say what is good to know."""
        (self._progress or Silent()).say(f"tagger: {message}")

    def warn(self, message: str) -> None:
        """Say what is missing; the exit code is then 1."""
        self._is_short = True
        self.note(message)

    def _show(self) -> None:
        """Show how far the run is."""
        self.read = len(self.output.ids)
        if self._progress is None:  # now the total is known, if it ever is
            self._progress = progress_of("fetching", self, self.output.part is not None, self.read - 1)
        self._progress.at(self.read)


def new_rows(found: Iterator[Row], output: Output, most: int | None = None) -> Iterator[Row]:
    """Those of the rows found that are not in the output yet; `most` in all."""
    known = set(output.ids)
    n_rows = len(known)
    if n_rows == most:
        return
    for row in found:
        if row["id"] not in known:
            yield row
            n_rows += 1
            if n_rows == most:
                return


def _number(variable: str) -> float | None:
    """The number in a variable of the environment, which mirrors and tests set; None if it is not set."""
    text = os.environ.get(variable)
    if not text:
        return None
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise InputError(f"{variable}={text}: not a number of seconds; correct it or unset it")
    return number
