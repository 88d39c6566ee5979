"""Which parts of a text to mark, for which area: the phrases that speak for areas, where they do not overlap."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tagger.evidence.explanation import Explanation
from tagger.evidence.phrases import Span
from tagger.records import Tags

LEVELS = (0.4, 1.0)
"""Log-odds from which a phrase is marked as clear and as strong; what is below is marked as weak."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A part of a text, ``text[start:end]``, that speaks for an area."""

    start: int
    end: int
    area: str
    share: float
    """Share of the phrase in the log-odds of the area, of all its places together."""
    level: int
    """How strong: 1 weak, 2 clear, 3 strong."""


def shown_areas(explanation: Explanation) -> tuple[str, ...]:
    """The areas that a reader wants explained: tagged or unsure, or, where there are none, the most probable."""
    tags = explanation.tags
    found = tuple(area for area in explanation.areas if area in tags.areas or area in tags.unsure)
    return found or tuple(sorted(explanation.areas, key=lambda area: -explanation.areas[area].probability)[:1])


def area_label(area: str, tags: Tags) -> str:
    """An area with its probability: a question mark if a person should look, in brackets if it is not tagged."""
    label = f"{area} {tags.probabilities[area]:.2f}{'?' if area in tags.unsure else ''}"
    return label if area in tags.areas else f"({label})"


def find_marks(explanation: Explanation, areas: Iterable[str]) -> list[Mark]:
    """Marks for the phrases that speak for `areas`, ascending; where two overlap, the stronger one is whole."""
    candidates = sorted(
        ((phrase.share, area, span) for area in areas for phrase in explanation.areas[area].phrases
         for span in phrase.spans if phrase.share > 0),
        key=lambda candidate: -candidate[0],
    )  # fmt: skip
    text = explanation.text
    owners = [-1] * len(text)
    for number, (_, _, (start, end)) in enumerate(candidates):
        owners[start:end] = [number if owner < 0 else owner for owner in owners[start:end]]
    marks = []
    start = 0
    for end in range(1, len(text) + 1):
        if end < len(text) and owners[end] == owners[start]:
            continue
        if owners[start] >= 0:
            share, area, span = candidates[owners[start]]
            first, last = _trimmed(text, start, end, span)
            if first < last:
                marks.append(Mark(first, last, area, share, 1 + sum(share >= level for level in LEVELS)))
        start = end
    return marks


def _trimmed(text: str, start: int, end: int, span: Span) -> tuple[int, int]:
    """What is left of `span`; where it was cut, it ends with a letter or digit."""
    while span[0] < start < end and not text[start].isalnum():
        start += 1
    while start < end < span[1] and not text[end - 1].isalnum():
        end -= 1
    return start, end
