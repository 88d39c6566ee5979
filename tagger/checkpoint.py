"""What a run needs to go on after an interruption, in a small JSON file that is there whole at any time."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

SUFFIX, NEW = ".json", ".new"
"""What is put after the name of the part file, and after that while a checkpoint is written."""
Fingerprint = Mapping[str, Any]
"""What the output depends on, by names for people (``--keep``, ``the model``); values that JSON can hold."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """How far a part file can be trusted."""

    fingerprint: Fingerprint
    state: Mapping[str, Any] = field(default_factory=dict)
    """What had been done; of the run, not of the file."""
    bytes: int = 0
    """Bytes of the part file that were written then."""
    replaces: bool = False
    """Whether the whole file may replace another one."""

    def write(self, path: Path) -> None:
        """Write it, in place of the one that is there, so that the system may break down at any moment."""
        new = path.with_name(f"{path.name}{NEW}")
        with new.open("w", encoding="utf-8") as file:
            json.dump(asdict(self), file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, path)


def read(path: Path) -> Checkpoint | None:
    """The checkpoint in a file; None if there is none."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return Checkpoint(**content)
    except (OSError, ValueError, TypeError):
        return None


def difference(old: Fingerprint, new: Fingerprint) -> str | None:
    """What has changed between two fingerprints, for people; None if nothing has."""
    new = json.loads(json.dumps(new))
    for name in {**old, **new}:
        before, now = old.get(name), new.get(name)
        if before != now:
            simple = all(isinstance(value, (str, int, float)) for value in (before, now))
            return f"{name} was {before} and is {now}" if simple else f"{name} has changed"
    return None
