"""Tables and JSON with some records broken, each in one of the ways that files in the wild are."""

from __future__ import annotations

import csv
import io
import json
import random
import re
from collections.abc import Callable, Sequence

from abstracts import long_abstract

Row = tuple[str, str, str]
NAMES = ("id", "abstract", "year")


def good_row(number: int, multi_line: bool = False) -> Row:
    """A row with an id that tells its number."""
    text = long_abstract(number)
    return f"p{number}", text.replace(". ", ".\n") if multi_line else text, str(1990 + number % 30)


def csv_row(row: Sequence[str], delimiter: str = ",", quoting: int = csv.QUOTE_MINIMAL, line_end: str = "\n") -> str:
    """A row as the csv module writes it."""
    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter, quoting=quoting, lineterminator=line_end).writerow(row)
    return stream.getvalue()


def broken_csv_row(kind: str, number: int, delimiter: str = ",", line_end: str = "\n") -> str:
    """A row that is broken in one of the ways of :data:`CSV_KINDS`, on one line."""
    text = long_abstract(number)
    cells = {
        "unclosed quote": [f"p{number}", f'"{text}', "2020"],
        "too many cells": [f"p{number}", text, "2020", "more", "and more"],
        "too few cells": [f"p{number}", text],
        "text after the quote": [f"p{number}", f'"{text}" and more', "2020"],
        "unescaped quotes": [f"p{number}", f'"The "slow" oven. {text}"', "2020"],
    }[kind]
    return delimiter.join(cells) + line_end


CSV_KINDS = ("unclosed quote", "too many cells", "too few cells", "text after the quote", "unescaped quotes")


def json_object(number: int) -> dict[str, object]:
    """An object with an id that tells its number, and with objects and lists in it."""
    return {
        "id": f"p{number}",
        "title": f"Study {number}",
        "abstract": long_abstract(number),
        "authors": [{"name": "A. Baker", "id": 7}, {"name": "B. Cook", "id": 8}],
        "venue": {"id": "v1", "name": "Ovens"},
    }


JSON_KINDS: dict[str, Callable[[str], str]] = {
    "no closing brace": lambda text: text.rstrip()[:-1],
    "a string without an end": lambda text: re.sub(r'"(,\s*"authors")', r"\1", text),
    "a missing comma": lambda text: re.sub(r',(\s*"abstract")', r"\1", text),
    "a bare word": lambda text: text.replace('"abstract": "', '"abstract": nothing "', 1),
    "cut short": lambda text: text[: len(text) // 2],
    "a brace too many": lambda text: text + "}",
    "a wrong escape": lambda text: text.replace("study", "st\\udy", 1),
}


def broken_json(kind: str, number: int, indent: int | None = None) -> str:
    """An object that is broken in one of the ways of :data:`JSON_KINDS`."""
    text = json.dumps(json_object(number), indent=indent)
    return JSON_KINDS[kind](text)


def mixed(n: int, share: float, kinds: Sequence[str], seed: int) -> list[str | None]:
    """For each of `n` records, the kind in which it is broken, or None for a good one."""
    generator = random.Random(seed)
    return [generator.choice(kinds) if generator.random() < share else None for _ in range(n)]
