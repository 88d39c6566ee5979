"""``tagger info``: show a model."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tagger.commands.options import Commands, add_model
from tagger.errors import InputError

if TYPE_CHECKING:
    from tagger.model import Model


def add(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser("info", help="show a model", description="Show a model: areas, metrics, origin.")
    parser.set_defaults(run=run)
    parser.add_argument(
        "--top", type=int, metavar="N", help="list the N strongest words and pairs of words for and against each area"
    )
    add_model(parser)


def run(options: argparse.Namespace) -> int:
    """Run the command; returns its exit code."""
    from tagger.tagging import load

    if options.top is not None and options.top < 1:
        raise InputError(f"--top {options.top}: give a number from 1")
    tagger = load(options.model)
    model = tagger.model
    about = model.about
    print(f"areas      {', '.join(tagger.areas)}")
    print(f"n-grams    {len(model.vocabulary):,}")
    print(f"checksum   {about['checksum'][:16]}")
    if trained_on := about.get("trained_on"):
        print(f"trained on {trained_on['abstracts']:,} abstracts, {trained_on['drawn_at_random']:,} drawn at random")
    print()
    metrics = about.get("metrics", {})
    header = f"{'area':24} {'present in':>10} {'threshold':>10} {'unsure':>12}"
    print(header + "".join(f" {'F1 ' + name:>20}" for name in metrics))
    for i, area in enumerate(tagger.areas):
        band = f"{model.unsure[i, 0]:.2f} - {model.unsure[i, 1]:.2f}"
        present = about.get("trained_on", {}).get("present", {}).get(area, "")
        line = f"{area:24} {present:>10} {model.thresholds[i]:>10.3f} {band:>12}"
        print(line + "".join(f" {values['f1'][area]:>20.3f}" for values in metrics.values()))
    if metrics:
        print(f"{'macro':24} {'':>34}" + "".join(f" {values['macro_f1']:>20.3f}" for values in metrics.values()))
    if options.top:
        _print_strongest(model, options.top)
    return 0


def _print_strongest(model: Model, n: int) -> None:
    """List the strongest n-grams of each area."""
    import shutil
    import textwrap

    from tagger.evidence.typical import strongest
    from tagger.terminal import clean

    width = max(20, min(shutil.get_terminal_size((100, 24)).columns, 110))
    how = "Strongest words and pairs of words, with the log-odds that one of them adds to an average text; " + (
        "those that also occur in many texts come first." if model.network else "rare ones are not weighted down."
    )
    print("\n" + textwrap.fill(how, width))
    for area, sides in strongest(model, n).items():
        print(f"\n{clean(area)}")
        for side, items in zip(("for", "against"), sides):
            listed = ", ".join(f"{clean(ngram)}\xa0{share:+.2f}".replace(" ", "\xa0") for ngram, share in items)
            lines = textwrap.wrap(listed or "-", width - 10, break_on_hyphens=False)
            for k, line in enumerate(lines):
                print(f"  {side if k == 0 else '':8}" + line.replace("\xa0", " "))
