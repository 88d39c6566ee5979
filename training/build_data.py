"""Build the shipped data from a corpus: ``python -m training.build_data CORPUS``.

Adds to ``data/`` one label file and one shard of n-gram counts for the labelled papers that are not there yet, and
one shard for the unlabelled ones; files that are there stay as they are.

Of labelled papers every word is counted, and a pair of words if it occurs in two abstracts of the corpus, labelled or
not, or is in an earlier shard: what occurs once teaches nothing, and without it no text can be put back together. Of
unlabelled papers only n-grams are counted that occur in labelled ones and in :data:`UNLABELLED_MIN_DF` abstracts.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as parquet

from tagger.vocabulary import Vocabulary
from training.counts import NgramCounts, count_ngrams, restrict
from training.dataset import PROVENANCE
from training.shards import Shard, read_shard, write_shard

AREAS = ("reasoning", "efficiency", "multimodal", "theory")
ANNOTATIONS = tuple(f"{area}_{annotator}" for area in AREAS for annotator in "ab")
UNLABELLED_MIN_DF = 20


def build(corpus: Path, data: Path) -> None:
    """Add the papers of `corpus` that `data` does not have."""
    old = {kind: [read_shard(path) for path in sorted((data / kind).glob("*.npz"))] for kind in KINDS}
    new = {
        kind: _new_rows(corpus / f"{kind}.parquet", {id_ for shard in old[kind] for id_ in shard.ids}) for kind in KINDS
    }
    abstracts = count_ngrams(row["abstract"] for kind in KINDS for row in new[kind])
    titles = count_ngrams(row["title"] for kind in KINDS for row in new[kind])
    n_labelled = len(new["labelled"])
    frequency = np.bincount(abstracts.matrix.indices, minlength=len(abstracts.vocabulary))
    known = {ngram for shard in old["labelled"] for ngram in shard.abstracts.vocabulary.ngrams}
    if new["labelled"]:
        keep = (frequency >= 2) | np.array([ngram in known for ngram in abstracts.vocabulary.ngrams])
        keep[: len(abstracts.vocabulary.words)] = True
        labelled = abstracts[:n_labelled]
        keep &= np.bincount(labelled.matrix.indices, minlength=len(keep)) > 0
        known |= {ngram for ngram, is_kept in zip(abstracts.vocabulary.ngrams, keep.tolist()) if is_kept}
        _add(data / "labelled", new["labelled"], labelled, titles[:n_labelled], restrict(abstracts.vocabulary, keep))
        _add_labels(data / "labels", new["labelled"])
    if new["unlabelled"]:
        keep = (frequency >= UNLABELLED_MIN_DF) & np.array([n in known for n in abstracts.vocabulary.ngrams])
        vocabulary = restrict(abstracts.vocabulary, keep)
        _add(data / "unlabelled", new["unlabelled"], abstracts[n_labelled:], titles[n_labelled:], vocabulary)


KINDS = ("labelled", "unlabelled")


def _new_rows(path: Path, have: set[str]) -> list[dict[str, Any]]:
    return [row for row in parquet.read_table(path).to_pylist() if row["id"] not in have] if path.exists() else []


def _add(
    directory: Path,
    rows: list[dict[str, Any]],
    abstracts: NgramCounts,
    titles: NgramCounts,
    vocabulary: Vocabulary,
) -> None:
    path = _next(directory, ".npz")
    counted = [NgramCounts(vocabulary, counts.columns(vocabulary)) for counts in (abstracts, titles)]
    write_shard(path, Shard(tuple(row["id"] for row in rows), *counted))
    print(f"{path}: {len(rows)} papers, {len(vocabulary)} n-grams")


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
