"""The front door of the runtime: load a model, tag texts with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tagger import batch, store
from tagger.errors import InputError
from tagger.marks import MOST_CHARACTERS
from tagger.model import Model
from tagger.records import Record, Tags

if TYPE_CHECKING:
    from tagger.evidence.explanation import Explanation


def load(path: str | Path | None = None) -> Tagger:
    """Load a model.

    Parameters
    ----------
    path : path, optional
        A model directory, as ``tagger train`` writes it; the shipped model if None.

    Raises
    ------
    ModelError
        If there is no model, or it is damaged, edited or made for another version.
    """
    return Tagger(store.load(store.shipped_model() if path is None else path))


class Tagger:
    """Tags texts with the areas of a model."""

    def __init__(self, model: Model) -> None:
        self.model = model

    @property
    def areas(self) -> tuple[str, ...]:
        """Names of the areas, in the order of every array and tuple that this class gives."""
        return self.model.areas

    def tag(self, text: str, title: str | None = None) -> Tags:
        """Tag one abstract.

        Parameters
        ----------
        text : str
            The abstract.
        title : str, optional
            Its title, read as part of the text.

        Raises
        ------
        InputError
            If `text` is not a string, or is empty.
        """
        tags = next(self.tag_many([Record("", text, title)]))
        if tags.error:
            raise InputError(tags.error)
        return tags

    def tag_many(self, texts: Iterable[str | Record | Mapping[str, Any]], n_jobs: int = 1) -> Iterator[Tags]:
        """Tag a stream of abstracts.

        Parameters
        ----------
        texts : iterable of str, Record or mapping
            The abstracts, read as they are needed; a mapping has ``abstract`` and may have ``id`` and ``title``.
        n_jobs : int
            Processes that share the work; -1 for one a core.

        Yields
        ------
        Tags
            One for each text, in order. An item that cannot be tagged gives Tags with an ``error``; one whose tags
            should not be trusted has `marks`, of :data:`tagger.marks.NAMES`.
        """
        return batch.tag_stream(self.model, texts, n_jobs)

    def explain(self, text: str, title: str | None = None, central: bool = False) -> Explanation:
        """Tag one abstract and tell what in it speaks for and against each area.

        Parameters
        ----------
        text : str
            The abstract.
        title : str, optional
            Its title, read as part of the text.
        central : bool
            Whether to tell, too, what speaks for and against each area's being central.

        Returns
        -------
        Explanation
            For each area of the model, n-grams and phrases of the text with their spans and their shares, which add up
            to the log-odds before calibration.

        Raises
        ------
        InputError
            If `text` is not a string, or is empty.
        """
        from tagger.evidence.explanation import explain

        return explain(self.model, text, title, self.tag(text, title), central)

    def predict_proba(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Probability of each area for each text.

        Parameters
        ----------
        texts : sequence of str, length n
            The abstracts, of each of which the first 100,000 characters are read.

        Returns
        -------
        array of float32, shape (n, areas)
            Calibrated probabilities in [0, 1], columns in the order of `areas`.

        Raises
        ------
        InputError
            If an item is not a string.
        """
        if isinstance(texts, str):
            raise InputError("expected a sequence of texts, got one string; put it in a list")
        for position, text in enumerate(texts):
            if not isinstance(text, str):
                raise InputError(f"text {position}: expected a string, got {type(text).__name__}")
        n_areas = len(self.areas)
        probabilities = [
            self.model.probabilities([text[:MOST_CHARACTERS] for text in texts[start : start + batch.BATCH_SIZE]])[
                :, :n_areas
            ]
            for start in range(0, len(texts), batch.BATCH_SIZE)
        ]
        return np.concatenate(probabilities) if probabilities else np.empty((0, n_areas), dtype=np.float32)

    def at(self, precision: float | None = None, recall: float | None = None) -> Tagger:
        """A tagger with the thresholds that gave each area a wanted precision, or recall, in cross-validation.

        Parameters
        ----------
        precision, recall : float, optional
            In (0, 1]; give one.

        Raises
        ------
        InputError
            If an area did not reach it.
        """
        return Tagger(self.model.at(precision, recall))

    def __repr__(self) -> str:
        return f"Tagger(areas={self.areas!r}, ngrams={len(self.model.vocabulary)})"
