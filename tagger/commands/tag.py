"""``tagger tag``: tag the abstracts in files."""

from __future__ import annotations

import argparse
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING

from tagger.commands.options import Commands, add_fields, add_model
from tagger.errors import InputError
from tagger.formats.registry import FORMATS

if TYPE_CHECKING:
    from tagger.records import Record

INPUT_FORMATS = tuple(name for name, format_ in FORMATS.items() if format_.reader)
OUTPUT_FORMATS = ("table", "jsonl", "csv")


def add(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser("tag", help="tag the abstracts in files", description="Tag the abstracts in files.")
    parser.set_defaults(run=run)
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a list of abstracts, JSON, CSV ..., or a directory of these; - for stdin",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write here; the name's ending chooses .jsonl or .csv")
    parser.add_argument("--format", choices=OUTPUT_FORMATS, help="output format (table on a terminal, else jsonl)")
    parser.add_argument("--from", dest="input_format", choices=INPUT_FORMATS, help="input format (found if not given)")
    parser.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="processes that share the work (1; -1: all cores)"
    )
    wanted = parser.add_mutually_exclusive_group()
    wanted.add_argument("--precision", type=float, metavar="P", help="tag so that each area has this precision")
    wanted.add_argument("--recall", type=float, metavar="R", help="tag so that each area has this recall")
    add_fields(parser)
    add_model(parser)


def run(options: argparse.Namespace) -> int:
    """Run the command; returns its exit code."""
    from tagger.formats import read_records
    from tagger.formats.fields import Fields
    from tagger.formats.output import WRITERS, format_of_file, whole_file
    from tagger.records import Tagged
    from tagger.tagging import load

    if options.jobs == 0 or options.jobs < -1:
        raise InputError(f"--jobs {options.jobs}: give a number of processes, or -1 for one a core")
    format_ = options.format
    if format_ is None:
        on_terminal = "table" if sys.stdout.isatty() else "jsonl"
        format_ = format_of_file(options.output) if options.output else on_terminal
    fields = Fields(options.text_field, options.id_field, options.title_field)
    # Every file that was named is found to hold something before the first result is written.
    records = read_records(options.files, options.input_format, fields, report=_report)
    tagger = load(options.model)
    if options.precision is not None or options.recall is not None:
        tagger = tagger.at(options.precision, options.recall)
    total = failed = 0
    with whole_file(options.output) if options.output else nullcontext(sys.stdout) as output:
        writer = WRITERS[format_](output, tagger.areas)
        kept: deque[Record] = deque()
        for tags in tagger.tag_many(_remember(records, kept), n_jobs=options.jobs):
            writer.write(Tagged(kept.popleft(), tags))
            total += 1
            failed += tags.error is not None
    if failed:
        print(f"tagger: {failed} of {total} records could not be tagged; their rows say why", file=sys.stderr)
    elif options.output and sys.stderr.isatty():
        print(f"tagger: {total} abstracts tagged, {options.output} written", file=sys.stderr)
    return 1 if failed else 0


def _report(message: str) -> None:
    print(f"tagger: {message}", file=sys.stderr)


def _remember(records: Iterator[Record], kept: deque[Record]) -> Iterator[Record]:
    """Pass `records` on and keep each in `kept` until its tags come back."""
    for record in records:
        kept.append(record)
        yield record
