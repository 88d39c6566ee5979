"""Text and names in elements of XML, and what arXiv calls a paper in them."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tagger.text import TAG

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_TAG = re.compile(TAG, re.IGNORECASE)
_BLOCKS = frozenset({"p", "br", "div", "li", "ol", "ul", "sec", "title"})
_BLOCK_TAG = re.compile(r"</?(?:p|br|div|li|ol|ul)(?:\s[^<>]*)?/?>", re.IGNORECASE)

_ARXIV = re.compile(
    r"(?:https?://(?:[a-z]+\.)*arxiv\.org/(?:abs|pdf)/|oai:arxiv\.org:|arxiv:)?"
    r"(?P<id>\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z-]+)?/\d{7})(?:v\d+)?(?:\.pdf)?",
    re.IGNORECASE,
)


def local_name(tag: str) -> str:
    """The name of an element or an attribute without its namespace."""
    return tag.rpartition("}")[2]


def folded(text: str) -> str:
    """`text` on one line: each run of white space is one blank, as for the lines that arXiv wraps and indents."""
    return " ".join(text.split())


def text_of(element: Element) -> str:
    """All text in an element, on one line; paragraphs and the like in it are set apart."""
    if not len(element):
        return folded(element.text or "")
    return folded("".join(_pieces(element)))


def _pieces(element: Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        apart = " " if local_name(child.tag).lower() in _BLOCKS else ""
        yield apart
        yield from _pieces(child)
        yield apart
        yield child.tail or ""


def plain_html(text: str) -> str:
    """`text` without its HTML tags and entities if it is HTML with paragraphs; as it is otherwise.

    A feed may hold either, and an inequality in a plain abstract must not be taken for a tag.
    """
    if not _BLOCK_TAG.search(text):
        return text
    return folded(html.unescape(_TAG.sub("", _BLOCK_TAG.sub(" ", text))))


def fields_of(element: Element, lists: frozenset[str] = frozenset()) -> dict[str, Any]:
    """The children of `element` by name, as text; as a list where a name is repeated or is one of `lists`."""
    fields: dict[str, Any] = {}
    for child in element:
        add(fields, local_name(child.tag), text_of(child), lists)
    return fields


def add(fields: dict[str, Any], name: str, value: Any, lists: frozenset[str] = frozenset()) -> None:
    """Put one more value of the field `name` into `fields`."""
    if name not in fields:
        fields[name] = [value] if name in lists else value
    elif isinstance(fields[name], list):
        fields[name].append(value)
    else:
        fields[name] = [fields[name], value]


def short_id(text: str) -> str:
    """The arXiv id in `text` if it is one, a link to one or an OAI identifier, without its version; else `text`.

    The version goes since other files of the same papers have ids without: ``http://arxiv.org/abs/2505.01234v1`` is
    ``2505.01234``.
    """
    match = _ARXIV.fullmatch(text)
    return match["id"] if match else text
