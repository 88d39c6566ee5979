"""Evidence for many abstracts: phrases of the areas that a reader wants explained, in several processes if it pays."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tagger.evidence.explanation import Reading, text_of
from tagger.evidence.phrases import Phrase
from tagger.evidence.shares import bias
from tagger.model import Model
from tagger.records import Tagged

CHUNK = 50
"""Abstracts that are sent to another process at once."""
PAYS_FROM = 400
"""Abstracts from which other processes are worth their start."""


@dataclass(frozen=True, slots=True)
class AreaPhrases:
    """Why an abstract has an area: bias, the shares of the phrases and a rest add up to the log-odds."""

    area: int
    """Its place among the model's areas."""
    log_odds: float
    bias: float
    phrases: tuple[Phrase, ...]
    """Strongest first, for and against."""


@dataclass(frozen=True, slots=True)
class TypicalPhrase:
    """A phrase that speaks for an area in a collection."""

    text: str
    """As it is most often written."""
    abstracts: int
    """Abstracts that have the area and this phrase."""
    share: float
    """What it adds to the log-odds of these, all together."""


def wanted_areas(tagged: Tagged, areas: Sequence[str]) -> tuple[int, ...]:
    """The areas that a reader wants explained: tagged or unsure, or, where there are none, the most probable."""
    tags = tagged.tags
    named = tuple(k for k, area in enumerate(areas) if area in tags.areas or area in tags.unsure)
    return named or (max(range(len(areas)), key=lambda k: tags.probabilities[areas[k]]),)


def explain_all(model: Model, items: Sequence[Tagged], n_jobs: int = 1) -> Iterator[tuple[AreaPhrases, ...]]:
    """The evidence for each of `items`, none of which may have an error, in order.

    Parameters
    ----------
    model : Model
        What tagged them.
    items : sequence of Tagged
        The abstracts.
    n_jobs : int
        Processes that share the work; -1 for one a core.
    """
    tasks = [
        (item.record.abstract, item.record.title, wanted_areas(item, model.areas)) for item in items
    ]  # no more than that goes to the processes
    chunks = [tasks[start : start + CHUNK] for start in range(0, len(tasks), CHUNK)]
    if n_jobs == 1 or len(items) < PAYS_FROM:
        for chunk in chunks:
            yield from _explain_chunk(model, chunk)
        return
    import joblib

    with _dumped(model) as path:
        run = joblib.Parallel(n_jobs=n_jobs, return_as="generator", pre_dispatch="3*n_jobs", batch_size=1)
        for found in run(joblib.delayed(_task)(path, chunk) for chunk in chunks):
            yield from found


def typical_phrases(
    items: Iterable[tuple[Tagged, Sequence[AreaPhrases]]], areas: Sequence[str], n: int
) -> list[list[TypicalPhrase]]:
    """The `n` phrases that speak most for each area, over the abstracts of a collection that have it.

    Phrases are the same if they are the same but for capitals. They are ranked by the sum of their shares, so one that
    is common in the collection comes before a stronger one that is rare.
    """
    sums: list[dict[str, list[Any]]] = [defaultdict(lambda: [0, 0.0, defaultdict(int)]) for _ in areas]
    for tagged, found in items:
        for one in found:
            if areas[one.area] not in tagged.tags.areas:
                continue
            for phrase in one.phrases:
                if phrase.share > 0:
                    entry = sums[one.area][phrase.text.casefold()]
                    entry[0] += 1
                    entry[1] += phrase.share
                    entry[2][phrase.text] += 1
    return [
        [
            TypicalPhrase(max(written, key=lambda text: (written[text], text)), count, share)
            for count, share, written in sorted(area.values(), key=lambda entry: -entry[1])[:n]
        ]
        for area in sums
    ]


def _explain_chunk(
    model: Model, tasks: Iterable[tuple[str, str | None, tuple[int, ...]]]
) -> list[tuple[AreaPhrases, ...]]:
    start_odds = bias(model)
    result = []
    for abstract, title, wanted in tasks:
        read = Reading.of(model, *text_of(abstract, title))
        result.append(
            tuple(AreaPhrases(k, float(read.log_odds[k]), float(start_odds[k]), read.phrases(k)) for k in wanted)
        )
    return result


@contextmanager
def _dumped(model: Model) -> Iterator[str]:
    """The model in a file that each process maps into memory."""
    from tagger.parallel import dump_model

    with tempfile.TemporaryDirectory(prefix="tagger-") as directory:
        path = str(Path(directory) / "model.joblib")
        dump_model(model, path)
        yield path


def _task(path: str, tasks: list[tuple[str, str | None, tuple[int, ...]]]) -> list[tuple[AreaPhrases, ...]]:
    from tagger.parallel import mapped_model

    return _explain_chunk(mapped_model(path), tasks)
