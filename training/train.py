"""Labels -> a model directory: fit, judge, document, write."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import sklearn

import tagger
from tagger import store
from tagger.errors import InputError
from tagger.model import Model, sigmoid
from training.classifier import AreaClassifier
from training.dataset import UNKNOWN, Dataset
from training.evaluate import Evaluation, evaluate, log_odds_of_counts

Progress = Callable[[str], None]


def train(dataset: Dataset, out: Path, n_jobs: int = 1, progress: Progress = lambda message: None) -> Model:
    """Train on the `train` split of `dataset`, judge on `dev`, and write the model to `out`.

    Parameters
    ----------
    dataset : Dataset
        Labelled abstracts; `dev` is read after everything has been chosen.
    out : path
        The model directory.
    n_jobs : int
        Processes that fit at the same time.
    progress : callable
        Told in a few words what is being done.
    """
    store.check_replaceable(out)
    training, held_out = dataset.split("train"), dataset.split("dev")
    if not len(training):
        raise InputError("no abstracts in the split 'train'; nothing to learn from")
    progress(f"fitting {len(dataset.areas)} areas on {len(training)} abstracts")
    classifier = AreaClassifier(dataset.areas, embeddings=dataset.embeddings, n_jobs=n_jobs)
    classifier.fit(training.counts, training.grades, representative=training.representative)
    progress("judging")
    random = training.representative if training.representative.any() else np.ones(len(training), dtype=bool)
    out_of_fold = sigmoid(classifier.out_of_fold_)
    results = {"cross-validation": evaluate(classifier.model_, out_of_fold[random], training.grades[random])}
    if len(held_out):
        results["dev"] = evaluate_counts(classifier.model_, held_out)
    model = replace(classifier.model_, about=_about(classifier, training, results))
    metrics = {name: result.to_json() for name, result in results.items()}
    progress(f"writing {out}")
    store.save(model, out, {"metrics.json": json.dumps(metrics, indent=2) + "\n"})
    return model


def evaluate_counts(model: Model, dataset: Dataset) -> Evaluation:
    """Judge `model` on labelled counts."""
    return evaluate(model, sigmoid(log_odds_of_counts(model, dataset.counts)), dataset.grades)


def _about(classifier: AreaClassifier, training: Dataset, results: dict[str, Evaluation]) -> dict[str, Any]:
    return {
        "trained_by": {
            "tagger": tagger.__version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scikit-learn": sklearn.__version__,
        },
        "method": _method(classifier),
        "trained_on": {
            "abstracts": len(training),
            "drawn_at_random": int(training.representative.sum()),
            "present": {area: int((column > 0).sum()) for area, column in zip(training.areas, training.grades.T)},
            "judged": {area: int((column != UNKNOWN).sum()) for area, column in zip(training.areas, training.grades.T)},
        },
        "metrics": {
            name: {
                "abstracts": result.n_abstracts,
                "macro_f1": round(result.macro["f1"][0], 4),
                "macro_average_precision": round(result.macro["average_precision"][0], 4),
                "f1": {area: round(values["f1"], 4) for area, values in result.areas.items()},
                "central_macro_f1": round(result.central_macro["f1"][0], 4) if result.central else None,
            }
            for name, result in results.items()
        },
    }


def _method(classifier: AreaClassifier) -> dict[str, Any]:
    settings: dict[str, Any] = classifier.get_params(deep=False)
    for name in ("areas", "embeddings", "n_jobs"):
        del settings[name]
    chosen = next(tried["classifiers"] for tried in classifier.tried_ if tried["chosen"])
    return {"classifiers": chosen, "tried": classifier.tried_} | settings | {"network": asdict(classifier.network)}
