"""Build the shipped data from a corpus: ``python -m training.build_data CORPUS``.

Adds to ``data/`` one label file and one shard of n-gram counts for the labelled papers that are not there yet; files
that are there stay as they are. If there are no word embeddings yet, learns them from all abstracts of the corpus,
labelled or not, but for those that are held out.

Every word is counted, and a pair of words if it occurs in two abstracts of the corpus, labelled or not, or is in an
earlier shard: what occurs once teaches nothing, and without it no text can be put back together.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as parquet

from training.counts import NgramCounts, count_ngrams, restrict
from training.dataset import EMBEDDINGS
from training.embeddings import learn_embeddings, write_embeddings
from training.grades import PROVENANCE
from training.shards import Shard, read_shard, write_shard

AREAS = ("reasoning", "efficiency", "multimodal", "theory")
ANNOTATIONS = tuple(f"{area}_{annotator}" for area in AREAS for annotator in "ab")


def build(corpus: Path, data: Path) -> None:
    """Add the papers of `corpus` that `data` does not have."""
    old = [read_shard(path) for path in sorted((data / "labelled").glob("*.npz"))]
    have = {id_ for shard in old for id_ in shard.ids}
    everything = _rows(corpus / "labelled.parquet")
    unlabelled = _rows(corpus / "unlabelled.parquet")
    if labelled := [row for row in everything if row["id"] not in have]:
        _add_labels(data / "labels", labelled)
        known = {ngram for shard in old for ngram in shard.abstracts.vocabulary.ngrams}
        _add_counts(data / "labelled", labelled, unlabelled, known)
    if not (data / EMBEDDINGS).exists():
        seen = [row["abstract"] for row in everything if row["split"] != "dev"]
        embeddings = learn_embeddings(seen + [row["abstract"] for row in unlabelled])
        write_embeddings(data / EMBEDDINGS, embeddings)
        print(f"{data / EMBEDDINGS}: {len(embeddings.words)} words")


def _rows(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = parquet.read_table(path).to_pylist() if path.exists() else []
    return rows


def _add_counts(
    directory: Path, labelled: list[dict[str, Any]], unlabelled: list[dict[str, Any]], known: set[str]
) -> None:
    abstracts = count_ngrams(row["abstract"] for row in labelled + unlabelled)
    titles = count_ngrams(row["title"] for row in labelled)
    frequency = np.bincount(abstracts.matrix.indices, minlength=len(abstracts.vocabulary))
    keep = (frequency >= 2) | np.array([ngram in known for ngram in abstracts.vocabulary.ngrams])
    keep[: len(abstracts.vocabulary.words)] = True
    abstracts = abstracts[: len(labelled)]
    keep &= np.bincount(abstracts.matrix.indices, minlength=len(keep)) > 0
    vocabulary = restrict(abstracts.vocabulary, keep)
    counted = [NgramCounts(vocabulary, counts.columns(vocabulary)) for counts in (abstracts, titles)]
    path = _next(directory, ".npz")
    write_shard(path, Shard(tuple(row["id"] for row in labelled), *counted))
    print(f"{path}: {len(labelled)} papers, {len(vocabulary)} n-grams")


def _add_labels(directory: Path, rows: list[dict[str, Any]]) -> None:
    path = _next(directory, ".csv")
    with path.open("x", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*PROVENANCE, *AREAS, *ANNOTATIONS], extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(f"{path}: {len(rows)} labels")


def _next(directory: Path, suffix: str) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    return directory / f"{len(list(directory.glob(f'*{suffix}'))) + 1:04d}{suffix}"


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpus", type=Path, help="directory with labelled.parquet and, if any, unlabelled.parquet")
    parser.add_argument("--data", type=Path, default=Path("data"), help="directory to add to (default: data)")
    arguments = parser.parse_args()
    build(arguments.corpus, arguments.data)


if __name__ == "__main__":
    main()
