"""A stream of records -> a stream of tags, in order, in batches."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagger.marks import MOST_CHARACTERS, TOO_LONG
from tagger.model import Model
from tagger.records import Record, Tags, full_text

BATCH_SIZE = 192
"""Texts that are worked on together: more, and their arrays do not stay in the processor's cache."""
TASK_SIZE = 3 * BATCH_SIZE
"""Texts that a process of several takes at once, and between the marks of a run."""
PATIENCE = 0.5
"""Seconds after which texts are worked on without those that are still missing: their source is slow."""


def tag_stream(model: Model, items: Iterable[str | Record | Mapping[str, Any]], n_jobs: int = 1) -> Iterator[Tags]:
    """Tag `items` with `model`: one result for each, in order, reading ahead by a bounded number of items."""
    if n_jobs == 1:
        for batch in batches(items, BATCH_SIZE):
            yield from tag_batch(model, batch)
        return
    from tagger import parallel

    yield from parallel.tag_stream(model, items, n_jobs)


def tag_batch(model: Model, items: list[str | Record | Mapping[str, Any]]) -> list[Tags]:
    """Tag a list of items at once; one that is no text or empty gives Tags that say so."""
    texts = texts_of(items)
    good = good_of(texts)
    tagged = model.tags(*judged(model, good)) if good else []
    return tagged if len(good) == len(texts) else list(in_order(texts, tagged))


def texts_of(items: list[Any]) -> list[str | Tags]:
    """The text of each item, or Tags that say why there is none."""
    return [_text_of(item) for item in items]


def good_of(texts: list[str | Tags]) -> list[str]:
    """Those of `texts` that are there."""
    return [text for text in texts if isinstance(text, str)]


def in_order(texts: list[str | Tags], tagged: list[Tags]) -> Iterator[Tags]:
    """The tags of the texts, and in their places those that say why there is no text."""
    tags = iter(tagged)
    for text in texts:
        yield next(tags) if isinstance(text, str) else text


def judged(model: Model, texts: list[str]) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
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


def batches(items: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """Lists of `size` items, the last one of what is left; shorter ones of a slow source."""
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
