"""``tagger info``: show a model."""

from __future__ import annotations

import argparse

from tagger.commands.options import Commands, add_model


def add(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser("info", help="show a model", description="Show a model: areas, metrics, origin.")
    parser.set_defaults(run=run)
    add_model(parser)


def run(options: argparse.Namespace) -> int:
    """Run the command; returns its exit code."""
    from tagger.tagging import load

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
    return 0
