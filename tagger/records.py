"""The values that flow through a run: a Record goes in, Tags are given, a Tagged comes out.

They are not to be changed once made. Those that are made for every abstract are not frozen all the same: to make a
frozen one takes five times as long.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


def full_text(abstract: str, title: str | None) -> str:
    """What is read of an abstract and its title, if it has one."""
    return f"{title}\n{abstract}" if title else abstract


@dataclass(frozen=True, slots=True)
class Entry:
    """The text of one record in its file; those of a file, joined in order, are the file."""

    format: str
    """Name of the format, a key of :data:`tagger.formats.FORMATS`."""
    text: str
    """The entry, after whatever stands between it and the one before; the last entry ends with the end of the file."""


@dataclass(slots=True)
class Record:
    """One abstract as it was read, or the reason why it could not be."""

    id: str
    abstract: str = ""
    title: str | None = None
    error: str | None = None
    """Why there is no abstract to tag; None if there is one."""
    source: str = ""
    """Name of the file that it came from."""
    position: str = ""
    """Where in `source` it begins, for people: ``line 12``, ``row 3``."""
    fields: Mapping[str, Any] = field(default_factory=dict)
    """Every field of the record as it was read, by its name there; empty where a format has no fields."""
    entry: Entry | None = None
    """The text that it was read from, where its format can be written back with tags."""


@dataclass(slots=True)
class Tags:
    """The areas of one abstract."""

    areas: tuple[str, ...] = ()
    """The areas whose probability reaches the model's threshold, in the model's order."""
    probabilities: Mapping[str, float] = field(default_factory=dict)
    """Calibrated probability that each area of the model is present."""
    central: tuple[str, ...] = ()
    """Those of `areas` that the abstract is mainly about."""
    central_probabilities: Mapping[str, float] = field(default_factory=dict)
    """Calibrated probability that each area is central; empty if the model was not taught what is."""
    unsure: tuple[str, ...] = ()
    """Areas, tagged or not, whose probability is so near the threshold that a person should look."""
    marks: tuple[str, ...] = ()
    """Why the tags should not be trusted: ``language``, ``too short``, ``not prose``, ``too long``."""
    error: str | None = None
    """Why this abstract could not be tagged; None if it was."""


@dataclass(slots=True)
class Tagged:
    """A record with its tags."""

    record: Record
    tags: Tags
