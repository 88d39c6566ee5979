"""What was measured, as Markdown tables."""

from __future__ import annotations

from typing import Any

from benchmarks.parts import AT_ONCE, IMPORTS
from benchmarks.peers import OURS, PEERS

Results = dict[str, Any]
"""What each part gave, by its name, and under ``about`` what it was measured on; parts may be missing."""
NOTHING = "–"


def table(header: list[str], rows: list[list[str]], texts: int = 1) -> str:
    """A Markdown table whose first `texts` columns are text and the others numbers, to be read as it is, too."""
    widths = [max(3, *map(len, column)) for column in zip(header, *rows)]
    rule = ["-" * width if column < texts else "-" * (width - 1) + ":" for column, width in enumerate(widths)]
    shown = []
    for cells in (header, rule, *rows):
        padded = [cell.ljust(width) for cell, width in zip(cells[:texts], widths)]
        padded += [cell.rjust(width) for cell, width in zip(cells[texts:], widths[texts:])]
        shown.append("| " + " | ".join(padded) + " |")
    return "\n".join(shown)


def about(results: Results) -> str:
    """What the figures were measured on."""
    seen = results.get("about", {})
    if not seen:
        return ""
    load = [entry["load"] for entry in seen["parts"].values()]
    in_small = "in small, so that the figures say little, " if seen["is_quick"] else ""
    return (
        f"Measured {in_small}on {seen['processor']}, {seen['cores']} cores, {seen['system']}, "
        f"Python {seen['python']}, NumPy {seen['numpy']} (OpenBLAS for {_kernels(seen)}); "
        f"load average before a part {min(load):.1f} to {max(load):.1f}. {_learnt(seen)}"
    )


def _kernels(seen: dict[str, Any]) -> str:
    return ", ".join(seen["blas"]) or "a kernel without a name"


def _learnt(seen: dict[str, Any]) -> str:
    learnt = [f"{name} {number:,}" for name, number in seen["labels"].items()]
    return f"Labelled abstracts that the peers learnt from: {', '.join(learnt)}." if learnt else ""


def speed(results: Results) -> str:
    """Accuracy, and time for an abstract."""
    if "speed" not in results and "accuracy" not in results:
        return ""
    header = ["", "macro-F1 on `dev`", "one core", "times tagger", "by the clock", "two cores", "times tagger"]
    f1 = results.get("accuracy", {}).get("macro_f1", {})
    one, two = (results.get(part, {}).get("seconds", {}) for part in ("speed", "cores"))
    rows = []
    for name in _names(f1, one, two):
        cells = [f"**{name}**" if name == OURS else f"{name}: {PEERS[name].about}"]
        cells += [f"{f1[name]:.3f}" if name in f1 else NOTHING]
        cells += [_microseconds(one, name, "cpu"), _times(one, name, "cpu"), _microseconds(one, name, "wall")]
        cells += [_microseconds(two, name, "wall"), _times(two, name, "wall")]
        rows.append(cells)
    return table(header, rows)


def _names(*parts: dict[str, Any]) -> list[str]:
    return [name for name in PEERS if any(name in part for part in parts)]


def _microseconds(seconds: dict[str, Any], name: str, clock: str) -> str:
    return f"{seconds[name][clock] * 1e6:,.1f} µs" if name in seconds else NOTHING


def _times(seconds: dict[str, Any], name: str, clock: str) -> str:
    if name not in seconds or OURS not in seconds:
        return NOTHING
    return f"{seconds[name][clock] / seconds[OURS][clock]:,.1f}"


def cost(results: Results) -> str:
    """First answer, single calls, memory and size on disk."""
    if not {"start", "latency", "disk", "growth"} & results.keys():
        return ""
    start, latency, disk = (results.get(part, {}) for part in ("start", "latency", "disk"))
    memory, abstracts = _memory(results.get("growth", []))
    header = ["", "first answer", "of the imports", "one call, median", "99th percentile"]
    header += [f"memory ({abstracts:,} abstracts)", "model", "libraries"]
    rows = []
    for name in _names(start | {OURS: start.get(COLD)}, latency, disk):
        cold = start.get(COLD if name == OURS else name)
        cells = [name, f"{cold['wall']:.2f} s" if cold else NOTHING]
        cells += [f"{cold['wall'] / start[IMPORTS]['wall']:.2f}" if cold else NOTHING]
        cells += [f"{value * 1e3:,.2f} ms" for value in latency[name]["wall"]] if name in latency else [NOTHING] * 2
        cells += [_megabytes(memory[name]) if name in memory else NOTHING]
        cells += [_megabytes(disk[name][what]) if name in disk else NOTHING for what in ("model", "libraries")]
        rows.append(cells)
    return table(header, rows)


COLD = "tagger tag one.txt"


def _memory(growth: list[dict[str, Any]]) -> tuple[dict[str, int], int]:
    """The most memory of one process, by name, and the number of abstracts that all were given in it."""
    runs = [run for run in growth if run["jobs"] == 1 and run["peaks"]]
    abstracts = min((run["abstracts"] for run in runs), default=0)
    return {run["name"]: most_memory(run) for run in runs if run["abstracts"] == abstracts}, abstracts


def most_memory(run: dict[str, Any]) -> int:
    """The most memory that a process of a run had."""
    return max((int(peak["rss"]) for peak in run["peaks"]), default=0)


def _megabytes(size: float) -> str:
    return f"{size / 1e6:,.1f} MB" if size < 1e7 else f"{size / 1e6:,.0f} MB"


def start(results: Results) -> str:
    """Cold starts, command by command."""
    if "start" not in results:
        return ""
    times = results["start"]
    rows = [
        [
            f"`{name}`" if name not in PEERS else f"first answer of {name}",
            *(f"{seconds[clock]:.3f} s" for clock in ("wall", "cpu")),
            *(f"{seconds[clock] / times[IMPORTS][clock]:.3f}" for clock in ("wall", "cpu")),
        ]
        for name, seconds in times.items()
    ]
    return table(["a new process", "by the clock", "on a processor", "share of the first", "on a processor"], rows)


def growth(results: Results) -> str:
    """Time and memory against the number of abstracts."""
    runs = results.get("growth", [])
    if not runs:
        return ""
    numbers = sorted({run["abstracts"] for run in runs})
    by_key = {(run["name"], run["jobs"], run["abstracts"]): run for run in runs}
    rows = []
    for name, jobs in dict.fromkeys((run["name"], run["jobs"]) for run in runs):
        cells = [f"{name}, {jobs} {'process' if jobs == 1 else 'processes'}"]
        for number in numbers:
            run = by_key.get((name, jobs, number))
            if run is None:
                cells.append(NOTHING)
                continue
            cells.append(f"{run['wall']:.1f} s" + (f", {_megabytes(most_memory(run))}" if run["peaks"] else ""))
        rows.append(cells)
    return table(["abstracts in the file", *(f"{number:,}" for number in numbers)], rows)


def processes(results: Results) -> str:
    """Memory of each process of a run with two workers."""
    runs = [run for run in results.get("growth", []) if run["jobs"] > 1 and run["peaks"]]
    if not runs:
        return ""
    rows = []
    for role in ("main", "worker", "helper"):
        peaks = [[peak for peak in run["peaks"] if peak["role"] == role] for run in runs]
        for rank in range(max(map(len, peaks))):
            cells = [role if role == "main" else f"{role} {rank + 1}"]
            cells += [_memory_at(rank, some) for some in peaks]
            rows.append(cells)
    return table(["RSS / PSS", *(f"{run['abstracts']:,}" for run in runs)], rows)


def _memory_at(rank: int, peaks: list[dict[str, Any]]) -> str:
    """Memory of the process that is at `rank` by it, if there are so many."""
    if rank >= len(peaks):
        return NOTHING
    peak = sorted(peaks, key=lambda peak: -int(peak["rss"]))[rank]
    return f"{_megabytes(peak['rss'])} / {_megabytes(peak['pss'])}"


def parallel(results: Results) -> str:
    """Two workers against one."""
    if "parallel" not in results:
        return ""
    number, seconds = results["parallel"]["abstracts"], results["parallel"]["seconds"]
    rows = []
    for one in (name for name in seconds if name.replace("1", "2") in seconds and "1" in name):
        two = one.replace("1", "2")
        cells = [f"{seconds[name]['wall']:.2f} s" for name in (one, two)]
        cells += [f"{seconds[one]['wall'] / seconds[two]['wall']:.2f}"]
        cells += [f"{seconds[name]['cpu']:.2f} s" for name in (one, two)]
        rows.append([f"`{one.replace('1', 'N')}`", *cells])
    if AT_ONCE in seconds:
        one, two = seconds["tagger tag --jobs 1"], seconds[AT_ONCE]
        name = "two files at once, `--jobs 1` each; of one file"
        cells = [f"{one['wall']:.2f} s", f"{two['wall']:.2f} s", f"{one['wall'] / two['wall']:.2f}"]
        rows.append([name, *cells, f"{one['cpu']:.2f} s", f"{two['cpu']:.2f} s"])
    header = [
        f"{number:,} abstracts",
        "one worker",
        "two",
        "times as fast",
        "one, on a processor",
        "two, on processors",
    ]
    return table(header, rows)


def stages(results: Results) -> str:
    """Where the time goes, and the floor."""
    if "stages" not in results:
        return ""
    spent, floor = results["stages"]["stages"], results["stages"]["floor"]
    total = sum(spent.values())
    rows = [[name, f"{seconds * 1e6:.2f} µs", f"{seconds / total:.0%}"] for name, seconds in spent.items()]
    rows.append(["**all**", f"**{total * 1e6:.2f} µs**", ""])
    touched = floor["bytes"] + floor["n-grams"]
    floors = [
        ("floor: read and write each byte once", floor["bytes"]),
        ("floor: fetch each word and each pair from its table once", floor["n-grams"]),
        ("fetch the weights and the vectors of each known n-gram once", floor["weights"]),
    ]
    rows += [[name, f"{seconds * 1e6:.2f} µs", f"{seconds / total:.0%}"] for name, seconds in floors]
    counts = results["stages"]["counts"]
    return (
        f"An abstract has {counts['bytes']:,.0f} bytes, {counts['words']:.0f} words and {counts['n-grams']:.0f} "
        f"different n-grams that the model knows, {counts['vectors']:.0f} of which have a vector.\n\n"
        + table(["", "time for an abstract", "share"], rows)
        + f"\n\nTagging takes {total / touched:.0f} times its floor of {touched * 1e6:.2f} µs, and "
        + f"{total / (touched + floor['weights']):.0f} times the floor together with fetching the weights."
    )
