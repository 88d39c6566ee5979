"""Text for people: on one line, cut to a width, with nothing in it that drives a terminal."""

from __future__ import annotations

import re
import unicodedata

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]+")


def one_line(text: str, longest: int = 2000) -> str:
    """`text`, of which no more than `longest` characters are looked at, without line ends and control characters."""
    return " ".join(_CONTROL.sub(" ", text[:longest]).split())


def fit(text: str, width: int) -> str:
    """`text` cut or padded to `width` columns, East Asian wide characters counting two."""
    used = 0
    kept: list[str] = []
    for character in text:
        size = columns(character)
        if used + size > width:
            while kept and used > width - 1:
                used -= columns(kept.pop())
            kept.append("…")
            used += 1
            break
        kept.append(character)
        used += size
    return "".join(kept) + " " * (width - used)


def columns(character: str) -> int:
    """How many columns of a terminal a character takes."""
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
