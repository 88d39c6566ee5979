"""Word embeddings learnt without labels, and the file that ships them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.extmath import randomized_svd

from tagger.errors import InputError
from tagger.text import TEXT_VERSION, words
from training.threads import one_thread

DIMENSIONS = 200
WINDOW = 5
MIN_COUNT = 15
MOST_WORDS = 20_000
SMOOTHING = 0.75
"""Power of the frequency of contexts (Levy, Goldberg and Dagan 2015)."""
SHIFT = 2
"""Pairs must occur this many times as often as chance to count."""


@dataclass(frozen=True)
class Embeddings:
    """Vectors of words, of length one, or zero for a word that goes with all others alike."""

    words: tuple[str, ...]
    vectors: NDArray[np.float32]
    """Shape (words, dimensions)."""

    @property
    def index(self) -> dict[str, int]:
        """Row of each word."""
        return {word: row for row, word in enumerate(self.words)}


@one_thread
def learn_embeddings(texts: Iterable[str], seed: int = 0) -> Embeddings:
    """Factorise the shifted positive pointwise mutual information of neighbouring words (Levy and Goldberg 2014).

    Words within :data:`WINDOW` of each other count as neighbours, nearer ones more; left and right singular vectors
    are weighted by the root of the singular values.

    Raises
    ------
    InputError
        If there are too few words to tell apart.
    """
    sequences = [words(text) for text in texts]
    frequency = Counter(word for sequence in sequences for word in sequence)
    known = tuple(word for word, count in frequency.most_common(MOST_WORDS) if count >= MIN_COUNT)
    if len(known) < 3:
        raise InputError(f"{len(known)} words occur {MIN_COUNT} times; give more abstracts")
    row = {word: index for index, word in enumerate(known)}
    gap = [-1] * WINDOW  # keeps the windows of neighbouring texts apart
    stream = np.array(
        [index for s in sequences for index in [*(row.get(word, -1) for word in s), *gap]], dtype=np.int64
    )
    counts = sparse.csr_array((len(known), len(known)), dtype=np.float64)
    for distance in range(1, WINDOW + 1):
        first, second = stream[:-distance], stream[distance:]
        both = (first >= 0) & (second >= 0)
        pairs, times = np.unique(first[both] * len(known) + second[both], return_counts=True)
        weight = (WINDOW + 1 - distance) / WINDOW
        shape = counts.shape
        counts = counts + sparse.csr_array((times * weight, (pairs // len(known), pairs % len(known))), shape=shape)
    association = sparse.coo_array(counts + counts.T)
    association.data[association.data < 1] = 0
    association.eliminate_zeros()
    totals = np.asarray(association.sum(axis=1)).ravel()
    context = totals**SMOOTHING / np.sum(totals**SMOOTHING)
    with np.errstate(divide="ignore"):
        information = np.log(association.data / totals[association.row] / context[association.col]) - np.log(SHIFT)
    positive = information > 0
    matrix = sparse.csr_array(
        (information[positive], (association.row[positive], association.col[positive])), shape=association.shape
    )
    left, singular, _ = randomized_svd(matrix, min(DIMENSIONS, len(known) - 1), n_iter=2, random_state=seed)
    vectors = left * np.sqrt(singular)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    # What is shorter is rounding: the word goes with all others alike.
    vectors = np.where(lengths > 1e-6, vectors / np.maximum(lengths, 1e-9), 0)
    return Embeddings(known, vectors.astype(np.float32))


def write_embeddings(path: Path, embeddings: Embeddings) -> None:
    """Write embeddings to a new file, in half precision."""
    with path.open("xb") as file:
        np.savez_compressed(
            file,
            text_version=np.array(TEXT_VERSION, dtype=np.int32),
            words=np.frombuffer("\n".join(embeddings.words).encode(), dtype=np.uint8),
            vectors=embeddings.vectors.astype(np.float16),
        )


def read_embeddings(path: Path) -> Embeddings:
    """Read embeddings.

    Raises
    ------
    InputError
        If the file is not one of embeddings, or was made with another version of the text definition.
    """
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            version = int(archive["text_version"])
            known = tuple(archive["words"].tobytes().decode().split("\n"))
            vectors = archive["vectors"].astype(np.float32)
        if vectors.ndim != 2 or len(vectors) != len(known):
            raise ValueError(f"{len(known)} words but vectors of shape {vectors.shape}")
        if len(set(known)) != len(known) or not np.isfinite(vectors).all():
            raise ValueError("a word is there twice, or a vector has values that are not finite")
    except Exception as error:  # whatever a damaged archive makes numpy or zipfile raise
        raise InputError(f"{path}: not a file of word embeddings ({error}); restore it") from error
    if version != TEXT_VERSION:
        raise InputError(f"{path}: made with text definition {version}, not {TEXT_VERSION}; build the data again")
    return Embeddings(known, vectors)
