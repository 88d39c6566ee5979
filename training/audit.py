"""Are the labels sound? ``python -m training.audit`` lists near-duplicates, within a split and between splits.

An abstract that is in `dev` and, a little changed, in `train` too would make a model look better than it is.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit

from training.dataset import Dataset, load_dataset
from training.grades import UNKNOWN

SIMILARITY = 0.5
"""Jaccard similarity of two sets of n-grams from which their texts are near-duplicates."""
CHUNK = 2000
"""Texts that are compared with all others at a time."""


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Two texts that share most of their n-grams."""

    first: int
    second: int
    """Positions of the texts, the lower first."""
    similarity: float
    """N-grams that both have, as a share of those that either has (Jaccard 1901)."""


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A label that the classifiers contradict."""

    text: int
    area: int
    grade: int
    """The label: 2, 1 or 0."""
    probability: float
    """That the area is present, from classifiers that did not see the text."""


def near_duplicates(counts: sparse.csr_array, similarity: float = SIMILARITY) -> list[Duplicate]:
    """Find every pair of texts whose sets of n-grams have at least a Jaccard similarity.

    Two sets that are as similar as that share an n-gram even if each keeps only its rarest ones, ``n - ceil(s * n) +
    1`` of `n` (prefix filtering, Chaudhuri, Ganti and Kaushik 2006). A sparse product on these finds the pairs to
    compare; none is missed.

    Parameters
    ----------
    counts : sparse array, shape (texts, n-grams)
        Counts of n-grams; how often a text has one does not matter. Texts without any are like no other.
    similarity : float
        Above 0, at most 1.

    Returns
    -------
    list of Duplicate
        The most similar first.
    """
    counts = sparse.csr_array(counts)
    ones = np.ones(counts.nnz, dtype=np.int32)
    presence = sparse.csr_array((ones, counts.indices, counts.indptr), shape=counts.shape)
    rare = _rarest(presence, similarity)
    others = sparse.csr_array(rare.T)
    size = np.diff(presence.indptr).astype(np.int64)
    rest = size - np.diff(rare.indptr)
    found = []
    for start in range(0, presence.shape[0], CHUNK):
        together = sparse.coo_array(rare[start : start + CHUNK] @ others)
        first, second = together.row.astype(np.int64) + start, together.col.astype(np.int64)
        # Of the n-grams that two texts share, those not among the rarest of both are in what one of them left out.
        most = together.data + np.maximum(rest[first], rest[second])
        wanted = similarity / (1 + similarity) * (size[first] + size[second]) - 1e-9
        likely = (first < second) & (most >= wanted)
        for one, other in zip(first[likely].tolist(), second[likely].tolist()):
            shared = _shared(presence, one, other)
            jaccard = shared / (size[one] + size[other] - shared)
            if jaccard >= similarity:
                found.append(Duplicate(one, other, float(jaccard)))
    return sorted(found, key=lambda pair: (-pair.similarity, pair.first, pair.second))


def suspicious_labels(log_odds: NDArray[np.float64], grades: NDArray[np.int8], n: int = 100) -> list[Suspicion]:
    """Labels that out-of-fold probabilities contradict most: the first to look at again.

    Parameters
    ----------
    log_odds : array of float, shape (texts, areas) or more columns
        Calibrated log-odds of each text from classifiers that did not see it, as
        :attr:`training.AreaClassifier.out_of_fold_` has them; columns past the areas are not read.
    grades : array of int, shape (texts, areas)
        2 or 1 where an area is present, 0 where it is absent, -1 where that is unknown.
    n : int
        Labels to give back, at most.

    Returns
    -------
    list of Suspicion
        Those with the least probability of being right first.
    """
    probabilities = expit(log_odds[:, : grades.shape[1]])
    right = np.where(grades > 0, probabilities, 1 - probabilities)
    right[grades == UNKNOWN] = np.inf
    order = np.argsort(right, axis=None, kind="stable")[: min(n, int(np.isfinite(right).sum()))]
    texts, areas = np.unravel_index(order, grades.shape)
    return [
        Suspicion(text, area, int(grades[text, area]), float(probabilities[text, area]))
        for text, area in zip(texts.tolist(), areas.tolist())
    ]


def audit(dataset: Dataset, similarity: float = SIMILARITY) -> dict[tuple[str, str], list[Duplicate]]:
    """Near-duplicates of a data set, for each pair of splits, a split with itself included."""
    splits = dataset.provenance["split"]
    names: Sequence[str] = sorted(set(splits.tolist()))
    found: dict[tuple[str, str], list[Duplicate]] = {
        (one, other): [] for one, other in combinations_with_replacement(names, 2)
    }
    for pair in near_duplicates(dataset.counts.matrix, similarity):
        one, other = sorted((str(splits[pair.first]), str(splits[pair.second])))
        found[one, other].append(pair)
    return found


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("data"), help="labels and counts (default: data)")
    similarity_help = f"Jaccard similarity of near-duplicates (default: {SIMILARITY})"
    parser.add_argument("--similarity", type=float, default=SIMILARITY, help=similarity_help)
    arguments = parser.parse_args()
    dataset = load_dataset(arguments.data)
    for (one, other), pairs in audit(dataset, arguments.similarity).items():
        print(f"{one} and {other}: {len(pairs)} pairs")
        for pair in pairs:
            grades = [" ".join(map(str, dataset.grades[row])) for row in (pair.first, pair.second)]
            ids = f"{dataset.ids[pair.first]}\t{dataset.ids[pair.second]}"
            print(f"  {ids}\t{pair.similarity:.2f}\tgrades {grades[0]} and {grades[1]}")


def _rarest(presence: sparse.csr_array, similarity: float) -> sparse.csr_array:
    """Of each text's n-grams, the rarest: those of which two similar texts share at least one."""
    frequency = np.bincount(presence.indices, minlength=presence.shape[1])
    rows = np.repeat(np.arange(presence.shape[0]), np.diff(presence.indptr))
    order = np.lexsort((presence.indices, frequency[presence.indices], rows))
    rank = np.arange(presence.nnz) - presence.indptr[rows]
    size = np.diff(presence.indptr)
    # A hair less than the product: rounded up, it would keep an n-gram too few.
    kept = rank < (size - np.ceil(similarity * size - 1e-9) + 1)[rows]
    columns = presence.indices[order][kept]
    return sparse.csr_array((np.ones(len(columns), dtype=np.int32), (rows[kept], columns)), shape=presence.shape)


def _shared(presence: sparse.csr_array, one: int, other: int) -> int:
    """How many n-grams two texts have in common."""
    first, second = (presence.indices[presence.indptr[row] : presence.indptr[row + 1]] for row in (one, other))
    return len(np.intersect1d(first, second, assume_unique=True))


if __name__ == "__main__":
    main()
