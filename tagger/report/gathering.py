"""A stream of tagged records -> what a report needs of all of them, and whole records up to a limit."""

from __future__ import annotations

import random
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tagger.records import Record, Tagged


@dataclass(frozen=True, slots=True)
class Kept:
    """A record that the page shows."""

    number: int
    """Its place in the collection, from 0."""
    tagged: Tagged
    date: str


@dataclass
class Gathered:
    """A collection. Arrays have a row for each abstract without error, in order."""

    areas: tuple[str, ...]
    total: int = 0
    failed: int = 0
    marks: Counter[str] = field(default_factory=Counter)
    sources: list[str] = field(default_factory=list)
    """Names of the files, in order."""
    dates: list[str] = field(default_factory=list)
    """Date of each abstract in ISO 8601; empty where there is none."""
    kept: list[Kept] = field(default_factory=list)
    """Records to show, in order: all, or as many as were wanted, drawn at random."""
    probabilities: NDArray[np.float32] = field(default_factory=lambda: np.empty((0, 0), np.float32))
    tagged: NDArray[np.bool_] = field(default_factory=lambda: np.empty((0, 0), np.bool_))
    central: NDArray[np.bool_] = field(default_factory=lambda: np.empty((0, 0), np.bool_))
    unsure: NDArray[np.bool_] = field(default_factory=lambda: np.empty((0, 0), np.bool_))


def gather(
    stream: Iterable[Tagged], areas: Sequence[str], date_of: Callable[[Record], str], limit: int, seed: int = 0
) -> Gathered:
    """Take in a collection, however large: of records beyond `limit` only the numbers stay in memory.

    Parameters
    ----------
    stream : iterable of Tagged
        The collection, in order.
    areas : sequence of str
        The areas of the model.
    date_of : callable
        The date of a record in ISO 8601, or an empty string.
    limit : int
        Records to keep; if there are more, each is as likely to be kept as any other.
    seed : int
        Seed of that choice.
    """
    result = Gathered(tuple(areas))
    draw = random.Random(seed)
    places = {area: k for k, area in enumerate(areas)}
    probabilities, bits = array("f"), bytearray()
    known: dict[str, str] = {}
    sources: dict[str, None] = {}
    for number, tagged in enumerate(stream):
        record, tags = tagged.record, tagged.tags
        date = date_of(record)
        result.total += 1
        sources.setdefault(record.source)
        # Algorithm R (Vitter 1985).
        place = number if number < limit else draw.randrange(number + 1)
        if place < limit:
            kept = Kept(number, tagged, date)
            result.kept[place : place + 1] = [kept]
        if tags.error is not None:
            result.failed += 1
            continue
        result.marks.update(tags.marks)
        result.dates.append(known.setdefault(date, date))
        probabilities.extend(tags.probabilities[area] for area in areas)
        row = bytearray(3 * len(areas))
        for part, names in enumerate((tags.areas, tags.central, tags.unsure)):
            for name in names:
                row[part * len(areas) + places[name]] = 1
        bits += row
    result.sources = list(sources)
    result.kept.sort(key=lambda kept: kept.number)
    result.probabilities = np.frombuffer(probabilities, dtype=np.float32).reshape(-1, len(areas))
    flags = np.frombuffer(bits, dtype=np.bool_).reshape(-1, 3, len(areas))
    result.tagged, result.central, result.unsure = flags[:, 0], flags[:, 1], flags[:, 2]
    return result
