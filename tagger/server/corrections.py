"""What people said about tags, kept in an SQLite file."""

from __future__ import annotations

import json
import re
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tagger.errors import InputError
from tagger.server.results import key_of

_APPLICATION = 0x74616767  # "tagg"
_VERSION = 1
_SCHEMA = f"""
CREATE TABLE texts (key TEXT PRIMARY KEY, id TEXT, title TEXT, abstract TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE corrections (
  key TEXT NOT NULL REFERENCES texts, area TEXT NOT NULL, grade INTEGER NOT NULL CHECK (grade IN (0, 1, 2)),
  time TEXT NOT NULL, model TEXT NOT NULL, said INTEGER NOT NULL, probability REAL,
  PRIMARY KEY (key, area)) WITHOUT ROWID;
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {_VERSION};
"""
_DEFAULT_ID = re.compile(r"(.*\.\w{1,8}|stdin|text):\d+", re.DOTALL)
"""Ids of records that had none: a name and a number, which other texts have too."""
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Correction:
    """What a person said about one area of one abstract."""

    abstract: str
    area: str
    grade: int
    """2 central, 1 present, 0 absent."""
    model: str
    """Checksum of the model whose tag it corrects."""
    said: int
    """The grade that the model gave."""
    probability: float | None = None
    """The probability that the model gave."""
    id: str | None = None
    title: str | None = None


class Corrections:
    """The corrections in a file; safe to use from several threads, and with other servers that use the file."""

    def __init__(self, path: Path) -> None:
        """Open the file, and make it if there is none.

        Raises
        ------
        InputError
            If it cannot be made or read, or is something else.
        """
        self.path = path
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(path, timeout=5, check_same_thread=False, isolation_level=None)
        except (OSError, sqlite3.Error) as error:
            why = getattr(error, "strerror", None) or error
            raise InputError(f"{path}: cannot be opened ({why}); name another file with --database") from error
        try:
            self._prepare()
        except sqlite3.Error as error:
            self.close()
            raise InputError(
                f"{path}: not usable for corrections ({error}); name another file with --database"
            ) from error
        except InputError:
            self.close()
            raise

    def _prepare(self) -> None:
        execute = self._database.execute
        (tables,) = execute("SELECT count(*) FROM sqlite_master").fetchone()
        (application,) = execute("PRAGMA application_id").fetchone()
        (version,) = execute("PRAGMA user_version").fetchone()
        if tables and (application, version) != (_APPLICATION, _VERSION):
            what = f"version {version}" if application == _APPLICATION else "another program's data"
            raise InputError(f"{self.path}: holds {what}; name another file with --database")
        execute("PRAGMA journal_mode = WAL")
        execute("PRAGMA synchronous = NORMAL")
        if not tables:
            self._database.executescript(f"BEGIN IMMEDIATE;{_SCHEMA}COMMIT;")

    def put(self, correction: Correction) -> dict[str, int]:
        """Keep a correction in place of an earlier one; returns all of its abstract."""
        key = key_of(correction.abstract)
        text = tuple(map(_storable, (correction.id, correction.title, correction.abstract)))
        time = datetime.now(UTC).isoformat(timespec="seconds")
        with self._lock, self._transaction():
            self._database.execute(
                "INSERT INTO texts VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
                "id = coalesce(excluded.id, id), title = coalesce(excluded.title, title)",
                (key, *text),
            )
            self._database.execute(
                "INSERT OR REPLACE INTO corrections VALUES (?, ?, ?, ?, ?, ?, ?)",
                (key, correction.area, correction.grade, time, correction.model, correction.said,
                 correction.probability),
            )  # fmt: skip
            return self._of(key)

    def delete(self, key: str, area: str | None = None) -> dict[str, int]:
        """Forget what was said of an area, or of all areas, of an abstract; returns what is left of it."""
        with self._lock, self._transaction():
            self._database.execute("DELETE FROM corrections WHERE key = ? AND coalesce(area = ?, TRUE)", (key, area))
            left = self._of(key)
            if not left:
                self._database.execute("DELETE FROM texts WHERE key = ?", (key,))
            return left

    def of(self, keys: Iterable[str]) -> dict[str, dict[str, int]]:
        """The corrections of those abstracts that have some: grade by area, by key."""
        wanted = list(keys)
        found: dict[str, dict[str, int]] = {}
        for start in range(0, len(wanted), _AT_ONCE):
            some = wanted[start : start + _AT_ONCE]
            marks = ", ".join("?" * len(some))
            with self._lock:
                rows = self._database.execute(
                    f"SELECT key, area, grade FROM corrections WHERE key IN ({marks})", some
                ).fetchall()
            for key, area, grade in rows:
                found.setdefault(key, {})[area] = grade
        return found

    def __len__(self) -> int:
        with self._lock:
            (number,) = self._database.execute("SELECT count(*) FROM corrections").fetchone()
        return int(number)

    def listed(self, limit: int, offset: int = 0) -> list[dict[str, Any]]:
        """Corrections with their texts, latest first."""
        names = ("key", "id", "title", "abstract", "area", "grade", "time", "model", "said", "probability")
        with self._lock:
            rows = self._database.execute(
                f"SELECT {', '.join(names)} FROM corrections JOIN texts USING (key) "
                "ORDER BY time DESC, key, area LIMIT ? OFFSET ?",
                (limit, offset),
            ).fetchall()
        return [dict(zip(names, row)) for row in rows]

    def lines(self) -> Iterator[str]:
        """The corrections as JSON Lines that ``tagger train --add`` takes: an abstract a line, a field for each area.

        An area of which nobody said anything is null: unknown. An id that the records had of their own is passed on,
        so that labels of abstracts that the training data know are replaced; others are made from the text.
        """
        with self._lock:
            rows = self._database.execute(
                "SELECT key, id, title, abstract, area, grade FROM corrections JOIN texts USING (key) "
                "ORDER BY key, area"
            ).fetchall()
        areas = sorted({row[4] for row in rows})
        shared = Counter({row[0]: row[1] for row in rows}.values())
        texts: dict[str, dict[str, Any]] = {}
        for key, id_, title, abstract, area, grade in rows:
            if key not in texts:
                is_own = id_ and shared[id_] == 1 and not _DEFAULT_ID.fullmatch(id_)
                texts[key] = {"id": id_ if is_own else f"text-{key[:16]}", "title": title, "abstract": abstract}
                texts[key] |= dict.fromkeys(areas)
            texts[key][area] = grade
        for text in texts.values():
            yield json.dumps(text) + "\n"

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def _of(self, key: str) -> dict[str, int]:
        return dict(self._database.execute("SELECT area, grade FROM corrections WHERE key = ?", (key,)).fetchall())

    def _transaction(self) -> _Transaction:
        return _Transaction(self._database)


class _Transaction:
    """All or nothing, and begun at once: another server may write too."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def __enter__(self) -> None:
        self._database.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: object, *_: object) -> None:
        self._database.execute("COMMIT" if kind is None else "ROLLBACK")


def _storable(text: str | None) -> str | None:
    """The text without half surrogate pairs, which SQLite cannot hold."""
    return None if text is None else text.encode("utf-8", "replace").decode()
