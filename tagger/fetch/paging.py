"""Lists that a service shows a page at a time, put together without a loss or a repetition."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Row = dict[str, Any]

LOOKS = 3
"""Answers that must agree before it is believed that there is nothing, or nothing more."""
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
    several answers in a row bring nothing new.

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
    position = total = most = stale = steps = 0
    while True:
        start = max(position - 1, 0)
        page = ask(start, stale > 0 or steps > 0)
        full = len(page.items) >= size
        if page.total:
            total = page.total
            most = max(most, total)
            counted(total)
        if start and page.items and page.items[0][0] not in seen and steps < _STEPS_BACK:
            steps += 1
            position = max(start - size // 2, 0)
            continue
        before = len(seen)
        for key, row in page.items:
            if key not in seen:
                seen.add(key)
                yield row
        if len(seen) > before:
            stale = steps = 0
            position = start + len(page.items)
        else:
            stale += 1
            if full and stale % 2 == 0:  # twice the same: not a page shown by mistake
                position = start + len(page.items)
        ended = page.items and not full and position >= most
        if ended or stale >= (_MOST_STALE if full else LOOKS):
            break
    if len(seen) < total:
        warn(f"{total:,} papers were announced and {len(seen):,} shown; try again later to see whether there are more")
