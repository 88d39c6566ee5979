"""Papers from arXiv: by id or by query through its API, or all since a day through its OAI interface.

arXiv asks that large lists be taken from the OAI interface, which is made for it: it has no limit to a list and no
gaps. It knows when a record last changed, which is never before the paper was submitted, so of what changed since a
day the papers that were submitted since then are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from urllib.parse import quote, urlencode

from tagger.errors import FetchError, InputError
from tagger.fetch.answers import Feed, Records, read_feed, read_records, version_of
from tagger.fetch.cache import DAY, LONGEST
from tagger.fetch.client import Client, RefusedError, UnusableError
from tagger.fetch.identifiers import Paper, parse_paper, set_of_category
from tagger.fetch.paging import LOOKS, Page, Row, all_items

PAGE = 200
"""Papers that are asked for at once; arXiv asks for small slices."""
MOST_OF_QUERY = 30_000
"""Results of a query that arXiv shows at most."""
CATEGORIES = ("cs.LG", "cs.CL", "cs.CV", "cs.AI", "stat.ML")
SORTS = {
    "newest": ("submittedDate", "descending"),
    "oldest": ("submittedDate", "ascending"),
    "relevance": ("relevance", "descending"),
}

_FIRST_DATESTAMP = date(2005, 9, 16)
"""No record of the OAI interface is older."""
_MOST_RESTARTS = 3


@dataclass(frozen=True, slots=True)
class Bases:
    """Where the two interfaces are."""

    api: str = "https://export.arxiv.org/api/query"
    oai: str = "https://oaipmh.arxiv.org/oai"

    @classmethod
    def from_text(cls, text: str) -> Bases:
        """The address of a mirror, below which are ``api/query`` and ``oai``."""
        base = text.strip().rstrip("/")
        return cls(f"{base}/api/query", f"{base}/oai") if base else cls()


def papers_by_id(client: Client, bases: Bases, ids: Sequence[str], skip: int = 0) -> Iterator[Row]:
    """Yield a row for each of `ids`, in that order.

    Parameters
    ----------
    client : Client
        Asks.
    bases : Bases
        Whom.
    ids : sequence of str
        Anything that :func:`tagger.fetch.identifiers.parse_paper` understands. For what it does not, and for papers
        that arXiv does not have or that were withdrawn, a row has the reason as `error`.
    skip : int
        Rows that are not wanted, at the beginning.
    """
    # Always the same ids are asked for together, so that answers that were kept are found again.
    for start in range(skip // PAGE * PAGE, len(ids), PAGE):
        rows = list(_papers(client, bases, ids[start : start + PAGE]))
        yield from rows[max(skip - start, 0) :]


def papers_of_query(
    client: Client,
    bases: Bases,
    query: str,
    sort: str = "newest",
    most: int | None = None,
    counted: Callable[[int], None] = lambda total: None,
    warn: Callable[[str], None] = lambda message: None,
) -> Iterator[Row]:
    """Yield the papers that match a query in arXiv's notation, as ``cat:cs.LG AND abs:"state space"``.

    Parameters
    ----------
    client, bases, query
        Who asks, whom, and for what.
    sort : str
        A key of :data:`SORTS`.
    most : int, optional
        Papers that are wanted at most.
    counted, warn : callable
        Are told how many papers there are, and what is missing.

    Raises
    ------
    FetchError
        If arXiv does not understand the query, or shows fewer results than there are.
    """
    sort_by, order = SORTS[sort]
    size = min(PAGE, most or PAGE)

    def ask(start: int, refresh: bool) -> Page:
        if start + size > MOST_OF_QUERY:
            raise FetchError(f"arXiv shows {MOST_OF_QUERY:,} results of a query at most; narrow it, or give --max")
        parameters: dict[str, str | int] = {
            "search_query": query,
            "start": start,
            "max_results": size,
            "sortBy": sort_by,
            "sortOrder": order,
        }
        feed = _feed(client, bases, parameters, DAY, refresh)
        if feed.complaint:
            raise InputError(f"arXiv does not understand the query ({feed.complaint}); correct it")
        return Page(tuple((row["id"], row) for row in feed.rows), feed.total)

    n_left = most
    for row in all_items(ask, size, lambda total: counted(min(total, most or total)), warn):
        yield row
        if n_left is not None:
            n_left -= 1
            if not n_left:
                return


def papers_since(client: Client, bases: Bases, first_day: date, categories: Sequence[str]) -> Iterator[Row]:
    """Yield the papers that were submitted to some categories on `first_day` or later, each once."""
    seen: set[str] = set()
    for set_ in [set_of_category(category) for category in categories]:
        for row in _harvest(client, bases, max(first_day, _FIRST_DATESTAMP), set_):
            is_paper = "title" in row or "abstract" in row  # a deleted record has neither
            if is_paper and row["id"] not in seen and row.get("published", "9999") >= first_day.isoformat():
                seen.add(row["id"])
                yield row


def narrowed(query: str, first_day: date | None, categories: Sequence[str]) -> str:
    """`query`, narrowed to what was submitted on `first_day` or later, to one of `categories` if there are any."""
    parts = [f"({query})" if first_day or categories else query]
    if categories:
        parts.append("(" + " OR ".join(f"cat:{category}" for category in categories) + ")")
    if first_day:
        parts.append(f"submittedDate:[{first_day:%Y%m%d}0000 TO {date.today() + timedelta(days=1):%Y%m%d}2359]")
    return " AND ".join(parts)


def _papers(client: Client, bases: Bases, ids: Sequence[str]) -> Iterator[Row]:
    wanted: dict[str, Paper | Row] = {}
    for id_ in ids:
        try:
            wanted[id_] = parse_paper(id_)
        except InputError as error:
            wanted[id_] = {"id": id_.strip(), "error": str(error)}
    papers = list(dict.fromkeys(paper for paper in wanted.values() if isinstance(paper, Paper)))
    found: dict[Paper, Row] = {}
    while papers:
        batch: dict[str, Paper] = {}  # no two versions of a paper in one
        for paper in papers:
            batch.setdefault(paper.id, paper)
        found |= _look_up(client, bases, list(batch.values()))
        papers = [paper for paper in papers if batch[paper.id] != paper]
    for id_ in ids:
        known = wanted[id_]
        yield dict(found[known] if isinstance(known, Paper) else known)


def _look_up(client: Client, bases: Bases, papers: Sequence[Paper]) -> dict[Paper, Row]:
    """A row for each of `papers`; those that an answer lacks are asked for again before they are given up."""
    found: dict[Paper, Row] = {}
    missing = list(papers)
    for look in range(LOOKS):
        feed = _feed_of(client, bases, missing, look)
        while feed.complaint:  # about one of them, and then it shows none
            complaint = feed.complaint
            named = [paper for paper in missing if len(missing) == 1 or str(paper) in complaint.split()]
            if not named:
                middle = len(missing) // 2
                halves = (missing[:middle], missing[middle:])
                return found | _look_up(client, bases, halves[0]) | _look_up(client, bases, halves[1])
            found |= {paper: {"id": paper.id, "error": f"arXiv says: {complaint}"} for paper in named}
            missing = [paper for paper in missing if paper not in named]
            if not missing:
                return found
            feed = _feed_of(client, bases, missing, look)
        rows = {row["id"]: row for row in feed.rows}
        for paper in missing:
            row = rows.get(paper.id)
            if row is not None and paper.version in (None, version_of(row)):
                found[paper] = row
        missing = [paper for paper in missing if paper not in found]
        if not missing:
            return found
    return found | {paper: {"id": paper.id, "error": f"arXiv has no paper {paper}"} for paper in missing}


def _feed_of(client: Client, bases: Bases, papers: Sequence[Paper], look: int) -> Feed:
    parameters: dict[str, str | int] = {"id_list": ",".join(map(str, papers)), "max_results": len(papers)}
    return _feed(client, bases, parameters, DAY if look else LONGEST, look > 0, len(papers) > 1)


def _feed(
    client: Client, bases: Bases, parameters: dict[str, str | int], keep: float, refresh: bool, some: bool = False
) -> Feed:
    """An answer of the query interface; with `some`, one without papers is not believed."""

    def read(body: bytes) -> Feed:
        feed = read_feed(body)
        if some and not feed.rows and not feed.complaint:
            raise UnusableError("answered without a paper")
        return feed

    url = f"{bases.api}?{urlencode(parameters, quote_via=quote, safe=':,/')}"
    try:
        return client.get(url, read, keep, refresh)
    except RefusedError as error:
        if error.status != 400:
            raise
        try:
            complaint = read_feed(error.body).complaint
        except UnusableError:
            complaint = None
        return Feed((), 0, complaint or "bad request")


def _harvest(client: Client, bases: Bases, first_day: date, set_: str) -> Iterator[Row]:
    """The records of a set that changed since a day; some may come more than once."""
    beginning = {"verb": "ListRecords", "metadataPrefix": "arXiv", "set": set_, "from": first_day.isoformat()}
    parameters, restarts = beginning, 0
    while True:
        continued = "resumptionToken" in parameters

        def read(body: bytes, continued: bool = continued) -> Records:
            records = read_records(body)
            if records.error == "noRecordsMatch" and continued:
                raise UnusableError("answered without the rest of its list")
            return records

        url = f"{bases.oai}?{urlencode(parameters, quote_via=quote)}"
        records = client.get(url, read, DAY, restarts > 0)
        if records.error == "badResumptionToken" and restarts < _MOST_RESTARTS:
            parameters, restarts = beginning, restarts + 1  # tokens expire at midnight: begin again, ask anew
            continue
        if records.error == "noRecordsMatch":
            return
        if records.error:
            raise FetchError(f"arXiv's OAI interface refuses the set {set_} ({records.error}); check the category")
        yield from records.rows
        if not records.token:
            return
        parameters = {"verb": "ListRecords", "resumptionToken": records.token}
