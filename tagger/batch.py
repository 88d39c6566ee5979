"""A stream of records -> a stream of tags, in order, in batches and in parallel."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, Future
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tagger.errors import TaggerError
from tagger.marks import MOST_CHARACTERS, TOO_LONG
from tagger.model import Model
from tagger.records import Record, Tags, full_text

BATCH_SIZE = 192
"""Texts that are worked on together: more, and their arrays do not stay in the processor's cache."""
TASK_SIZE = 3 * BATCH_SIZE
"""Texts that are sent to another process at once."""
LARGEST_FREED = 31 * 2**20
"""Bytes, never touched, that teach glibc's allocator to keep what it is given back; it learns up to 32 MiB."""
TASKS_AHEAD = 4
"""Tasks for each process that may be under way or done before their results are asked for: this bounds memory."""
PATIENCE = 0.5
"""Seconds after which texts are worked on without those that are still missing: their source is slow."""
_Task: TypeAlias = tuple[list[str | Tags], "Future[tuple[NDArray[np.float32], NDArray[np.uint8]]]"]


def tag_stream(model: Model, items: Iterable[str | Record | Mapping[str, Any]], n_jobs: int = 1) -> Iterator[Tags]:
    """Tag `items` with `model`: one result for each, in order, reading ahead by a bounded number of items."""
    if n_jobs == 1:
        for batch in _batches(items, BATCH_SIZE):
            yield from tag_batch(model, batch)
        return
    import joblib
    from joblib.externals.loky import ProcessPoolExecutor

    n_workers = joblib.effective_n_jobs(n_jobs)
    with tempfile.TemporaryDirectory(prefix="tagger-") as directory:
        path = str(Path(directory) / "model.joblib")
        # Not the reusable executor: joblib's own Parallel, which trains, would be handed it and fail.
        executor = ProcessPoolExecutor(n_workers, initializer=_begin_process, initargs=(os.getpid(), directory))
        pending: deque[_Task] = deque()
        try:
            executor.submit(os.getpid)  # the processes begin while the model is made ready
            model.prepare()
            # Each process maps this file into memory, once; our own objects, written and read back within this run.
            joblib.dump(model, path)
            # Only texts go to the processes and only probabilities and flags come back: little to copy.
            tasks = (
                (texts, executor.submit(_task, path, [_good(batch) for batch in _batches(texts, BATCH_SIZE)]))
                for texts in map(_texts_of, _batches(items, TASK_SIZE))
            )
            for texts, future in _in_turn(tasks, pending, TASKS_AHEAD * n_workers):
                probabilities, flags = future.result()
                yield from _in_order(texts, model.tags(probabilities, flags))
        except BrokenExecutor:  # of a result, or of the next task
            raise TaggerError("a process that tagged was killed, as when memory ends; use fewer jobs") from None
        finally:
            for _, future in pending:
                future.cancel()
            executor.shutdown()


def _in_turn(tasks: Iterator[_Task], pending: deque[_Task], most: int) -> Iterator[_Task]:
    """Begin `tasks`, up to `most` ahead, which are `pending`; a slow source does not hold back what is done."""
    for task in tasks:
        pending.append(task)
        if len(pending) >= most or pending[0][1].done():
            yield pending.popleft()
    while pending:
        yield pending.popleft()


def tag_batch(model: Model, items: list[str | Record | Mapping[str, Any]]) -> list[Tags]:
    """Tag a list of items at once; one that is no text or empty gives Tags that say so."""
    texts = _texts_of(items)
    good = _good(texts)
    tagged = model.tags(*_judged(model, good)) if good else []
    return tagged if len(good) == len(texts) else list(_in_order(texts, tagged))


def _texts_of(items: list[Any]) -> list[str | Tags]:
    return [_text_of(item) for item in items]


def _good(texts: list[str | Tags]) -> list[str]:
    return [text for text in texts if isinstance(text, str)]


def _in_order(texts: list[str | Tags], tagged: list[Tags]) -> Iterator[Tags]:
    """The tags of the texts, and in their places those that say why there is no text."""
    tags = iter(tagged)
    for text in texts:
        yield next(tags) if isinstance(text, str) else text


@lru_cache(maxsize=1)
def _mapped_model(path: str) -> Model:
    import joblib

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


def _task(path: str, batches: list[list[str]]) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
    model = _mapped_model(path)
    parts = [_judged(model, batch) for batch in batches if batch]
    if not parts:
        return np.empty((0, len(model.intercept)), dtype=np.float32), np.empty(0, dtype=np.uint8)
    probabilities, flags = zip(*parts)
    return np.concatenate(probabilities), np.concatenate(flags)


def _judged(model: Model, texts: list[str]) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
    """Probabilities and flags of `texts`, which :func:`_text_of` has let be one character longer than what is read."""
    too_long = [row for row, text in enumerate(texts) if len(text) > MOST_CHARACTERS]
    if too_long:
        texts = [text[:MOST_CHARACTERS] for text in texts]
    probabilities, flags = model.probabilities_and_marks(texts)
    if too_long:
        flags[too_long] |= TOO_LONG
    return probabilities, flags


def _text_of(item: object) -> str | Tags:
    """The text to tag, or Tags that say why there is none."""
    abstract, title = item, None
    if isinstance(item, str):  # asked first, since it is answered fastest
        pass
    elif isinstance(item, Record):
        if item.error:
            return Tags(error=item.error)
        abstract, title = item.abstract, item.title
    elif isinstance(item, Mapping):
        abstract, title = item.get("abstract"), item.get("title")
    if not isinstance(abstract, str):
        return Tags(error=f"expected the abstract as a string, got {type(abstract).__name__}")
    if not abstract or abstract.isspace():
        return Tags(error="the abstract is empty")
    # Of a text that is too long goes no more through the pipes than what says that it is.
    title = title[:MOST_CHARACTERS] if isinstance(title, str) else None
    return full_text(abstract[: MOST_CHARACTERS + 1], title)


def _batches(items: Iterable[Any], size: int) -> Iterator[list[Any]]:
    iterator = iter(items)
    while True:
        batch: list[Any] = []
        ends = time.monotonic() + PATIENCE
        for item in islice(iterator, size):
            batch.append(item)
            if time.monotonic() > ends:
                break
        if not batch:
            return
        yield batch
