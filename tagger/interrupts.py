"""Ctrl-C and the request to end, as exceptions that do not come while something is written."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupted(KeyboardInterrupt):
    """The process was asked to end."""

    def __init__(self, number: int = signal.SIGINT) -> None:
        super().__init__()
        self.code = 128 + number
        """Exit code that says so: 130 after Ctrl-C, 143 after SIGTERM."""
        self.what = "interrupted" if number == signal.SIGINT else "terminated"


class Interrupts:
    """Within ``with Interrupts() as interrupts``, SIGINT and SIGTERM raise :class:`Interrupted` in the main thread.

    What must not be torn apart is done between ``interrupts.held = True`` and :meth:`release`.
    """

    def __init__(self) -> None:
        self.held = False
        self._arrived: int | None = None
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():  # Python gives signals to no other
            for number in SIGNALS:
                if signal.getsignal(number) is not signal.SIG_IGN:  # as `nohup` and `&` in a script want it
                    self._before[number] = signal.signal(number, self._arrive)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)
        self._before.clear()

    def release(self) -> None:
        """Stop holding back, and raise what has arrived meanwhile."""
        self.held = False
        if self._arrived is not None:
            number, self._arrived = self._arrived, None
            raise Interrupted(number)

    def _arrive(self, number: int, _: FrameType | None) -> None:
        if self.held:
            self._arrived = number
        else:
            raise Interrupted(number)
