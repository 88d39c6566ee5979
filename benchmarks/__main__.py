"""The command: measure the parts that were asked for, show them as tables, write the page.

    python -m benchmarks CORPUS                     # everything
    python -m benchmarks CORPUS --only speed,growth # these parts again; the others stay as they were measured
    python -m benchmarks CORPUS --write docs        # and bring docs/benchmarks.md up to date

CORPUS is a directory with ``labelled.parquet`` (``abstract``, ``split`` and a column of grades for each area) and
``unlabelled.parquet`` (``abstract``). What is measured and trained is kept in a folder, part by part: a run that was
stopped goes on with ``--only`` and the parts that it lacks.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tagger
from benchmarks import report
from benchmarks.corpus import read_corpus
from benchmarks.parts import FULL, PARTS, QUICK, Setting, Sizes
from benchmarks.peers import OURS, PEERS, prepare
from benchmarks.plot import plot
from benchmarks.tables import Results
from benchmarks.timing import load_average, machine
from tagger.store import shipped_model

RESULTS = "benchmarks.json"
PAGE = "benchmarks.md"
PLOT = "benchmarks.png"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; returns its exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    needed = [options.write / PAGE] if options.write else []  # found out before measuring, not after
    needed += [options.corpus / f"{name}labelled.parquet" for name in ("", "un") if options.only]
    for path in needed:
        if not path.is_file():
            parser.error(f"{path}: no such file")
    folder = options.folder / ("quick" if options.quick else "full")
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / RESULTS
    results: Results = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    failed = _measure(options, folder, results, file) if options.only else []
    print(report.terminal(results))
    if options.write:
        page = options.write / PAGE
        page.write_text(report.filled(page.read_text(encoding="utf-8"), results), encoding="utf-8")
        (options.write / RESULTS).write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
        if plot(results, options.write / PLOT):
            _progress(f"{page} and {options.write / PLOT} are up to date")
    if failed:
        _progress(f"failed: {', '.join(failed)}; to go on, --only {','.join(failed)}")
    return 1 if failed else 0


def _measure(options: argparse.Namespace, folder: Path, results: Results, file: Path) -> list[str]:
    """Measure the parts that were asked for into `results`, and keep them in `file` after each; those that failed."""
    sizes: Sizes = QUICK if options.quick else FULL
    model = options.model or shipped_model()
    corpus = read_corpus(options.corpus, tagger.load(model).areas)
    _progress(f"{len(corpus.texts):,} abstracts, {len(corpus.train.texts):,} to learn from")
    directories = {OURS: Path(model)}
    labels: dict[str, int] = results.get("about", {}).get("labels", {})
    for name, peer in PEERS.items():
        if name not in options.peers or name == OURS:
            continue
        if peer.missing:
            _progress(f"{name} is left out, since {', '.join(peer.missing)} is not installed; see {PAGE} for how to")
            continue
        most = min(sizes.labels, options.embed or sizes.embedded) if peer.is_slow else sizes.labels
        labelled = corpus.train.first(most)
        labels[name] = len(labelled.texts)
        directories[name] = prepare(peer, labelled, corpus.areas, folder, _progress)
    setting = Setting(corpus, directories, sizes, folder, _progress)
    parts: dict[str, Any] = results.get("about", {}).get("parts", {})
    failed = []
    for name in options.only:
        began, load = time.perf_counter(), load_average()
        _progress(f"-- {name}")
        try:
            results[name] = _rounded(PARTS[name](setting))
        except Exception:  # whatever it is, the other parts can be measured
            traceback.print_exc()
            failed.append(name)
            continue
        parts[name] = {"load": load, "seconds": time.perf_counter() - began}
        results["about"] = machine() | {"is_quick": options.quick, "labels": labels, "parts": parts}
        temporary = file.with_suffix(".part")  # so that what was measured before is not lost if this stops
        temporary.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
        temporary.replace(file)
    return failed


def _rounded(value: Any) -> Any:
    """The same plain values with numbers to four digits: the others are noise."""
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Speed, memory and accuracy beside what a user would pick instead."
    )
    parser.add_argument("corpus", type=Path, help="directory with labelled.parquet and unlabelled.parquet")
    parser.add_argument("--quick", action="store_true", help="small sizes: to see that it works, in under a minute")
    parser.add_argument(
        "--only",
        type=_names_among(PARTS),
        default=list(PARTS),
        metavar="PARTS",
        help=f"parts to measure, with commas, or nothing to show what was measured: {', '.join(PARTS)}",
    )
    parser.add_argument(
        "--peers",
        type=_names_among(PEERS),
        default=list(PEERS),
        metavar="NAMES",
        help=f"contenders, with commas: {', '.join(PEERS)}",
    )
    parser.add_argument("--model", type=Path, metavar="DIR", help="a model directory (default: the shipped model)")
    parser.add_argument(
        "--embed", type=int, metavar="N", help=f"labelled abstracts that MiniLM reads (default: {FULL.embedded:,})"
    )
    parser.add_argument("--write", type=Path, metavar="DIR", help=f"bring {PAGE} and {PLOT} in it up to date")
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path("build") / "benchmarks",
        metavar="DIR",
        help="what is measured and trained is kept here (default: build/benchmarks)",
    )
    return parser


def _names_among(known: dict[str, Any]) -> Any:
    def names(value: str) -> list[str]:
        given = [name for name in value.split(",") if name]
        if unknown := [name for name in given if name not in known]:
            raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of {', '.join(known)}")
        return given

    return names


_BEGAN = time.perf_counter()


def _progress(message: str) -> None:
    print(f"{time.perf_counter() - _BEGAN:6.0f} s  {message}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
