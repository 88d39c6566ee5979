"""Papers from OpenReview: those of a venue, or by id, through version 2 of its API or, for old venues, version 1."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any, NoReturn
from urllib.parse import parse_qs, urlencode, urlsplit

from tagger.errors import FetchError, InputError
from tagger.fetch.cache import DAY, LONGEST
from tagger.fetch.client import Client, RefusedError, UnusableError
from tagger.fetch.paging import Page, Row, all_items
from tagger.formats.openreview import flatten

PAGE = 1000
"""Notes that one answer holds at most."""

_ID = re.compile(r"[A-Za-z0-9_-]{6,20}")
_VENUE = re.compile(r"[^\s/?#&]+(/[^\s?#&]+)+")
_NOT_ACCEPTED = re.compile(r"\b(submitted|withdrawn|rejected|desk reject)", re.IGNORECASE)
_OLD_INVITATIONS = ("Blind_Submission", "Submission", "submission")


class AccountError(FetchError):
    """OpenReview wants to know who asks."""


class NoVenueError(FetchError):
    """OpenReview has no venue of that id."""


@dataclass(frozen=True, slots=True)
class Bases:
    """Where the two versions of the API are."""

    new: str = "https://api2.openreview.net"
    old: str = "https://api.openreview.net"

    @classmethod
    def from_text(cls, text: str) -> Bases:
        """Two addresses with a space between them; one alone is that of both."""
        addresses = [address.rstrip("/") for address in text.split()]
        return cls(addresses[0], addresses[-1]) if addresses else cls()


def parse(text: str) -> str:
    """The id of a venue or a paper, from itself or from its address on the web.

    Raises
    ------
    InputError
        If `text` is neither.
    """
    id_ = text.strip()
    if "://" in id_:
        id_ = parse_qs(urlsplit(id_).query).get("id", [""])[0]
    if not (_VENUE.fullmatch(id_) or _ID.fullmatch(id_)):
        known = "a venue, as ICML.cc/2025/Conference, or the id or address of a paper"
        raise InputError(f"{text[:80]!r} is not at OpenReview; give {known}")
    return id_


def is_venue(id_: str) -> bool:
    """Whether an id that :func:`parse` gave is that of a venue, or else of a paper."""
    return "/" in id_


def use_account(client: Client, bases: Bases) -> None:
    """Have `client` log in before it first asks, if the environment has ``OPENREVIEW_USERNAME`` and its password."""
    name, password = os.environ.get("OPENREVIEW_USERNAME"), os.environ.get("OPENREVIEW_PASSWORD")
    if not (name and password):
        return

    def log_in() -> None:
        try:
            token = client.post(f"{bases.new}/login", {"id": name, "password": password}, _token)
        except RefusedError as error:
            raise FetchError(f"{error}; check OPENREVIEW_USERNAME and OPENREVIEW_PASSWORD") from None
        client.authorise(token, bases.new, bases.old)

    # Who asks may see more than others, so what they are shown is kept for them alone.
    client.identity = hashlib.sha256(name.encode()).hexdigest()[:16]
    client.before = log_in


def papers_of_venue(
    client: Client,
    bases: Bases,
    venue: str,
    everything: bool,
    counted: Callable[[int], None] = lambda total: None,
    note: Callable[[str], None] = lambda message: None,
    warn: Callable[[str], None] = lambda message: None,
) -> Iterator[Row]:
    """Yield the papers that a venue accepted, or all that were submitted to it.

    Parameters
    ----------
    client : Client
        Asks.
    bases : Bases
        Whom.
    venue : str
        Its id, as ``ICML.cc/2025/Conference``.
    everything : bool
        Also papers that were rejected or withdrawn, where they are public.
    counted, note, warn : callable
        Are told how many papers there are; what is good to know; what is missing.

    Raises
    ------
    NoVenueError
        If there is no such venue.
    AccountError
        If OpenReview shows it only to those that it knows.
    """
    group = _group(client, bases, venue)
    listed = partial(_listed, client, counted=counted, warn=warn)
    if group.get("domain") or (isinstance(group.get("content"), dict) and group["content"]):
        name = flatten(group).get("submission_name") or "Submission"
        submitted = {"invitation": f"{venue}/-/{name}"}
        if everything:
            yield from _papers(listed(bases.new, submitted))
            return
        n_accepted = 0
        for row in _papers(listed(bases.new, {"content.venueid": venue})):
            n_accepted += 1
            yield row
        if not n_accepted:
            note(f"{venue} has not published what it accepted; these are the submissions that are public")
            yield from _papers(listed(bases.new, submitted))
        return
    yield from _papers_of_old_venue(partial(listed, bases.old), venue, everything, note)


def papers_by_id(client: Client, bases: Bases, ids: Sequence[str]) -> Iterator[Row]:
    """Yield the paper with each of `ids`, in that order, or a row that says why there is none."""
    for id_ in ids:
        yield _paper(client, bases, id_)


def _papers_of_old_venue(
    listed: Callable[[Mapping[str, str]], Iterator[Row]], venue: str, everything: bool, note: Callable[[str], None]
) -> Iterator[Row]:
    """Papers of a venue of version 1, where rejected papers may bear the venue's id too, and its name tells."""
    queries = [{"content.venueid": venue}, *({"invitation": f"{venue}/-/{name}"} for name in _OLD_INVITATIONS)]
    for query in [*queries[1:], queries[0]] if everything else queries:
        found, told = 0, False
        for row in _papers(listed(query)):
            found += 1
            told |= bool(row.get("venue"))
            if everything or not _NOT_ACCEPTED.search(row.get("venue") or ""):
                yield row
        if found:
            if not (told or everything):
                note(f"OpenReview does not tell which papers {venue} accepted; these are all {found:,} submissions")
            return


def _group(client: Client, bases: Bases, venue: str) -> Mapping[str, Any]:
    """What OpenReview knows about a venue; of venues of version 1 it has no domain and no content."""
    try:
        answer = _get(client, f"{bases.new}/groups?{urlencode({'id': venue})}", _object("groups"), DAY)
    except RefusedError as error:
        if error.status not in (400, 404):
            raise
        answer = {"groups": []}
    group = next((group for group in answer["groups"] if isinstance(group, dict)), None)
    if group is None:
        advice = "find its id in the address of its page, and mind capitals"
        raise NoVenueError(f"OpenReview has no venue {venue!r}; {advice}")
    return group


def _listed(
    client: Client,
    base: str,
    query: Mapping[str, str],
    counted: Callable[[int], None],
    warn: Callable[[str], None],
) -> Iterator[Row]:
    def ask(start: int, refresh: bool) -> Page:
        # `count` comes only with an offset; the order by number keeps what is added meanwhile at the end.
        parameters = {**query, "sort": "number:asc", "limit": str(PAGE), "offset": str(start)}
        answer = _get(client, f"{base}/notes?{urlencode(parameters)}", _object("notes"), DAY, refresh)
        notes = [note for note in answer["notes"] if isinstance(note, dict) and isinstance(note.get("id"), str)]
        count = answer.get("count")
        return Page(tuple((note["id"], note) for note in notes), count if isinstance(count, int) else None)

    return all_items(ask, PAGE, counted, warn)


def _papers(notes: Iterator[Row]) -> Iterator[Row]:
    """The rows of those notes that are papers, not replies to one."""
    return (row_of(note) for note in notes if note.get("forum", note["id"]) == note["id"])


def _paper(client: Client, bases: Bases, id_: str) -> Row:
    reason = "OpenReview has no paper with this id"
    for base in dict.fromkeys((bases.new, bases.old)):
        try:
            answer = _get(client, f"{base}/notes?{urlencode({'id': id_})}", _object("notes"), LONGEST)
        except RefusedError as error:
            if error.status == 403:
                reason = "OpenReview does not show this paper to everyone"
            elif error.status not in (400, 404):
                raise
            continue
        notes = [note for note in answer["notes"] if isinstance(note, dict) and note.get("id") == id_]
        if notes:
            return row_of(notes[0])
    return {"id": id_, "error": reason}


def row_of(note: Mapping[str, Any]) -> Row:
    """A note as the row that ``tagger fetch`` writes."""
    flat = flatten(note)
    row: Row = {"id": str(note["id"])}
    for name in ("title", "abstract"):
        if isinstance(flat.get(name), str) and (text := " ".join(flat[name].split())):
            row[name] = text
    for name in ("authors", "keywords", "venue", "venueid"):
        if flat.get(name):
            row[name] = flat[name]
    for name, field in (("published", "pdate"), ("published", "cdate"), ("updated", "mdate")):
        if name not in row and (date := _date(flat.get(field))):
            row[name] = date
    row["forum"] = str(flat.get("forum") or note["id"])
    row["url"] = f"https://openreview.net/forum?id={row['forum']}"
    if flat.get("ddate"):
        row["error"] = "this paper was deleted"
    elif "abstract" not in row:
        row["error"] = "this paper has no abstract that is public"
    if "error" in row:
        row.pop("abstract", None)
    return row


def _date(milliseconds: object) -> str | None:
    if not isinstance(milliseconds, (int, float)):
        return None
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (OverflowError, ValueError, OSError):
        return None


def _get(
    client: Client, url: str, read: Callable[[bytes], dict[str, Any]], keep: float, refresh: bool = False
) -> dict[str, Any]:
    try:
        return client.get(url, read, keep, refresh)
    except RefusedError as error:
        if b"ChallengeRequired" in error.body or error.status == 401:
            _ask_for_account(urlsplit(url).netloc)
        raise


def _object(wanted: str) -> Callable[[bytes], dict[str, Any]]:
    """A reader of a JSON object that has a list under the name `wanted`."""

    def read(body: bytes) -> dict[str, Any]:
        if b"erifying your browser" in body or b"challenges.cloudflare.com" in body:
            _ask_for_account("OpenReview")
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError):
            what = "a web page" if body.lstrip()[:1] == b"<" else "broken JSON"
            raise UnusableError(f"answered with {what}") from None
        if not isinstance(answer, dict) or not isinstance(answer.get(wanted), list):
            raise UnusableError(f"answered without {wanted}")
        return answer

    return read


def _ask_for_account(host: str) -> NoReturn:
    advice = "set OPENREVIEW_USERNAME and OPENREVIEW_PASSWORD to those of an account there (it costs nothing)"
    raise AccountError(f"{host} wants to know who asks; {advice}")


def _token(body: bytes) -> str:
    try:
        token = json.loads(body)["token"]
    except (ValueError, LookupError, TypeError, RecursionError):
        raise UnusableError("did not answer the log-in") from None
    return str(token)
