"""All tables for a terminal, and the generated parts of a page."""

from __future__ import annotations

import re
from collections.abc import Callable

from benchmarks.bars import bars
from benchmarks.tables import Results, about, cost, growth, parallel, processes, speed, stages, start

_MARK = "<!-- {edge} {name} -->"

BLOCKS: dict[str, tuple[str, Callable[[Results], str]]] = {
    "about": ("", about),
    "speed": ("Accuracy, and time for an abstract", speed),
    "cost": ("First answer, one call, memory, size on disk", cost),
    "start": ("Cold starts", start),
    "parallel": ("Two workers", parallel),
    "growth": ("Time and memory of the largest process", growth),
    "processes": ("Memory of each process of tagger tag --jobs 2", processes),
    "stages": ("Where the time goes", stages),
    "bars": ("Bars", bars),
}
"""The generated parts of the page by the name between its marks, each with a title for a terminal."""


def terminal(results: Results) -> str:
    """All that was measured, for a terminal."""
    blocks = ((title, block(results)) for title, block in BLOCKS.values())
    return "\n\n".join("\n".join(filter(None, [title, text])) for title, text in blocks if text)


def filled(page: str, results: Results) -> str:
    """The page with its generated parts made anew; a part that was not measured stays, and so does all other text.

    Raises
    ------
    ValueError
        If the marks of a part are missing, or are there twice.
    """
    for name, (_, block) in BLOCKS.items():
        begin, end = (re.escape(_MARK.format(edge=edge, name=name)) for edge in ("begin", "end"))
        text = block(results)
        pattern = re.compile(f"({begin}\n).*?({end})", re.DOTALL)
        if len(pattern.findall(page)) != 1:
            raise ValueError(f"the page does not have the marks of {name!r} once")
        if text:
            page = pattern.sub(lambda match: f"{match[1]}{text}\n{match[2]}", page)  # noqa: B023 - used at once
    return page
