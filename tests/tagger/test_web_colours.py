"""Colours that tell areas apart are readable on every background that they stand on, light and dark."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

from tagger import web
from tagger.evidence.marks import LEVELS
from tagger.evidence.markup import MARK_STYLE, N_COLOURS
from tagger.evidence.page import STYLE


def schemes():
    light, dark = re.findall(r":root \{(.*?)\n\}", web.asset("colours.css"), re.DOTALL)
    first = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", light))
    return {"light": first, "dark": first | dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", dark))}


def channels(colour):
    return [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]


def luminance(rgb):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first, second):
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def mixed(colour, share, ground):
    return [share * a + (1 - share) * b for a, b in zip(channels(colour), channels(ground))]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_in_the_colour_of_an_area_has_a_contrast_of_at_least_4_5(scheme):
    colours = schemes()[scheme]
    for k, ground in itertools.product(range(12), ("page", "surface", "raised")):
        area = colours[f"area-{k}"]
        assert contrast(channels(area), channels(colours[ground])) >= 4.5, (k, ground)
        # A chip has a tint of its own colour.
        assert contrast(channels(area), mixed(area, 0.1, colours["raised"])) >= 4.5, k
    for name in ("text", "soft", "accent", "error", "unsure"):
        assert contrast(channels(colours[name]), channels(colours["surface"])) >= 4.5, name
    assert contrast(channels(colours["line-strong"]), channels(colours["page"])) >= 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_on_the_strongest_mark_of_any_area_is_readable(scheme):
    colours = schemes()[scheme]
    for k in range(12):
        ground = mixed(colours[f"area-{k}"], 0.4, colours["surface"])
        assert contrast(channels(colours["text"]), ground) >= 4.5, k


def test_no_two_areas_have_nearly_the_same_colour():
    for colours in schemes().values():
        for a, b in itertools.combinations(range(12), 2):
            first, second = (channels(colours[f"area-{k}"]) for k in (a, b))
            assert sum((x - y) ** 2 for x, y in zip(first, second)) ** 0.5 > 0.12, (a, b)


def test_colours_are_said_in_one_place():
    """Every page and style sheet takes them from colours.css; so no area has two colours."""
    package = Path(web.__file__).parents[1]
    files = [path for path in package.rglob("*") if path.suffix in (".css", ".js", ".html", ".py")]
    colour = re.compile(r"(?<![&\w])#(?:[0-9a-f]{3}){1,2}\b|\b(?:rgb|hsl)a?\(", re.IGNORECASE)
    # What Matplotlib is told to draw with is replaced before a page has it.
    said = {path.name for path in files if colour.search(path.read_text("utf-8"))} - {"plots.py"}
    assert said == {"colours.css"}
    assert MARK_STYLE in STYLE


def test_every_colour_has_a_class_and_python_and_scripts_count_as_many():
    sheet = web.asset("colours.css")
    assert [f".area-{k} {{" in sheet for k in range(N_COLOURS + 1)] == [True] * N_COLOURS + [False]
    assert f"const N_COLOURS = {N_COLOURS};" in web.asset("dom.js")


def test_scripts_and_python_mark_from_the_same_shares_on():
    assert f"const LEVELS = [{', '.join(map(str, LEVELS))}];" in web.asset("evidence.js")
