"""Plots as SVG that a page can hold: no style in it, text as text, colours that follow the page's scheme."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from tagger.errors import MissingExtraError
from tagger.evidence.markup import escaped

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "{http://www.w3.org/1999/xlink}href"
_PALETTE = {"#0a0a01": "var(--area)", "#0a0a02": "var(--soft)", "#0a0a03": "var(--line)"}
"""Colours that Matplotlib is told, and what the page has instead."""
_AREA, _TEXT, _LINE = _PALETTE
_KEPT: tuple[str, ...] = ("fill", "stroke", "opacity", "text-anchor")
_KEPT += tuple(f"fill-{part}" for part in ("opacity", "rule"))
_KEPT += tuple(f"stroke-{part}" for part in ("opacity", "width", "dasharray", "linecap", "linejoin"))
"""Properties that become attributes, which a strict policy allows."""
_TICKS = 4
_SIZE = 3.3, 1.7
"""Width and height in inches; the page scales it."""


def check_library() -> None:
    """Find out whether plots can be made.

    Raises
    ------
    MissingExtraError
        If Matplotlib is not installed.
    """
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("a report needs matplotlib; run: pip install 'area-tagger[report]'") from error


def line_plot(
    names: Sequence[str],
    shares: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    top: float,
    label: str,
) -> str:
    """Shares by period with a band for their intervals, as an ``svg`` element.

    Parameters
    ----------
    names : sequence of str
        The periods.
    shares, low, high : arrays of float, shape (periods,)
        Not a number where a period has no abstracts.
    top : float
        Upper end of the vertical axis, so that several plots can have one scale.
    label : str
        What the plot shows, for those who do not see it.
    """
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    settings: Any = {"svg.fonttype": "none", "svg.hashsalt": label, "font.size": 9}
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=_SIZE, layout="constrained")
        axes = figure.add_subplot()
        x = np.arange(len(names))
        axes.fill_between(x, low, high, color=_AREA, alpha=0.18, linewidth=0)
        axes.plot(x, shares, color=_AREA, linewidth=1.6, marker="o", markersize=2.5)
        axes.set_ylim(0, top)
        axes.set_xlim(-0.4, len(names) - 0.6)
        step = max(1, -(-(len(names) - 1) // _TICKS))
        axes.set_xticks(x[::step], names[::step])
        axes.yaxis.set_major_locator(MaxNLocator(3))
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0 if top > 0.05 else 1))
        axes.tick_params(length=0, colors=_TEXT)
        axes.tick_params(axis="x", pad=5)
        axes.grid(axis="y", color=_LINE, linewidth=0.7)
        axes.set_axisbelow(True)
        for side, spine in axes.spines.items():
            spine.set_visible(side == "bottom")
            spine.set_color(_LINE)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    return embedded(buffer.getvalue(), label)


def embedded(svg: str, label: str) -> str:
    """An SVG document as an element of a page, without style sheets, style attributes and metadata."""
    root = ElementTree.fromstring(svg)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{_SVG}}}metadata", f"{{{_SVG}}}style"):
                parent.remove(child)
    for element in root.iter():
        for name, value in _properties(element.attrib.pop("style", "")):
            if name in _KEPT and not (name == "opacity" and value == "1"):
                element.set(name, _PALETTE.get(value, value))
            elif name in ("font", "font-size") and (size := re.search(r"[\d.]+(?=px)", value)):
                element.set("font-size", size[0])
        # An HTML parser knows the attribute without its namespace; ids that nothing refers to would be there twice.
        if reference := element.attrib.pop(_XLINK, None):
            element.set("href", reference)
        if element.tag in (f"{{{_SVG}}}g", f"{{{_SVG}}}svg"):
            element.attrib.pop("id", None)
    box = root.attrib["viewBox"]
    root.attrib.clear()
    root.attrib |= {"viewBox": box, "role": "img", "aria-label": label, "stroke-linejoin": "round"}
    ElementTree.register_namespace("", _SVG)
    text = ElementTree.tostring(root, encoding="unicode").replace(f' xmlns="{_SVG}"', "", 1)  # HTML knows it
    # The label is taken from here, since ElementTree escapes less than a page needs.
    return re.sub(r'aria-label="[^"]*"', lambda _: f'aria-label="{escaped(label)}"', text, count=1)


def _properties(style: str) -> list[tuple[str, str]]:
    parts = (part.partition(":") for part in style.split(";") if ":" in part)
    return [(name.strip(), value.strip()) for name, _, value in parts]
