"""What the commands share that read lists of abstracts: the records, and the files that they come from."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tagger.commands.options import fields_of
from tagger.formats.registry import FORMATS

if TYPE_CHECKING:
    from tagger.formats.sources import Bytes
    from tagger.progress import Voice
    from tagger.records import Record

READABLE = tuple(name for name, format_ in FORMATS.items() if format_.reader)


def add_input(parser: argparse.ArgumentParser) -> None:
    """Add the files and the options that say how they are read."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="a list of abstracts, JSON, CSV ...; - for stdin")
    parser.add_argument("--from", dest="input_format", choices=READABLE, help="input format (found if not given)")


@dataclass(frozen=True)
class Input:
    """What a run reads."""

    records: Iterator[Record]
    read: Bytes
    """How much there is to read, and how much has been."""
    voice: Voice
    """Says what comes up while the records are read."""


def read(options: argparse.Namespace) -> Input:
    """Begin to read the files; each that was named is found to hold something before the first result is written."""
    from tagger.formats import read_records
    from tagger.formats.sources import Bytes
    from tagger.progress import Voice

    voice, bytes_ = Voice(), Bytes()
    records = read_records(options.files, options.input_format, fields_of(options), report=voice, progress=bytes_)
    return Input(records, bytes_, voice)


def files_of(paths: list[str]) -> list[str]:
    """The plain files that `paths` stand for."""
    from tagger.formats.sources import find

    return [source.path for source in find(paths) if source.size is not None and source.path != "-"]


def stamps(paths: list[str]) -> dict[str, Any]:
    """Size and time of the last change of each file that `paths` stand for: what changes when a file does."""
    stamped: dict[str, Any] = {}
    for path in files_of(paths):
        state = os.stat(path)
        stamped[path] = [state.st_size, state.st_mtime_ns]
    return stamped
