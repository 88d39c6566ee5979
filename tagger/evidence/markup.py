"""Marked text as HTML: text from outside is escaped here and never becomes markup.

Nothing here has a ``style`` attribute or a script, so pages can forbid both. Colours are classes, ``area-0`` and so on
in the order of the model's areas, that :data:`MARK_STYLE` fills in for light and dark.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence

from tagger import web
from tagger.evidence.marks import Mark

N_COLOURS = 12
"""Areas beyond have the colours of the first ones again."""

_UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
"""What HTML cannot hold, and what turns the direction of the text after it."""

MARK_STYLE = web.asset("colours.css")
"""The style sheet of what :func:`marked_html` gives, which all pages have."""


def escaped(text: str) -> str:
    """`text` so that it is shown as it is in an element or between the quotes of an attribute.

    Characters that HTML cannot hold, and those that would turn the direction of what follows, become U+FFFD.
    """
    return html.escape(_UNSEEN.sub("\ufffd", text), quote=True)


def area_class(area: str, areas: Sequence[str]) -> str:
    """The class that gives an element the colour of `area`, one of the model's `areas`."""
    return f"area-{areas.index(area) % N_COLOURS}"


def marked_html(text: str, marks: Iterable[Mark], areas: Sequence[str], start: int = 0, end: int | None = None) -> str:
    """Give ``text[start:end]`` as HTML with its marks, for the inside of an element.

    Parameters
    ----------
    text : str
        The text as it was written; may hold anything.
    marks : iterable of Mark
        Parts of `text`, ascending and apart, as :func:`tagger.evidence.marks.find_marks` gives them.
    areas : sequence of str
        The areas of the model, which have colours in this order.
    start, end : int
        The part of `text` that is wanted; marks outside of it are left out, others cut to it.
    """
    end = len(text) if end is None else end
    pieces = []
    done = start
    for mark in marks:
        first, last = max(mark.start, start), min(mark.end, end)
        if first >= last:
            continue
        says = escaped(f"{mark.area} {mark.share:+.2f}")
        pieces += [
            escaped(text[done:first]),
            f'<mark class="{area_class(mark.area, areas)} level-{mark.level}" title="{says}">',
            escaped(text[first:last]),
            "</mark>",
        ]
        done = last
    return "".join([*pieces, escaped(text[done:end])])
