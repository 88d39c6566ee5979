"""Append-only shards of n-gram counts: one ``.npz`` a batch of papers, never rewritten."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tagger.errors import InputError
from tagger.text import TEXT_VERSION
from tagger.vocabulary import Vocabulary
from training.counts import NgramCounts

LARGEST_COUNT = 255
"""Counts are kept in a byte; an n-gram that occurs more often in one text is kept as this often."""


@dataclass(frozen=True)
class Shard:
    """N-gram counts of the abstracts and the titles of some papers, over one vocabulary."""

    ids: tuple[str, ...]
    abstracts: NgramCounts
    titles: NgramCounts


def write_shard(path: Path, shard: Shard) -> None:
    """Write `shard` to a new file.

    Raises
    ------
    FileExistsError
        If there is a shard of that name: shards are added, not rewritten.
    """
    arrays: dict[str, Any] = {
        "text_version": np.array(TEXT_VERSION, dtype=np.int32),
        "ids": np.frombuffer("\n".join(shard.ids).encode(), dtype=np.uint8),
        **shard.abstracts.vocabulary.to_arrays(),
        **_matrix_to_arrays("abstract", shard.abstracts.matrix),
        **_matrix_to_arrays("title", shard.titles.matrix),
    }
    with path.open("xb") as file:
        np.savez_compressed(file, **arrays)


def read_shard(path: Path) -> Shard:
    """Read a shard.

    Raises
    ------
    InputError
        If the file is not a shard, or was made with another version of the text definition.
    """
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        version = int(arrays["text_version"])
        ids = tuple(arrays["ids"].tobytes().decode().split("\n"))
        vocabulary = Vocabulary.from_arrays(arrays)
        shape = (len(ids), len(vocabulary))
        abstracts, titles = (_matrix_from_arrays(text, arrays, shape) for text in ("abstract", "title"))
    except Exception as error:  # whatever a damaged archive makes numpy, zipfile or scipy raise
        raise InputError(f"{path}: not a shard of n-gram counts ({error}); restore the file") from error
    if version != TEXT_VERSION:
        raise InputError(f"{path}: made with text definition {version}, not {TEXT_VERSION}; build the data again")
    return Shard(ids, NgramCounts(vocabulary, abstracts), NgramCounts(vocabulary, titles))


def _matrix_to_arrays(text: str, matrix: sparse.csr_array) -> dict[str, NDArray[Any]]:
    # Steps between neighbouring indices compress far better than the indices; each row starts anew.
    starts = np.zeros(matrix.nnz, dtype=bool)
    starts[matrix.indptr[:-1][np.diff(matrix.indptr) > 0]] = True
    steps = np.where(starts, matrix.indices, np.diff(matrix.indices, prepend=0))
    return {
        f"{text}_lengths": np.diff(matrix.indptr).astype(np.int32),
        # The first bytes of all steps, then the second ones...: alike bytes side by side compress better.
        f"{text}_steps": np.ascontiguousarray(steps.astype("<i4").view(np.uint8).reshape(-1, 4).T),
        f"{text}_counts": np.minimum(matrix.data, LARGEST_COUNT).astype(np.uint8),
    }


def _matrix_from_arrays(text: str, arrays: dict[str, NDArray[Any]], shape: tuple[int, int]) -> sparse.csr_array:
    lengths = arrays[f"{text}_lengths"].astype(np.int64)
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    steps = np.ascontiguousarray(arrays[f"{text}_steps"].T).view("<i4").ravel()
    running = np.concatenate([[0], np.cumsum(steps, dtype=np.int64)])
    indices = running[1:] - np.repeat(running[indptr[:-1]], lengths)
    data = arrays[f"{text}_counts"].astype(np.int32)
    matrix = sparse.csr_array((data, indices.astype(np.int32), indptr.astype(np.int32)), shape=shape)
    matrix.check_format()
    if len(lengths) != shape[0] or (matrix.nnz and not 0 <= indices.min() <= indices.max() < shape[1]):
        raise ValueError(f"the counts of the {text}s do not fit the ids and n-grams")
    return matrix
