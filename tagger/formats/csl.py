"""CSL-JSON, which Zotero and citation processors exchange: an array of items, written one a line."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, TextIO

from tagger.formats.bibliography import bibliography
from tagger.formats.keywords import add_keywords, remove_keyword, separator_of, split_keywords
from tagger.formats.latex import one_line
from tagger.formats.layout import Layout
from tagger.formats.people import family_and_given
from tagger.records import Record, Tagged, Tags

DECIMALS = 6

_TYPES = (
    "article article-journal article-magazine article-newspaper bill book broadcast chapter classic collection dataset"
    " document entry entry-dictionary entry-encyclopedia event figure graphic hearing interview legal_case legislation"
    " manuscript map motion_picture musical_score pamphlet paper-conference patent performance periodical"
    " personal_communication post post-weblog regulation report review review-book software song speech standard thesis"
    " treaty webpage"
)
TYPES = frozenset(_TYPES.split())
"""The types of items that CSL 1.0.2 knows."""

_TYPE_OF = {"article": "article-journal", "inproceedings": "paper-conference", "misc": "article"}
_PARTS_OF_NAME = ("family", "literal", "given")
_PARTS_OF_DATE = ("date-parts", "raw", "literal")


def is_csl_item(item: object) -> bool:
    """Whether a value read from JSON is an item of CSL: it has one of its types, and says when, by whom or where."""
    type_ = item.get("type") if isinstance(item, Mapping) else None
    if not isinstance(item, Mapping) or not isinstance(type_, str) or type_ not in TYPES:
        return False
    authors, issued = item.get("author"), item.get("issued")
    by_whom = isinstance(authors, list) and any(
        isinstance(author, Mapping) and any(part in author for part in _PARTS_OF_NAME) for author in authors
    )
    when = isinstance(issued, Mapping) and any(part in issued for part in _PARTS_OF_DATE)
    return by_whom or when or isinstance(item.get("container-title"), str)


class Writer:
    """A JSON array with an item a line: CSL items with tags among their keywords and all else as it was; others made.

    ``custom.tagger`` holds what keywords cannot: the model, probabilities, what is central, unsure or marked, errors.
    """

    def __init__(self, stream: TextIO, layout: Layout) -> None:
        self._stream = stream
        self._layout = layout
        self._ascii = (getattr(stream, "encoding", None) or "utf-8").lower() not in ("utf-8", "utf8")
        self._between = "[\n"

    def write(self, tagged: Tagged) -> None:
        """Write one item."""
        record, tags = tagged.record, tagged.tags
        item = dict(record.fields) if is_csl_item(record.fields) else _new_item(record)
        if self._layout.areas:
            _add(item, record, tags, self._layout)
        elif not is_csl_item(record.fields) and (record.error or tags.error):
            item["custom"] = {"tagger": {"error": record.error or tags.error}}
        self._stream.write(self._between + _json(item, self._ascii))
        self._between = ",\n"

    def close(self) -> None:
        """End the array."""
        self._stream.write("[]\n" if self._between.startswith("[") else "\n]\n")


def _add(item: dict[str, Any], record: Record, tags: Tags, layout: Layout) -> None:
    """Put tags among the keywords of an item in place of those that an earlier run added, and the rest in `custom`."""
    custom = item.get("custom", {})
    earlier = custom.get("tagger") if isinstance(custom, Mapping) else None
    gone = earlier.get("added") if isinstance(earlier, Mapping) else None
    keyword = item.get("keyword", "")
    added: list[str] = []
    if isinstance(keyword, str):
        for area in reversed(gone if isinstance(gone, list) else []):
            keyword = remove_keyword(keyword, str(area))
        own = {word.casefold() for word in split_keywords(keyword)}
        added = [area for area in tags.areas if area.casefold() not in own]
        if added:
            separator = separator_of(keyword)
            keyword = add_keywords(keyword, separator.join(added), separator if own else "")
        if keyword or not gone:
            item |= {"keyword": keyword} if keyword or "keyword" in item else {}
        else:
            item.pop("keyword", None)
    if isinstance(custom, Mapping):
        item["custom"] = {**custom, "tagger": _details(record, tags, layout, added)}


def _details(record: Record, tags: Tags, layout: Layout, added: list[str]) -> dict[str, Any]:
    """What is known about the tags of an item."""
    details = {
        "model": layout.model,
        "areas": list(tags.areas),
        "probabilities": {area: round(value, DECIMALS) for area, value in tags.probabilities.items()},
        "central": list(tags.central),
        "unsure": list(tags.unsure),
        "marks": list(tags.marks),
        "error": record.error or tags.error,
        "added": added,
    }
    return {name: value for name, value in details.items() if value or name in ("model", "areas")}


def _new_item(record: Record) -> dict[str, Any]:
    paper = bibliography(record)
    same_title = record.title is not None and one_line(record.title) == paper.title
    item = {
        "id": record.id,
        "type": _TYPE_OF.get(paper.kind, paper.kind),
        "title": record.title if same_title else paper.title,
        "author": list(map(_name, paper.authors)),
        "issued": {"date-parts": [[int(part) for part in paper.date.split("-")]]} if paper.date else None,
        "container-title": paper.venue,
        "volume": paper.volume,
        "issue": paper.number,
        "page": paper.pages,
        "publisher": paper.publisher,
        "number": f"arXiv:{paper.arxiv_id}" if paper.arxiv_id else "",
        "DOI": paper.doi,
        "URL": paper.url,
        "abstract": record.abstract,
        "keyword": ", ".join(paper.keywords),
    }
    return {name: value for name, value in item.items() if value or name == "id"}


def _name(name: str) -> dict[str, str]:
    family, given = family_and_given(name)
    return {"family": family, "given": given} if given else {"literal": family}


def _json(item: dict[str, Any], in_ascii: bool) -> str:
    try:
        return json.dumps(item, ensure_ascii=in_ascii, allow_nan=False, default=str)
    except ValueError:
        return json.dumps(_finite(item), ensure_ascii=in_ascii, default=str)


def _finite(value: Any) -> Any:
    """A value without the numbers that JSON does not have; a file can hold them, such as 1e999."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {name: _finite(part) for name, part in value.items()}
    return [_finite(part) for part in value] if isinstance(value, list) else value
