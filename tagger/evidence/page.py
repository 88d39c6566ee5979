"""Explanations as a page of HTML: self-contained, without scripts, light and dark."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from typing import TextIO

from tagger.evidence.explanation import AreaEvidence, Explanation
from tagger.evidence.marks import area_label, find_marks, shown_areas
from tagger.evidence.markup import MARK_STYLE, area_class, escaped, marked_html
from tagger.evidence.phrases import Phrase
from tagger.records import Tags

STYLE = (
    MARK_STYLE
    + """
body { font: 1rem/1.6 system-ui, sans-serif; max-width: 46rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere;
  color: var(--text); background: var(--page); }
h1 { font-size: 1.4rem; } h2 { font-size: 1rem; margin: 0; } h3 { font-size: 1.15rem; margin: .6rem 0 0; }
h4 { font-size: 1rem; margin: 0; }
article { border-top: 1px solid var(--line); padding: 1.2rem 0; }
header { display: flex; flex-wrap: wrap; gap: .3rem .6rem; align-items: baseline; }
.area { color: var(--area); border: 1px solid; border-radius: 1em; padding: 0 .6em; font-size: .875rem;
  line-height: 1.5; white-space: nowrap; }
.abstract { margin: .6rem 0; white-space: pre-line; }
.error { color: var(--error); }
section { margin-top: 1.2rem; }
.sum { color: var(--soft); font-size: .875rem; margin: .2rem 0 .4rem; }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: .4rem 1.5rem; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; align-self: start; }
caption { text-align: left; color: var(--soft); }
th, td { text-align: left; font-weight: normal; padding: .1rem .4rem .1rem 0; vertical-align: top; }
td { width: 6.5rem; white-space: nowrap; font-variant-numeric: tabular-nums; }
svg { width: 3.5rem; height: .6rem; margin-left: .4rem; fill: var(--area); }
.against svg { fill: var(--line-strong); }
@media print { article { break-inside: avoid; } }
"""
)

_POLICY = "default-src 'none'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'"


class PageWriter:
    """Writes a page with one explanation after another."""

    def __init__(
        self, stream: TextIO, areas: Sequence[str], chosen: Sequence[str] = (), top: int | None = None
    ) -> None:
        """Begin a page; `areas` are the model's, `chosen` those to show if not those that matter."""
        self._stream = stream
        self._areas = tuple(areas)
        self._chosen = tuple(chosen)
        self._top = 5 if top is None else top
        digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
        self._stream.write(
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY.format(digest)}">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>Evidence for areas</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
            "<h1>Evidence for areas</h1>\n"
            '<p class="sum">Marked is what speaks for an area; the stronger it does, the stronger is the mark. '
            "Shares are in log-odds: +0.69 doubles the odds of an area, -0.69 halves them.</p>\n"
        )

    def write(self, id_: str, explanation: Explanation) -> None:
        """Write one explanation."""
        self._stream.write(article(id_, explanation, self._areas, self._chosen, self._top))

    def write_error(self, id_: str, error: str) -> None:
        """Write why there is no explanation."""
        self._stream.write(
            f'<article>\n<header><h2 dir="auto">{escaped(id_)}</h2></header>\n'
            f'<p class="error">{escaped(error)}</p>\n</article>\n'
        )

    def close(self) -> None:
        """End the page."""
        self._stream.write("</main>\n</body>\n</html>\n")


def article(id_: str, explanation: Explanation, areas: Sequence[str], chosen: Sequence[str] = (), top: int = 5) -> str:
    """One explanation as an ``article`` element, for a page with :data:`STYLE`.

    Parameters
    ----------
    id_ : str
        Id of the record.
    explanation : Explanation
        What to show.
    areas : sequence of str
        The model's areas, which have colours in this order.
    chosen : sequence of str
        The areas to show; those that are tagged or unsure if empty.
    top : int
        Phrases for, and phrases against, that are listed for each.
    """
    tags, text, start = explanation.tags, explanation.text, explanation.abstract_start
    shown = chosen or shown_areas(explanation)
    marks = find_marks(explanation, shown)
    named = [area for area in areas if area in tags.areas or area in tags.unsure]
    labels = " ".join(_label(area, tags, areas) for area in named) or "no area"
    parts = [f'<article>\n<header><h2 dir="auto">{escaped(id_)}</h2> {labels}</header>\n']
    if start:
        parts.append(f'<h3 dir="auto">{marked_html(text, marks, areas, 0, start - 1)}</h3>\n')
    parts.append(f'<p class="abstract" dir="auto">{marked_html(text, marks, areas, start)}</p>\n')
    parts += [_section(area, explanation.areas[area], tags, areas, top) for area in shown]
    return "".join([*parts, "</article>\n"])


def _label(area: str, tags: Tags, areas: Sequence[str]) -> str:
    return f'<span class="area {area_class(area, areas)}">{escaped(area_label(area, tags))}</span>'


def _section(area: str, found: AreaEvidence, tags: Tags, areas: Sequence[str], top: int) -> str:
    sides = [[phrase for phrase in found.phrases if phrase.share * sign > 0] for sign in (1, -1)]
    largest = max((abs(phrase.share) for phrase in found.phrases), default=1.0)
    tables = "".join(
        f'<table class="{name}"><caption>{name} {sum(phrase.share for phrase in side):+.2f}</caption>\n<tbody>'
        f"{''.join(_row(phrase, largest) for phrase in side[:top])}</tbody></table>\n"
        for name, side in zip(("for", "against"), sides)
        if side
    )
    return (
        f'<section class="{area_class(area, areas)}">\n<h4>{_label(area, tags, areas)}</h4>\n'
        f'<p class="sum">{escaped(found.in_words())}</p>\n<div class="sides">{tables}</div>\n</section>\n'
    )


def _row(phrase: Phrase, largest: float) -> str:
    times = f" ×{len(phrase.spans)}" if len(phrase.spans) > 1 else ""
    width = max(1, round(100 * abs(phrase.share) / largest))
    bar = (
        '<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect width="{width}" height="10"/></svg>'
    )
    return f'<tr><td>{phrase.share:+.2f}{bar}</td><th scope="row"><bdi>{escaped(phrase.text)}</bdi>{times}</th></tr>\n'
