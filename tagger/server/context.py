"""What every route needs: the model, the corrections, the threads, the limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastapi import Request

from tagger.server.corrections import Corrections
from tagger.server.settings import Settings
from tagger.server.work import Work
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

    @property
    def checksum(self) -> str:
        """What identifies the model; empty for one that was never saved."""
        return str(self.tagger.model.about.get("checksum", ""))

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
