"""A text -> why its areas are as probable as they are: n-grams and phrases of the text as it was written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagger import spans
from tagger.evidence.phrases import (
    Phrase,
    Span,
    breaks_between,
    find_phrases,
    places_of_ngrams,
    shares_of_words,
)
from tagger.evidence.shares import bias, shares
from tagger.model import Model
from tagger.records import Tags, full_text
from tagger.spans import Word
from tagger.vectorize import FeatureRows


@dataclass(frozen=True, slots=True)
class Evidence:
    """An n-gram of a text and what it says."""

    ngram: str
    """A word, or two joined by a space, as the model knows it."""
    spans: tuple[Span, ...]
    """Each place of it in the text as it was written, ascending."""
    share: float
    """Its share in the log-odds, of all places together; positive speaks for the area."""


@dataclass(frozen=True, slots=True)
class AreaEvidence:
    """What speaks for and against an area: ``bias`` and the shares of ``evidence`` add up to ``log_odds``."""

    probability: float
    """Calibrated, as :class:`tagger.Tags` has it."""
    log_odds: float
    """Log-odds before calibration, which keeps their order."""
    bias: float
    """Log-odds of a text without any n-gram that the model knows."""
    evidence: tuple[Evidence, ...]
    """The n-grams of the text that the model knows, strongest first."""
    phrases: tuple[Phrase, ...]
    """The same for people, strongest first: n-grams overlap, phrases do not."""

    @property
    def rest(self) -> float:
        """What the words that are in no phrase say together, so that bias, phrases and rest add up to `log_odds`."""
        return self.log_odds - self.bias - sum(phrase.share for phrase in self.phrases)

    def in_words(self) -> str:
        """How the log-odds add up, as a line for people."""
        parts = [("bias", self.bias)]
        for name, sign in (("for", 1), ("against", -1)):
            side = [phrase.share for phrase in self.phrases if phrase.share * sign > 0]
            parts += [(name, sum(side))] if side else []
        parts.append(("other words", self.rest))
        return f"log-odds {self.log_odds:+.2f} = " + ", ".join(
            f"{name} {round(value, 2) + 0:+.2f}" for name, value in parts
        )


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a text has its tags."""

    text: str
    """What was read, and what spans count the characters (code points) of: the abstract, after its title if any."""
    abstract_start: int
    """Where in `text` the abstract begins: 0 without a title."""
    tags: Tags
    """The tags of the text."""
    areas: Mapping[str, AreaEvidence]
    """For each area of the model, what speaks for and against its presence."""
    central: Mapping[str, AreaEvidence] = field(default_factory=dict)
    """If asked for, the same for its being central, where the model tells that."""

    def to_json(self) -> dict[str, Any]:
        """The explanation as JSON has it: the tags as ``tagger tag`` writes them, the text and the evidence."""
        tags = self.tags
        row: dict[str, Any] = {"areas": list(tags.areas), "probabilities": dict(tags.probabilities)}
        if tags.central_probabilities:
            row |= {"central": list(tags.central), "central_probabilities": dict(tags.central_probabilities)}
        if tags.marks:
            row["marks"] = list(tags.marks)
        row |= {"unsure": list(tags.unsure), "text": self.text, "abstract_start": self.abstract_start}
        row["evidence"] = {area: asdict(found) for area, found in self.areas.items()}
        if self.central:
            row["central_evidence"] = {area: asdict(found) for area, found in self.central.items()}
        return row


@dataclass(frozen=True, slots=True)
class Reading:
    """A text as a model reads it: what its phrases are found in."""

    text: str
    rows: FeatureRows
    """The n-grams of the text."""
    log_odds: NDArray[np.float64]
    """Before calibration, shape (outputs,)."""
    shares: NDArray[np.float64]
    """Share of each n-gram in the log-odds, shape (n-grams, outputs)."""
    words: Sequence[Word]
    places: Sequence[tuple[int, ...]]
    """Where each n-gram stands in `words`."""
    breaks: Sequence[bool]
    """Whether no phrase goes on from the word before, for each word."""
    shares_of_words: tuple[NDArray[np.float64], NDArray[np.float64]]
    """What :func:`tagger.evidence.phrases.shares_of_words` gives."""

    @classmethod
    def of(cls, model: Model, text: str, start: int = 0) -> Reading:
        """Read a text whose abstract begins at `start`, after its title if there is one."""
        rows = model.vectorizer.transform([text])
        found, words = shares(model, rows), spans.words(text)
        places = places_of_ngrams(rows, model.vocabulary, words)
        split = shares_of_words(found, places, rows.indices >= len(model.vocabulary.words), len(words))
        breaks = breaks_between(text, words, max(start - 1, 0))
        return cls(text, rows, model.margins(rows)[0], found, words, places, breaks, split)

    def phrases(self, output: int) -> tuple[Phrase, ...]:
        """The phrases of the text for one output of the model, strongest first."""
        split, whole = self.shares_of_words
        return find_phrases(self.text, self.words, self.breaks, split[:, output], whole[:, output])


def text_of(abstract: str, title: str | None) -> tuple[str, int]:
    """What is read of an abstract with its title, and where in it the abstract begins."""
    text = full_text(abstract, title)
    return text, len(text) - len(abstract)


def explain(model: Model, abstract: str, title: str | None, tags: Tags, central: bool = False) -> Explanation:
    """Explain the `tags` that `model` gave an abstract.

    Parameters
    ----------
    model : Model
        What gave the tags.
    abstract : str
        The abstract.
    title : str or None
        Its title, read as part of the text.
    tags : Tags
        The tags of the two.
    central : bool
        Whether to tell, too, what speaks for and against each area's being central.
    """
    text, start = text_of(abstract, title)
    read = Reading.of(model, text, start)
    rows, found, words, start_odds = read.rows, read.shares, read.words, bias(model)
    is_pair = rows.indices >= len(model.vocabulary.words)
    names = [_name(model, ngram) for ngram in rows.indices.tolist()]
    spans_of_ngrams = [
        tuple((words[place].start, words[place + pair].end) for place in some)
        for some, pair in zip(read.places, is_pair.tolist())
    ]

    def evidence_of(column: int, probability: float) -> AreaEvidence:
        column_shares = found[:, column].tolist()
        order = np.argsort(-np.abs(found[:, column]), kind="stable").tolist()
        evidence = (Evidence(names[k], spans_of_ngrams[k], column_shares[k]) for k in order if column_shares[k])
        return AreaEvidence(
            probability=probability,
            log_odds=float(read.log_odds[column]),
            bias=float(start_odds[column]),
            evidence=tuple(evidence),
            phrases=read.phrases(column),
        )

    n_areas = len(model.areas)
    return Explanation(
        text=text,
        abstract_start=start,
        tags=tags,
        areas={area: evidence_of(k, tags.probabilities[area]) for k, area in enumerate(model.areas)},
        central={
            area: evidence_of(n_areas + k, tags.central_probabilities[area])
            for k, area in enumerate(model.central if central else ())
        },
    )


def _name(model: Model, ngram: int) -> str:
    words = model.vocabulary.words
    if ngram < len(words):
        return words[ngram]
    first, second = model.vocabulary.pairs[ngram - len(words)].tolist()
    return f"{words[first]} {words[second]}"
