"""Entries of Atom feeds and items of RSS feeds, as arXiv and others publish them, as fields."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Any

from tagger.formats.elements import add, folded, local_name, plain_html, text_of

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_ANNOUNCEMENT = re.compile(r"arXiv:(?P<id>\S+) Announce Type: (?P<type>\S+) Abstract: ?")
"""How the description of an item of arXiv's daily lists begins, on one line."""

_OLD_TITLE = re.compile(r"\.? ?\(arXiv:(?P<id>\S+) \[(?P<category>[\w.-]+)\](?: [A-Z -]+)?\)$")
"""How a title of arXiv's lists ended until 2024: ``Bread. (arXiv:1912.00001v2 [cs.LG] UPDATED)``."""

_ANCHOR = re.compile(r"<[^<>]*>")
_COMMA_OUTSIDE_BRACKETS = re.compile(r",(?![^()]*\))")

_NAMES = {
    "summary": "abstract",
    "description": "abstract",
    "guid": "id",
    "pubDate": "published",
    "category": "categories",
    "DOI": "doi",
    "journal_reference": "journal_ref",
}
"""The names of elements that have another here, so that a paper has the same fields from each kind of feed."""

_LISTS = frozenset({"authors", "categories", "affiliations"})


def entry_fields(entry: Element) -> dict[str, Any]:
    """The fields of an Atom entry or an RSS item.

    `title`, `abstract`, `authors` (a list), `published`, `updated`, `categories` (a list), `primary_category`, `doi`,
    `journal_ref`, `comment`, `link` and `pdf`, as far as they are there; `id` as it is written there; and any other
    element by its name.
    """
    fields: dict[str, Any] = {}
    for child in entry:
        _add_child(fields, child)
    _unwrap_arxiv(fields)
    for name in ("content", "encoded"):
        if name in fields:
            text = fields.pop(name)
            fields.setdefault("abstract", text)
    if "id" not in fields and "link" in fields:
        fields["id"] = fields["link"]
    return fields


def error_of(fields: dict[str, Any]) -> str | None:
    """What arXiv's API complains of, if that is what an entry is: its errors come as an entry titled ``Error``."""
    about_errors = "/api/errors" in str(fields.get("id", "")) or fields.get("authors") == ["arXiv api core"]
    if fields.get("title") == "Error" and about_errors:
        return f"the arXiv API answered with an error ({fields.get('abstract') or 'no reason given'}); ask it again"
    return None


def _add_child(fields: dict[str, Any], child: Element) -> None:
    name = local_name(child.tag)
    if name == "author" and len(child):
        _add_author(fields, child)
    elif name in ("creator", "author"):
        for author in _authors(text_of(child)):
            add(fields, "authors", author, _LISTS)
    elif name == "link":
        _add_link(fields, child)
    elif name == "category":
        category = child.get("term") or text_of(child)
        if category:
            add(fields, "categories", category, _LISTS)
    elif name == "primary_category":
        fields[name] = child.get("term") or text_of(child)
    elif name in ("title", "summary", "description", "content", "encoded"):
        text = plain_html(text_of(child))
        if child.get("type") == "html":
            text = folded(html.unescape(text))
        fields.setdefault(_NAMES.get(name, name), text)
    else:
        add(fields, _NAMES.get(name, name), text_of(child))


def _add_author(fields: dict[str, Any], author: Element) -> None:
    for part in author:
        name = local_name(part.tag)
        if name == "name":
            add(fields, "authors", text_of(part), _LISTS)
        elif name == "affiliation":
            add(fields, "affiliations", text_of(part), _LISTS)


def _add_link(fields: dict[str, Any], link: Element) -> None:
    target = link.get("href") or text_of(link)
    relation = link.get("rel", "alternate")
    if relation == "alternate":
        fields.setdefault("link", target)
    elif link.get("title") == "pdf" or link.get("type") == "application/pdf":
        fields.setdefault("pdf", target)


def _authors(text: str) -> list[str]:
    """The names in ``A. Baker, B. Cook and C. Diaz (Kitchen, Oslo)``, whose names old lists made links."""
    text = folded(html.unescape(_ANCHOR.sub("", text)))
    parts = [part.strip().removeprefix("and ") for part in _COMMA_OUTSIDE_BRACKETS.split(text)]
    last = parts.pop() if parts else ""
    return [part for part in [*parts, *re.split(r" and (?![^()]*\))", last)] if part]


def _unwrap_arxiv(fields: dict[str, Any]) -> None:
    """Take what arXiv's lists say before the abstract and after the title from there, and keep it as fields."""
    announced = _ANNOUNCEMENT.match(str(fields.get("abstract", "")))
    if announced:
        fields["abstract"] = fields["abstract"][announced.end() :]
        fields.setdefault("announce_type", announced["type"])
        fields.setdefault("id", announced["id"])
    old = _OLD_TITLE.search(str(fields.get("title", "")))
    if old:
        fields["title"] = fields["title"][: old.start()]
        fields.setdefault("id", f"arXiv:{old['id']}")
        fields.setdefault("categories", [old["category"]])
