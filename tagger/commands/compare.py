"""``tagger compare``: say whether one model is better than another."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tagger.commands.options import Commands, add_fields, fields_of

if TYPE_CHECKING:
    from training.compare import Comparison, Difference


def add(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "compare",
        help="compare two models",
        description="Compare two models on the same labelled abstracts, with a paired bootstrap.",
    )
    parser.set_defaults(run=run)
    parser.add_argument("old", metavar="OLD", help="a model directory")
    parser.add_argument("new", metavar="NEW", help="a model directory")
    parser.add_argument("file", nargs="?", metavar="FILE", help="labelled CSV or JSON Lines (default: the dev split)")
    parser.add_argument("--data", default="data", metavar="DIR", help="where the dev split is (default: data)")
    parser.add_argument("--split", default="dev", help="split of the data to compare on (default: dev)")
    parser.add_argument("--examples", type=int, default=3, metavar="N", help="examples of each kind (3)")
    add_fields(parser)


def run(options: argparse.Namespace) -> int:
    """Run the command; returns its exit code."""
    from tagger import store
    from tagger.model import sigmoid
    from training.compare import compare
    from training.dataset import load_split
    from training.evaluate import log_odds_of_counts
    from training.labelled import read_labelled

    models = [store.load(options.old), store.load(options.new)]
    if options.file:
        labelled = read_labelled(options.file, None, fields_of(options))
        ids, areas, grades = labelled.ids, labelled.areas, labelled.grades
        texts: tuple[str, ...] = labelled.texts
        old, new = (model.probabilities(labelled.full_texts) for model in models)
        alone = [model.probabilities(list(texts)) for model in models] if labelled.titles else []
    else:
        dataset = load_split(options.data, options.split)
        ids, areas, grades, texts = dataset.ids, dataset.areas, dataset.grades, ()
        old, new = (sigmoid(log_odds_of_counts(model, dataset.full)) for model in models)
        alone = [sigmoid(log_odds_of_counts(m, dataset.counts)) for m in models] if dataset.has_titles else []
    result = compare(models[0], models[1], old, new, areas, grades)
    untitled = compare(models[0], models[1], alone[0], alone[1], areas, grades).macro if alone else None
    _print_comparison(result, untitled, ids, texts, options.examples)
    return 0


def _print_comparison(
    result: Comparison, untitled: Difference | None, ids: tuple[str, ...], texts: tuple[str, ...], n_examples: int
) -> None:
    print(f"F1 on {result.n_abstracts:,} abstracts" + (", read with their titles" if untitled else ""))
    print(f"{'area':24} {'old':>7} {'new':>7} {'change':>8}  95 % interval of the change")
    for area, difference in result.areas.items():
        _print_difference(area, difference)
    _print_difference("macro", result.macro)
    if untitled:
        _print_difference("macro, abstracts alone", untitled)
    for area, (better, worse) in result.changed.items():
        for kind, rows in (("right now, wrong before", better), ("wrong now, right before", worse)):
            if rows and n_examples > 0:
                print(f"\n{area}: {len(rows)} {kind}")
                for row in rows[:n_examples]:
                    print(f"  {ids[row]}" + (f"  {' '.join(texts[row].split())[:90]}" if texts else ""))


def _print_difference(name: str, difference: Difference) -> None:
    change = difference.new - difference.old
    interval = f"{difference.low:+.3f} to {difference.high:+.3f}"
    print(f"{name:24} {difference.old:>7.3f} {difference.new:>7.3f} {change:>+8.3f}  {interval}  {difference.verdict}")
