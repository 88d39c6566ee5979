"""A stream of records -> a stream of tags, in order, in batches and in parallel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from tagger.model import Model
from tagger.records import Record, Tags

BATCH_SIZE = 64
"""Texts that are worked on together: their arrays stay in the processor's cache."""


def tag_stream(model: Model, items: Iterable[str | Record | Mapping[str, Any]], n_jobs: int = 1) -> Iterator[Tags]:
    """Tag `items` with `model`: one result for each, in order, reading ahead by a bounded number of batches."""
    batches = _batches(items)
    if n_jobs == 1:
        for texts in batches:
            yield from tag_batch(model, texts)
        return
    from joblib import Parallel, delayed

    results = Parallel(n_jobs=n_jobs, return_as="generator", pre_dispatch="2*n_jobs")(
        delayed(tag_batch)(model, texts) for texts in batches
    )
    for result in results:
        yield from result


def tag_batch(model: Model, items: list[str | Record | Mapping[str, Any]]) -> list[Tags]:
    """Tag a list of items at once; one that is no text or empty gives Tags that say so."""
    texts = [_text_of(item) for item in items]
    good = [text for text in texts if isinstance(text, str)]
    tagged = iter(model.tags(model.probabilities(good)) if good else [])
    return [next(tagged) if isinstance(text, str) else text for text in texts]


def _text_of(item: object) -> str | Tags:
    """The text to tag, or Tags that say why there is none."""
    abstract, title = item, None
    if isinstance(item, Record):
        if item.error:
            return Tags(error=item.error)
        abstract, title = item.abstract, item.title
    elif isinstance(item, Mapping):
        abstract, title = item.get("abstract"), item.get("title")
    if not isinstance(abstract, str):
        return Tags(error=f"expected the abstract as a string, got {type(abstract).__name__}")
    if not abstract.strip():
        return Tags(error="the abstract is empty")
    return f"{title}\n{abstract}" if isinstance(title, str) and title else abstract


def _batches(items: Iterable[Any]) -> Iterator[list[Any]]:
    iterator = iter(items)
    while batch := list(islice(iterator, BATCH_SIZE)):
        yield batch
