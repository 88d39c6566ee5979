"""Build the shipped data from a corpus of labelled abstracts: ``python -m training.build_data CORPUS``.

Adds one label file and one shard of n-gram counts to ``data/``, for the abstracts that are not there yet; files that
are there stay as they are. Every word is counted; a pair of words only if it occurs in two abstracts of the corpus,
labelled or not, or is in an earlier shard: what occurs once teaches nothing, and without it no text can be put back
together.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np
import pyarrow.parquet as parquet

from training.counts import NgramCounts, count_ngrams, restrict
from training.dataset import PROVENANCE
from training.shards import read_shard, write_shard

AREAS = ("reasoning", "efficiency", "multimodal", "theory")
ANNOTATIONS = tuple(f"{area}_{annotator}" for area in AREAS for annotator in "ab")


def build(corpus: Path, data: Path) -> None:
    """Add the abstracts of `corpus` that `data` does not have, as one label file and one shard."""
    shards = [read_shard(path) for path in sorted((data / "ngrams").glob("*.npz"))]
    have = {id_ for ids, _ in shards for id_ in ids}
    labelled = [row for row in parquet.read_table(corpus / "labelled.parquet").to_pylist() if row["id"] not in have]
    if not labelled:
        print("nothing new")
        return
    unlabelled = parquet.read_table(corpus / "unlabelled.parquet", columns=["abstract"]).to_pylist()
    everything = count_ngrams([row["abstract"] for row in labelled + unlabelled])
    document_frequency = np.bincount(everything.matrix.indices, minlength=len(everything.vocabulary))
    known = {ngram for _, counts in shards for ngram in counts.vocabulary.ngrams}
    keep = np.array([ngram in known for ngram in everything.vocabulary.ngrams]) | (document_frequency >= 2)
    keep[: len(everything.vocabulary.words)] = True
    here = everything[np.arange(len(labelled))]
    keep &= np.bincount(here.matrix.indices, minlength=len(keep)) > 0
    vocabulary = restrict(here.vocabulary, keep)
    name = f"{len(shards) + 1:04d}"
    write_shard(
        data / "ngrams" / f"{name}.npz",
        [row["id"] for row in labelled],
        NgramCounts(vocabulary, here.columns(vocabulary)),
    )
    with (data / "labels" / f"{name}.csv").open("x", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*PROVENANCE, *AREAS, *ANNOTATIONS], extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(labelled)
    print(f"added {name}: {len(labelled)} abstracts, {len(vocabulary)} n-grams")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpus", type=Path, help="directory with labelled.parquet and unlabelled.parquet")
    parser.add_argument("--data", type=Path, default=Path("data"), help="where labels/ and ngrams/ are (default: data)")
    arguments = parser.parse_args()
    for directory in ("labels", "ngrams"):
        (arguments.data / directory).mkdir(parents=True, exist_ok=True)
    build(arguments.corpus, arguments.data)


if __name__ == "__main__":
    main()
