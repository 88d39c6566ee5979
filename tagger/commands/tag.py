"""``tagger tag``: tag the abstracts in files."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tagger.commands import reading, writing
from tagger.commands.options import Commands, add_fields, add_model, add_operating_point, load_tagger
from tagger.errors import InputError

if TYPE_CHECKING:
    from tagger.model import Model


def add(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "tag",
        help="tag the abstracts in files",
        description="Tag the abstracts in files.",
        epilog=writing.EXIT_CODES,
    )
    parser.set_defaults(run=run)
    reading.add_input(parser)
    writing.add_output(parser)
    parser.add_argument("--keep", action="store_true", help="pass the other fields of the input through")
    parser.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="processes that share the work (1; -1: all cores)"
    )
    add_operating_point(parser)
    add_fields(parser)
    add_model(parser)


def run(options: argparse.Namespace) -> int:
    """Run the command; returns its exit code."""
    from tagger.formats.layout import Layout
    from tagger.formats.output import WITHOUT_FIELDS

    if options.jobs == 0 or options.jobs < -1:
        raise InputError(f"--jobs {options.jobs}: give a number of processes, or -1 for one a core")
    target = writing.look(options)
    if options.keep and target.format in WITHOUT_FIELDS:
        raise InputError(f"--keep: {target.format} has no room for other fields; give --format jsonl, csv or tsv")
    if target.is_complete:
        return 0
    input_ = reading.read(options)
    tagger = load_tagger(options)
    layout = Layout(tagger.areas, name_of(tagger.model, options.model), central=tagger.model.central)
    return writing.write(
        options,
        target,
        input_,
        lambda records: tagger.tag_many(records, n_jobs=options.jobs),
        layout,
        keep=options.keep,
        words=("tagging", "tagged"),
    )


def name_of(model: Model, directory: str | None) -> str:
    """What rows call a model: its name, or that of its directory, and 12 digits of its checksum."""
    from tagger.store import shipped_model

    name = model.about.get("name") or Path(directory or shipped_model()).resolve().name
    return f"{name} {model.about['checksum'][:12]}"
