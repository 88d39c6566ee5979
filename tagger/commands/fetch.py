"""``tagger fetch``: bring abstracts from arXiv or OpenReview, as JSON Lines that ``tagger tag`` reads."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tagger.commands.options import Commands
from tagger.errors import InputError
from tagger.formats.registry import FORMATS

if TYPE_CHECKING:
    from tagger.fetch.run import Run

Row = dict[str, Any]


def add(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "fetch",
        help="bring abstracts from arXiv or OpenReview",
        description="Bring abstracts from arXiv or OpenReview, as JSON Lines that `tagger tag` reads.",
    )
    services = parser.add_subparsers(title="services", metavar="SERVICE", required=True)
    arxiv = services.add_parser(
        "arxiv",
        help="papers by id, by query, or all since a day",
        description="Bring papers from arXiv: by id, by query, or all that were submitted since a day.",
    )
    arxiv.set_defaults(run=_run_arxiv)
    arxiv.add_argument("ids", nargs="*", metavar="ID", help="ids or addresses of papers; - for a list on stdin")
    arxiv.add_argument("--ids", dest="file", metavar="FILE", help="a file with an id or address a line; - for stdin")
    arxiv.add_argument("--query", metavar="QUERY", help="in arXiv's notation, such as 'cat:cs.LG AND abs:pruning'")
    arxiv.add_argument("--since", metavar="DATE", help="papers submitted on this day or later, as 2025-06-30")
    arxiv.add_argument(
        "--categories", metavar="A,B", help="of these only (with --since alone: cs.LG,cs.CL,cs.CV,cs.AI,stat.ML)"
    )
    sorts = ("newest", "oldest", "relevance")
    arxiv.add_argument("--sort", choices=sorts, default="newest", help="order of what a query finds (newest)")
    _add_common(arxiv)
    openreview = services.add_parser(
        "openreview",
        help="papers of a venue, or by id",
        description="Bring the papers that a venue accepted from OpenReview, or papers by id.",
    )
    openreview.set_defaults(run=_run_openreview)
    openreview.add_argument("ids", nargs="*", metavar="VENUE", help="such as ICML.cc/2025/Conference; or ids of papers")
    openreview.add_argument(
        "--ids", dest="file", metavar="FILE", help="a file with the id of a paper a line; - for stdin"
    )
    openreview.add_argument("--all", action="store_true", help="all submissions that are public, not only the accepted")
    _add_common(openreview)


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--max", type=int, metavar="N", help="stop after this many papers")
    parser.add_argument("-o", "--output", metavar="FILE", help="write here, not to stdout; can be resumed if stopped")
    parser.add_argument("--resume", action="store_true", help="go on with the output of a run that was stopped")
    parser.add_argument("--force", action="store_true", help="replace the output if it is there")
    parser.add_argument("--no-cache", action="store_true", help="ask again for what was answered before")
    parser.add_argument("--base-url", metavar="URL", help="ask a mirror")


def _run_arxiv(options: argparse.Namespace) -> int:
    from tagger.fetch import arxiv
    from tagger.fetch.identifiers import set_of_category
    from tagger.fetch.run import new_rows

    ids = _ids(options)
    if (ids is not None) + bool(options.query or options.since) != 1:
        raise InputError("give either ids of papers, or --query, or --since; see `tagger fetch arxiv --help`")
    first_day = _day(options.since)
    categories = [name.strip() for name in (options.categories or "").split(",") if name.strip()]
    for category in categories:
        set_of_category(category)
    if ids is not None and (categories or options.max is not None):
        raise InputError("--categories and --max go with --query or --since; leave them out with ids")
    bases = arxiv.Bases.from_text(options.base_url or os.environ.get("TAGGER_ARXIV_URL", ""))

    asked = {"the list of ids": ids, "--query": options.query, "--since": options.since}
    asked |= {"--categories": ", ".join(categories), "--sort": options.sort}
    run = _run_of(options, "arXiv", asked)

    def rows() -> Iterator[Row]:
        client = run.client("arxiv")
        if ids is not None:
            run.counted(len(ids))
            return arxiv.papers_by_id(client, bases, ids, len(run.output.ids))
        if options.query:
            query = arxiv.narrowed(options.query, first_day, categories)
            found = arxiv.papers_of_query(client, bases, query, options.sort, options.max, run.counted, run.warn)
        else:
            assert first_day is not None
            found = arxiv.papers_since(client, bases, first_day, categories or arxiv.CATEGORIES)
        return new_rows(found, run.output, options.max)

    return run.fetch(rows, "arXiv")


def _run_openreview(options: argparse.Namespace) -> int:
    from tagger.fetch import openreview
    from tagger.fetch.run import new_rows

    ids = [openreview.parse(id_) for id_ in _ids(options) or ()]
    venues = [id_ for id_ in ids if openreview.is_venue(id_)]
    if not ids or (venues and len(ids) > 1):
        raise InputError("give one venue, or ids of papers; see `tagger fetch openreview --help`")
    if not venues and (options.all or options.max is not None):
        raise InputError("--all and --max go with a venue; leave them out with ids")
    bases = openreview.Bases.from_text(options.base_url or os.environ.get("TAGGER_OPENREVIEW_URL", ""))

    run = _run_of(options, "OpenReview", {"the list of ids": ids, "--all": options.all})

    def rows() -> Iterator[Row]:
        client = run.client("openreview")
        openreview.use_account(client, bases)
        if not venues:
            run.counted(len(ids))
            return openreview.papers_by_id(client, bases, ids[len(run.output.ids) :])
        found = openreview.papers_of_venue(client, bases, venues[0], options.all, run.counted, run.note, run.warn)
        return new_rows(found, run.output, options.max)

    return run.fetch(rows, "OpenReview")


def _run_of(options: argparse.Namespace, service: str, asked: dict[str, Any]) -> Run:
    from tagger.fetch.output import Output
    from tagger.fetch.run import Run

    if options.max is not None and options.max < 1:
        raise InputError(f"--max {options.max}: give a number of papers, 1 or more")
    if options.resume and not options.output:
        raise InputError("--resume goes on with a file; name it with -o")
    others = {suffix for name, format_ in FORMATS.items() if name != "jsonl" for suffix in format_.suffixes}
    if options.output and Path(options.output).suffix.lower() in {*others, ".gz", ".bz2", ".xz", ".zst"}:
        advice = "name it .jsonl, and `tagger convert` makes other formats of it"
        raise InputError(f"{options.output}: fetch writes JSON Lines; {advice}")
    output = Output(options.output, options.resume, options.force)
    return Run(output, {"the service": service, **asked, "--max": options.max}, not options.no_cache)


def _ids(options: argparse.Namespace) -> list[str] | None:
    """The ids that were given as arguments and in a file; None if neither was given."""
    if not options.ids and options.file is None:
        return None
    ids: list[str] = []
    for given in [*options.ids, *(["-"] if options.file == "-" else [])]:
        ids += _lines(sys.stdin.buffer.read() if sys.stdin else b"") if given == "-" else [given]
    if options.file not in (None, "-"):
        try:
            with open(options.file, "rb") as file:
                ids += _lines(file.read())
        except OSError as error:
            raise InputError(f"{options.file}: cannot be read ({error.strerror}); check the name") from error
    if not ids:
        raise InputError("the list of ids is empty; give one a line")
    return ids


def _lines(content: bytes) -> list[str]:
    lines = (line.partition(" #")[0].strip() for line in content.decode("utf-8-sig", "replace").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def _day(text: str | None) -> date | None:
    if text is None:
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise InputError(f"--since {text}: not a day; write it as 2025-06-30") from None
    if day > date.today():
        raise InputError(f"--since {text}: that day has not come; give an earlier one")
    return day
