"""How far a run has got, on a terminal; nothing elsewhere."""

from __future__ import annotations

import importlib
import sys
from types import TracebackType
from typing import Any


class Progress:
    """A bar on standard error if that is a terminal, between which and the messages there is no mess."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()
        self._bar: Any = None

    def __enter__(self) -> Progress:
        if self._shown:
            try:
                tqdm: Any = importlib.import_module("tqdm")
            except ImportError:
                return self
            self._bar = tqdm.tqdm(unit=" papers", file=sys.stderr, dynamic_ncols=True, leave=False)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def total(self, n_papers: int) -> None:
        """Say how many papers there will be."""
        if self._bar is not None and self._bar.total != n_papers:
            self._bar.total = n_papers
            self._bar.refresh()

    def advance(self, n_papers: int) -> None:
        """Say that so many more papers are there."""
        if self._bar is not None:
            self._bar.update(n_papers)

    def say(self, message: str, always: bool = False) -> None:
        """Print a message; only on a terminal, unless `always`."""
        if self._bar is not None:
            self._bar.write(f"tagger: {message}", file=sys.stderr)
        elif self._shown or always:
            print(f"tagger: {message}", file=sys.stderr)
