"""Which classifiers to blend, how to calibrate, what more labels would bring: ``python -m training.study``.

Cross-validates on the `train` split alone. Every kind of classifier is fitted on all texts of four folds and judged on
those texts of the fifth that were drawn at random, all with their titles; blends as :mod:`training.blend` makes them.
Thresholds are the best for these texts out of fold, so F1 is a little flattered, for all alike; an area is decided to
be central whether or not it is decided to be present. Log-odds of a blend carry its Platt calibration before others
are compared on them.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.metrics import average_precision_score

from training.blend import fit_blend
from training.calibration import best_f1_threshold
from training.calibrators import compare_calibrators
from training.candidates import KINDS, Problem, out_of_fold_margins, problem_of
from training.classifier import JOINT_MIN_TEXTS
from training.dataset import STUDY, load_dataset
from training.evaluate import precision_recall_f1

SHIPPED = ("linear", "network")
"""What the others are compared with."""
SETS: tuple[tuple[str, ...], ...] = (
    *((kind,) for kind in KINDS),
    SHIPPED,
    (*SHIPPED, "characters"),
    (*SHIPPED, "trees"),
    (*SHIPPED, "dense trees"),
    KINDS,
)
"""Sets of classifiers that are blended and compared."""
BOOTSTRAP = 1000
Progress = Callable[[str], None]


def study(problem: Problem, n_jobs: int = 1, progress: Progress = lambda message: None) -> dict[str, Any]:
    """Cross-validate every kind of classifier and :data:`SETS` of them, and compare calibrations.

    Parameters
    ----------
    problem : Problem
        Texts to learn from and be judged on.
    n_jobs : int
        Processes that fit at the same time.
    progress : callable
        Told in a few words what is being done.

    Returns
    -------
    dict
        Plain values: numbers of ``texts`` and of those ``judged``, the ``folds``; for each of ``sets`` its
        ``classifiers``, metrics and ``seconds`` of a processor; and for each kind of ``calibration`` its metrics.
    """
    progress(f"fitting {len(KINDS)} kinds of classifiers in {problem.folds} folds of {len(problem)} texts")
    margins, seconds = out_of_fold_margins(problem, KINDS, n_jobs)
    judged = problem.representative
    truth = problem.targets[judged]
    blended: dict[tuple[str, ...], NDArray[np.float64]] = {}
    blending: dict[tuple[str, ...], float] = {}
    for chosen in SETS:
        progress(f"blending {' + '.join(chosen)}")
        start = time.process_time()
        stacked = np.concatenate([margins[kind] for kind in chosen], axis=1)
        log_odds = fit_blend(stacked, problem.targets, judged, JOINT_MIN_TEXTS, problem.seed)[1]
        blended[chosen] = log_odds[judged]
        blending[chosen] = time.process_time() - start
    return {
        "texts": len(problem),
        "judged": int(judged.sum()),
        "folds": problem.folds,
        "sets": [
            {
                "classifiers": list(chosen),
                "shipped": chosen == SHIPPED,
                **_rounded(_metrics(log_odds, truth, problem)),
                "against_shipped": _rounded(_difference(log_odds, blended[SHIPPED], truth, problem, problem.seed)),
                "seconds": round(sum(seconds[kind] for kind in chosen) + blending[chosen], 1),
            }
            for chosen, log_odds in blended.items()
        ],
        "calibration": {
            "blend of " + " + ".join(SHIPPED): _calibrations(blended[SHIPPED], truth, problem),
            "linear alone, not blended": _calibrations(margins["linear"][judged], truth, problem),
        },
    }


def markdown(result: dict[str, Any], areas: tuple[str, ...]) -> str:
    """The tables of a study."""
    names = ["log-loss", "against shipped", "macro-F1", "against shipped", "macro-AP"]
    header = ["classifiers", *names, *(f"F1 {area}" for area in areas), "F1 central", "seconds"]
    lines = [_row(header), _row(["---"] * len(header))]
    for tried in result["sets"]:
        against = tried["against_shipped"]
        cells = [" + ".join(tried["classifiers"]) + (" (shipped)" if tried["shipped"] else "")]
        cells += [f"{tried['log_loss']:.4f}", f"{against['log_loss']:+.4f} ± {against['log_loss_error']:.4f}"]
        cells += [f"{tried['macro_f1']:.4f}", f"{against['macro_f1']:+.4f} ± {against['macro_f1_error']:.4f}"]
        cells += [f"{tried['macro_average_precision']:.4f}"]
        cells += [f"{tried['f1'][area]:.3f}" for area in areas]
        cells += ["" if tried["central_macro_f1"] is None else f"{tried['central_macro_f1']:.4f}"]
        lines.append(_row([*cells, f"{tried['seconds']:.0f}"]))
    lines += ["", _row(["log-odds", "calibration", "log-loss", "against none", "ECE", "worst ECE"]), _row(["---"] * 6)]
    for source, kinds in result["calibration"].items():
        for kind, values in kinds.items():
            cells = [source, kind, f"{values['log_loss']:.4f}"]
            cells += [f"{values['against_none']:+.4f} ± {values['error']:.4f}"]
            cells += [f"{values[name]:.4f}" for name in ("calibration_error", "worst_calibration_error")]
            lines.append(_row(cells))
    return "\n".join(lines)


def f1_scores(log_odds: NDArray[np.float64], targets: NDArray[np.float32]) -> list[float]:
    """F1 of each output at its best threshold, on the texts where it is known."""
    decided = _decide(log_odds, targets)
    known = ~np.isnan(targets)
    return [
        precision_recall_f1(decided[known[:, i], i], targets[known[:, i], i] > 0)[2] for i in range(targets.shape[1])
    ]


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _rounded(values: dict[str, Any]) -> dict[str, Any]:
    return {
        name: _rounded(value) if isinstance(value, dict) else value if value is None else round(value, 5)
        for name, value in values.items()
    }


def _calibrations(
    log_odds: NDArray[np.float64], truth: NDArray[np.float32], problem: Problem
) -> dict[str, dict[str, float]]:
    return _rounded(compare_calibrators(log_odds, truth, problem.seed))


def _losses(log_odds: NDArray[np.float64], targets: NDArray[np.float32]) -> NDArray[np.float64]:
    """Cross-entropy of each output in each text, NaN where it is unknown."""
    return np.asarray(np.logaddexp(0, log_odds) - targets * log_odds)


def _decide(log_odds: NDArray[np.float64], targets: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Whether each output's probability reaches the threshold that is best where the output is known."""
    probabilities = expit(log_odds)
    decided = np.zeros(log_odds.shape, dtype=bool)
    for output, target in enumerate(targets.T):
        known = ~np.isnan(target)
        threshold = best_f1_threshold(probabilities[known, output], target[known] > 0)
        decided[:, output] = probabilities[:, output] >= threshold
    return decided


def _metrics(log_odds: NDArray[np.float64], targets: NDArray[np.float32], problem: Problem) -> dict[str, Any]:
    f1 = f1_scores(log_odds, targets)
    losses = np.nanmean(_losses(log_odds, targets), axis=0)
    known = ~np.isnan(targets)
    precisions = [
        average_precision_score(targets[known[:, i], i] > 0, log_odds[known[:, i], i])
        for i in range(problem.n_areas)
        if (targets[known[:, i], i] > 0).any()
    ]
    return {
        "log_loss": float(losses.mean()),
        "log_loss_of": dict(zip(problem.outputs, losses.tolist())),
        "macro_f1": float(np.mean(f1[: problem.n_areas])),
        "macro_average_precision": float(np.mean(precisions)),
        "f1": dict(zip(problem.outputs, f1[: problem.n_areas])),
        "central_macro_f1": float(np.mean(f1[problem.n_areas :])) if f1[problem.n_areas :] else None,
    }


def _difference(
    log_odds: NDArray[np.float64],
    others: NDArray[np.float64],
    targets: NDArray[np.float32],
    problem: Problem,
    seed: int,
) -> dict[str, float]:
    """How much larger log-loss and macro-F1 are than those of other log-odds, each with a standard error.

    Both are judged on the same texts: that of the log-loss is of a mean over texts, that of macro-F1 from
    :data:`BOOTSTRAP` resamples of the texts, with the thresholds as they are.
    """
    judged = ~np.isnan(targets).all(axis=1)
    loss = np.nanmean((_losses(log_odds, targets) - _losses(others, targets))[judged], axis=1)
    n = problem.n_areas
    known = ~np.isnan(targets[:, :n])
    truth = (targets[:, :n] > 0) & known
    generator = np.random.default_rng(seed)
    share = np.full(len(targets), 1 / len(targets))
    times = generator.multinomial(len(targets), share, BOOTSTRAP).astype(np.float64)
    draws = []
    for values in (log_odds, others):
        decided = _decide(values, targets)[:, :n] & known
        wanted = np.maximum(times @ decided + times @ truth, 1)
        draws.append((2 * (times @ (decided & truth)) / wanted).mean(axis=1))
    f1, f1_of_others = (np.mean(f1_scores(values, targets)[:n]) for values in (log_odds, others))
    return {
        "log_loss": float(loss.mean()),
        "log_loss_error": float(loss.std() / np.sqrt(len(loss))),
        "macro_f1": float(f1 - f1_of_others),
        "macro_f1_error": float(np.std(draws[0] - draws[1])),
    }


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("data"), help="labels and counts (default: data)")
    parser.add_argument("--out", type=Path, help=f"JSON to write (default: DATA/{STUDY}, docs/learning_curve.json)")
    parser.add_argument("--learning-curve", action="store_true", help="vary the number of labels instead, and plot it")
    parser.add_argument("--jobs", type=int, default=joblib.cpu_count(), help="processes (default: one a core)")
    arguments = parser.parse_args()
    problem = problem_of(load_dataset(arguments.data).split("train"))
    if arguments.learning_curve:
        from training import learning_curve  # it needs matplotlib for the plot

        out = arguments.out or Path("docs/learning_curve.json")
        curve = learning_curve.learning_curve(problem, n_jobs=arguments.jobs, progress=print)
        out.write_text(json.dumps(curve, indent=2) + "\n", encoding="utf-8")
        print(learning_curve.markdown(curve))
        learning_curve.plot(curve, out.with_suffix(".png"))
        return
    out = arguments.out or arguments.data / STUDY
    result = study(problem, arguments.jobs, progress=print)
    out.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(markdown(result, problem.outputs[: problem.n_areas]))


if __name__ == "__main__":
    main()
