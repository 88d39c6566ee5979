"""Arguments that several commands have."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from tagger.formats.fields import Fields
    from tagger.tagging import Tagger

    Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
else:
    Commands = object


def add_fields(parser: argparse.ArgumentParser) -> None:
    """Add the options that name the fields of a record."""
    parser.add_argument("--text-field", metavar="NAME", help="column or field that holds the abstract")
    parser.add_argument("--id-field", metavar="NAME", help="column or field that holds the id")
    parser.add_argument("--title-field", metavar="NAME", help="column or field that holds the title")


def fields_of(options: argparse.Namespace) -> Fields:
    """The names of fields that were given with the options of :func:`add_fields`."""
    from tagger.formats.fields import Fields

    return Fields(options.text_field, options.id_field, options.title_field)


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add the option that names a model."""
    parser.add_argument("--model", metavar="DIR", help="a model directory (default: the shipped model)")


def add_operating_point(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose the probabilities from which areas are tagged."""
    wanted = parser.add_mutually_exclusive_group()
    wanted.add_argument("--precision", type=float, metavar="P", help="tag so that each area has this precision")
    wanted.add_argument("--recall", type=float, metavar="R", help="tag so that each area has this recall")


def load_tagger(options: argparse.Namespace) -> Tagger:
    """Load the model that was named, at the operating point that was given with :func:`add_operating_point`."""
    from tagger.tagging import load

    tagger = load(options.model)
    if options.precision is None and options.recall is None:
        return tagger
    return tagger.at(options.precision, options.recall)
