"""``tagger convert``: lists of abstracts from one format into another, without tags."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tagger.commands import reading, writing
from tagger.commands.options import Commands, add_fields

if TYPE_CHECKING:
    from tagger.records import Record, Tags


def add(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "convert",
        help="write lists of abstracts in another format",
        description="Write lists of abstracts in another format, with all their fields and without tags.",
        epilog=writing.EXIT_CODES,
    )
    parser.set_defaults(run=run)
    reading.add_input(parser)
    writing.add_output(parser)
    add_fields(parser)


def run(options: argparse.Namespace) -> int:
    """Run the command; returns its exit code."""
    from tagger.formats.layout import Layout

    target = writing.look(options)
    if target.is_complete:
        return 0
    return writing.write(
        options, target, reading.read(options), _errors_of, Layout(), keep=True, words=("converting", "read")
    )


def _errors_of(records: Iterator[Record]) -> Iterator[Tags]:
    """In place of tags, what is wrong with each record."""
    from tagger.records import Tags

    for record in records:
        yield Tags(error=record.error)
