"""What ``tagger serve`` is told: where it listens, its limits, where corrections are kept."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Settings:
    """Where a server listens and what it allows."""

    host: str = "127.0.0.1"
    port: int = 8000
    """0 for any that is free."""
    hosts: tuple[str, ...] = ()
    """Names, besides ``localhost`` and addresses, by which browsers may call this server."""
    database: Path | None = None
    """The SQLite file of the corrections; None for that of the user."""
    max_records: int = 100_000
    """Abstracts in a request."""
    max_bytes: int = 100_000_000
    """Bytes of the body of a request."""
    timeout: float = 300.0
    """Seconds for a request, and before that for its body."""


def default_database() -> Path:
    """The file of this user's corrections, where the system keeps such data (on Linux, as XDG says)."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        given = os.environ.get("XDG_DATA_HOME", "")
        base = given if os.path.isabs(given) else Path.home() / ".local" / "share"
    return Path(base) / "tagger" / "corrections.sqlite"
