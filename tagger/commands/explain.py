"""``tagger explain``: show what in a text speaks for and against its areas."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING

from tagger.commands.options import Commands, add_fields, add_model, add_operating_point, load_tagger
from tagger.commands.reading import READABLE, read
from tagger.errors import InputError

if TYPE_CHECKING:
    from tagger.records import Record

FORMS = ("text", "json", "html")


def add(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "explain",
        help="show why abstracts were tagged",
        description="Show which words and phrases of each abstract speak for and against its areas, and by how much.",
    )
    parser.set_defaults(run=run)
    parser.add_argument("files", nargs="*", metavar="FILE", help="a list of abstracts of any format; - for stdin")
    parser.add_argument("--text", metavar="TEXT", help="explain this abstract instead of those in files")
    parser.add_argument("--title", metavar="TITLE", help="the title that goes with --text")
    parser.add_argument("--area", action="append", metavar="NAME", help="explain this area (default: those tagged)")
    parser.add_argument(
        "--top", type=int, metavar="N", help="list N phrases for and N against each area (5; JSON: all)"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write here; the ending chooses .txt, .jsonl or .html")
    parser.add_argument("--force", action="store_true", help="replace that file if it exists")
    parser.add_argument("--format", choices=FORMS, help="text (default), a JSON object a line, or a page of HTML")
    parser.add_argument("--from", dest="input_format", choices=READABLE, help="input format (found if not given)")
    add_operating_point(parser)
    add_fields(parser)
    add_model(parser)


def run(options: argparse.Namespace) -> int:
    """Run the command; returns its exit code."""
    from tagger.evidence.writers import WRITERS, form_of_file
    from tagger.wholefile import whole_file

    if options.top is not None and options.top < 0:
        raise InputError(f"--top {options.top}: give a number from 0")
    form = options.format or (form_of_file(options.output) if options.output else "text")
    records = _records(options)
    tagger = load_tagger(options)
    chosen = tuple(dict.fromkeys(options.area or ()))
    for area in chosen:
        if area not in tagger.areas:
            raise InputError(f"--area {area}: is no area of the model; it has {', '.join(tagger.areas)}")
    total = failed = 0
    with whole_file(options.output, options.force) if options.output else nullcontext(sys.stdout) as output:
        writer = WRITERS[form](output, tagger.areas, chosen, options.top)
        for record in records:
            total += 1
            try:
                if record.error:
                    raise InputError(record.error)
                explanation = tagger.explain(record.abstract, record.title)
            except InputError as error:
                writer.write_error(record.id, str(error))
                failed += 1
            else:
                writer.write(record.id, explanation)
        writer.close()
    if failed:
        print(f"tagger: {failed} of {total} records could not be explained; the output says why", file=sys.stderr)
    return 1 if failed else 0


def _records(options: argparse.Namespace) -> Iterator[Record]:
    """The records to explain; every file has been opened and found to hold something when this returns."""
    from tagger.records import Record

    if options.text is not None:
        if options.files:
            raise InputError("give files or --text, not both")
        return iter([Record("text", options.text, options.title)])
    if options.title is not None:
        raise InputError("--title goes with --text; for files, --title-field names the field that holds it")
    if not options.files:
        raise InputError("no abstracts given; name a file, - for standard input, or give --text")
    return read(options).records
