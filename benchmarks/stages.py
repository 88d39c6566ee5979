"""Where the time of tagging goes, stage by stage, and a floor: what it takes to touch every byte and n-gram once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from tagger import batch, marks, normalise, vectorize
from tagger import model as model_module
from tagger.hash_table import MULTIPLIER, HashTable
from tagger.model import Model
from tagger.network import Network
from tagger.vectorize import Vectorizer

REST = "the rest: lists, generators, records"

_FUNCTIONS: tuple[tuple[Any, str, str], ...] = (
    (vectorize, "normalise_batch", "normalise: to bytes, to lower case, separators to spaces"),
    (normalise, "_fold_non_ascii", "normalise: characters outside ASCII"),
    (normalise, "_replaced", "normalise: HTML, URLs, LaTeX"),
    (normalise, "_fold_numbers", "normalise: numbers"),
    (model_module, "find_words", "find words"),
    (model_module, "word_keys", "keys of words"),
    (marks, "flags_of", "marks"),
    (Vectorizer, "_pair_keys", "keys of pairs"),
    (Vectorizer, "count", "sort and count"),
    (Model, "margins", "add up the weights"),
    (Network, "hidden", "hidden layer"),
    (model_module, "beta_calibrated", "calibration"),
    (model_module, "sigmoid", "calibration"),
    (Model, "tags", "tags"),
)
"""Functions and the stage that their own time, without that of others listed here, belongs to."""

STAGES = (
    "normalise: to bytes, to lower case, separators to spaces",
    "normalise: characters outside ASCII",
    "normalise: HTML, URLs, LaTeX",
    "normalise: numbers",
    "find words",
    "keys of words",
    "look up words",
    "keys of pairs",
    "look up pairs",
    "sort and count",
    "add up the weights",
    "hidden layer",
    "calibration",
    "marks",
    "tags",
    REST,
)
"""In the order of the work."""


class _Clock:
    """Keeps the own time of each stage: that of a function less that of the functions it calls."""

    def __init__(self) -> None:
        self.spent = dict.fromkeys(STAGES, 0.0)
        self._inner = [0.0]

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        start = time.process_time()
        self._inner.append(0.0)
        yield
        taken = time.process_time() - start
        self.spent[name] += taken - self._inner.pop()
        self._inner[-1] += taken

    def timed(self, function: Callable[..., Any], name: str) -> Callable[..., Any]:
        def with_clock(*arguments: Any, **options: Any) -> Any:
            with self.stage(name):
                return function(*arguments, **options)

        return with_clock


def stages_of(model: Model, texts: list[str], rounds: int) -> dict[str, float]:
    """Seconds of a processor that each of :data:`STAGES` takes for an abstract, on one thread; least of the rounds."""
    with threadpool_limits(limits=1):
        _tag_all(model, texts)
        times = [_once(model, texts) for _ in range(rounds)]
    return {name: min(spent[name] for spent in times) / len(texts) for name in STAGES}


def _tag_all(model: Model, texts: list[str]) -> None:
    for _ in batch.tag_stream(model, texts):
        pass


def _once(model: Model, texts: list[str]) -> dict[str, float]:
    clock = _Clock()
    find = HashTable.find

    def timed_find(table: HashTable, keys: Any) -> Any:
        with clock.stage("look up words" if table is model.vectorizer._words else "look up pairs"):
            return find(table, keys)

    with ExitStack() as patches:
        for owner, name, stage in _FUNCTIONS:
            patches.enter_context(patch.object(owner, name, clock.timed(getattr(owner, name), stage)))
        patches.enter_context(patch.object(HashTable, "find", timed_find))
        with clock.stage(REST):
            _tag_all(model, texts)
    return clock.spent


def _batches(texts: list[str]) -> list[list[str]]:
    return [texts[start : start + batch.BATCH_SIZE] for start in range(0, len(texts), batch.BATCH_SIZE)]


def counts_of(model: Model, texts: list[str]) -> dict[str, float]:
    """How much there is in an abstract, on average: bytes, words, n-grams that the model knows, vectors of these."""
    totals = dict.fromkeys(("bytes", "words", "n-grams", "vectors"), 0)
    for some in _batches(texts):
        rows = model.vectorizer.transform(some)
        totals["bytes"] += sum(len(text.encode("utf-8", "replace")) for text in some)
        totals["words"] += len(vectorize.find_words(some).starts)
        totals["n-grams"] += len(rows.indices)
        totals["vectors"] += len(_read(model.network, rows.indices)) if model.network else 0
    return {name: total / len(texts) for name, total in totals.items()}


def _read(network: Network, ngrams: NDArray[np.int64]) -> NDArray[np.int32]:
    """The vectors of `ngrams`, as rows of the network's embedding."""
    rows = network._row_of_ngram.take(ngrams, mode="clip")
    return rows[rows < len(network.features)]


def floor_of(model: Model, texts: list[str], rounds: int) -> dict[str, float]:
    """Seconds of a processor for an abstract that no way of tagging could save.

    Reading every byte of a batch and writing it once; fetching from the tables, once, what stands for each word and
    each pair of neighbouring words; and fetching the weights, and the vectors of the hidden layer, of each n-gram that
    the model knows.
    """
    vectorizer, network = model.vectorizer, model.network
    work: dict[str, list[Callable[[], object]]] = {"bytes": [], "n-grams": [], "weights": []}
    same = bytes(range(256))
    for some in _batches(texts):
        joined = "\0".join(some).encode("utf-8", "replace")
        work["bytes"].append(partial(joined.translate, same))
        for table, keys in zip((vectorizer._words, vectorizer._pairs), _keys_of(vectorizer, some)):
            slots = table._first(keys * MULTIPLIER)
            work["n-grams"].append(partial(table._slots.take, slots))
        rows = vectorizer.transform(some)
        work["weights"].append(partial(model.coef[0].take, rows.indices, axis=0))
        if network is not None:
            read = _read(network, rows.indices)
            for start in range(0, len(read), 1000):  # parts that stay in the cache
                work["weights"].append(partial(network._vectors.take, read[start : start + 1000], axis=0))
    floor = {}
    for name, calls in work.items():
        times = []
        for _ in range(rounds):
            begin = time.process_time()
            for call in calls:
                call()
            times.append(time.process_time() - begin)
        floor[name] = min(times) / len(texts)
    return floor


def _keys_of(vectorizer: Vectorizer, texts: list[str]) -> tuple[Any, Any]:
    """The keys of the words of `texts` and of their pairs."""
    keys = vectorize.word_keys(vectorize.find_words(texts))
    ids = vectorizer._words.find(keys)
    return keys, vectorizer._pair_keys(np.asarray(ids[:-1]), np.asarray(ids[1:]))
