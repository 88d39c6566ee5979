"""A gathered collection -> all that its page shows."""

from __future__ import annotations

import datetime
import random
from collections.abc import Callable, Iterable
from pathlib import Path

import tagger
from tagger import store
from tagger.model import Model
from tagger.report.explaining import AreaPhrases, explain_all, typical_phrases
from tagger.report.gathering import Gathered
from tagger.report.page import Report, title_of

TYPICAL = 15
"""Phrases that are listed for each area."""

Progress = Callable[[Iterable[tuple[AreaPhrases, ...]]], Iterable[tuple[AreaPhrases, ...]]]


def make_report(
    model: Model,
    gathered: Gathered,
    *,
    title: str | None = None,
    model_directory: str | Path | None = None,
    evidence: int = 10_000,
    n_jobs: int = 1,
    progress: Progress = iter,
) -> Report:
    """Find the evidence and put the report together.

    Parameters
    ----------
    model : Model
        What tagged the collection.
    gathered : Gathered
        The collection.
    title : str, optional
        The page's title; made from the names of the files if None.
    model_directory : path, optional
        Where the model came from; the shipped one if None.
    evidence : int
        Abstracts whose evidence is found, at most; of more, as many are drawn at random.
    n_jobs : int
        Processes that share the work; -1 for one a core.
    progress : callable
        Passes evidence on as it is found.
    """
    good = [one for one in gathered.kept if one.tagged.tags.error is None]
    if len(good) > evidence:
        chosen = sorted(random.Random(0).sample(range(len(good)), evidence))
        good = [good[k] for k in chosen]
    items = [one.tagged for one in good]
    found = list(progress(explain_all(model, items, n_jobs)))
    return Report(
        title=title or title_of(gathered.sources),
        made=datetime.date.today().isoformat(),
        version=tagger.__version__,
        model_name=str(model.about.get("name") or Path(model_directory or store.shipped_model()).resolve().name),
        model=model,
        gathered=gathered,
        evidence={one.number: phrases for one, phrases in zip(good, found)},
        typical=typical_phrases(zip(items, found), model.areas, TYPICAL) if found else [],
    )
