"""Answers of arXiv's two interfaces: the papers in them, and what stands around the papers."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tagger.fetch.client import UnusableError
from tagger.fetch.paging import Row
from tagger.formats.extras import require

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_ATOM = "{http://www.w3.org/2005/Atom}"
_SEARCH = "{http://a9.com/-/spec/opensearch/1.1/}"
_OAI = "{http://www.openarchives.org/OAI/2.0/}"

_VERSION = re.compile(r"v(\d+)$")
_WITHDRAWN = re.compile(r"\W*(this|the)\s+([\w-]+\s+){1,4}(has|have|is|was|were)\s+(been\s+)?withdrawn", re.IGNORECASE)
_LONGEST_NOTICE = 120
"""Words of an abstract that begins as a notice of withdrawal and may still be one."""

_FIELDS = {
    "title": ("title",),
    "abstract": ("abstract",),
    "authors": ("authors",),
    "published": ("published", "created"),
    "updated": ("updated",),
    "categories": ("categories",),
    "primary_category": ("primary_category",),
    "doi": ("doi",),
    "journal_ref": ("journal_ref", "journal-ref"),
    "comment": ("comment", "comments"),
}
"""Fields of a row, with their names in the Atom feeds and the OAI records."""


@dataclass(frozen=True, slots=True)
class Feed:
    """An Atom feed, as the query interface answers."""

    rows: tuple[Row, ...]
    total: int
    complaint: str | None
    """What the service says is wrong with the question; None if nothing is."""


@dataclass(frozen=True, slots=True)
class Records:
    """A page of records, as the OAI interface answers."""

    rows: tuple[Row, ...]
    token: str | None
    """What to ask for the next page with; None if this is the last."""
    error: str | None
    """Code of an error; None if there is none."""


def read_feed(body: bytes) -> Feed:
    """Read an answer of the query interface.

    Raises
    ------
    UnusableError
        If it is not an Atom feed as that interface gives.
    """
    root = _parse(body, f"{_ATOM}feed")
    for entry in root.iterfind(f"{_ATOM}entry"):
        if "/api/errors" in (entry.findtext(f"{_ATOM}id") or ""):
            return Feed((), 0, " ".join((entry.findtext(f"{_ATOM}summary") or "an error").split()))
    total = (root.findtext(f"{_SEARCH}totalResults") or "").strip()
    if not total.isdecimal():
        raise UnusableError("answered with a feed that has no total")
    return Feed(_rows(body), int(total), None)


def read_records(body: bytes) -> Records:
    """Read an answer of the OAI interface.

    Raises
    ------
    UnusableError
        If it is not a list of records, or an empty one, which the protocol does not know.
    """
    root = _parse(body, f"{_OAI}OAI-PMH")
    error = root.find(f"{_OAI}error")
    if error is not None:
        return Records((), None, error.get("code", "error"))
    listed = root.find(f"{_OAI}ListRecords")
    rows = _rows(body) if listed is not None and listed.find(f"{_OAI}record") is not None else ()
    if listed is None or not rows:
        raise UnusableError("answered with an empty list")
    token = (listed.findtext(f"{_OAI}resumptionToken") or "").strip()
    return Records(rows, token or None, None)


def _parse(body: bytes, root_tag: str) -> Element:
    defused = require("defusedxml.ElementTree", "fetching from arXiv", "fetch")
    try:
        root: Element = defused.fromstring(body)
    except (defused.ParseError, ValueError):  # entities, which are refused, raise a ValueError
        what = "a web page" if re.match(rb"\s*<(!doctype\s+)?html", body, re.IGNORECASE) else "broken XML"
        raise UnusableError(f"answered with {what}") from None
    if root.tag != root_tag:
        raise UnusableError("answered with a web page" if root.tag.endswith("html") else "answered with other XML")
    return root


def _rows(body: bytes) -> tuple[Row, ...]:
    from tagger.formats.fields import Fields
    from tagger.formats.xml import read

    return tuple(
        row_of(record.id, record.fields) for record in read(io.BytesIO(body), "arXiv", Fields()) if record.fields
    )


def row_of(id_: str, fields: Mapping[str, Any]) -> Row:
    """A paper as the row that ``tagger fetch`` writes.

    Parameters
    ----------
    id_ : str
        Its id without version.
    fields : mapping
        What an Atom entry or an OAI record says about it.
    """
    row: Row = {"id": id_}
    for name, names in _FIELDS.items():
        value = next((fields[other] for other in names if fields.get(other)), None)
        if value is not None:
            row[name] = " ".join(value.split()) if isinstance(value, str) else value
    if "primary_category" not in row and row.get("categories"):
        row["primary_category"] = row["categories"][0]  # of an OAI record, the first one is
    version = _VERSION.search(str(fields.get("link") or fields.get("id") or ""))
    row["url"] = f"https://arxiv.org/abs/{id_}{version[0] if version else ''}"
    abstract = row.get("abstract", "")
    if not abstract:
        row["error"] = "this paper has no abstract"
    elif _WITHDRAWN.match(abstract) and len(abstract.split()) <= _LONGEST_NOTICE:
        row["error"] = f"withdrawn: {row.pop('abstract')[:300]}"
    return row


def version_of(row: Row) -> int | None:
    """The version of a paper that a row is about, if it says."""
    version = _VERSION.search(str(row.get("url")))
    return int(version[1]) if version else None
