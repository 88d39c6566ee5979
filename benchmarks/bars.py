"""What is asked of this library, and whether it holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.parts import IMPORTS
from benchmarks.peers import OURS
from benchmarks.tables import COLD, Results, most_memory, table


def bars(results: Results) -> str:
    """What is asked of this library, and whether it holds."""
    rows = []
    for asked, find, bar, at_least in _BARS:
        try:
            value = find(results)
        except (KeyError, ValueError, ZeroDivisionError):  # its part was not measured, or a peer is absent
            continue
        holds = value >= bar if at_least else value <= bar
        rows.append(
            [asked, f"at {'least' if at_least else 'most'} {bar:g}", f"{value:.3g}", "yes" if holds else "**no**"]
        )
    return table(["", "bar", "measured", "holds"], rows) if rows else ""


def _faster_than(name: str) -> Callable[[Results], float]:
    return lambda results: _of(results["speed"]["seconds"], name, OURS, "cpu")


def _share_of_imports(name: str) -> Callable[[Results], float]:
    return lambda results: _of(results["start"], name, IMPORTS, "wall")


def _of(seconds: dict[str, Any], name: str, other: str, clock: str) -> float:
    return float(seconds[name][clock] / seconds[other][clock])


def _two_workers(command: str) -> Callable[[Results], float]:
    return lambda results: _of(results["parallel"]["seconds"], command.format(1), command.format(2), "wall")


def _largest_process(results: Results) -> float:
    return max(most_memory(run) for run in results["growth"] if run["name"] == OURS and run["peaks"]) / 1e6


def _last_two(results: Results) -> tuple[dict[str, Any], dict[str, Any]]:
    """The two largest runs with two workers."""
    *_, before, last = (run for run in results["growth"] if run["jobs"] == 2)
    return before, last


def _memory_growth(results: Results) -> float:
    before, last = map(most_memory, _last_two(results))
    return last / before


def _time_growth(results: Results) -> float:
    before, last = _last_two(results)
    return float(last["cpu"] / before["cpu"] / (last["abstracts"] / before["abstracts"]))


_BARS: tuple[tuple[str, Callable[[Results], float], float, bool], ...] = (
    ("one core: times as fast as the scikit-learn pipeline", _faster_than("scikit-learn"), 5, True),
    ("one core: times as fast as fastText", _faster_than("fastText"), 1.5, True),
    ("`tag_many`: two workers, times as fast as one", _two_workers("tag_many(n_jobs={})"), 1.7, True),
    ("`tagger tag`: two workers, times as fast as one", _two_workers("tagger tag --jobs {}"), 1.7, True),
    ("`tagger tag one.txt`, share of the imports' time", _share_of_imports(COLD), 0.2, False),
    ("`tagger --help`, share of the imports' time", _share_of_imports("tagger --help"), 0.1, False),
    ("one call, median in ms", lambda results: float(results["latency"][OURS]["wall"][0]) * 1e3, 1, False),
    ("memory of any process of `tagger tag`, in MB", _largest_process, 300, False),
    ("memory at the largest file, times that at the one before", _memory_growth, 1.05, False),
    ("processor time for an abstract at the largest file, times that at the one before", _time_growth, 1.1, False),
)
"""What is asked, how it is found, the bar, and whether it is the least or the most."""
