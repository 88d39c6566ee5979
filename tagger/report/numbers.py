"""The numbers of a collection: shares of areas with their uncertainty, combinations, change over time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Z = 1.959964
"""Standard normal quantile of a two-sided interval of 95 %."""

MONTHS_AT_MOST, QUARTERS_AT_MOST = 24, 24
"""Periods of a kind that are shown; with more, a longer kind is taken."""
MEAN = 10
"""Abstracts that a period has on average; with fewer, a longer kind is taken if there are two of it."""
OUTLIERS = 0.05
"""Share of the abstracts that may be left out so that the others can be shown by month or quarter."""


@dataclass(frozen=True, slots=True)
class AreaNumbers:
    """How often an area occurs."""

    area: str
    tagged: int
    central: int
    unsure: int
    share: float
    """Of the abstracts, how many are tagged, in [0, 1]."""
    low: float
    high: float
    """95 % interval of the share, if the abstracts are a sample of a larger population (Wilson 1927)."""
    expected: float
    """Abstracts that have the area, as their probabilities add up."""
    expected_low: float
    expected_high: float
    """95 % interval of how many of these very abstracts have it, if probabilities are calibrated."""


@dataclass(frozen=True, slots=True)
class Combination:
    """Areas that occur together, with no other, and in how many abstracts."""

    areas: tuple[str, ...]
    count: int


@dataclass(frozen=True, slots=True)
class Period:
    """A month, a quarter or a year."""

    name: str
    """``2025-03``, ``2025 Q1`` or ``2025``."""
    total: int
    """Abstracts of the period."""
    tagged: tuple[int, ...]
    """How many have each area."""


def wilson(count: ArrayLike, total: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The 95 % score interval of shares (Wilson 1927); from 0 to 1 where there is nothing to count.

    Parameters
    ----------
    count, total : array-like of numbers
        How many of how many; of one shape, or such that broadcast.
    """
    k, n = np.broadcast_arrays(np.asarray(count, dtype=np.float64), np.asarray(total, dtype=np.float64))
    some = n > 0
    safe = np.where(some, n, 1.0)
    share = k / safe
    spread = Z * np.sqrt(share * (1 - share) / safe + Z * Z / (4 * safe * safe))
    middle = share + Z * Z / (2 * safe)
    scale = 1 + Z * Z / safe
    low = np.where(some, np.clip((middle - spread) / scale, 0, share), 0.0)
    high = np.where(some, np.clip((middle + spread) / scale, share, 1), 1.0)
    return low, high


def expected_count(probabilities: NDArray[np.float32]) -> tuple[float, float, float]:
    """How many abstracts have an area, and the 95 % interval of that.

    The count is a sum of independent draws, each with its own probability; its normal approximation is taken.

    Parameters
    ----------
    probabilities : array of float, shape (abstracts,)
        Calibrated probability that each abstract has the area.
    """
    p = probabilities.astype(np.float64)
    mean, deviation = float(p.sum()), float(np.sqrt((p * (1 - p)).sum()))
    return mean, max(0.0, mean - Z * deviation), min(float(len(p)), mean + Z * deviation)


def area_numbers(
    areas: Sequence[str],
    probabilities: NDArray[np.float32],
    tagged: NDArray[np.bool_],
    central: NDArray[np.bool_],
    unsure: NDArray[np.bool_],
) -> list[AreaNumbers]:
    """The numbers of each area, of arrays of shape (abstracts, areas)."""
    n = len(probabilities)
    counts = tagged.sum(axis=0)
    low, high = wilson(counts, n)
    return [
        AreaNumbers(
            area,
            int(counts[k]),
            int(central[:, k].sum()),
            int(unsure[:, k].sum()),
            float(counts[k] / n) if n else 0.0,
            float(low[k]),
            float(high[k]),
            *expected_count(probabilities[:, k]),
        )
        for k, area in enumerate(areas)
    ]


def combinations(areas: Sequence[str], tagged: NDArray[np.bool_]) -> list[Combination]:
    """Which areas occur together, the most frequent first; each abstract counts once, those without area too."""
    rows = Counter(map(bytes, np.ascontiguousarray(tagged)))
    found = [Combination(tuple(area for area, has in zip(areas, row) if has), count) for row, count in rows.items()]
    return sorted(found, key=lambda one: (-one.count, len(one.areas), one.areas))


def over_time(dates: Sequence[str], tagged: NDArray[np.bool_]) -> list[Period]:
    """How often each area occurs in each month, quarter or year, from the first to the last that has a date.

    Months are taken if at most two years of them have nearly all abstracts, and some in each; else quarters if at most
    six years do; else years. The few abstracts outside of these months or quarters are left out, as are those without a
    date. Periods without an abstract are there, too; fewer than two periods give nothing.

    Parameters
    ----------
    dates : sequence of str, length abstracts
        Dates in ISO 8601, as precise as known; empty where there is none.
    tagged : array of bool, shape (abstracts, areas)
        What each abstract has.
    """
    dated = [k for k, date in enumerate(dates) if date]
    with_month = [k for k in dated if len(dates[k]) >= 7]
    kinds = []
    for months, at_most in [(1, MONTHS_AT_MOST), (3, QUARTERS_AT_MOST)] if with_month else []:
        places = {k: (int(dates[k][:4]) * 12 + int(dates[k][5:7]) - 1) // months for k in with_month}
        tail = int(OUTLIERS / 2 * len(places))
        ordered = sorted(places.values())
        first, last = ordered[tail], ordered[-1 - tail]
        within = {k: place for k, place in places.items() if first <= place <= last}
        if last - first < at_most and len(within) >= (1 - OUTLIERS) * len(dated):
            kinds.append(_periods(within, months, tagged))
    kinds.append(_periods({k: int(dates[k][:4]) for k in dated}, 12, tagged))
    kinds = [periods for periods in kinds if periods]
    full = (periods for periods in kinds if sum(one.total for one in periods) >= MEAN * len(periods))
    return next(full, kinds[-1] if kinds else [])


def _periods(places: dict[int, int], months: int, tagged: NDArray[np.bool_]) -> list[Period]:
    """Count by period; `places` tells that of each abstract, counted in `months` since the year 0."""
    if len(set(places.values())) < 2:
        return []
    first, last = min(places.values()), max(places.values())
    index = np.array(list(places.values())) - first
    totals = np.bincount(index, minlength=last - first + 1)
    chosen = tagged[np.fromiter(places, dtype=np.int64)]
    counts = np.stack([np.bincount(index[chosen[:, k]], minlength=len(totals)) for k in range(tagged.shape[1])], axis=1)
    return [
        Period(_name(first + k, months), int(total), tuple(row))
        for k, (total, row) in enumerate(zip(totals.tolist(), counts.tolist()))
    ]


def _name(place: int, months: int) -> str:
    if months == 12:
        return str(place)
    year, part = divmod(place, 12 // months)
    return f"{year}-{part + 1:02}" if months == 1 else f"{year} Q{part + 1}"
