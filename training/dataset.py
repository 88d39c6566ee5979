"""Labelled abstracts: the shipped labels and counts -> Dataset."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tagger.errors import InputError
from training.counts import NgramCounts, add_counts, count_ngrams, stack_counts
from training.embeddings import Embeddings, read_embeddings
from training.grades import PROVENANCE, UNKNOWN
from training.labelled import LabelledTexts
from training.shards import read_shard

EMBEDDINGS = "embeddings.npz"
STUDY = "candidates.json"
"""What was tried on the shipped data, with figures: written by :mod:`training.study`, kept beside the model."""


@dataclass(frozen=True)
class Dataset:
    """Abstracts as n-gram counts, with a grade for each area."""

    ids: tuple[str, ...]
    areas: tuple[str, ...]
    counts: NgramCounts
    """N-grams of the abstracts."""
    titles: NgramCounts
    """N-grams of the titles; none where a title is not known."""
    grades: NDArray[np.int8]
    """2 central, 1 secondary, 0 absent, -1 unknown; shape (abstracts, areas)."""
    provenance: dict[str, NDArray[np.str_]]
    """`split`, `source`, `stratum` and `sampled` of each abstract."""

    embeddings: Embeddings | None = None
    """Word embeddings learnt without labels, if the data has them."""

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, rows: NDArray[np.bool_] | NDArray[np.integer]) -> Dataset:
        """Some of the abstracts: positions or a mask."""
        positions = np.arange(len(self))[rows]
        return replace(
            self,
            ids=tuple(self.ids[position] for position in positions),
            counts=self.counts[positions],
            titles=self.titles[positions],
            grades=self.grades[positions],
            provenance={name: values[positions] for name, values in self.provenance.items()},
        )

    @cached_property
    def full(self) -> NgramCounts:
        """N-grams of the abstracts with their titles, which is what is read when a paper is tagged.

        All that is missing is the pair of the title's last word and the abstract's first.
        """
        return add_counts(self.counts, self.titles) if self.has_titles else self.counts

    @property
    def has_titles(self) -> bool:
        """Whether any title is known."""
        return bool(self.titles.matrix.nnz)

    @property
    def representative(self) -> NDArray[np.bool_]:
        """Which abstracts were drawn at random, not picked by a model or a person; shape (abstracts,)."""
        return np.asarray(self.provenance["sampled"] == "random", dtype=bool)

    def split(self, name: str) -> Dataset:
        """The abstracts of one split."""
        return self[self.provenance["split"] == name]


def load_dataset(directory: str | Path) -> Dataset:
    """Read the labels and counts that the project carries.

    Parameters
    ----------
    directory : path
        Has ``labels/*.csv`` and ``labelled/*.npz``, read in the order of their names, and may have
        ``embeddings.npz``. A later row for an id replaces an earlier one, as a whole.

    Raises
    ------
    InputError
        If a file is missing, damaged or does not fit the others; the message names it and the row.
    """
    directory = Path(directory)
    rows, areas = _read_labels(directory)
    shards = [read_shard(path) for path in sorted((directory / "labelled").glob("*.npz"))]
    if not shards:
        raise InputError(f"{directory / 'labelled'}: no shards of n-gram counts (*.npz); restore them")
    position = {id_: index for index, id_ in enumerate(id_ for shard in shards for id_ in shard.ids)}
    if missing := [id_ for id_ in rows if id_ not in position]:
        raise InputError(f"{directory / 'labelled'}: no counts of {missing[0]} and {len(missing) - 1} more; add them")
    chosen = np.array([position[id_] for id_ in rows], dtype=np.int64)
    return Dataset(
        ids=tuple(rows),
        areas=areas,
        counts=stack_counts([shard.abstracts for shard in shards])[chosen],
        titles=stack_counts([shard.titles for shard in shards])[chosen],
        grades=np.array([[_grade(row.get(area, "")) for area in areas] for row in rows.values()], dtype=np.int8),
        provenance={name: np.array([row[name] for row in rows.values()]) for name in PROVENANCE[1:]},
        embeddings=read_embeddings(directory / EMBEDDINGS) if (directory / EMBEDDINGS).exists() else None,
    )


def load_split(directory: str | Path, split: str) -> Dataset:
    """The abstracts of one split of what :func:`load_dataset` reads.

    Raises
    ------
    InputError
        If there are none, or for the reasons of :func:`load_dataset`.
    """
    dataset = load_dataset(directory).split(split)
    if not len(dataset):
        raise InputError(f"{directory}: no abstracts in the split {split!r}; use train or dev")
    return dataset


def dataset_of(labelled: LabelledTexts, embeddings: Embeddings | None = None) -> Dataset:
    """Labelled texts as a dataset of one split, `train`, drawn at random as far as anyone knows."""
    n_texts = len(labelled.texts)
    return Dataset(
        ids=labelled.ids,
        areas=labelled.areas,
        counts=count_ngrams(labelled.texts),
        titles=_count_titles(labelled, range(n_texts)),
        grades=labelled.grades,
        provenance=dict(zip(PROVENANCE[1:], (np.full(n_texts, v) for v in ("train", "added", "", "random")))),
        embeddings=embeddings,
    )


def add_labels(dataset: Dataset, labelled: LabelledTexts) -> Dataset:
    """`dataset` with further labelled texts.

    A text whose id is there already keeps its place and split, and its labels that `labelled` does not know; the
    others are replaced. Texts that are new join the split `train`, marked as not drawn at random. Areas that one side
    does not have are unknown there.
    """
    areas = tuple(dict.fromkeys((*dataset.areas, *labelled.areas)))
    old_columns = [areas.index(area) for area in dataset.areas]
    new_columns = [areas.index(area) for area in labelled.areas]
    position = {id_: row for row, id_ in enumerate(dataset.ids)}
    latest = {id_: row for row, id_ in enumerate(labelled.ids)}
    new_ids = [id_ for id_ in latest if id_ not in position]
    grades = np.full((len(dataset) + len(new_ids), len(areas)), UNKNOWN, dtype=np.int8)
    grades[: len(dataset), old_columns] = dataset.grades
    position |= {id_: len(dataset) + row for row, id_ in enumerate(new_ids)}
    for id_, row in zip(labelled.ids, labelled.grades):
        known = row != UNKNOWN
        grades[position[id_], np.array(new_columns)[known]] = row[known]
    rows = list(latest.values())
    counts = stack_counts([dataset.counts, count_ngrams([labelled.texts[row] for row in rows])])
    titles = stack_counts([dataset.titles, _count_titles(labelled, rows)])
    chosen = np.arange(len(dataset) + len(new_ids))
    for row, id_ in enumerate(latest):
        chosen[position[id_]] = len(dataset) + row
    added = dict(zip(PROVENANCE[1:], ("train", "added", "", "added")))
    return replace(
        dataset,
        ids=(*dataset.ids, *new_ids),
        areas=areas,
        counts=counts[chosen],
        titles=titles[chosen],
        grades=grades,
        provenance={
            name: np.concatenate([values, np.full(len(new_ids), added[name])])
            for name, values in dataset.provenance.items()
        },
    )


def _count_titles(labelled: LabelledTexts, rows: Iterable[int]) -> NgramCounts:
    """N-grams of the titles of some of the texts."""
    return count_ngrams([labelled.titles[row] or "" if labelled.titles else "" for row in rows])


def _read_labels(directory: Path) -> tuple[dict[str, dict[str, str]], tuple[str, ...]]:
    rows: dict[str, dict[str, str]] = {}
    areas: dict[str, None] = {}
    paths = sorted((directory / "labels").glob("*.csv"))
    if not paths:
        raise InputError(f"{directory / 'labels'}: no label files (*.csv); name the directory that holds the data")
    for path in paths:
        try:
            with path.open(encoding="utf-8", newline="") as file:
                reader = csv.DictReader(file)
                columns = reader.fieldnames or []
                if missing := [name for name in PROVENANCE if name not in columns]:
                    raise InputError(
                        f"{path}: no column {missing[0]}; a label file has {', '.join(PROVENANCE)} and areas"
                    )
                here = [c for c in columns if c not in PROVENANCE and not c.endswith(("_a", "_b"))]
                areas.update(dict.fromkeys(here))
                for row in reader:
                    for area in here:
                        if row[area] not in ("0", "1", "2", "", None):
                            place = f"{path}: line {reader.line_num}"
                            raise InputError(f"{place}: grade {row[area]!r} for {area}; use 2, 1, 0 or nothing")
                    rows[row["id"]] = row
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise InputError(f"{path}: not readable as CSV in UTF-8 ({error}); restore the file") from error
    return rows, tuple(areas)


def _grade(cell: str | None) -> int:
    return int(cell) if cell else UNKNOWN
