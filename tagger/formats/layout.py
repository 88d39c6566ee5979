"""What every writer is told and must do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from tagger.records import Tagged


@dataclass(frozen=True, slots=True)
class Layout:
    """What there is to write besides the records; a writer's ``__init__`` takes the stream and this."""

    areas: tuple[str, ...] = ()
    """Areas of the model, in its order; empty if records are written without tags, as ``tagger convert`` does."""
    model: str = ""
    """Name and checksum of the model, as ``areas 1a2b3c4d5e6f``."""
    kept: tuple[str, ...] | None = None
    """Fields of the input that are passed through, by the names that they have in the output; None for none."""
    central: tuple[str, ...] = ()
    """Those of `areas` that the model can tell to be central."""
    more: bool = True
    """Whether records may have fields beyond `kept`. A format with columns puts them, as JSON, in a last one, `other`;
    one without columns has no need of either."""


class Writer(Protocol):
    """Writes tagged records one at a time to a text stream; what has been written is whole at any time.

    What it writes of a record may depend on the records before it, but not on their tags: a run that is resumed gives
    the writer the records that are done without tags, and drops what it writes for them.
    """

    def write(self, tagged: Tagged) -> None:
        """Write one."""

    def close(self) -> None:
        """Write what ends the file; the stream stays open."""
