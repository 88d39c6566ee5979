"""A trained model and its arithmetic: n-grams -> log-odds -> probabilities -> tags."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagger import marks
from tagger.errors import InputError
from tagger.network import Network
from tagger.records import Tags
from tagger.vectorize import FeatureRows, Vectorizer, find_words, word_keys
from tagger.vocabulary import Vocabulary

LEVELS = 3
"""Occurrences of an n-gram in a text are told apart up to this many."""


NO_CALIBRATION = np.array([[1.0], [1.0], [0.0]])
"""Parameters of :func:`beta_calibrated` that leave log-odds as they are."""


@dataclass(frozen=True)
class Model:
    """A linear classifier over the n-grams of a text, and, if it earned its place, a network beside it.

    The outputs are, for each area, that it is present, then, for each area in `central`, that it is central. Their
    log-odds are ``intercept + sum of coef[occurrences - 1, n-gram] + hidden units @ output``, then calibrated: the
    blend of the two classifiers is linear, so it is already multiplied into these arrays.
    """

    areas: tuple[str, ...]
    vocabulary: Vocabulary
    coef: NDArray[np.float32]
    """Share of an n-gram that occurs once, twice, ... in each output's log-odds, shape (LEVELS, n-grams, outputs)."""
    intercept: NDArray[np.float64]
    """Log-odds of an empty text, apart from the network; shape (outputs,)."""
    thresholds: NDArray[np.float64]
    """Probability from which an area is tagged, or called central; shape (outputs,)."""
    unsure: NDArray[np.float64]
    """Lowest and highest probability of presence at which a person should look, shape (areas, 2)."""
    central: tuple[str, ...] = ()
    """The areas that can be told to be central."""
    network: Network | None = None
    output: NDArray[np.float32] | None = None
    """Share of a hidden unit in each output's log-odds, shape (hidden, outputs); None without a network."""
    calibration: NDArray[np.float64] | None = None
    """Parameters of :func:`beta_calibrated` for each output, shape (3, outputs); None takes the sum as it is."""
    about: dict[str, Any] = field(default_factory=dict)
    """What is known of the model besides its arithmetic: what it was trained on, by what, with what result."""

    def __post_init__(self) -> None:
        if unknown := set(self.central) - set(self.areas):
            raise ValueError(f"central has {sorted(unknown)[0]!r}, which is no area")
        if (self.network is None) != (self.output is None):
            raise ValueError("a network and its output go together")
        n_areas, n_outputs = len(self.areas), len(self.areas) + len(self.central)
        shapes: dict[str, tuple[int, ...]] = {
            "coef": (LEVELS, len(self.vocabulary), n_outputs),
            "intercept": (n_outputs,),
            "thresholds": (n_outputs,),
            "unsure": (n_areas, 2),
        }
        if self.network is not None:
            shapes["output"] = (len(self.network.bias), n_outputs)
            if len(self.network.features) and self.network.features[-1] >= len(self.vocabulary):
                raise ValueError("the network reads n-grams outside the vocabulary")
        if self.calibration is not None:
            shapes["calibration"] = (3, n_outputs)
            if (self.calibration[:2] < 0).any():
                raise ValueError("calibration would turn a ranking round")
        for name, shape in shapes.items():
            array = getattr(self, name)
            if array.shape != shape:
                raise ValueError(f"{name} has shape {array.shape}, not {shape}")
            if not np.isfinite(array).all():
                raise ValueError(f"{name} has values that are not finite")

    @cached_property
    def vectorizer(self) -> Vectorizer:
        """Counts the model's n-grams in texts."""
        return Vectorizer(self.vocabulary)

    def prepare(self) -> None:
        """Make what tagging needs and is else made at the first text, so that processes can share it."""
        self.probabilities(["a"])

    def log_odds(self, rows: FeatureRows) -> NDArray[np.float64]:
        """Calibrated log-odds of each output for each text, shape (texts, outputs)."""
        margins = self.margins(rows)
        return margins if self.calibration is None else beta_calibrated(margins, self.calibration)

    def margins(self, rows: FeatureRows) -> NDArray[np.float64]:
        """Log-odds before calibration: what n-grams and hidden units add up to; shape (texts, outputs)."""
        n_texts = len(rows.indptr) - 1
        margins = np.tile(self.intercept, (n_texts, 1))
        present = np.flatnonzero(np.diff(rows.indptr))
        if present.size:
            cells = (np.minimum(rows.counts, LEVELS) - 1) * len(self.vocabulary) + rows.indices
            shares = np.take(self.coef.reshape(-1, len(self.intercept)), cells, axis=0)
            margins[present] += np.add.reduceat(shares, rows.indptr[present], axis=0, dtype=np.float64)
        if self.network is not None and self.output is not None:
            margins += self.network.hidden(rows).astype(np.float64) @ self.output.astype(np.float64)
        return margins

    def probabilities(self, texts: list[str]) -> NDArray[np.float32]:
        """Probability of each output for each text, shape (texts, outputs)."""
        return sigmoid(self.log_odds(self.vectorizer.transform(texts)))

    def probabilities_and_marks(self, texts: list[str]) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
        """What :meth:`probabilities` gives, and the flags of :func:`tagger.marks.flags_of`, shape (texts,)."""
        words = find_words(texts)
        keys = word_keys(words)
        flags = marks.flags_of(texts, words, keys)
        return sigmoid(self.log_odds(self.vectorizer.count(words, keys))), flags

    def at(self, precision: float | None = None, recall: float | None = None) -> Model:
        """The same model with the thresholds that gave each area a wanted precision, or recall, out of fold.

        Parameters
        ----------
        precision, recall : float, optional
            In (0, 1]; give one. A wanted precision is reached with the highest recall, and the other way round.

        Raises
        ------
        InputError
            If an area did not reach it, or the model does not know what it would take.
        """
        wanted = precision if precision is not None else recall
        if wanted is None or (precision is not None and recall is not None):
            raise InputError("give either a precision or a recall")
        name = "precision" if precision is not None else "recall"
        if not 0 < wanted <= 1:
            raise InputError(f"{name} {wanted:g}: give a share above 0 and at most 1")
        thresholds = self.thresholds.copy()
        for column, area in enumerate(self.areas):
            points = self.about.get("operating_points", {}).get(area, [])
            values = [point[1 if name == "precision" else 2] for point in points]
            reached = [point for point, value in zip(points, values) if value >= wanted]
            if not reached:
                best = f"the highest is {max(values):.3f}" if values else "nothing is known of it"
                raise InputError(f"{name} {wanted:g} was not reached for {area}; {best}")
            thresholds[column] = min(reached)[0] if name == "precision" else max(reached)[0]
        return replace(self, thresholds=thresholds)

    def tags(self, probabilities: NDArray[np.float32], flags: NDArray[np.uint8] | None = None) -> list[Tags]:
        """Apply the thresholds to `probabilities`, shape (texts, outputs); `flags`, shape (texts,), become marks."""
        flags = np.zeros(len(probabilities), dtype=np.uint8) if flags is None else flags
        n_areas = len(self.areas)
        decided = probabilities >= self.thresholds
        # A paper cannot be mainly about an area that it does not have.
        has = decided[:, [self.areas.index(area) for area in self.central]]
        presence = probabilities[:, :n_areas]
        unsure = (presence >= self.unsure[:, 0]) & (presence <= self.unsure[:, 1])
        decisions = np.concatenate([decided[:, :n_areas], decided[:, n_areas:] & has, unsure], axis=1)
        width, raw = decisions.shape[1], decisions.tobytes()
        # Few of the combinations occur, so their names are put together once.
        named: dict[bytes, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {}
        areas, areas_with_central, names_of_marks = self.areas, self.central, marks.names
        tags = []
        for number, (row, row_flags) in enumerate(zip(probabilities.tolist(), flags.tolist())):
            decision = raw[number * width : (number + 1) * width]
            names = named.get(decision)
            if names is None:
                names = named[decision] = self._names(decision)
            present, central, unsure_of = names
            of_areas, of_central = dict(zip(areas, row)), dict(zip(areas_with_central, row[n_areas:]))
            row_marks = names_of_marks(row_flags) if row_flags else ()
            tags.append(Tags(present, of_areas, central, of_central, unsure_of, row_marks))
        return tags

    def _names(self, decision: bytes) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """The areas that are present, central and unsure, of a byte for each."""
        n_areas, n_outputs = len(self.areas), len(self.intercept)
        return (
            tuple(compress(self.areas, decision[:n_areas])),
            tuple(compress(self.central, decision[n_areas:n_outputs])),
            tuple(compress(self.areas, decision[n_outputs:])),
        )


def beta_calibrated(margins: NDArray[np.float64], parameters: NDArray[np.float64]) -> NDArray[np.float64]:
    """Calibrate log-odds: ``a ln p - b ln (1 - p) + c`` (Kull, Silva Filho and Flach 2017).

    Parameters
    ----------
    margins : array of float, shape (texts, outputs)
        Log-odds, ``p`` being their sigmoid.
    parameters : array of float, shape (3, outputs)
        `a`, `b` and `c` of each output.
    """
    a, b, c = parameters
    return np.asarray(b * np.logaddexp(0, margins) - a * np.logaddexp(0, -margins) + c)


def sigmoid(log_odds: NDArray[np.float64]) -> NDArray[np.float32]:
    """Probabilities of log-odds, of the same shape."""
    return (1 / (1 + np.exp(-np.clip(log_odds, -700, 700)))).astype(np.float32)
