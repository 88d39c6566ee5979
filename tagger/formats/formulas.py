"""Cells of a table that a spreadsheet would run as a formula: made harmless when written, given back when read.

An apostrophe goes before such a cell. One that has apostrophes there already gets another, so that each text is written
in a way of its own, and what :func:`harmless` made of any text :func:`restored` undoes. Other programs guard cells in
the same way, so theirs are read without the apostrophe, too; of a text that begins with one for another reason, such as
``'-omics'``, it is lost where a table of another program is read. All other apostrophes stay.
"""

from __future__ import annotations

import re

_FORMULA = re.compile(r"'*(?=[=+\-@\t\r\n＝＋－＠])")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
FIRST_CHARACTERS = frozenset("'=+-@\t\r\n＝＋－＠")
"""What cells begin with of which :func:`harmless` may make others; for those who ask it for many."""


def harmless(cell: str) -> str:
    """`cell`, with an apostrophe more if a spreadsheet would run it, or what follows its apostrophes; no number is."""
    return f"'{cell}" if _is_formula(cell) else cell


def restored(cell: str) -> str:
    """The cell of which :func:`harmless` made `cell`."""
    return cell[1:] if cell[:1] == "'" and _is_formula(cell) else cell


def _is_formula(cell: str) -> bool:
    begins = _FORMULA.match(cell)
    return begins is not None and not _NUMBER.fullmatch(cell, begins.end())
