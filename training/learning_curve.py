"""What more labels would bring: macro-F1 and average precision against the number of labelled texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.metrics import average_precision_score

from training.blend import fit_blend
from training.calibration import best_f1_threshold
from training.candidates import MIN_DF, Problem, fit_and_predict, out_of_fold_margins
from training.classifier import JOINT_MIN_TEXTS, NETWORK_MIN_TEXTS
from training.counts import NgramCounts, restrict
from training.evaluate import precision_recall_f1

SETS: tuple[tuple[str, ...], ...] = (("linear",), ("linear", "network"))
SIZES = (500, 1000, 2000, 4000, 8000)
"""Numbers of labelled texts; all that a repeat has come besides."""
REPEATS = 3
METRICS = ("macro_f1", "macro_average_precision")


def learning_curve(
    problem: Problem,
    sizes: Sequence[int] = SIZES,
    repeats: int = REPEATS,
    n_jobs: int = 1,
    progress: Callable[[str], None] = lambda message: None,
) -> dict[str, Any]:
    """Learn from more and more texts, judge on texts drawn at random that none of them has.

    A repeat holds out one fold and learns from growing parts of the others, in a random order. Blend and thresholds
    come from cross-validation within the part, as in training.

    Parameters
    ----------
    problem : Problem
        Texts to learn from and be judged on.
    sizes : sequence of int
        Numbers of texts to learn from; those that a repeat does not have are left out, and all it has added.
    repeats : int
        At most the folds of `problem`.
    n_jobs : int
        Processes that fit at the same time.
    progress : callable
        Told in a few words what is being done.

    Returns
    -------
    dict
        Plain values: numbers of texts ``judged`` in each repeat, and ``points``: ``classifiers``, ``labels``, and the
        values in each repeat of :data:`METRICS`.
    """
    tasks, judged = [], []
    for repeat, (pool, held_out) in enumerate(problem.splits()[:repeats]):
        order = np.random.default_rng(problem.seed + repeat).permutation(pool)
        judged.append(held_out[problem.representative[held_out]])
        tasks += [(repeat, order[:size]) for size in sizes if size < len(pool)] + [(repeat, order)]
    tasks.sort(key=lambda task: -len(task[1]))  # the long ones first, so that no process ends alone
    progress(f"fitting {' and '.join(' + '.join(chosen) for chosen in SETS)} on {len(tasks)} sets of labels")
    results = Parallel(n_jobs=n_jobs)(delayed(_learn_and_judge)(problem, part, judged[r]) for r, part in tasks)
    points: dict[tuple[tuple[str, ...], int], list[tuple[float, float]]] = {}
    most = max(len(part) for _, part in tasks)
    for (_, part), result in zip(tasks, results):
        # Folds differ by one text: all of them are one size.
        labels = len(part) if len(part) in sizes else most
        for chosen, values in result.items():
            points.setdefault((chosen, labels), []).append(values)
    return {
        "judged": [len(rows) for rows in judged],
        "points": [
            {"classifiers": list(chosen), "labels": labels}
            | {name: [round(value, 5) for value in column] for name, column in zip(METRICS, zip(*values))}
            for (chosen, labels), values in sorted(points.items())
        ],
    }


def markdown(curve: dict[str, Any]) -> str:
    """The table of a learning curve: means over the repeats."""
    lines = ["| classifiers | labels | macro-F1 | macro-AP |", "| --- | --- | --- | --- |"]
    for point in curve["points"]:
        values = " | ".join(f"{np.mean(point[name]):.4f}" for name in METRICS)
        lines.append(f"| {' + '.join(point['classifiers'])} | {point['labels']} | {values} |")
    return "\n".join(lines)


def plot(curve: dict[str, Any], path: Path) -> None:
    """Draw a learning curve: a line a set of classifiers, with the range of its repeats behind it."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, 2, figsize=(7, 3.2), layout="constrained", sharex=True)
    repeats = len(curve["judged"])
    sizes = sorted({point["labels"] for point in curve["points"]})
    for axes, name, title in zip(panels, METRICS, ("macro-F1", "macro average precision")):
        for chosen, colour, style in zip(SETS, ("#8a8a8a", "#1f5fa8"), ("--", "-")):
            points = [point for point in curve["points"] if tuple(point["classifiers"]) == chosen]
            if not points:  # too few texts for a network
                continue
            labels = [point["labels"] for point in points]
            values = np.array([point[name] for point in points])
            axes.fill_between(labels, values.min(axis=1), values.max(axis=1), color=colour, alpha=0.15, linewidth=0)
            label = " + ".join(chosen)
            axes.plot(labels, values.mean(axis=1), style, marker="o", markersize=4, color=colour, label=label)
        axes.set_xscale("log")
        axes.set_xticks(sizes, [f"{size / 1000:.3g}k" if size >= 1000 else str(size) for size in sizes])
        axes.minorticks_off()
        axes.tick_params(labelsize=9)
        axes.set_ylabel(title)
        axes.grid(axis="y", color="#dddddd", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    caption = f"labelled abstracts (lines are means of {repeats} repeats, shades their range)"
    figure.supxlabel(caption, fontsize="medium")
    panels[0].legend(loc="lower right", frameon=False)
    figure.savefig(path, dpi=200, metadata={"Software": None})
    pyplot.close(figure)


def _learn_and_judge(
    problem: Problem, part: NDArray[np.int64], judged: NDArray[np.int64]
) -> dict[tuple[str, ...], tuple[float, float]]:
    """Macro-F1 and average precision on the texts that are judged, for each of :data:`SETS`, learnt from a part."""
    counts = problem.counts[part]
    frequency = np.bincount(counts.matrix.indices, minlength=len(counts.vocabulary))
    vocabulary = restrict(counts.vocabulary, frequency >= MIN_DF)
    columns = problem.counts[np.concatenate([part, judged])].columns(vocabulary)
    both = replace(problem[np.concatenate([part, judged])], counts=NgramCounts(vocabulary, columns))
    rows, others = np.arange(len(part)), np.arange(len(part), len(both))
    learning = both[rows]
    kinds = SETS[-1] if len(part) >= NETWORK_MIN_TEXTS else SETS[0]
    within, _ = out_of_fold_margins(learning, kinds)
    outside = {kind: fit_and_predict(both, kind, rows, others)[0] for kind in kinds}
    results = {}
    for chosen in (candidate for candidate in SETS if set(candidate) <= set(kinds)):
        stacked = np.concatenate([within[kind] for kind in chosen], axis=1)
        blend, log_odds = fit_blend(stacked, learning.targets, learning.representative, JOINT_MIN_TEXTS, problem.seed)
        unseen = blend.log_odds(np.concatenate([outside[kind] for kind in chosen], axis=1))
        results[chosen] = _judge(log_odds, learning, unseen, both.targets[others])
    return results


def _judge(
    log_odds: NDArray[np.float64], learning: Problem, unseen: NDArray[np.float64], targets: NDArray[np.float32]
) -> tuple[float, float]:
    """Macro-F1 and average precision over the areas, with thresholds from the texts that were learnt from."""
    scores, precisions = [], []
    for area in range(learning.n_areas):
        known = ~np.isnan(learning.targets[:, area]) & learning.representative
        threshold = best_f1_threshold(expit(log_odds[known, area]), learning.targets[known, area] > 0)
        judged = ~np.isnan(targets[:, area])
        truth, probabilities = targets[judged, area] > 0, expit(unseen[judged, area])
        scores.append(precision_recall_f1(probabilities >= threshold, truth)[2])
        precisions.append(average_precision_score(truth, probabilities))
    return float(np.mean(scores)), float(np.mean(precisions))
