"""Tags as a line of text, for a field of a bibliography: ``areas 1a2b3c4d5e6f: reasoning 0.98, not theory 0.02``."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tagger.formats.layout import Layout
from tagger.records import Tags

_OWN = " (own keyword)"
_ITEM = re.compile(rf"(?:^|, )(?P<area>.+?) [01]\.\d\d(?P<remarks>(?: central| unsure|{re.escape(_OWN)})*)(?=, |; |$)")


def compose(tags: Tags, layout: Layout, own: Iterable[str] = ()) -> str:
    """What the model says: each area with its probability, tagged ones first, and what to know about them.

    Parameters
    ----------
    tags : Tags
        The tags.
    layout : Layout
        Its `model` comes first.
    own : iterable of str
        Areas that the record had among its keywords before; :func:`added` leaves them out.
    """
    items = [*tags.areas, *(area for area in tags.probabilities if area not in tags.areas)]
    parts = [", ".join(_item(area, tags, own) for area in items)] if items else []
    if tags.marks:
        parts.append("marks: " + ", ".join(tags.marks))
    if tags.error:
        parts.append("error: " + tags.error)
    model = layout.model.replace(":", "")
    return (f"{model}: " if model else "") + ("; ".join(parts) or "no area")


def _item(area: str, tags: Tags, own: Iterable[str]) -> str:
    text = f"{area} {tags.probabilities.get(area, 1.0):.2f}"
    if area not in tags.areas:
        text = "not " + text
    if area in tags.central:
        text += " central"
    if area in tags.unsure:
        text += " unsure"
    return text + _OWN if area in own else text


def is_note(text: str) -> bool:
    """Whether a text is a note."""
    items = _items(text)
    return _ITEM.search(items) is not None or items.startswith(("no area", "error: ", "marks: "))


def added(note: str) -> tuple[str, ...]:
    """The areas that a note says were tagged, without those that were among the keywords before."""
    return tuple(
        match["area"]
        for match in _ITEM.finditer(_items(note).partition("; ")[0])
        if not match["area"].startswith("not ") and _OWN not in match["remarks"]
    )


def _items(note: str) -> str:
    """A note without the name of the model."""
    model, colon, items = note.partition(": ")
    return items if colon and model not in ("error", "marks") else note
