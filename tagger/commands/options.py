"""Arguments that several commands have."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from tagger.formats.fields import Fields

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
