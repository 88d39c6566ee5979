"""``tagger train``: labels -> a model directory."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tagger.commands.options import Commands, add_fields, fields_of
from tagger.errors import InputError


def add(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "train",
        help="train a model",
        description="Train a model: on the shipped labels, on these and labels of your own, or on yours alone.",
    )
    parser.set_defaults(run=run)
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--labels", metavar="FILE", help="train areas of your own on this CSV or JSON Lines file")
    source.add_argument("--add", metavar="FILE", action="append", help="add these labels to those in --data")
    parser.add_argument("--data", default="data", metavar="DIR", help="shipped labels and counts (default: data)")
    parser.add_argument("--out", metavar="DIR", help="the model (default: models/areas; needed with --labels)")
    parser.add_argument("--jobs", type=int, default=-1, metavar="N", help="processes (-1: all cores)")
    parser.add_argument("--force", action="store_true", help="replace a model even by a clearly worse one")
    add_fields(parser)


def run(options: argparse.Namespace) -> int:
    """Run the command; returns its exit code."""
    from training.dataset import EMBEDDINGS, STUDY, add_labels, dataset_of, load_dataset
    from training.embeddings import read_embeddings
    from training.labelled import read_labelled
    from training.train import train

    def progress(message: str) -> None:
        if sys.stderr.isatty():
            print(f"tagger: {message}", file=sys.stderr)

    if options.labels and not options.out:
        raise InputError("--labels needs --out; name a directory for the model")
    fields = fields_of(options)
    progress("reading labels")
    if options.labels:
        embeddings = Path(options.data) / EMBEDDINGS
        known = read_embeddings(embeddings) if embeddings.exists() else None
        dataset = dataset_of(read_labelled(options.labels, None, fields), known)
    else:
        dataset = load_dataset(options.data)
        for path in options.add or ():
            dataset = add_labels(dataset, read_labelled(path, None, fields))
    out = options.out or "models/areas"
    tried = Path(options.data) / STUDY
    of_these_labels = not options.labels and not options.add and tried.exists()
    study = tried.read_text(encoding="utf-8") if of_these_labels else None
    model = train(dataset, Path(out), options.jobs, options.force, progress, study)
    for name, values in model.about["metrics"].items():
        alone = values.get("abstracts_alone")
        titles = f", {alone['macro_f1']:.3f} without their titles" if alone else ""
        print(f"{name}: macro-F1 {values['macro_f1']:.3f} on {values['abstracts']:,} abstracts{titles}")
    if rare := model.about["rare"]:
        print(f"too few labels to cross-validate, so never sure: {', '.join(rare)}")
    print(f"{out} written")
    return 0
