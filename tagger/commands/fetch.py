"""``tagger fetch``: bring abstracts from arXiv or OpenReview, as JSON Lines that ``tagger tag`` reads."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from tagger.commands.options import Commands
from tagger.errors import FetchError, InputError, TaggerError

if TYPE_CHECKING:
    from tagger.fetch.client import Client
    from tagger.fetch.output import Output
    from tagger.progress import Progress

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

    ids = _ids(options)
    if (ids is not None) + bool(options.query or options.since) != 1:
        raise InputError("give either ids of papers, or --query, or --since; see `tagger fetch arxiv --help`")
    first_day = _day(options.since)
    categories = [name.strip() for name in (options.categories or "").split(",") if name.strip()]
    for category in categories:
        set_of_category(category)
    bases = arxiv.Bases.from_text(options.base_url or os.environ.get("TAGGER_ARXIV_URL", ""))

    def rows(client: Client, output: Output, run: _Run) -> Iterator[Row]:
        if ids is not None:
            run.counted(len(ids))
            return arxiv.papers_by_id(client, bases, ids, len(output.ids))
        if options.query:
            query = arxiv.narrowed(options.query, first_day, categories)
            found = arxiv.papers_of_query(client, bases, query, options.sort, options.max, run.counted, run.warn)
        else:
            assert first_day is not None
            found = arxiv.papers_since(client, bases, first_day, categories or arxiv.CATEGORIES)
        return _new(found, output, options.max)

    asked = {"the list of ids": ids, "--query": options.query, "--since": options.since}
    asked |= {"--categories": ", ".join(categories), "--sort": options.sort}
    return _Run("arxiv", "arXiv", options, asked).fetch(rows)


def _run_openreview(options: argparse.Namespace) -> int:
    from tagger.fetch import openreview

    ids = [openreview.parse(id_) for id_ in _ids(options) or ()]
    venues = [id_ for id_ in ids if openreview.is_venue(id_)]
    if not ids or (venues and len(ids) > 1):
        raise InputError("give one venue, or ids of papers; see `tagger fetch openreview --help`")
    bases = openreview.Bases.from_text(options.base_url or os.environ.get("TAGGER_OPENREVIEW_URL", ""))

    def rows(client: Client, output: Output, run: _Run) -> Iterator[Row]:
        openreview.use_account(client, bases)
        if not venues:
            run.counted(len(ids))
            return openreview.papers_by_id(client, bases, ids[len(output.ids) :])
        found = openreview.papers_of_venue(client, bases, venues[0], options.all, run.counted, run.note, run.warn)
        return _new(found, output, options.max)

    return _Run("openreview", "OpenReview", options, {"the list of ids": ids, "--all": options.all}).fetch(rows)


class _Run:
    """What both services have in common: the client, the output, and what is said on the way."""

    def __init__(self, service: str, title: str, options: argparse.Namespace, asked: dict[str, Any]) -> None:
        if options.max is not None and options.max < 1:
            raise InputError(f"--max {options.max}: give a number of papers, 1 or more")
        if options.resume and not options.output:
            raise InputError("--resume goes on with a file; name it with -o")
        self._service, self._title, self._options = service, title, options
        self._asked = {"the service": title, **asked, "--max": options.max}
        self._progress: Progress | None = None
        self._short = False
        self.total: int | None = None
        self.read = 0

    def fetch(self, rows: Callable[[Client, Output, _Run], Iterator[Row]]) -> int:
        """Write the rows; returns the exit code."""
        from tagger.fetch.output import Output
        from tagger.interrupts import Interrupted, Interrupts

        options = self._options
        output = Output(options.output, options.resume, options.force)
        if output.part is not None and output.part.is_complete:
            print(f"tagger: {options.output} is complete; nothing is left to do", file=sys.stderr)
            return 0
        output.open(self._asked)
        with Interrupts() as interrupts:
            try:
                with self._client() as client:
                    for row in rows(client, output, self):
                        interrupts.held = True
                        output.write(row, self._title)
                        self._show(output)
                        interrupts.release()
                if not output.ids:
                    raise FetchError("nothing was found; ask for something else, or for more")
                interrupts.held = True
                output.finish()
            except BrokenPipeError:
                raise  # its reader has gone, and nobody is left to be told anything
            except (Interrupted, TaggerError, OSError) as error:
                interrupts.held = True
                kept = output.leave()
                if isinstance(error, Interrupted):
                    print(f"tagger: {error.what}{kept}", file=sys.stderr)
                    return error.code
                if isinstance(error, TaggerError) and kept:
                    raise type(error)(f"{error}{kept}") from None
                raise
            finally:
                if self._progress is not None:
                    self._progress.close()
        if output.failures.count:
            print(f"tagger: {output.failures.summary(len(output.ids), 'fetched')}", file=sys.stderr)
        elif output.part is not None and sys.stderr.isatty():
            print(f"tagger: {len(output.ids):,} papers fetched, {options.output} written", file=sys.stderr)
        return 1 if output.failures.count or self._short else 0

    def counted(self, total: int) -> None:
        """Hear how many papers there are."""
        self.total = total

    def note(self, message: str) -> None:
        """Say what is good to know."""
        from tagger.progress import Silent

        (self._progress or Silent()).say(f"tagger: {message}")

    def warn(self, message: str) -> None:
        """Say what is missing; the command then ends with 1."""
        self._short = True
        self.note(message)

    def _show(self, output: Output) -> None:
        """Show how far the run is."""
        from tagger.progress import progress_of

        self.read = len(output.ids)
        if self._progress is None:
            self._progress = progress_of("fetching", self, output.part is not None, self.read - 1)
        self._progress.at(self.read)

    def _client(self) -> Client:
        from tagger.fetch.cache import Cache, cache_directory
        from tagger.fetch.client import TIMEOUT, Client
        from tagger.fetch.pace import Pace

        directory = cache_directory()
        return Client(
            Pace(directory / f"{self._service}.next"),
            _number("TAGGER_FETCH_PAUSE", None),
            None if self._options.no_cache else Cache(directory / "answers"),
            _number("TAGGER_FETCH_TIMEOUT", None) or TIMEOUT,
            self.note if sys.stderr.isatty() else lambda message: None,
        )


def _new(found: Iterator[Row], output: Output, most: int | None) -> Iterator[Row]:
    """Those of the rows found that are not in the output yet; `most` in all."""
    known = set(output.ids)
    n_rows = len(known)
    if n_rows == most:
        return
    for row in found:
        if row["id"] not in known:
            yield row
            n_rows += 1
            if n_rows == most:
                return


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


def _day(text: str | None) -> Any:
    from datetime import date

    if text is None:
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise InputError(f"--since {text}: not a day; write it as 2025-06-30") from None
    if day > date.today():
        raise InputError(f"--since {text}: that day has not come; give an earlier one")
    return day


def _number(variable: str, default: float | None) -> float | None:
    """The number in a variable of the environment, which mirrors and tests set."""
    text = os.environ.get(variable)
    if not text:
        return default
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise InputError(f"{variable}={text}: not a number of seconds; correct it or unset it")
    return number
