"""What every route needs: the model, the corrections, the threads, the limits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from fastapi import Request

from tagger.records import Record
from tagger.server.corrections import Corrections
from tagger.server.results import abstract_of, key_of, tags_json
from tagger.server.settings import Settings
from tagger.server.work import Together, Work
from tagger.tagging import Tagger


@dataclass(frozen=True)
class Context:
    """The parts that answer requests."""

    tagger: Tagger
    name: str
    """Name of the model."""
    settings: Settings
    corrections: Corrections
    work: Work
    single: Together[Record, dict[str, Any]] = field(init=False)
    """Tags single abstracts, those together that come at the same time."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "single", Together(self.work, self.tagged))

    @property
    def checksum(self) -> str:
        """What identifies the model; empty for one that was never saved."""
        return str(self.tagger.model.about.get("checksum", ""))

    def tagged(self, records: Iterable[Any]) -> list[dict[str, Any]]:
        """Tags of abstracts as objects, with what people said of them; one that cannot be tagged has an error."""
        items = list(records)
        rows = [tags_json(tags) for tags in self.tagger.tag_many(items)]
        keys = [None if "error" in row else key_of(abstract_of(item)) for row, item in zip(rows, items)]
        corrections = self.corrections.of([key for key in keys if key is not None])
        for row, key in zip(rows, keys):
            if key is not None:
                row["key"] = key
                if key in corrections:
                    row["corrections"] = corrections[key]
        return rows

    def about(self) -> dict[str, Any]:
        """The model for people and programs: areas, thresholds, figures."""
        model = self.tagger.model
        return {
            "name": self.name,
            "checksum": self.checksum,
            "areas": model.areas,
            "central": model.central,
            "thresholds": dict(zip(model.areas, map(float, model.thresholds))),
            "unsure": dict(zip(model.areas, model.unsure[: len(model.areas)].tolist())),
            "ngrams": len(model.vocabulary),
            "trained_on": model.about.get("trained_on"),
            "metrics": model.about.get("metrics"),
        }


def context_of(request: Request) -> Context:
    """The context of the application that a request came to."""
    context = request.app.state.context
    assert isinstance(context, Context)
    return context
