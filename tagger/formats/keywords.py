"""Keywords in one text, as BibTeX and CSL hold them: separated by semicolons, or else by commas."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tagger.formats.bibtex_syntax import end_of_piece
from tagger.formats.latex import decode, encode

_BLANKS = " \t\r\n\f\v"
SEPARATOR = re.compile(r"[;,](\s?)")

_GROUP = re.compile(r"\{(?:[^{}]|\{[^{}]*\})*+\}")
_BETWEEN = {separator: re.compile(rf"(?:[^{separator}{{}}]++|{_GROUP.pattern}|[{{}}])+") for separator in ";,"}


def split_keywords(text: str) -> list[str]:
    """The keywords in a text, LaTeX undone; a separator in braces is none."""
    start, end = list_in(text)
    between = _BETWEEN[separator_of(text)[0]]
    return [keyword for part in between.findall(text, start, end) if (keyword := decode(part))]


def join_keywords(keywords: Iterable[str], separator: str = ", ") -> str:
    """LaTeX that :func:`split_keywords` reads as `keywords`."""
    return separator.join(map(encode_keyword, keywords))


def encode_keyword(keyword: str) -> str:
    """LaTeX for one keyword, in braces if it holds a separator."""
    return f"{{{encode(keyword)}}}" if SEPARATOR.search(keyword) else encode(keyword)


def separator_of(text: str) -> str:
    """What separates the keywords in a text, with a blank if that is its style or if there is no separator yet."""
    start, end = list_in(text)
    outside = _GROUP.sub("", text[start:end])
    first = SEPARATOR.search(outside)
    return (";" if ";" in outside else ",") + (" " if first is None or first[1] else "")


def add_keywords(text: str, addition: str, separator: str) -> str:
    """The text with `addition` at the end of its list, after `separator` or what is left of it there already."""
    start, end = list_in(text)
    if SEPARATOR.fullmatch(text[start:end][-1:]):
        separator = separator[1:]
    return text[:end] + separator + addition + text[end:]


def remove_keyword(text: str, keyword: str) -> str:
    """The text without the last `keyword` that stands by itself, and without the separator before it."""
    place = rf"(?P<before>[;,]\s*|^[{{\s]*)(?P<keyword>{re.escape(keyword)})(?=\s*(?:[;,}}]|$))"
    for match in list(re.finditer(place, text))[-1:]:
        if match["before"][:1] in (";", ","):
            return text[: match.start()] + text[match.end() :]
        rest = re.sub(r"^\s*[;,]\s*", "", text[match.end() :])
        return text[: match.start("keyword")] + rest
    return text


def list_in(text: str) -> tuple[int, int]:
    """Where the list of keywords begins and ends in a text; some exporters put the whole of it in one more brace."""
    start, end = 0, len(text)
    while True:
        end = start + len(text[start:end].rstrip(_BLANKS))
        start = end - len(text[start:end].lstrip(_BLANKS))
        inner = text[start:end]
        if inner[:1] != "{" or end_of_piece(inner, 0) != len(inner) or not SEPARATOR.search(inner):
            return start, end
        start, end = start + 1, end - 1
