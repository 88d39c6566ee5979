"""What computes, off the event loop: a lane for what is quick and one for files, so that a file delays no one."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

from tagger.server.replies import Refusal

QUICK_THREADS = min(4, os.cpu_count() or 1)
MOST_WAITING = 1000
"""Quick tasks that may wait; beyond, the server says that it is busy."""
BUSY = "The server is busy; try again in a moment."
MOST_FILES = 8
"""Files that may be under way."""
SWITCH_INTERVAL = 0.0005
"""Seconds after which a thread that computes lets the others have the interpreter; the default is ten times as long,
and a request changes threads several times."""

MOST_TOGETHER = 64
"""Requests that are worked on together."""

T = TypeVar("T")
Q = TypeVar("Q")
A = TypeVar("A")


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
            raise Refusal(503, BUSY)
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


class Together(Generic[Q, A]):
    """Answers questions that come at the same time together: for a model, sixteen texts are little more than one."""

    def __init__(self, work: Work, answer: Callable[[list[Q]], list[A]]) -> None:
        """Answer with `answer`, which gives an answer for each question, in order, and runs in a thread."""
        self._work = work
        self._answer = answer
        self._waiting: deque[tuple[Q, asyncio.Future[A]]] = deque()
        self._task: asyncio.Task[None] | None = None

    async def ask(self, question: Q) -> A:
        """The answer to a question.

        Raises
        ------
        Refusal
            If too much is waiting.
        """
        if len(self._waiting) >= MOST_WAITING:
            raise Refusal(503, BUSY)
        future: asyncio.Future[A] = asyncio.get_running_loop().create_future()
        self._waiting.append((question, future))
        if self._task is None:
            self._task = asyncio.create_task(self._run())
        return await future

    async def _run(self) -> None:
        """Answer what is waiting until nothing is."""
        try:
            await asyncio.sleep(0)  # lets those in that have arrived with the first
            while self._waiting:
                some = [self._waiting.popleft() for _ in range(min(MOST_TOGETHER, len(self._waiting)))]
                try:
                    answers = await self._work.quick(lambda some=some: self._answer([q for q, _ in some]))  # type: ignore[misc]
                except Exception as error:
                    for _, future in some:
                        if not future.done():
                            future.set_exception(error)
                else:
                    for (_, future), answer in zip(some, answers, strict=True):
                        if not future.done():
                            future.set_result(answer)
        finally:
            self._task = None
