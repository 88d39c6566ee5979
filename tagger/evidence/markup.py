"""Marked text as HTML: text from outside is escaped here and never becomes markup.

Nothing here has a ``style`` attribute or a script, so pages can forbid both. Colours are classes, ``area-0`` and so on
in the order of the model's areas, that :data:`MARK_STYLE` fills in for light and dark.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence

from tagger.evidence.marks import Mark

N_COLOURS = 6
"""Areas beyond have the colours of the first ones again."""

_UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
"""What HTML cannot hold, and what turns the direction of the text after it."""

MARK_STYLE = """
:root { color-scheme: light dark;
  --area-0: #0b7285; --area-1: #b35900; --area-2: #9c36b5; --area-3: #2b8a3e; --area-4: #3b5bdb; --area-5: #c92a2a; }
@media (prefers-color-scheme: dark) { :root {
  --area-0: #3bc9db; --area-1: #ffa94d; --area-2: #e599f7; --area-3: #69db7c; --area-4: #91a7ff; --area-5: #ff8787; } }
.area-0 { --area: var(--area-0); } .area-1 { --area: var(--area-1); } .area-2 { --area: var(--area-2); }
.area-3 { --area: var(--area-3); } .area-4 { --area: var(--area-4); } .area-5 { --area: var(--area-5); }
mark { color: inherit; border-radius: .2em; padding: .05em .15em; margin: 0 -.15em; -webkit-box-decoration-break: clone;
  box-decoration-break: clone; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
mark.level-1 { background: color-mix(in srgb, var(--area) 14%, transparent); }
mark.level-2 { background: color-mix(in srgb, var(--area) 26%, transparent); }
mark.level-3 { background: color-mix(in srgb, var(--area) 40%, transparent); }
@media print, (forced-colors: active) { mark { border-bottom: 2px solid var(--area); } }
"""
"""The style sheet of what :func:`marked_html` gives."""


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
