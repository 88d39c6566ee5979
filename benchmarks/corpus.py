"""The real abstracts that everything is measured on."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Labelled:
    """Abstracts and the areas that are present in each."""

    texts: list[str]
    present: NDArray[np.bool_]
    """Shape (abstracts, areas)."""

    def first(self, n: int) -> Labelled:
        """The first `n`."""
        return Labelled(self.texts[:n], self.present[:n])


@dataclass(frozen=True, slots=True)
class Corpus:
    """The abstracts of a directory with ``labelled.parquet`` and ``unlabelled.parquet``."""

    areas: tuple[str, ...]
    train: Labelled
    """What the peers learn from, in a random order."""
    dev: Labelled
    """What all are judged on."""
    texts: list[str]
    """Every abstract, labelled or not."""

    def sample(self, n: int) -> list[str]:
        """`n` abstracts from all over the corpus, the same ones each time."""
        n = min(n, len(self.texts))
        return [self.texts[position * len(self.texts) // n] for position in range(n)]


def read_corpus(directory: Path, areas: tuple[str, ...], seed: int = 0) -> Corpus:
    """Read `directory`: columns ``abstract``, and in ``labelled.parquet`` ``split`` and a grade for each of `areas`."""
    from pyarrow import parquet

    rows = parquet.read_table(directory / "labelled.parquet", columns=["abstract", "split", *areas]).to_pylist()
    splits = {}
    for split in ("train", "dev"):
        chosen = [row for row in rows if row["split"] == split]
        present = np.array([[(row[area] or 0) > 0 for area in areas] for row in chosen])
        splits[split] = Labelled([row["abstract"] for row in chosen], present)
    order = np.random.default_rng(seed).permutation(len(splits["train"].texts))
    train = Labelled([splits["train"].texts[row] for row in order], splits["train"].present[order])
    unlabelled = parquet.read_table(directory / "unlabelled.parquet", columns=["abstract"])["abstract"].to_pylist()
    return Corpus(areas, train, splits["dev"], [*(row["abstract"] for row in rows), *unlabelled])


def write_jsonl(path: Path, texts: list[str], n: int) -> None:
    """Write `n` numbered abstracts as JSON Lines, `texts` over and over."""
    encoded = [json.dumps(text, ensure_ascii=False) for text in texts]
    with path.open("w", encoding="utf-8") as file:
        for number, text in enumerate(islice(cycle(encoded), n)):
            file.write(f'{{"id": "{number}", "abstract": {text}}}\n')
