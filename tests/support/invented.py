"""Tagged collections made up for tests: any number of records, without a model."""

from __future__ import annotations

import random

from tagger.records import Record, Tagged, Tags

AREAS = ("reasoning", "efficiency", "multimodal", "theory")
_SENTENCE = """
we prove that large models learn fast attention video proof bound kernel quantised decoding tree search image text
agents planning naïve latency bandits speech
"""
WORDS = _SENTENCE.split()


def invented(n: int, seed: int = 0, areas: tuple[str, ...] = AREAS) -> list[Tagged]:
    """`n` tagged records: a title for two of three, an error for one of a hundred, dates in four years."""
    draw = random.Random(seed)
    return [_one(number, draw, areas) for number in range(n)]


def _one(number: int, draw: random.Random, areas: tuple[str, ...]) -> Tagged:
    position = f"line {number + 1}"
    if number % 100 == 42:
        error = "the abstract is empty"
        return Tagged(
            Record(f"list:{number + 1}", error=error, source="list.jsonl", position=position), Tags(error=error)
        )
    title = " ".join(draw.choices(WORDS, k=9)).capitalize() if number % 3 else None
    abstract = " ".join(draw.choices(WORDS, k=180)).capitalize() + "."
    year = draw.choice((2022, 2023, 2024, 2025))
    fields = {"date": f"{year}-{draw.randint(1, 12):02}"} if number % 7 else {}
    record = Record(f"list:{number + 1}", abstract, title, source="list.jsonl", position=position, fields=fields)
    probabilities = {area: draw.random() ** 3 for area in areas}
    tagged = tuple(area for area in areas if probabilities[area] >= 0.5)
    tags = Tags(
        tagged,
        probabilities,
        tuple(area for area in tagged if probabilities[area] >= 0.8),
        {area: probabilities[area] / 2 for area in areas},
        tuple(area for area in areas if 0.4 <= probabilities[area] <= 0.6),
        ("language",) if number % 50 == 7 else (),
    )
    return Tagged(record, tags)
