"""What a record says about its paper, whichever format it came from: authors, date, venue, identifiers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tagger.formats.dates import iso_date, join_date
from tagger.formats.fields import plain
from tagger.formats.keywords import split_keywords
from tagger.formats.latex import decode, one_line, unescape
from tagger.formats.people import authors_of
from tagger.records import Record

# Names as `fields.plain` gives them, the better source first. Those of two letters are tags of RIS.
_SOURCES = {
    "authors": "author authors au a1 creator creators authorlist",
    "dates": "issued published publicationdate publishedprint publishedonline date da",
    "years": "year publicationyear py y1",
    "other_dates": "pdate odate cdate versions created updated updatedate datestamp",
    "venue": "journal journaltitle booktitle containertitle publicationtitle journalref t2 jf jo ja j2 venue"
    " publicationvenue conference conferencename sourcetitle journalname",
    "doi": "doi do di identifier identifiers externalids url ur link links id",
    "url": "url ur htmlurl link links howpublished identifier relation id",
    "arxiv_id": "arxivid arxiv eprint id identifier identifiers externalids url ur link links doi do number journal"
    " howpublished note n1 extra",
    "keywords": "keywords keyword kw subject subjects categories tags manualtags authorkeywords",
    "kind": "entrytype ty type itemtype",
    "volume": "volume vl",
    "number": "number issue is",
    "pages": "pages page",
    "bare_arxiv_id": "arxivid arxiv eprint id externalids",
    "publisher": "publisher pb institution school",
}
_NAMES = {part: tuple(names.split()) for part, names in _SOURCES.items()}

_KINDS = {
    "article": "article suppperiodical jour ejour mgzn news articlejournal articlemagazine articlenewspaper"
    " journalarticle",
    "inproceedings": "inproceedings conference cpaper conf paperconference conferencepaper proceedingsarticle",
    "chapter": "incollection inbook suppbook chap echap chapter bookchapter booksection",
    "book": "book mvbook collection proceedings edbook ebook",
    "thesis": "phdthesis mastersthesis thesis thes dissertation",
    "report": "techreport report rprt",
}
_KIND_OF = {name: kind for kind, names in _KINDS.items() for name in names.split()}

_PARTS = ("value", "name", "term", "URL", "href", "DOI", "ArXiv")
"""Where the text is in values that are mappings."""

_CONFERENCE = re.compile(
    r"\b(?:proceedings|proc|conference|workshop|symposium|meeting|advances in|findings of|neurips|nips|iclr|icml|acl"
    r"|naacl|emnlp|eacl|coling|cvpr|iccv|eccv|aaai|ijcai|aistats|uai|colt|kdd|sigir|interspeech|icassp|icra|corl)\b",
    re.IGNORECASE,
)

_DASH = re.compile(r"\s*[-–—]+\s*")
_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>{}]+", re.ASCII)
_URL = re.compile(r"https?://[^\s\"<>{}]+")
_ARXIV = r"(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?"
_BARE_ARXIV_ID = re.compile(rf"\s*(?:arxiv:\s*)?{_ARXIV}\s*", re.ASCII | re.IGNORECASE)
_ARXIV_ID = re.compile(rf"arxiv(?:\.org/(?:abs|pdf|html)/|(?:\.org)?[:.]\s*){_ARXIV}(?!\d)", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Bibliography:
    """What is known about a paper; empty where nothing is."""

    title: str = ""
    authors: tuple[str, ...] = ()
    """Each as it was given: ``First Last`` or ``Last, First``."""
    date: str = ""
    """In ISO 8601, as precise as known: ``2025``, ``2025-05`` or ``2025-05-17``."""
    venue: str = ""
    """The journal, the proceedings or the book that it appeared in."""
    doi: str = ""
    url: str = ""
    arxiv_id: str = ""
    """Without its version."""
    keywords: tuple[str, ...] = ()
    kind: str = "misc"
    """``article``, ``inproceedings``, ``chapter``, ``book``, ``thesis``, ``report`` or ``misc``."""
    volume: str = ""
    number: str = ""
    pages: str = ""
    publisher: str = ""


def bibliography(record: Record) -> Bibliography:
    """What the fields of a record say about its paper, whichever format they came from."""
    filled = [(plain(str(name)), value) for name, value in record.fields.items() if value not in (None, "")]
    values = dict(reversed(filled))
    bibtex = "entrytype" in values
    arxiv_id = _arxiv_id(values, record.id)
    from_arxiv = bool(arxiv_id) and "categories" in values  # whose metadata are LaTeX

    def text(part: str) -> str:
        found = next(_texts(values, _NAMES[part]), "")
        return decode(found) if bibtex or from_arxiv else one_line(found)

    venue = text("venue")
    volume = text("volume")
    return Bibliography(
        title=(decode if from_arxiv else one_line)(record.title or ""),
        authors=next(filter(None, (authors_of(values.get(name), bibtex) for name in _NAMES["authors"])), ()),
        date=_date(values),
        venue=venue,
        doi=_found(_DOI, values, "doi").rstrip(".,;"),
        url=_url(values, arxiv_id),
        arxiv_id=arxiv_id,
        keywords=_keywords(values),
        kind=_kind(values, venue),
        volume=volume,
        number=text("number") if volume else "",  # by itself it may count anything
        pages=_DASH.sub("-", text("pages") or "-".join(_texts(values, ("sp", "ep")))),
        publisher=text("publisher"),
    )


def _texts(values: Mapping[str, Any], names: tuple[str, ...]) -> Iterator[str]:
    """Every text in the fields with those names, in their order."""
    for name in names:
        yield from _texts_in(values.get(name))


def _texts_in(value: Any, depth: int = 3) -> Iterator[str]:
    if isinstance(value, str):
        if value.strip():
            yield value
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield f"{value:.15g}"
    elif isinstance(value, (Mapping, Sequence)) and depth:
        parts = map(value.get, _PARTS) if isinstance(value, Mapping) else value
        for part in parts:
            yield from _texts_in(part, depth - 1)


def _date(values: Mapping[str, Any]) -> str:
    """When it appeared, by the first field that says so; others of the same year or month may be more precise."""
    dates = [
        *(iso_date(values.get(name)) for name in _NAMES["dates"]),
        join_date(values.get("year"), values.get("month"), values.get("day")),
        *(iso_date(values.get(name)) for name in _NAMES["years"]),
        iso_date(f"{values.get('da')} {values.get('py')}"),  # RIS may have "May 17" in one tag and the year in another
    ]
    first = next(filter(None, dates), "")
    if first:
        return max((date for date in dates if date.startswith(first)), key=len)
    return next(filter(None, (iso_date(values.get(name)) for name in _NAMES["other_dates"])), "")


def _found(pattern: re.Pattern[str], values: Mapping[str, Any], part: str) -> str:
    """What `pattern` matches in the first text where it matches."""
    texts = _texts(values, _NAMES[part])
    if "entrytype" in values:
        texts = map(unescape, texts)
    return next((match[0] for text in texts if (match := pattern.search(text))), "")


def _url(values: Mapping[str, Any], arxiv_id: str) -> str:
    if url := _found(_URL, values, "url"):
        return url
    if forum := next(_texts(values, ("forum",)), ""):
        return f"https://openreview.net/forum?id={one_line(forum)}"
    return f"https://arxiv.org/abs/{arxiv_id}" if arxiv_id else ""


def _arxiv_id(values: Mapping[str, Any], record_id: str) -> str:
    for name in _NAMES["arxiv_id"]:
        for found in (*_texts_in(values.get(name)), *([record_id] if name == "id" else [])):
            bare = _BARE_ARXIV_ID.fullmatch(found) if name in _NAMES["bare_arxiv_id"] else None
            if match := bare or _ARXIV_ID.search(found):
                return match[1]
    return ""


def _keywords(values: Mapping[str, Any]) -> tuple[str, ...]:
    for name in _NAMES["keywords"]:
        value = values.get(name)
        if name == "categories" and isinstance(value, str) and not re.search("[,;]", value):
            value = value.split()
        parts = split_keywords(value) if isinstance(value, str) else map(one_line, _texts_in(value))
        if keywords := tuple(dict.fromkeys(parts)):
            return keywords
    return ()


def _kind(values: Mapping[str, Any], venue: str) -> str:
    for name in _NAMES["kind"]:
        kind = _KIND_OF.get(plain(next(_texts_in(values.get(name)), "")))
        if kind and (venue or name != "type" or kind != "article"):  # in CSL an article may have appeared nowhere
            return kind
    if not venue:
        return "misc"
    return "inproceedings" if _CONFERENCE.search(venue) else "article"
