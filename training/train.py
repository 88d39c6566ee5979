"""Labels -> a model directory: fit, judge, compare with what is there, document, write."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy
import sklearn
from numpy.typing import NDArray

import tagger
from tagger import store
from tagger.errors import InputError, ModelError
from tagger.model import Model, sigmoid
from training.calibration import operating_points
from training.card import calibration_plot, reliability, write_card
from training.classifier import AreaClassifier
from training.compare import compare
from training.dataset import STUDY, Dataset
from training.evaluate import Evaluation, evaluate, log_odds_of_counts
from training.grades import UNKNOWN

Progress = Callable[[str], None]

UNTITLED = ", abstracts alone"
"""Ends the name of a result that titles had no part in; without it they are read where they are known."""
MIN_STRATUM = 50
"""Abstracts from which a stratum is judged by itself."""


def train(
    dataset: Dataset,
    out: Path,
    n_jobs: int = 1,
    force: bool = False,
    progress: Progress = lambda message: None,
    study: str | None = None,
) -> Model:
    """Train on the `train` split of `dataset`, judge on `dev`, and write the model to `out`.

    Parameters
    ----------
    dataset : Dataset
        Labelled abstracts; `dev`, if there is one, is read after everything has been chosen.
    out : path
        The model directory.
    n_jobs : int
        Processes that fit at the same time.
    force : bool
        Replace a model that is there even if the new one is clearly worse.
    progress : callable
        Told in a few words what is being done.
    study : str, optional
        JSON of :mod:`training.study` on the same data, to be kept beside the model.

    Raises
    ------
    InputError
        If there is nothing to learn from.
    ModelError
        If `out` cannot be written, or holds a clearly better model and `force` is false.
    """
    store.check_replaceable(out)
    training, held_out = dataset.split("train"), dataset.split("dev")
    if not len(training):
        raise InputError("no abstracts in the split 'train'; nothing to learn from")
    progress(f"fitting {len(dataset.areas)} areas on {len(training):,} abstracts")
    classifier = AreaClassifier(dataset.areas, embeddings=dataset.embeddings, n_jobs=n_jobs)
    titles = training.titles if training.has_titles else None
    classifier.fit(
        training.counts,
        training.grades,
        representative=training.representative,
        titles=titles,
        progress=progress,
    )
    progress("judging")
    judged = training.representative if training.representative.any() else np.ones(len(training), dtype=bool)
    probabilities, untitled = (
        sigmoid(log_odds)[judged] for log_odds in (classifier.out_of_fold_, classifier.out_of_fold_untitled_)
    )
    sample = training[judged]
    results = {"cross-validation": evaluate(classifier.model_, probabilities, sample.grades)}
    if training.has_titles:
        results["cross-validation" + UNTITLED] = evaluate(classifier.model_, untitled, sample.grades)
    if len(held_out):
        results["dev"] = evaluate_counts(classifier.model_, held_out)
        if held_out.has_titles:
            results["dev" + UNTITLED] = evaluate_counts(classifier.model_, held_out, titles=False)
    strata = evaluate_strata(classifier.model_, probabilities, sample)
    both, both_grades = np.concatenate([probabilities, untitled]), np.concatenate([sample.grades] * 2)
    model = replace(classifier.model_, about=_about(classifier, training, results, both, both_grades))
    if not force:
        _refuse_if_worse(model, results, held_out, out)
    progress(f"writing {out}")
    metrics = {name: result.to_json() for name, result in results.items()}
    metrics["strata"] = {name: result.to_json() for name, result in strata.items()}
    curves = {
        area: reliability(column[known], grades[known] > 0)
        for area, column, grades in zip(model.areas, probabilities.T, sample.grades.T)
        if (known := grades != UNKNOWN).any()
    }
    documents = {
        "metrics.json": json.dumps(metrics, indent=2, ensure_ascii=False) + "\n",
        "CARD.md": write_card(model, results, strata, classifier.rare_, STUDY if study is not None else None),
        "calibration.svg": calibration_plot(curves),
    }
    store.save(model, out, documents | ({STUDY: study} if study is not None else {}))
    return model


def evaluate_counts(model: Model, dataset: Dataset, titles: bool = True) -> Evaluation:
    """Judge `model` on labelled counts, on the areas that it has; a label that is missing is not judged.

    Abstracts are read with their titles where these are known, unless `titles` is false.
    """
    counts = dataset.full if titles else dataset.counts
    return evaluate(model, sigmoid(log_odds_of_counts(model, counts)), grades_of(dataset, model.areas))


def grades_of(dataset: Dataset, areas: tuple[str, ...]) -> NDArray[np.int8]:
    """Grades of `areas`, shape (abstracts, areas); unknown for those that the dataset does not have."""
    grades = np.full((len(dataset), len(areas)), UNKNOWN, dtype=np.int8)
    for column, area in enumerate(areas):
        if area in dataset.areas:
            grades[:, column] = dataset.grades[:, dataset.areas.index(area)]
    return grades


def evaluate_strata(model: Model, probabilities: NDArray[np.float32], sample: Dataset) -> dict[str, Evaluation]:
    """Judge `probabilities` of `sample` in each stratum of :data:`MIN_STRATUM` abstracts; empty if there is one."""
    strata = sample.provenance["stratum"]
    rows = {str(name): np.flatnonzero(strata == name) for name in np.unique(strata) if name}
    return {
        name: evaluate(model, probabilities[positions], sample.grades[positions], n_bootstrap=200)
        for name, positions in rows.items()
        if len(rows) > 1 and len(positions) >= MIN_STRATUM
    }


def _refuse_if_worse(model: Model, results: dict[str, Evaluation], held_out: Dataset, out: Path) -> None:
    """Compare with the model that is at `out`, if it can be read and knows any of the same areas."""
    try:
        old = store.load(out)
    except ModelError:
        return
    if not set(old.areas) & set(model.areas):
        return
    if len(held_out):
        old_probabilities, new_probabilities = (sigmoid(log_odds_of_counts(m, held_out.full)) for m in (old, model))
        result = compare(old, model, old_probabilities, new_probabilities, held_out.areas, held_out.grades).macro
        before, after, worse, where = result.old, result.new, result.high < 0, "dev"
    else:
        before = old.about.get("metrics", {}).get("cross-validation", {}).get("macro_f1", 0.0)
        after, _, high = results["cross-validation"].macro["f1"]
        worse, where = high < before, "cross-validation"
    if worse:
        raise ModelError(
            f"{out}: holds a better model (macro-F1 {before:.3f} on {where}, the new one {after:.3f}, "
            "more than chance explains); keep it, name another --out, or give --force"
        )


def _about(
    classifier: AreaClassifier,
    training: Dataset,
    results: dict[str, Evaluation],
    probabilities: NDArray[np.float32],
    grades: NDArray[np.int8],
) -> dict[str, Any]:
    columns = list(zip(training.areas, training.grades.T))
    return {
        "trained_by": {
            "tagger": tagger.__version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scipy": scipy.__version__,
            "scikit-learn": sklearn.__version__,
        },
        "method": _method(classifier),
        "trained_on": {
            "abstracts": len(training),
            "drawn_at_random": int(training.representative.sum()),
            "with_title": int((np.diff(training.titles.matrix.indptr) > 0).sum()),
            "present": {area: int((column > 0).sum()) for area, column in columns},
            "judged": {area: int((column != UNKNOWN).sum()) for area, column in columns},
        },
        "rare": list(classifier.rare_),
        "metrics": {
            name: _summary(result)
            | ({"abstracts_alone": _summary(results[name + UNTITLED])} if name + UNTITLED in results else {})
            for name, result in results.items()
            if not name.endswith(UNTITLED)
        },
        "operating_points": {
            area: operating_points(probabilities[known, column], grades[known, column] > 0)
            for column, area in enumerate(training.areas)
            if (known := grades[:, column] != UNKNOWN).any()
        },
    }


def _summary(result: Evaluation) -> dict[str, Any]:
    return {
        "abstracts": result.n_abstracts,
        "macro_f1": round(result.macro["f1"][0], 4),
        "macro_average_precision": round(result.macro["average_precision"][0], 4),
        "f1": {area: round(values["f1"], 4) for area, values in result.areas.items()},
        "central_macro_f1": round(result.central_macro["f1"][0], 4) if result.central else None,
    }


def _method(classifier: AreaClassifier) -> dict[str, Any]:
    settings: dict[str, Any] = classifier.get_params(deep=False)
    for name in ("areas", "embeddings", "n_jobs"):
        del settings[name]
    chosen = next(tried["classifiers"] for tried in classifier.tried_ if tried["chosen"])
    return {"classifiers": chosen, "tried": classifier.tried_} | settings | {"network": asdict(classifier.network)}
