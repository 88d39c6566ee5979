"""Lists that a service shows a page at a time, put together without a loss or a repetition."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Row = dict[str, Any]

LOOKS = 3
"""Answers that must agree before it is believed that there is nothing, or nothing more."""
_LOOKS_FOR_MORE = 6
"""The same, where the service says that there is more."""
_STEPS_BACK = 3
_MOST_STALE = 24
"""Full pages in a row that hold nothing new; so many come if much was added to the front of the list meanwhile."""


@dataclass(frozen=True, slots=True)
class Page:
    """What a service shows of a list."""

    items: tuple[tuple[str, Row], ...]
    """Key and row of each item, in the service's order."""
    total: int | None
    """Items of the whole list, as the service says; None if it does not."""


def all_items(
    ask: Callable[[int, bool], Page], size: int, counted: Callable[[int], None], warn: Callable[[str], None]
) -> Iterator[Row]:
    """Yield the items of a list, each once.

    A page begins with the last item of the one before. If that is not there, items have vanished further up and
    others have moved into their places, so earlier pages are looked at again. Pages may be short, empty or repeated,
    and totals may change: the list ends where its total and a page that is not full agree that it does, or else when
    several answers in a row bring nothing new. If there should be more, what was added to its front is looked for.

    Parameters
    ----------
    ask : callable
        Given the position of the first item wanted, and whether an earlier answer will not do, returns the page.
    size : int
        Items of a full page.
    counted : callable
        Is told how many items there are, as the service says.
    warn : callable
        Is told if there are fewer than the service says.
    """
    seen: set[str] = set()
    totals: list[int] = []
    position = total = stale = steps = 0
    at_front_again = False
    while True:
        start = max(position - 1, 0)
        page = ask(start, at_front_again or stale > 0 or steps > 0)
        full = len(page.items) >= size
        if page.total:
            totals.append(page.total)
            total = sorted(totals[-5:])[len(totals[-5:]) // 2]  # a wrong one does not matter
            counted(total)
        if start and page.items and page.items[0][0] not in seen and steps < _STEPS_BACK:
            steps += 1
            position = max(start - size // 2, 0)
            continue
        n_before = len(seen)
        for key, row in page.items:
            if key not in seen:
                seen.add(key)
                yield row
        if len(seen) > n_before:
            stale = steps = 0
            position = start + len(page.items)
        else:
            stale += 1
            if full and stale % 2 == 0:  # twice the same: not a page shown by mistake
                position = start + len(page.items)
            elif not full and len(seen) < total:  # items that were shown twice were counted twice
                position = min(position, len(seen))
        at_end = bool(page.items) and not full and position >= max(totals, default=0)
        looks = LOOKS if len(seen) >= total else _LOOKS_FOR_MORE
        nothing_there = stale >= (_MOST_STALE if full else looks)
        nothing_in_front = at_front_again and bool(page.items) and stale > 0
        if at_end or nothing_there or nothing_in_front:
            if len(seen) >= total or at_front_again:
                break
            at_front_again, position, stale = True, 0, 0
    if len(seen) < total:
        warn(f"{total:,} papers were announced and {len(seen):,} shown; try again later to see whether there are more")
