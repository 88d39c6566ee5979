"""Append-only shards of n-gram counts: one ``.npz`` a batch of abstracts, never rewritten."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy import sparse

from tagger.errors import InputError
from tagger.text import TEXT_VERSION
from tagger.vocabulary import Vocabulary
from training.counts import NgramCounts

LARGEST_COUNT = 255
"""Counts are kept in a byte; an n-gram that occurs more often in one abstract is kept as this often."""


def write_shard(path: Path, ids: Sequence[str], counts: NgramCounts) -> None:
    """Write the counts of the abstracts `ids` as a shard.

    Raises
    ------
    FileExistsError
        If there is a shard of that name: shards are added, not rewritten.
    """
    matrix = counts.matrix
    starts = np.zeros(matrix.nnz, dtype=bool)
    starts[matrix.indptr[:-1][np.diff(matrix.indptr) > 0]] = True
    steps = np.diff(matrix.indices, prepend=0)
    with path.open("xb") as file:
        np.savez_compressed(
            file,
            allow_pickle=False,
            text_version=np.array(TEXT_VERSION, dtype=np.int32),
            ids=np.frombuffer("\n".join(ids).encode(), dtype=np.uint8),
            indptr=matrix.indptr.astype(np.int64),
            # Steps between neighbouring indices compress far better than the indices; each row starts anew.
            steps=np.where(starts, matrix.indices, steps).astype(np.int32),
            counts=np.minimum(matrix.data, LARGEST_COUNT).astype(np.uint8),
            **counts.vocabulary.to_arrays(),
        )


def read_shard(path: Path) -> tuple[tuple[str, ...], NgramCounts]:
    """Read a shard: the ids of its abstracts and their counts.

    Raises
    ------
    InputError
        If the file is not a shard, or was made with another version of the text definition.
    """
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        ids = tuple(arrays["ids"].tobytes().decode().split("\n"))
        indptr, steps = arrays["indptr"], arrays["steps"].astype(np.int64)
        version = int(arrays["text_version"])
        vocabulary = Vocabulary.from_arrays(arrays)
        running = np.cumsum(steps)
        before = np.where(indptr[:-1] > 0, running[np.maximum(indptr[:-1] - 1, 0)], 0)
        indices = running - np.repeat(before, np.diff(indptr))
        shape = (len(ids), len(vocabulary))
        matrix = sparse.csr_array((arrays["counts"].astype(np.int32), indices.astype(np.int32), indptr), shape=shape)
        matrix.check_format()
    except Exception as error:  # whatever a damaged archive makes numpy, zipfile or scipy raise
        raise InputError(f"{path}: not a shard of n-gram counts ({error}); restore the file") from error
    if version != TEXT_VERSION:
        raise InputError(f"{path}: made with text definition {version}, not {TEXT_VERSION}; build the data again")
    return ids, NgramCounts(vocabulary, matrix)
