"""``tagger train``: labels -> a model directory."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tagger.commands.options import Commands


def add(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser("train", help="train a model", description="Train a model on labelled abstracts.")
    parser.set_defaults(run=run)
    parser.add_argument("--data", default="data", metavar="DIR", help="labels and n-gram counts (default: data)")
    parser.add_argument("--out", default="models/areas", metavar="DIR", help="the model (default: models/areas)")
    parser.add_argument("--jobs", type=int, default=-1, metavar="N", help="processes (-1: all cores)")


def run(options: argparse.Namespace) -> int:
    """Run the command; returns its exit code."""
    from training.dataset import load_dataset
    from training.train import train

    def progress(message: str) -> None:
        if sys.stderr.isatty():
            print(f"tagger: {message}", file=sys.stderr)

    progress("reading labels and counts")
    model = train(load_dataset(options.data), Path(options.out), options.jobs, progress)
    for name, values in model.about["metrics"].items():
        print(f"{name}: macro-F1 {values['macro_f1']:.3f} on {values['abstracts']:,} abstracts")
    print(f"{options.out} written")
    return 0
