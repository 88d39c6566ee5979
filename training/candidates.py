"""Kinds of classifiers that could be blended, behind one function: fit on some texts, margins of others."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy import sparse
from sklearn.model_selection import KFold

from training.blend import RARE
from training.characters import fit_characters, spell, word_counts
from training.counts import NgramCounts, restrict
from training.dataset import Dataset
from training.embeddings import Embeddings
from training.grades import UNKNOWN
from training.linear import fit_linear_outputs
from training.network import NetworkSettings, fit_network
from training.trees import TreeSettings, dense_features, fit_ensembles, fit_ngram_trees

KINDS = ("linear", "network", "characters", "trees", "dense trees")
"""Kinds of classifiers: on n-grams the first two and the fourth, on characters, on dense features."""
MIN_DF = 3
"""Texts that must have an n-gram for it to be a feature."""
C, SMOOTHING = 0.1, 1.0
"""Settings of the linear classifiers on n-grams."""
DENSE_TREES = TreeSettings(rounds=150, learning_rate=0.05, leaves=7, min_texts=40)


@dataclass(frozen=True)
class Problem:
    """Texts and what is known of them."""

    counts: NgramCounts
    """Every n-gram of the texts, their titles included."""
    targets: NDArray[np.float32]
    """1, 0, or NaN where unknown: whether each area is present, then whether each is central; (texts, outputs)."""
    representative: NDArray[np.bool_]
    """Texts drawn at random from what will be tagged."""
    outputs: tuple[str, ...]
    """Names of the outputs: those of the areas, then ``area (central)``."""
    n_areas: int
    embeddings: Embeddings | None = None
    network: NetworkSettings = field(default_factory=NetworkSettings)
    trees: TreeSettings = field(default_factory=TreeSettings)
    dense_trees: TreeSettings = DENSE_TREES
    folds: int = 5
    seed: int = 0

    def __len__(self) -> int:
        return len(self.counts)

    def __getitem__(self, rows: NDArray[np.int64]) -> Problem:
        """Some of the texts."""
        return replace(
            self,
            counts=self.counts[rows],
            targets=self.targets[rows],
            representative=self.representative[rows],
        )

    @cached_property
    def frequent(self) -> NgramCounts:
        """The n-grams that at least :data:`MIN_DF` texts have."""
        frequency = np.bincount(self.counts.matrix.indices, minlength=len(self.counts.vocabulary))
        vocabulary = restrict(self.counts.vocabulary, frequency >= MIN_DF)
        return NgramCounts(vocabulary, self.counts.columns(vocabulary))

    @cached_property
    def spelling(self) -> sparse.csr_array:
        """Which character n-grams each word of the vocabulary has."""
        return spell(self.counts.vocabulary.words)[0]

    def splits(self) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Positions of the texts to fit on and to hold out, in each fold."""
        return splits_of(len(self), self.folds, self.seed)


def splits_of(n_texts: int, folds: int, seed: int) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Positions of the texts to fit on and to hold out, in each fold, as the shipped classifier draws them."""
    splitter = KFold(min(folds, n_texts), shuffle=True, random_state=seed)
    return list(splitter.split(np.arange(n_texts)))


def problem_of(dataset: Dataset) -> Problem:
    """The problem that a data set poses: all its texts, and an output for each area that can be told to be central."""
    grades = dataset.grades
    central = [column for column, grade in enumerate(grades.T) if min(np.sum(grade == 2), np.sum(grade == 1)) >= RARE]
    truth = np.concatenate([grades > 0, grades[:, central] == 2], axis=1).astype(np.float32)
    unknown = np.concatenate([grades == UNKNOWN, grades[:, central] == UNKNOWN], axis=1)
    return Problem(
        counts=dataset.full,
        targets=np.where(unknown, np.float32(np.nan), truth),
        representative=dataset.representative,
        outputs=(*dataset.areas, *(f"{dataset.areas[column]} (central)" for column in central)),
        n_areas=len(dataset.areas),
        embeddings=dataset.embeddings,
    )


def fit_and_predict(
    problem: Problem, kind: str, train: NDArray[np.int64], held_out: NDArray[np.int64]
) -> tuple[NDArray[np.float64], float]:
    """Fit one kind of classifier on some texts.

    Parameters
    ----------
    problem : Problem
        The texts.
    kind : str
        One of :data:`KINDS`.
    train, held_out : array of int
        Positions of the texts to fit on, and of those whose margins are wanted.

    Returns
    -------
    margins : array of float, shape (held out, outputs)
        Margins of the texts that were held out.
    seconds : float
        Time of a processor that it took.
    """
    start = time.process_time()
    targets, weights = problem.targets[train], np.ones(len(train))
    counts = problem.frequent
    if kind == "linear":
        margins = _linear_margins(counts.matrix, targets, train, held_out)
    elif kind == "network":
        ones = weights.astype(np.float32)
        rows, settings = counts.matrix[train], problem.network
        network = fit_network(rows, counts.vocabulary, problem.embeddings, targets, ones, settings, problem.seed)
        margins = network.margins(counts.matrix[held_out])
    elif kind == "characters":
        words = word_counts(problem.counts)
        margins = fit_characters(words[train], problem.spelling, targets, weights).margins(words[held_out])
    elif kind == "trees":
        trees = fit_ngram_trees(counts.matrix[train], targets, weights, problem.trees, problem.seed)
        margins = trees.margins(counts.matrix[held_out])
    elif kind == "dense trees":
        margins = _dense_margins(problem, train, held_out)
    else:
        raise ValueError(f"kind {kind!r}; use one of {', '.join(KINDS)}")
    return margins, time.process_time() - start


def out_of_fold_margins(
    problem: Problem, kinds: Sequence[str], n_jobs: int = 1
) -> tuple[dict[str, NDArray[np.float64]], dict[str, float]]:
    """Margins of every text from classifiers that did not see it, and the seconds that each kind took in all.

    Returns
    -------
    margins : dict of array of float, shape (texts, outputs)
        For each kind.
    seconds : dict of float
        For each kind, summed over the folds.
    """
    tasks = [(kind, *split) for kind in kinds for split in problem.splits()]
    _ = problem.frequent, problem.spelling if "characters" in kinds else None  # once, not in every process
    results = Parallel(n_jobs=n_jobs)(delayed(fit_and_predict)(problem, *task) for task in tasks)
    margins = {kind: np.empty(problem.targets.shape) for kind in kinds}
    seconds = dict.fromkeys(kinds, 0.0)
    for (kind, _, held_out), (predicted, took) in zip(tasks, results):
        margins[kind][held_out] = predicted
        seconds[kind] += took
    return margins, seconds


def _linear_margins(
    counts: sparse.csr_array,
    targets: NDArray[np.float32],
    train: NDArray[np.int64],
    held_out: NDArray[np.int64],
) -> NDArray[np.float64]:
    fitted = fit_linear_outputs(counts[train], targets, np.ones(len(train)), C, SMOOTHING)
    return fitted.margins(counts[held_out])


def _dense_margins(problem: Problem, train: NDArray[np.int64], held_out: NDArray[np.int64]) -> NDArray[np.float64]:
    """Trees on dense features; the linear margins that they are grown on come from folds within `train`."""
    counts, targets = problem.frequent, problem.targets[train]
    linear = np.zeros((len(problem), targets.shape[1]))
    linear[held_out] = _linear_margins(counts.matrix, targets, train, held_out)
    for inner, others in splits_of(len(train), problem.folds, problem.seed):
        linear[train[others]] = _linear_margins(counts.matrix, targets[inner], train[inner], train[others])
    features = dense_features(counts, problem.embeddings, linear)
    weights = np.ones(len(train))
    ensembles = fit_ensembles(features[train], targets, weights, problem.dense_trees, problem.seed)
    return np.stack([ensemble.margins(features[held_out]) for ensemble in ensembles], axis=1)
