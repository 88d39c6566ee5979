"""The command ``tagger``: argument parsing and printing only."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from tagger.errors import InputError, TaggerError

if TYPE_CHECKING:
    from tagger.records import Record
    from training.evaluate import Evaluation

INPUT_FORMATS = ("text", "jsonl", "csv", "tsv")
OUTPUT_FORMATS = ("table", "jsonl", "csv")


class _Parser(argparse.ArgumentParser):
    """Says what is wrong with the arguments in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see `{self.prog} --help`\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code: 0 done, 1 some records failed, 2 refused."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except TaggerError as error:
        print(f"tagger: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader of our output has gone, as `head` does; point stdout nowhere so that its closing does not fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("tagger: interrupted", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="tagger", description="Tag abstracts by research area, and train areas of your own.")
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    parser.set_defaults(run=_version_or_help, parser=parser)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=_Parser)

    tag = commands.add_parser("tag", help="tag the abstracts in files", description="Tag the abstracts in files.")
    tag.set_defaults(run=_tag)
    tag.add_argument("files", nargs="+", metavar="FILE", help="a list of abstracts, JSON Lines or CSV; - for stdin")
    tag.add_argument("-o", "--output", metavar="FILE", help="write here; the name's ending chooses .jsonl or .csv")
    tag.add_argument("--format", choices=OUTPUT_FORMATS, help="output format (table on a terminal, else jsonl)")
    tag.add_argument("--from", dest="input_format", choices=INPUT_FORMATS, help="input format (found if not given)")
    tag.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="processes that share the work (1; -1: all cores)"
    )
    _add_fields(tag)
    _add_model(tag)

    info = commands.add_parser("info", help="show a model", description="Show a model: areas, metrics, origin.")
    info.set_defaults(run=_info)
    _add_model(info)

    train = commands.add_parser("train", help="train a model", description="Train a model on labelled abstracts.")
    train.set_defaults(run=_train)
    train.add_argument("--data", default="data", metavar="DIR", help="labels and n-gram counts (default: data)")
    train.add_argument("--out", default="models/areas", metavar="DIR", help="the model (default: models/areas)")
    train.add_argument("--jobs", type=int, default=-1, metavar="N", help="processes (-1: all cores)")

    evaluate = commands.add_parser(
        "evaluate", help="judge a model on labelled abstracts", description="Judge a model on labelled abstracts."
    )
    evaluate.set_defaults(run=_evaluate)
    evaluate.add_argument("file", nargs="?", metavar="FILE", help="labelled CSV or JSON Lines (default: the dev split)")
    evaluate.add_argument("--data", default="data", metavar="DIR", help="where the dev split is (default: data)")
    evaluate.add_argument("--split", default="dev", help="split of the data to judge on (default: dev)")
    evaluate.add_argument("--json", action="store_true", help="print JSON")
    _add_fields(evaluate)
    _add_model(evaluate)
    return parser


def _add_fields(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--text-field", metavar="NAME", help="column or field that holds the abstract")
    parser.add_argument("--id-field", metavar="NAME", help="column or field that holds the id")
    parser.add_argument("--title-field", metavar="NAME", help="column or field that holds the title")


def _add_model(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", metavar="DIR", help="a model directory (default: the shipped model)")


def _version_or_help(options: argparse.Namespace) -> int:
    from tagger import __version__

    if options.version:
        print(f"tagger {__version__}")
        return 0
    options.parser.error("no command given")
    raise AssertionError("the parser has exited")


def _tag(options: argparse.Namespace) -> int:
    from tagger.formats import read_records
    from tagger.formats.fields import Fields
    from tagger.formats.output import WRITERS, format_of_file, whole_file
    from tagger.records import Tagged
    from tagger.tagging import load

    if options.jobs == 0 or options.jobs < -1:
        raise InputError(f"--jobs {options.jobs}: give a number of processes, or -1 for one a core")
    format_ = options.format
    if format_ is None:
        on_terminal = "table" if sys.stdout.isatty() else "jsonl"
        format_ = format_of_file(options.output) if options.output else on_terminal
    fields = Fields(options.text_field, options.id_field, options.title_field)
    # Every file is opened and found to hold something before the first result is written.
    streams = [read_records(file, options.input_format, fields) for file in options.files]
    tagger = load(options.model)
    total = failed = 0
    with whole_file(options.output) if options.output else nullcontext(sys.stdout) as output:
        writer = WRITERS[format_](output, tagger.areas)
        kept: list[Record] = []
        for tags in tagger.tag_many(_remember(chain.from_iterable(streams), kept), n_jobs=options.jobs):
            writer.write(Tagged(kept.pop(0), tags))
            total += 1
            failed += tags.error is not None
    if failed:
        print(f"tagger: {failed} of {total} records could not be tagged; their rows say why", file=sys.stderr)
    elif options.output and sys.stderr.isatty():
        print(f"tagger: {total} abstracts tagged, {options.output} written", file=sys.stderr)
    return 1 if failed else 0


def _remember(records: Iterator[Record], kept: list[Record]) -> Iterator[Record]:
    """Pass `records` on and keep each in `kept` until its tags come back."""
    for record in records:
        kept.append(record)
        yield record


def _info(options: argparse.Namespace) -> int:
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


def _train(options: argparse.Namespace) -> int:
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


def _evaluate(options: argparse.Namespace) -> int:
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
        result = evaluate(tagger.model, tagger.predict_proba(labelled.texts), labelled.grades)
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
    unsure, accuracy = result.decisions["unsure"], result.decisions["accuracy_outside"]
    print(f"{'unsure':24} {unsure:.1%} of decisions; {accuracy:.1%} of the others are right")


if __name__ == "__main__":
    sys.exit(main())
