"""A data directory like the shipped one, of small abstracts."""

from __future__ import annotations

import csv
from pathlib import Path

from abstracts import AREAS, small_abstracts

from training.counts import count_ngrams
from training.grades import PROVENANCE
from training.shards import Shard, write_shard

COLUMNS = (*PROVENANCE, *AREAS)


def rows_of(n: int, seed: int, prefix: str = "p", **changes: str) -> list[dict[str, str]]:
    """Labels of `n` small abstracts, every fourth in `dev`."""
    _, grades = small_abstracts(n, seed)
    return [
        {"id": f"{prefix}{k}", "split": "dev" if k % 4 == 3 else "train", "source": "tests", "stratum": "small"}
        | {"sampled": "uncertain" if k % 8 == 0 else "random"}
        | dict(zip(AREAS, map(str, grade.tolist())))
        | changes
        for k, grade in enumerate(grades)
    ]


def write_labels(path: Path, rows: list[dict[str, str]], columns: tuple[str, ...] = COLUMNS) -> None:
    """Write a label file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def write_counts(path: Path, n: int, seed: int, prefix: str = "p") -> None:
    """Write the shard of `n` small abstracts, whose titles are their first sentences."""
    path.parent.mkdir(parents=True, exist_ok=True)
    texts, _ = small_abstracts(n, seed)
    both = count_ngrams([*texts, *(text.partition(".")[0] for text in texts)])
    write_shard(path, Shard(tuple(f"{prefix}{k}" for k in range(n)), both[:n], both[n:]))


def write_data(directory: Path, n: int = 80, seed: int = 0, **changes: str) -> Path:
    """Write labels and counts of `n` small abstracts."""
    write_labels(directory / "labels" / "0001.csv", rows_of(n, seed, **changes))
    write_counts(directory / "labelled" / "0001.npz", n, seed)
    return directory
