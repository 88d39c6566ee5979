"""``tagger evaluate``: judge a model on labelled abstracts."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tagger.commands.options import Commands, add_fields, add_model, fields_of

if TYPE_CHECKING:
    from training.evaluate import Evaluation


def add(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "evaluate", help="judge a model on labelled abstracts", description="Judge a model on labelled abstracts."
    )
    parser.set_defaults(run=run)
    parser.add_argument("file", nargs="?", metavar="FILE", help="labelled CSV or JSON Lines (default: the dev split)")
    parser.add_argument("--data", default="data", metavar="DIR", help="where the dev split is (default: data)")
    parser.add_argument("--split", default="dev", help="split of the data to judge on (default: dev)")
    parser.add_argument("--json", action="store_true", help="print JSON, with precision and recall at each threshold")
    add_fields(parser)
    add_model(parser)


def run(options: argparse.Namespace) -> int:
    """Run the command; returns its exit code."""
    import json

    from tagger import store
    from tagger.model import sigmoid
    from training.calibration import operating_points
    from training.dataset import load_split
    from training.evaluate import evaluate, log_odds_of_counts
    from training.labelled import read_labelled
    from training.train import evaluate_counts, evaluate_strata, grades_of

    model = store.load(options.model or store.shipped_model())
    strata: dict[str, Evaluation] = {}
    untitled: Evaluation | None = None
    if options.file:
        labelled = read_labelled(options.file, model.areas, fields_of(options))
        probabilities, grades = model.probabilities(labelled.full_texts), labelled.grades
        if labelled.titles:
            untitled = evaluate(model, model.probabilities(list(labelled.texts)), grades)
    else:
        dataset = load_split(options.data, options.split)
        probabilities, grades = sigmoid(log_odds_of_counts(model, dataset.full)), grades_of(dataset, model.areas)
        if dataset.has_titles:
            untitled = evaluate_counts(model, dataset, titles=False)
        strata = evaluate_strata(model, probabilities, dataset)
    result = evaluate(model, probabilities, grades)
    if not options.json:
        _print_evaluation(result, untitled, strata)
        return 0
    curves = {
        area: operating_points(column[known], judged[known] > 0)
        for area, column, judged in zip(model.areas, probabilities.T, grades.T)
        if (known := judged >= 0).any()
    }
    by_stratum = {name: stratum.to_json() for name, stratum in strata.items()}
    parts = {"abstracts_alone": untitled.to_json() if untitled else None, "strata": by_stratum, "curves": curves}
    print(json.dumps(result.to_json() | parts, indent=2, ensure_ascii=False))
    return 0


def _print_evaluation(result: Evaluation, untitled: Evaluation | None, strata: dict[str, Evaluation]) -> None:
    columns = ("precision", "recall", "f1", "average_precision", "calibration_error")
    titles = ("precision", "recall", "F1", "avg. prec.", "calib. err.")
    print(f"{result.n_abstracts:,} abstracts" + (", read with their titles" if untitled else ""))
    print(f"{'area':24} {'present':>8}" + "".join(f" {title:>11}" for title in titles))
    for area, values in result.areas.items():
        print(f"{area:24} {values['present']:>8}" + "".join(f" {values[name]:>11.3f}" for name in columns))
    _print_summary(result)
    if untitled:
        print("\nabstracts alone")
        _print_summary(untitled)
    if strata:
        print(f"\n{'stratum':24} {'abstracts':>9} {'macro-F1':>9}  95 % interval")
    for name, stratum in strata.items():
        value, low, high = stratum.macro["f1"]
        print(f"{name:24} {stratum.n_abstracts:>9,} {value:>9.3f}  {low:.3f} to {high:.3f}")


def _print_summary(result: Evaluation) -> None:
    for name, title in (("f1", "macro-F1"), ("average_precision", "macro average precision")):
        value, low, high = result.macro[name]
        print(f"{title:24} {value:.3f} (95 % interval {low:.3f} to {high:.3f})")
    if result.central:
        value, low, high = result.central_macro["f1"]
        print(f"{'macro-F1 of central':24} {value:.3f} (95 % interval {low:.3f} to {high:.3f})")
    unsure, accuracy = result.decisions["unsure"], result.decisions["accuracy_outside"]
    print(f"{'unsure':24} {unsure:.1%} of decisions; {accuracy:.1%} of the others are right")
