"""``tagger report``: a tagged collection as one page."""

from __future__ import annotations

import argparse
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from tagger.commands import reading
from tagger.commands.options import Commands, add_fields, add_model, add_operating_point, load_tagger
from tagger.errors import InputError

if TYPE_CHECKING:
    from tagger.records import Record, Tagged
    from tagger.tagging import Tagger

ROWS = 20_000
"""Abstracts that the page lists at most; each takes 1 to 2 kB."""
EVIDENCE = 10_000
"""Abstracts that the page has the evidence of at most; each takes about a millisecond or two and 0.5 kB."""

_T = TypeVar("_T")


def add(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "report",
        help="show a tagged collection as a page",
        description="Tag the abstracts in files and show the collection as one page that needs nothing else: shares of "
        "areas, overlap, change over time, typical phrases, and a table to search, filter and open.",
    )
    parser.set_defaults(run=run)
    reading.add_input(parser)
    parser.add_argument("-o", "--output", default="report.html", metavar="FILE", help="the page (report.html)")
    parser.add_argument("--force", action="store_true", help="replace a page that is there")
    parser.add_argument("--title", metavar="TEXT", help="the page's title (default: the names of the files)")
    evidence = parser.add_mutually_exclusive_group()
    evidence.add_argument(
        "--evidence", type=int, default=EVIDENCE, metavar="N", help=f"abstracts with evidence, at most ({EVIDENCE:,})"
    )
    evidence.add_argument(
        "--no-evidence", dest="evidence", action="store_const", const=0, help="no evidence: smaller, sooner there"
    )
    parser.add_argument("--rows", type=int, default=ROWS, metavar="N", help=f"abstracts listed, at most ({ROWS:,})")
    parser.add_argument(
        "--jobs", type=int, default=-1, metavar="N", help="processes that share the work (-1: all cores)"
    )
    add_operating_point(parser)
    add_fields(parser)
    add_model(parser)


def run(options: argparse.Namespace) -> int:
    """Run the command; returns its exit code."""
    from tagger.report.dates import date_of
    from tagger.report.gathering import gather
    from tagger.report.making import make_report
    from tagger.report.page import page
    from tagger.report.plots import check_library
    from tagger.wholefile import whole_file

    _check(options)
    check_library()
    input_ = reading.read(options)
    tagger = load_tagger(options)
    tagged = _counted(_tagged(tagger, input_.records, options.jobs), "tagging", input_)
    gathered = gather(tagged, tagger.areas, date_of, options.rows)
    report = make_report(
        tagger.model,
        gathered,
        title=options.title,
        model_directory=options.model,
        evidence=options.evidence,
        n_jobs=options.jobs,
        progress=lambda items: _counted(items, "explaining"),
    )
    with whole_file(options.output, options.force) as output:
        output.writelines(page(report))
    if gathered.failed:
        print(
            f"tagger: {gathered.failed} of {gathered.total} records could not be tagged; {options.output} says why",
            file=sys.stderr,
        )
    elif sys.stderr.isatty():
        print(f"tagger: {options.output} written, {gathered.total:,} abstracts", file=sys.stderr)
    return 1 if gathered.failed else 0


def _check(options: argparse.Namespace) -> None:
    if options.jobs == 0 or options.jobs < -1:
        raise InputError(f"--jobs {options.jobs}: give a number of processes, or -1 for one a core")
    if options.evidence < 0:
        raise InputError(f"--evidence {options.evidence}: give a number from 0")
    if options.rows < 1:
        raise InputError(f"--rows {options.rows}: give a number from 1")
    if Path(options.output).is_file() and not options.force:
        raise InputError(f"{options.output}: exists; --force replaces it")


def _tagged(tagger: Tagger, records: Iterable[Record], n_jobs: int) -> Iterator[Tagged]:
    from tagger.records import Tagged

    kept: deque[Record] = deque()

    def remembered() -> Iterator[Record]:
        for record in records:
            kept.append(record)
            yield record

    # Tagging is so fast that other processes start for nothing with the lists that people report on.
    for tags in tagger.tag_many(remembered(), n_jobs=1 if n_jobs == -1 else n_jobs):
        yield Tagged(kept.popleft(), tags)


def _counted(items: Iterable[_T], doing: str, input_: reading.Input | None = None) -> Iterator[_T]:
    """Pass `items` on and show on a terminal how far they are."""
    from tagger.progress import progress_of

    progress = progress_of(doing, input_.read if input_ else None, to_file=True)
    if input_:
        input_.voice.progress = progress
    try:
        for number, item in enumerate(items, 1):
            progress.at(number)
            yield item
    finally:
        progress.close()
