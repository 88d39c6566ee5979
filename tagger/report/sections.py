"""The parts of a report's page that are there without a script: figures, tables and plots."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tagger.evidence.markup import N_COLOURS, escaped
from tagger.report.explaining import TypicalPhrase
from tagger.report.gathering import Gathered, Kept
from tagger.report.numbers import AreaNumbers, Combination, Period, area_numbers, combinations, over_time, wilson
from tagger.report.plots import line_plot

COMBINATIONS = 16
EXAMPLES = 5
PLOTTED_FROM = 10
"""Abstracts from which a period is in the plots."""


def figures(gathered: Gathered) -> str:
    """The first numbers that one wants to know."""
    n = len(gathered.tagged)
    some = int(gathered.tagged.any(axis=1).sum())
    items = [
        (gathered.total, "abstracts", {}),
        (some, f"with an area ({_percent(some, n)})", {"state": "some"}),
        (n - some, f"with none ({_percent(n - some, n)})", {"state": "none"}),
    ]
    unsure = int(gathered.unsure.any(axis=1).sum())
    items.append((unsure, "unsure: a person should look", {"state": "unsure"}))
    if gathered.marks:
        total = sum(gathered.marks.values())
        what = ", ".join(f"{mark} {count:,}" for mark, count in gathered.marks.most_common())
        items.append((total, f"marks: not to be trusted ({what})", {"state": "marked"}))
    if gathered.failed:
        items.append((gathered.failed, "errors: not tagged", {"state": "error"}))
    return '<ul class="figures">' + "".join(_figure(*item) for item in items) + "</ul>\n"


def _figure(number: int, label: str, filters: dict[str, Any] | None) -> str:
    shown = f"<strong>{number:,}</strong> <span>{escaped(label)}</span>"
    return f"<li>{_show(filters, shown) if filters is not None and number else shown}</li>"


def shares(gathered: Gathered) -> str:
    """A row for each area: how often it was tagged, with intervals, and how often it is to be expected."""
    numbers = area_numbers(gathered.areas, gathered.probabilities, gathered.tagged, gathered.central, gathered.unsure)
    scale = max([0.05, *(one.high for one in numbers)])
    has_central = any(one.central for one in numbers)
    rows = "".join(_share_row(k, one, scale, has_central) for k, one in enumerate(numbers))
    central = '<th scope="col" class="number">central</th>' if has_central else ""
    return (
        '<table class="numbers shares"><thead><tr><th scope="col">area</th><th scope="col" class="plot">share</th>'
        '<th scope="col" class="number">tagged</th><th scope="col" class="number">95 % interval</th>'
        f'{central}<th scope="col" class="number">unsure</th><th scope="col" class="number">expected</th></tr></thead>'
        f"<tbody>{rows}</tbody></table>\n"
        '<p class="soft small">The line over a bar is the 95 % interval of the share, if the abstracts are a sample of '
        "more like them (Wilson). <i>Expected</i> is what the calibrated probabilities add up to, with the 95 % "
        "interval of how many of these very abstracts have the area. An abstract can have several areas, or none.</p>\n"
    )


def _share_row(k: int, one: AreaNumbers, scale: float, has_central: bool) -> str:
    left, width, low, high = (round(200 * value / scale, 2) for value in (0, one.share, one.low, one.high))
    bar = (
        f'<svg viewBox="0 0 200 14" preserveAspectRatio="none" aria-hidden="true"><rect x="{left}" y="2" '
        f'width="{width}" height="10" class="fill"/><path d="M{low} 7H{high}M{low} 3.5V10.5M{high} 3.5V10.5" '
        'class="whisker"/></svg>'
    )
    central = f'<td class="number" data-label="central">{one.central:,}</td>' if has_central else ""
    name = _show({"areas": {one.area: "tagged"}}, f"<bdi>{escaped(one.area)}</bdi>")
    return (
        f'<tr class="{_colour(k)}"><th scope="row">{name}</th><td class="plot">{bar}</td>'
        f'<td class="number" data-label="tagged">{one.tagged:,} <span class="soft">({100 * one.share:.1f} %)</span>'
        "</td>"
        f'<td class="number" data-label="95 % interval">{100 * one.low:.1f} – {100 * one.high:.1f} %</td>{central}'
        f'<td class="number" data-label="unsure">{one.unsure:,}</td>'
        f'<td class="number" data-label="expected">{one.expected:,.0f} <span class="soft">({one.expected_low:,.0f} – '
        f"{one.expected_high:,.0f})</span></td></tr>\n"
    )


def overlap(gathered: Gathered) -> str:
    """Which areas occur together: a row for each combination, most frequent first."""
    found = combinations(gathered.areas, gathered.tagged)
    shown, rest = found[:COMBINATIONS], found[COMBINATIONS:]
    n = len(gathered.tagged)
    largest = max((one.count for one in shown), default=1)
    head = "".join(
        f'<th scope="col" class="{_colour(k)}"><span><bdi>{escaped(area)}</bdi></span></th>'
        for k, area in enumerate(gathered.areas)
    )
    rows = "".join(_overlap_row(one, gathered.areas, largest, n) for one in shown)
    note = ""
    if rest:
        total = sum(one.count for one in rest)
        note = f'<p class="soft small">{len(rest):,} rarer combinations have {total:,} abstracts together.</p>\n'
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="Combinations of areas"><table class="upset">'
        f'<thead><tr>{head}<th scope="col" class="plot">abstracts with exactly these areas</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>\n{note}"
    )


def _overlap_row(one: Combination, areas: Sequence[str], largest: int, n: int) -> str:
    has = [area in one.areas for area in areas]
    first, last = (has.index(True), len(has) - 1 - has[::-1].index(True)) if any(has) else (len(has), -1)
    cells = "".join(
        f'<td class="dot{" has" if here else ""}{" from" if first < k <= last else ""} {_colour(k)}">'
        f'<span class="unseen">{"yes" if here else "no"}</span></td>'
        for k, here in enumerate(has)
    )
    filters = {"areas": {area: "tagged" if here else "not" for area, here in zip(areas, has)}}
    name = " and ".join(one.areas) or "no area"
    width = round(100 * one.count / largest, 2)
    bar = _bar(f'<rect width="{width}" height="10"/>')
    shown = (
        f"{bar}<strong>{one.count:,}</strong> <span class='soft'>{_percent(one.count, n)}</span> "
        f'<span class="unseen">{escaped(name)}</span>'
    )
    return f'<tr>{cells}<td class="plot">{_show(filters, shown)}</td></tr>\n'


def change(gathered: Gathered) -> str:
    """How the share of each area changed, as a plot for each and a table; empty without dates."""
    periods = over_time(gathered.dates, gathered.tagged)
    if not periods:
        return ""
    totals = np.array([one.total for one in periods])
    counts = np.array([one.tagged for one in periods])
    low, high = wilson(counts, totals[:, np.newaxis])
    with np.errstate(invalid="ignore", divide="ignore"):
        values = counts / totals[:, np.newaxis]
    # The intervals of a handful of abstracts would fill the plot and say nothing.
    few = totals < PLOTTED_FROM
    values[few] = low[few] = high[few] = np.nan
    names = [one.name for one in periods]
    ends = np.flatnonzero(~few).tolist()
    if len(ends) < 2:
        return _change_table(gathered.areas, periods)
    shown = slice(ends[0], ends[-1] + 1)
    names, values, low, high = names[shown], values[shown], low[shown], high[shown]
    top = min(1.0, 1.05 * max(0.02, float(np.nanmax(high))))
    plots = "".join(
        f'<figure class="{_colour(k)}"><figcaption><bdi>{escaped(area)}</bdi></figcaption>'
        + line_plot(
            names, values[:, k], low[:, k], high[:, k], top,
            f"Share of {area} by period: {100 * values[0, k]:.0f} % in {names[0]}, "
            f"{100 * values[-1, k]:.0f} % in {names[-1]}; the table below has every number.",
        )
        + "</figure>\n"
        for k, area in enumerate(gathered.areas)
    )  # fmt: skip
    undated = sum(not date for date in gathered.dates)
    outside = len(gathered.dates) - undated - sum(one.total for one in periods)
    note = f" {undated:,} abstracts have no date." if undated else ""
    note += f" {outside:,} are from long before or after." if outside else ""
    left_out = (
        f" Periods with fewer than {PLOTTED_FROM} abstracts are in the table only."
        if (few & (totals > 0)).any()
        else ""
    )
    return (
        f'<div class="plots">{plots}</div>\n<p class="soft small">Share of the abstracts of each period that are '
        f"tagged, with its 95 % interval; all plots have one scale.{left_out}{note}</p>\n"
        + _change_table(gathered.areas, periods)
    )


def _change_table(areas: Sequence[str], periods: Sequence[Period]) -> str:
    head = "".join(f'<th scope="col" class="number"><bdi>{escaped(area)}</bdi></th>' for area in areas)
    rows = ""
    for one in periods:
        low, high = wilson(one.tagged, one.total)
        cells = "".join(
            f'<td class="number">{100 * count / one.total:.1f} % '
            f'<span class="soft">({100 * a:.1f} – {100 * b:.1f})</span></td>'
            if one.total
            else '<td class="number">–</td>'
            for count, a, b in zip(one.tagged, low.tolist(), high.tolist())
        )
        rows += f'<tr><th scope="row">{one.name}</th><td class="number">{one.total:,}</td>{cells}</tr>\n'
    return (
        "<details><summary>The numbers as a table</summary>\n"
        '<div class="scroll" tabindex="0" role="region" aria-label="Shares by period"><table class="numbers"><thead>'
        f'<tr><th scope="col">period</th><th scope="col" class="number">abstracts</th>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div></details>\n"
    )


def phrases(areas: Sequence[str], found: Sequence[Sequence[TypicalPhrase]]) -> str:
    """The phrases that speak most for each area."""
    cards = []
    for k, (area, some) in enumerate(zip(areas, found)):
        largest = max((one.share for one in some), default=1.0)
        items = "".join(
            "<li>"
            + _show(
                {"query": '"' + one.text.replace('"', " ") + '"'},
                _bar(f'<rect x="{100 - width}" width="{width}" height="10"/>') + f"<bdi>{escaped(one.text)}</bdi>",
            )
            + f' <span class="soft">{one.abstracts:,}</span></li>'
            for one in some
            for width in [max(1, round(100 * one.share / largest))]
        )
        listed = f"<ol>{items}</ol>" if items else '<p class="soft small">No abstract here has it.</p>'
        cards.append(f'<section class="{_colour(k)}"><h3><bdi>{escaped(area)}</bdi></h3>{listed}</section>\n')
    return f'<div class="cards phrases">{"".join(cards)}</div>\n'


def examples(areas: Sequence[str], kept: Sequence[Kept], thresholds: Sequence[float]) -> str:
    """The clearest and the least sure abstracts of each area."""
    good = [one for one in kept if one.tagged.tags.error is None]
    cards = []
    for k, area in enumerate(areas):
        by_probability = sorted(good, key=lambda one: -one.tagged.tags.probabilities[area])
        clearest = [one for one in by_probability[:EXAMPLES] if area in one.tagged.tags.areas]
        # By log-odds, since 0.9 and 0.99 differ more than 0.5 and 0.59.
        border = _logit(thresholds[k])
        unsure = sorted(good, key=lambda one: abs(_logit(one.tagged.tags.probabilities[area]) - border))[:EXAMPLES]
        lists = "".join(
            f"<h4>{name}</h4><ul>{''.join(_example(one, area) for one in some)}</ul>"
            for name, some in (("Clearest", clearest), ("Least sure", unsure))
            if some
        )
        cards.append(f'<section class="{_colour(k)}"><h3><bdi>{escaped(area)}</bdi></h3>{lists}</section>\n')
    return f'<div class="cards examples">{"".join(cards)}</div>\n'


def _example(one: Kept, area: str) -> str:
    record, tags = one.tagged.record, one.tagged.tags
    words = record.title or _first_words(record.abstract)
    mark = "?" if area in tags.unsure else ""
    return (
        f'<li><button type="button" class="plain" data-open="{one.number}"><span dir="auto">{escaped(words)}</span>'
        f'</button> <span class="soft">{tags.probabilities[area]:.2f}{mark}</span></li>'
    )


def _first_words(text: str, length: int = 110) -> str:
    words = " ".join(text[: 2 * length].split())
    return words if len(words) <= length else words[:length].rsplit(" ", 1)[0] + " …"


def _logit(probability: float) -> float:
    p = min(max(probability, 1e-7), 1 - 1e-7)
    return float(np.log(p / (1 - p)))


def _show(filters: dict[str, Any], content: str) -> str:
    """A button that shows abstracts in the table below; `content` is markup."""
    return f'<button type="button" class="plain" data-show="{escaped(json.dumps(filters))}">{content}</button>'


def _bar(content: str) -> str:
    return f'<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">{content}</svg>'


def _colour(k: int) -> str:
    return f"area-{k % N_COLOURS}"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"


def definitions(items: Iterable[tuple[str, str]]) -> str:
    """A list of what things are."""
    return "<dl>" + "".join(f"<dt>{escaped(a)}</dt><dd>{escaped(b)}</dd>" for a, b in items if b) + "</dl>\n"
