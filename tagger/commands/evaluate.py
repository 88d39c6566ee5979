"""``tagger evaluate``: judge a model on labelled abstracts."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tagger.commands.options import Commands, add_fields, add_model
from tagger.errors import InputError

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
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_fields(parser)
    add_model(parser)


def run(options: argparse.Namespace) -> int:
    """Run the command; returns its exit code."""
    import json

    from tagger.formats.fields import Fields
    from tagger.tagging import load
    from training.dataset import load_dataset
    from training.evaluate import evaluate
    from training.labelled import read_labelled
    from training.train import evaluate_counts

    tagger = load(options.model)
    if options.file:
        fields = Fields(options.text_field, options.id_field, options.title_field)
        labelled = read_labelled(options.file, tagger.areas, fields)
        result = evaluate(tagger.model, tagger.model.probabilities(list(labelled.texts)), labelled.grades)
    else:
        dataset = load_dataset(options.data).split(options.split)
        if not len(dataset):
            raise InputError(f"{options.data}: no abstracts in the split {options.split!r}; use train or dev")
        result = evaluate_counts(tagger.model, dataset)
    if options.json:
        print(json.dumps(result.to_json(), indent=2))
    else:
        _print_evaluation(result)
    return 0


def _print_evaluation(result: Evaluation) -> None:
    columns = ("precision", "recall", "f1", "average_precision", "calibration_error")
    titles = ("precision", "recall", "F1", "avg. prec.", "calib. err.")
    print(f"{result.n_abstracts:,} abstracts")
    print(f"{'area':24} {'present':>8}" + "".join(f" {title:>11}" for title in titles))
    for area, values in result.areas.items():
        print(f"{area:24} {values['present']:>8}" + "".join(f" {values[name]:>11.3f}" for name in columns))
    for name, title in (("f1", "macro-F1"), ("average_precision", "macro average precision")):
        value, low, high = result.macro[name]
        print(f"{title:24} {value:.3f} (95 % interval {low:.3f} to {high:.3f})")
    if result.central:
        value, low, high = result.central_macro["f1"]
        print(f"{'macro-F1 of central':24} {value:.3f} (95 % interval {low:.3f} to {high:.3f})")
    unsure, accuracy = result.decisions["unsure"], result.decisions["accuracy_outside"]
    print(f"{'unsure':24} {unsure:.1%} of decisions; {accuracy:.1%} of the others are right")
