"""The records of a run that failed: how many, why, and where the first one is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from tagger.records import Record
from tagger.terminal import clean

MOST_KINDS = 100
"""Kinds of reasons that are told apart; what comes after them counts as others."""
SHOWN_KINDS = 3
LONGEST_PLACE = 300
_OTHERS = "other reasons"
_PLACE = re.compile(r"^(line|row) \d+: ")
_DETAILS = re.compile(r"\s*[(;:].*| among .*", re.DOTALL)


class Failures:
    """Counts failed records; it can be saved and taken up again."""

    def __init__(self, state: Mapping[str, Any] | None = None) -> None:
        state = state or {}
        self.count = int(state.get("count", 0))
        self.first = str(state.get("first", ""))
        self._kinds = Counter({str(kind): int(n) for kind, n in state.get("kinds", {}).items()})

    def add(self, record: Record, error: str) -> None:
        """Count a record that failed because of `error`."""
        self.count += 1
        self.first = self.first or place_of(record)
        kind = _DETAILS.sub("", _PLACE.sub("", error)) or error
        self._kinds[kind if kind in self._kinds or len(self._kinds) < MOST_KINDS else _OTHERS] += 1

    @property
    def state(self) -> dict[str, Any]:
        """What a new object needs to go on counting, for JSON."""
        return {"count": self.count, "first": self.first, "kinds": dict(self._kinds)}

    def summary(self, total: int, done: str) -> str:
        """One line: how many of `total` records could not be `done` (``tagged``), why, and where the first is."""
        shown = [f"{kind} ({n:,})" for kind, n in self._kinds.most_common(SHOWN_KINDS)]
        rest = self.count - sum(n for _, n in self._kinds.most_common(SHOWN_KINDS))
        reasons = ", ".join([*shown, f"{_OTHERS} ({rest:,})"] if rest else shown)
        return clean(
            f"{self.count:,} of {total:,} records could not be {done}: {reasons}; "
            f"the first is {self.first}; their rows say why"
        )


def place_of(record: Record) -> str:
    """Where a record is, for people: ``papers.jsonl, line 12 (id p3)``."""
    place = ", ".join(part for part in (record.source, record.position) if part)
    return clean(f"{place} (id {record.id})" if place else record.id, LONGEST_PLACE)
