"""The n-grams that a model or a shard of counts knows, in a form that loads without a loop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Vocabulary:
    """Words, and pairs of them; n-gram i is word i, or pair i - len(words) where there are fewer words than that."""

    words: tuple[str, ...]
    """Distinct words, sorted."""
    pairs: NDArray[np.int32]
    """Positions in `words` of the first and second word of each pair, distinct and sorted, shape (pairs, 2)."""

    @classmethod
    def from_ngrams(cls, ngrams: Iterable[str]) -> Vocabulary:
        """The smallest vocabulary that holds `ngrams`; the words of a pair are in it even if they were not given."""
        ngrams = set(ngrams)
        split = [ngram.split(" ") for ngram in ngrams if " " in ngram]
        words = tuple(sorted({word for pair in split for word in pair} | {n for n in ngrams if " " not in n}))
        position = {word: index for index, word in enumerate(words)}
        pairs = sorted((position[first], position[second]) for first, second in split)
        return cls(words, np.array(pairs, dtype=np.int32).reshape(-1, 2))

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Vocabulary:
        """Rebuild a vocabulary from what :meth:`to_arrays` gave.

        Raises
        ------
        ValueError
            If the arrays are not those of a vocabulary.
        """
        joined, pairs = arrays["words"], arrays["pairs"]
        if joined.ndim != 1 or joined.dtype != np.uint8:
            raise ValueError(f"words have shape {joined.shape} and dtype {joined.dtype}, not (n,) of uint8")
        words = tuple(joined.tobytes().decode().split("\n")) if joined.size else ()
        if len(set(words)) != len(words):
            raise ValueError("a word is there twice")
        if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype != np.int32:
            raise ValueError(f"pairs have shape {pairs.shape} and dtype {pairs.dtype}, not (n, 2) of int32")
        if pairs.size and not 0 <= pairs.min() <= pairs.max() < len(words):
            raise ValueError("a pair points outside the words")
        keys = np.sort(pairs[:, 0].astype(np.int64) * len(words) + pairs[:, 1])  # np.unique would import numpy.ma
        if (keys[1:] == keys[:-1]).any():
            raise ValueError("a pair is there twice")
        return cls(words, cast("NDArray[np.int32]", pairs))

    def __reduce__(self) -> tuple[Any, ...]:
        return Vocabulary.from_arrays, (self.to_arrays(),)  # a hundred times as fast as word by word

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """The vocabulary as plain arrays: `words`, UTF-8 bytes joined by line feeds, and `pairs`."""
        return {"words": np.frombuffer("\n".join(self.words).encode(), dtype=np.uint8), "pairs": self.pairs}

    def __len__(self) -> int:
        return len(self.words) + len(self.pairs)

    @cached_property
    def ngrams(self) -> tuple[str, ...]:
        """Every n-gram as text, in order."""
        words = self.words
        return words + tuple(f"{words[first]} {words[second]}" for first, second in self.pairs.tolist())

    @cached_property
    def index(self) -> dict[str, int]:
        """Position of every n-gram."""
        return {ngram: position for position, ngram in enumerate(self.ngrams)}
