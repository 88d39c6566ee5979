"""A plot of accuracy against speed."""

from __future__ import annotations

from pathlib import Path

from benchmarks.peers import OURS, PEERS
from benchmarks.tables import Results


def plot(results: Results, path: Path) -> bool:
    """Draw accuracy against speed on one core; False if one of them was not measured."""
    f1, seconds = results.get("accuracy", {}).get("macro_f1", {}), results.get("speed", {}).get("seconds", {})
    names = [name for name in PEERS if name in f1 and name in seconds]
    if not names:
        return False
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6.4, 3.6), layout="constrained")
    speeds = {name: 1 / seconds[name]["cpu"] for name in names}
    for name in names:
        colour = "#1f5fa8" if name == OURS else "#6b6b6b"
        axes.plot(speeds[name], f1[name], "o", markersize=8, color=colour)
        weight = "bold" if name == OURS else "normal"
        axes.annotate(
            f"{name}\n{f1[name]:.3f}, {_time(seconds[name]['cpu'])}",
            (speeds[name], f1[name]),
            xytext=(0, -10),
            textcoords="offset points",
            ha="center",
            va="top",
            color=colour,
            weight=weight,
            fontsize=9,
        )
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.set_xlim(min(speeds.values()) / 4, max(speeds.values()) * 4)
    low, high = min(f1[name] for name in names), max(f1[name] for name in names)
    spread = max(high - low, 0.02)
    axes.set_ylim(low - spread * 0.45, high + spread * 0.2)
    axes.set_xlabel("abstracts a second on one core (log scale)")
    axes.set_ylabel("macro-F1 on dev")
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=200, metadata={"Software": None})
    pyplot.close(figure)
    return True


def _time(seconds: float) -> str:
    return f"{seconds * 1e6:,.0f} µs" if seconds < 1e-3 else f"{seconds * 1e3:,.0f} ms"
