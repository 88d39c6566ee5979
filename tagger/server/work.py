"""What computes, off the event loop: a lane for what is quick and one for files, so that a file delays no one."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from tagger.server.replies import Refusal

QUICK_THREADS = min(4, os.cpu_count() or 1)
MOST_WAITING = 1000
"""Quick tasks that may wait; beyond, the server says that it is busy."""
MOST_FILES = 8
"""Files that may be under way."""
SWITCH_INTERVAL = 0.0005
"""Seconds after which a thread that computes lets the others have the interpreter; the default is ten times as long,
and a request changes threads several times."""

T = TypeVar("T")


class Work:
    """Two pools of threads, and how much there is for them."""

    def __init__(self) -> None:
        self._quick = ThreadPoolExecutor(QUICK_THREADS, "quick")
        self._bulk = ThreadPoolExecutor(1, "bulk")
        self._waiting = 0
        self._files = 0

    async def quick(self, task: Callable[[], T]) -> T:
        """Do what takes milliseconds.

        Raises
        ------
        Refusal
            If too much is waiting.
        """
        if self._waiting >= MOST_WAITING:
            raise Refusal(503, "The server is busy; try again in a moment.")
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._quick, task)
        finally:
            self._waiting -= 1

    async def bulk(self, task: Callable[[], T]) -> T:
        """Do a part, of milliseconds, of what takes long; the parts of several take turns."""
        return await asyncio.get_running_loop().run_in_executor(self._bulk, task)

    def begin_file(self) -> None:
        """Count a file that is worked on from now on.

        Raises
        ------
        Refusal
            If there are too many.
        """
        if self._files >= MOST_FILES:
            raise Refusal(503, f"{MOST_FILES} files are being tagged; wait until one is done.")
        self._files += 1

    def end_file(self) -> None:
        """Count it no longer."""
        self._files -= 1

    def close(self) -> None:
        """Let nothing new begin."""
        self._quick.shutdown(wait=False, cancel_futures=True)
        self._bulk.shutdown(wait=False, cancel_futures=True)
