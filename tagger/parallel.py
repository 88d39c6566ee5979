"""A stream of records -> a stream of tags, in order, by several processes that share the work, this one among them.

This process reads, hands out tasks and gives their results. When those that are next are not there yet, it does not
wait but takes a task itself: of two processes only one has to be started, and this one has work until it is there.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from joblib.externals.loky import ProcessPoolExecutor
from numpy.typing import NDArray

from tagger import batch
from tagger.batch import BATCH_SIZE, TASK_SIZE, batches, good_of, in_order, judged, texts_of
from tagger.errors import TaggerError
from tagger.model import Model
from tagger.records import Tags

TASKS_AHEAD = 4
"""Tasks for each process that may be under way or done before their results are asked for: this bounds memory."""
HANDED_OUT = 3
"""Tasks for each other process that it has or that wait for it, so that it need not wait for this one."""
LARGEST_FREED = 31 * 2**20
"""Bytes, never touched, that teach glibc's allocator to keep what it is given back; it learns up to 32 MiB."""


def tag_stream(model: Model, items: Iterable[Any], n_jobs: int) -> Iterator[Tags]:
    """Do what :func:`tagger.batch.tag_stream` says, by `n_jobs` processes.

    Raises
    ------
    TaggerError
        If a process was killed.
    """
    n_processes = joblib.effective_n_jobs(n_jobs)
    if n_processes == 1:
        yield from batch.tag_stream(model, items)
        return
    with tempfile.TemporaryDirectory(prefix="tagger-") as directory:
        path = str(Path(directory) / "model.joblib")
        # Not the reusable executor: joblib's own Parallel, which trains, would be handed it and fail.
        executor = ProcessPoolExecutor(n_processes - 1, initializer=_begin_process, initargs=(os.getpid(), directory))
        tasks = _Tasks(model, path, executor, n_processes)
        try:
            executor.submit(os.getpid)  # the processes begin while the model is made ready
            dump_model(model, path)
            for texts in map(texts_of, batches(items, TASK_SIZE)):
                tasks.add(texts)
                yield from tasks.results_so_far()
            yield from tasks.results()
        except BrokenExecutor:  # of a result, or of the next task
            raise TaggerError("a process that tagged was killed, as when memory ends; use fewer jobs") from None
        finally:
            tasks.cancel()
            executor.shutdown()


_Judged = tuple[NDArray[np.float32], NDArray[np.uint8]]
"""Probabilities and flags."""


@dataclass(slots=True)
class _Task:
    texts: list[str | Tags]
    future: Future[_Judged] | None = None
    """What it will give; None until somebody has it."""

    @property
    def batches(self) -> list[list[str]]:
        """Its texts, grouped to be worked on together."""
        return [good_of(self.texts[start : start + BATCH_SIZE]) for start in range(0, len(self.texts), BATCH_SIZE)]


class _Tasks:
    """The tasks whose results have not been given, in order.

    Only texts go to the other processes and only numbers come back: little to copy.
    """

    def __init__(self, model: Model, path: str, executor: Executor, n_processes: int) -> None:
        self._model = model
        self._path = path
        self._executor = executor
        self._most = TASKS_AHEAD * n_processes
        self._handed_out = HANDED_OUT * (n_processes - 1)
        self._pending: deque[_Task] = deque()

    def add(self, texts: list[str | Tags]) -> None:
        """Add a task, at the end."""
        self._pending.append(_Task(texts))
        self._hand_out()

    def results_so_far(self) -> Iterator[Tags]:
        """Give the results that are there, and more if too many tasks are waiting for them."""
        while self._pending and (self._is_next_done() or len(self._pending) >= self._most):
            yield from self._next_results()

    def results(self) -> Iterator[Tags]:
        """Give all results."""
        while self._pending:
            yield from self._next_results()

    def cancel(self) -> None:
        """Cancel what nobody has begun."""
        for task in self._pending:
            if task.future is not None:
                task.future.cancel()

    def _next_results(self) -> Iterator[Tags]:
        while not self._is_next_done() and self._take_one():
            self._hand_out()
        task = self._pending.popleft()
        assert task.future is not None
        probabilities, flags = task.future.result()
        self._hand_out()
        yield from in_order(task.texts, self._model.tags(probabilities, flags))

    def _is_next_done(self) -> bool:
        future = self._pending[0].future
        return future is not None and future.done()

    def _hand_out(self) -> None:
        """Give the other processes tasks, the oldest first, until they have enough."""
        n_begun = sum(task.future is not None and not task.future.done() for task in self._pending)
        for task in self._pending:
            if n_begun >= self._handed_out:
                return
            if task.future is None:
                task.future = self._executor.submit(_done_there, self._path, task.batches)
                n_begun += 1

    def _take_one(self) -> bool:
        """Do the oldest task that nobody has; False if there is none."""
        for task in self._pending:
            if task.future is None:
                task.future = Future()
                task.future.set_result(_done(self._model, task.batches))
                return True
        return False


def _done(model: Model, batches: list[list[str]]) -> _Judged:
    parts = [judged(model, texts) for texts in batches if texts]
    if not parts:
        return np.empty((0, len(model.intercept)), dtype=np.float32), np.empty(0, dtype=np.uint8)
    probabilities, flags = zip(*parts)
    return np.concatenate(probabilities), np.concatenate(flags)


def _done_there(path: str, batches: list[list[str]]) -> _Judged:
    return _done(mapped_model(path), batches)


def dump_model(model: Model, path: str) -> None:
    """Write a model, and what it has made ready for tagging, for :func:`mapped_model`; to be read within this run."""
    model.prepare()
    joblib.dump(model, path)


@lru_cache(maxsize=1)
def mapped_model(path: str) -> Model:
    """The model in a file that :func:`dump_model` wrote, its arrays mapped into memory, which processes share."""
    # Unless it has seen a larger piece come back, glibc returns the arrays of each batch to the system, and the next
    # batch faults every page of them in again: a fifth of the time of a worker.
    np.empty(LARGEST_FREED, dtype=np.uint8)
    model = joblib.load(path, mmap_mode="r")
    assert isinstance(model, Model)
    return model


def _begin_process(main_process: int, directory: str) -> None:
    # Ctrl-C reaches every process of a terminal; the main one ends these when it has written what is done.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(main_process, directory), daemon=True).start()


def _end_with(main_process: int, directory: str) -> None:
    """End this process when the main one was killed, and remove what it could not."""
    while os.getppid() == main_process:
        time.sleep(1)
    shutil.rmtree(directory, ignore_errors=True)
    os._exit(1)
