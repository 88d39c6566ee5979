"""What may be written to a terminal: text that cannot drive it, in colour if wanted, cut to its width."""

from __future__ import annotations

import os
import re
import unicodedata
from typing import TextIO

COLOURS = (36, 33, 35, 32, 34, 31)
"""Codes of cyan, yellow, magenta, green, blue, red: areas have them in turn."""

_CONTROL = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def in_colour(stream: TextIO) -> bool:
    """Whether to write in colour: to a terminal, unless NO_COLOR is set (https://no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR")


def neutral(text: str) -> str:
    """`text` with a space for each character that would drive a terminal or turn its writing round; as long as it."""
    return _CONTROL.sub(" ", text)


def clean(text: str, longest: int = 2000) -> str:
    """`text`, of which no more than `longest` characters are looked at, on one line and :func:`neutral`."""
    return " ".join(neutral(text[:longest]).split())


def columns(text: str) -> int:
    """Columns of a terminal that `text` takes."""
    return sum(map(_columns, text))


def fit(text: str, width: int) -> str:
    """`text` cut or padded to `width` columns, East Asian wide characters counting two."""
    used = 0
    kept: list[str] = []
    for character in text:
        size = _columns(character)
        if used + size > width:
            while kept and used > width - 1:
                used -= _columns(kept.pop())
            kept.append("…")
            used += 1
            break
        kept.append(character)
        used += size
    return "".join(kept) + " " * (width - used)


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
