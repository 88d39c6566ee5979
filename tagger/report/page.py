"""The page of a report: what is in it, and how it is put together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from tagger import web
from tagger.evidence.markup import escaped
from tagger.model import Model
from tagger.report import sections
from tagger.report.explaining import AreaPhrases, TypicalPhrase
from tagger.report.gathering import Gathered, Kept

FOR, AGAINST = 16, 4
"""Phrases of an area, for and against, that the page has of an abstract."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a page shows."""

    title: str
    made: str
    """When, for people."""
    version: str
    """Of tagger."""
    model_name: str
    model: Model
    gathered: Gathered
    evidence: Mapping[int, Sequence[AreaPhrases]]
    """Evidence of kept records by their number; may lack some."""
    typical: Sequence[Sequence[TypicalPhrase]]
    """Phrases of each area; empty if none were looked for."""


def page(report: Report) -> Iterator[str]:
    """The page in pieces."""
    css = "".join(map(web.asset, (*web.STYLES, "report.css")))
    script = "".join(map(web.asset, (*web.SCRIPTS, "report.js")))
    policy = web.policy((css,), (script,))
    gathered, title = report.gathered, escaped(report.title)
    parts = _parts(report)
    links = "".join(f'<a href="#{id_}">{name}</a>' for id_, name, _ in parts)
    yield (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n{web.style_element(css)}</head>\n<body>\n"
        f'<header class="top"><h1 dir="auto">{title}</h1>\n<p class="soft">Tagged by the model '
        f"<bdi>{escaped(report.model_name)}</bdi> on {escaped(report.made)}</p>\n"
        f'<nav class="no-print" aria-label="Parts of the report">{links}</nav></header>\n<main>\n'
    )
    yield f'<section aria-label="In figures">{sections.figures(gathered)}</section>\n'
    for id_, name, content in parts:
        yield f'<section id="{id_}" aria-labelledby="{id_}-name"><h2 id="{id_}-name">{name}</h2>\n{content}</section>\n'
    yield f"</main>\n{_foot(report)}"
    yield web.data_element("collection-data", _data(report))
    yield web.script_element(script)
    yield "</body>\n</html>\n"


def _parts(report: Report) -> list[tuple[str, str, str]]:
    """Id, name and content of each section that there is something for."""
    gathered = report.gathered
    table = (
        f'{_limits(report)}<div id="collection"></div>\n'
        "<noscript><p>The table needs JavaScript; nothing is loaded for it.</p></noscript>\n"
    )
    parts = []
    if len(gathered.tagged):
        parts += [
            ("areas", "Areas", sections.shares(gathered)),
            ("overlap", "Overlap", sections.overlap(gathered)),
            ("time", "Over time", sections.change(gathered)),
            ("phrases", "Typical phrases", _typical(report)),
            (
                "examples",
                "Clearest and least sure",
                sections.examples(gathered.areas, gathered.kept, report.model.thresholds.tolist()),
            ),
        ]
    parts.append(("abstracts", "Abstracts", table))
    return [part for part in parts if part[2]]


def _typical(report: Report) -> str:
    if not report.typical:
        return ""
    n, total = len(report.evidence), len(report.gathered.tagged)
    drawn = f", counted in {n:,} of the {total:,} abstracts, drawn at random" if n < total else ""
    return (
        sections.phrases(report.gathered.areas, report.typical)
        + '<p class="soft small">The phrases that add most to the log-odds of each area, over all abstracts that have '
        f"it{drawn}; behind each, in how many of them it stands.</p>\n"
    )


def _limits(report: Report) -> str:
    """What the table does not have."""
    gathered = report.gathered
    kept, good = len(gathered.kept), sum(one.tagged.tags.error is None for one in gathered.kept)
    notes = []
    if kept < gathered.total:
        notes.append(
            f"The table has {kept:,} of the {gathered.total:,} abstracts, drawn at random; "
            "all other numbers are those of all."
        )
    if not report.evidence and good:
        notes.append("The report was made without evidence.")
    elif len(report.evidence) < good:
        notes.append(f"{len(report.evidence):,} of them, drawn at random, have their evidence.")
    return f'<p class="soft">{" ".join(notes)}</p>\n' if notes else ""


def _foot(report: Report) -> str:
    about = report.model.about
    metrics = about.get("metrics", {})
    figures = "; ".join(
        f"{_METRICS.get(name, name)}: macro-F1 {values['macro_f1']:.3f} on {values['abstracts']:,} abstracts"
        for name, values in metrics.items()
    )
    trained = about.get("trained_on", {})
    names = [name or "standard input" for name in names_of(report.gathered.sources)]
    shown = ", ".join(names[:20]) + (f" and {len(names) - 20:,} more" if len(names) > 20 else "")
    return (
        '<footer class="foot">\n<h2>How to read this</h2>\n'
        "<p>Areas were tagged by a model, not by people. It reads title and abstract only. A question mark says that a "
        "person should look. Evidence is what the model summed up, not what is true of a paper.</p>\n"
        + sections.definitions(
            [
                ("Input", shown),
                ("Model", report.model_name),
                ("Checksum", str(about.get("checksum", ""))),
                ("Trained on", f"{trained['abstracts']:,} labelled abstracts" if "abstracts" in trained else ""),
                ("Measured", figures),
                ("Made", f"{report.made} by tagger {report.version}"),
            ]
        )
        + "</footer>\n"
    )


_METRICS = {"cross-validation": "by cross-validation", "dev": "on abstracts that took no part in training"}


def _data(report: Report) -> dict[str, Any]:
    """What the script reads: rows as arrays, since names of fields would be said thousands of times."""
    gathered = report.gathered
    sources = {source: k for k, source in enumerate(gathered.sources)}
    return {
        "areas": list(gathered.areas),
        "thresholds": [round(value, 4) for value in report.model.thresholds.tolist()[: len(gathered.areas)]],
        "sources": names_of(gathered.sources),
        "rows": [_row(one, gathered.areas, sources) for one in gathered.kept],
        "evidence": {
            str(one.number): [_compact(found) for found in report.evidence[one.number]]
            for one in gathered.kept
            if one.number in report.evidence
        },
    }


def _row(one: Kept, areas: Sequence[str], sources: Mapping[str, int]) -> list[Any]:
    record, tags = one.tagged.record, one.tagged.tags
    bits = [sum(1 << areas.index(name) for name in names) for names in (tags.areas, tags.central, tags.unsure)]
    probabilities = [] if tags.error else [round(1000 * tags.probabilities[area]) for area in areas]
    return [
        one.number,
        record.id,
        record.title or "",
        "" if tags.error else record.abstract,
        *bits,
        probabilities,
        list(tags.marks),
        tags.error or "",
        sources[record.source],
        record.position,
        one.date,
    ]


def _compact(found: AreaPhrases) -> list[Any]:
    """Area, then for each phrase its share in hundredths, and start and length of each place."""
    sides = [[phrase for phrase in found.phrases if phrase.share * sign > 0] for sign in (1, -1)]
    listed = [*sides[0][:FOR], *sides[1][:AGAINST]]
    return [
        found.area,
        [
            [round(100 * phrase.share), *(number for start, end in phrase.spans for number in (start, end - start))]
            for phrase in listed
        ],
    ]


def names_of(sources: Sequence[str]) -> list[str]:
    """Files without the directories that all of them are in, which are nobody's business where a page is sent."""
    paths = [re.split(r"[/\\]", source) for source in sources]
    levels = zip(*(path[:-1] for path in paths if path != [""]))
    common = sum(1 for _ in takewhile(lambda names: len(set(names)) == 1, levels))
    return ["/".join(path[common:]) for path in paths]


def title_of(sources: Sequence[str]) -> str:
    """A title for a report of these files."""
    names = [re.split(r"[/\\]", source)[-1] or "standard input" for source in sources]
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return f"Areas in {shown}"
