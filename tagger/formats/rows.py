"""Lines of a CSV file -> its rows, the broken ones in their places.

The csv module reads blocks of lines. Where it finds no row of the right width, the row is read again in other ways,
such as with backslashes before quotes, and if none fits, it is broken and the reading goes on at the next line: a
quote that is never closed costs its own row and no other.
"""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, TextIO

from tagger.formats.chunks import DamagedError, failure_of
from tagger.formats.row_starts import RowStarts

if TYPE_CHECKING:
    from _csv import Reader

_BLOCK_LINES = 1000
_MOST_LINES = 2**22
"""Lines that one row may span."""
_MOST_CHARACTERS = 2**27
"""Characters that a row may have which spans more than a block."""
_FEWEST_LINES = 64
"""Lines that one row may span where rows before it never ended; it doubles with every run of good rows."""
_LOOKED_AT = 64
"""Lines of a long row that are looked at to tell whether they are rows themselves."""
_ENOUGH_LINES = 20
"""Lines by which it can be learnt how rows begin."""
_MOST_ATTEMPTS = 20
_MOSTLY = 0.8
"""Share of the lines of a long row from which, being rows themselves, they tell that it is none."""

UNCLOSED = "a quoted cell does not end; close it, and double the quotes inside it"
AFTER_QUOTE = "there is text after the closing quote of a cell; double the quotes inside a cell"


class Row(NamedTuple):
    """One row, or the reason why it is none."""

    line: int
    """Number of the line that it begins on, from 1."""
    cells: list[str]
    """As many as the table is wide; those that could be told apart if there is an error."""
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Dialect:
    """How the rows of a file are written."""

    delimiter: str
    width: int
    """Cells of a row."""
    skips_blanks: bool = False
    """Whether blanks after a delimiter belong to no cell."""
    quotes_optional: bool = False
    """Whether a line whose quotes do not fit may have cells that were never quoted, as in TSV."""


class Lines:
    """The lines of a stream, taken some at a time; what goes wrong in reading waits until they are used."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._ahead: list[str] = []
        self.number = 1
        """Number of the line that is taken next."""
        self.failure: DamagedError | OSError | None = None
        """Why there are no more, if that is not the end of the file."""

    def take(self, size: int) -> list[str]:
        """The next `size` lines, fewer only where there are no more; one that was cut off by a failure is none."""
        taken, self._ahead = self._ahead[:size], self._ahead[size:]
        try:
            taken.extend(islice(self._stream, size - len(taken)))
        except (DamagedError, OSError) as error:
            self.failure = error
        else:
            self.failure = self.failure or (failure_of(self._stream) if len(taken) < size else None)
        if self.failure is not None and taken and not taken[-1].endswith(("\n", "\r")):
            taken.pop()
        self.number += len(taken)
        return taken

    def give_back(self, lines: list[str]) -> None:
        """Put lines that were taken last back."""
        self._ahead = lines + self._ahead
        self.number -= len(lines)


def read_rows(lines: Lines, dialect: Dialect) -> Iterator[Row]:
    """Yield every row of `lines` that is not blank.

    Raises
    ------
    DamagedError, OSError
        Where the lines ended early, after the rows before.
    """
    csv.field_size_limit(sys.maxsize)
    return _Rows(lines, dialect).read()


@dataclass(frozen=True, slots=True)
class _Way:
    """A way of reading a row."""

    hint: re.Pattern[str]
    """What a row has that it is for."""
    change: Callable[[str], str] | None = None
    """What it makes of a line."""
    skips_blanks: bool = False
    lasts: bool = False
    """Whether the rows after one that it is for are likely to be written like this, too."""


@dataclass(frozen=True, slots=True)
class _Attempt:
    """What became of reading one row in some way."""

    cells: list[str] | None
    """None if its quotes do not fit."""
    used: int
    """Lines that were read."""
    ended: bool
    """Whether it came to an end before the lines did."""


def _ways(delimiter: str) -> list[_Way]:
    after_quote = re.compile(rf'"[ \t]+(?={re.escape(delimiter)}|[\r\n]|$)')
    return [
        _Way(re.compile("")),
        _Way(re.compile(r"\\\""), lambda line: line.replace('\\"', '""'), lasts=True),
        _Way(after_quote, lambda line: after_quote.sub('"', line)),
        _Way(re.compile(rf'{re.escape(delimiter)}[ \t]+"'), skips_blanks=True),
    ]


class _Rows:
    def __init__(self, lines: Lines, dialect: Dialect) -> None:
        self._lines = lines
        self._dialect = dialect
        self._ways = _ways(dialect.delimiter)
        self._limit = _MOST_LINES
        self._starts = RowStarts([], dialect.delimiter, dialect.width)
        self._surely = False
        """Whether that was learnt from rows that had been read, and not from lines that may be anything."""
        self._attempts = 0
        self._runs_on = False
        """Whether the row before is broken in such a way that the next lines may belong to it."""

    def read(self) -> Iterator[Row]:
        block: list[str] = []
        ended = False
        while not ended:
            size = max(_BLOCK_LINES, len(block))  # what is left is a row that is longer than the block
            added = self._lines.take(size)
            ended = len(added) < size
            block += added
            done = yield from self._rows_of(block, self._lines.number - len(block), ended)
            block = block[done:]
        if self._lines.failure is not None:
            raise self._lines.failure

    def _rows_of(self, block: list[str], number: int, ended: bool) -> Generator[Row, None, int]:
        """Yield the rows of `block`, whose first line has this number; gives how many lines of it that took."""
        at = 0
        while at < len(block):
            if self._runs_on:
                if self._belongs_to_broken(block[at]):
                    at += 1
                    continue
                self._runs_on = False
            at = yield from self._good_rows(block, at, number)
            if at == len(block):
                break
            if not block[at].strip():
                at += 1
                continue
            self._learn_how_rows_begin(block, at)
            window = block[at : at + self._limit]
            attempt = self._in_any_way(window)
            if attempt.cells is not None and len(attempt.cells) == self._dialect.width:
                yield Row(number + at, attempt.cells)
                at += attempt.used
                continue
            if not attempt.ended:
                if len(window) == len(block) - at:
                    if not ended and self._may_go_on(window):
                        return at
                    if ended and self._lines.failure is not None:
                        return len(block)  # it was cut off, with the file
                self._limit = max(min(self._limit, _BLOCK_LINES) // 4, _FEWEST_LINES)
            yield self._broken(attempt, number + at)
            at += 1
        return at

    def _good_rows(self, block: list[str], at: int, number: int) -> Generator[Row, None, int]:
        """Yield the rows of `block` from a line on as long as they are good; gives the line behind them."""
        width, first, end = self._dialect.width, at, min(len(block), at + self._limit)
        reader = self._reader(islice(block, at, end), self._ways[0])
        try:
            for cells in reader:
                behind = first + reader.line_num
                if len(cells) != width:
                    return at
                if behind - at > 2:
                    self._learn_how_rows_begin(block, at)
                    if self._swallowed(block[at:behind]):
                        return at
                yield Row(number + at, cells)
                at = behind
        except csv.Error:
            return at
        self._limit = min(2 * self._limit, _MOST_LINES)
        return at

    def _reader(self, lines: Iterable[str], way: _Way) -> Reader:
        return csv.reader(
            map(way.change, lines) if way.change else lines,
            delimiter=self._dialect.delimiter,
            skipinitialspace=self._dialect.skips_blanks or way.skips_blanks,
            strict=True,
        )

    def _in_any_way(self, window: list[str]) -> _Attempt:
        """The first row of `window`, read in the first way that gives a good one, else as it is."""
        width = self._dialect.width
        if self._dialect.quotes_optional:
            cells = window[0].rstrip("\r\n").split(self._dialect.delimiter)
            if len(cells) == width:
                return _Attempt(cells, 1, True)
        attempts: dict[int, _Attempt] = {}
        looked_at = window[0]
        for order, way in enumerate(self._ways):
            if not attempts or way.hint.search(looked_at):
                attempt = self._attempt(window, way)
                if attempt.cells is not None and len(attempt.cells) == width:
                    if way.lasts:
                        self._ways.insert(0, self._ways.pop(order))
                    return attempt
                attempts[order] = attempt
                looked_at = "".join(window[: max(attempt.used, 1)])
        return next((attempt for attempt in attempts.values() if not attempt.ended), attempts[0])

    def _attempt(self, window: list[str], way: _Way) -> _Attempt:
        reader = self._reader(window, way)
        try:
            cells = next(reader)
        except csv.Error as error:
            return _Attempt(None, reader.line_num, ended=str(error) != "unexpected end of data")
        used = reader.line_num
        if len(cells) > self._dialect.width and not any(cells[self._dialect.width :]):
            cells = cells[: self._dialect.width]  # as a spreadsheet leaves behind
        return _Attempt(None if used > 2 and self._swallowed(window[:used]) else cells, used, True)

    def _broken(self, attempt: _Attempt, number: int) -> Row:
        cells, width = attempt.cells, self._dialect.width
        self._runs_on = cells is None or attempt.used > 1 or len(cells) < width
        if cells is None:
            return Row(number, [], UNCLOSED if attempt.used > 1 or not attempt.ended else AFTER_QUOTE)
        found = f"{len(cells)} cell{'s' if len(cells) > 1 else ''} where the header has {width}"
        holds = "the delimiter" if len(cells) > width else "line ends"
        return Row(number, cells, f"{found}; quote cells that hold {holds}")

    def _learn_how_rows_begin(self, block: list[str], at: int) -> None:
        """Learn it when it is needed, which it is in few files, from the lines so far if there are enough of them."""
        enough = at >= _ENOUGH_LINES
        if (not self._starts.known or (enough and not self._surely)) and self._attempts < _MOST_ATTEMPTS:
            self._attempts += 1
            self._surely = enough
            lines = block[:at] if enough else block[:_BLOCK_LINES]
            self._starts = RowStarts(lines, self._dialect.delimiter, self._dialect.width)

    def _swallowed(self, lines: list[str]) -> bool:
        """Whether lines that make one row because of their quotes are rows themselves, but for the first and last."""
        return self._surely and self._starts.known and all(map(self._starts.is_row, lines[1:-1]))

    def _belongs_to_broken(self, line: str) -> bool:
        """Whether a line after a broken row is the rest of it: it begins like no row, and is no sound one."""
        starts = self._starts
        if not starts.known or starts.may_begin(line):
            return False
        return not starts.has_width(line) or line.count('"') % 2 == 1

    def _may_go_on(self, window: list[str]) -> bool:
        """Whether a row without an end so far is a long one: its lines are no rows themselves."""
        if len(window) < _BLOCK_LINES:
            return True
        if len(window) > _MOST_LINES or sum(map(len, window)) > _MOST_CHARACTERS:
            return False
        some = window[1 : 1 + _LOOKED_AT]
        return not (self._surely and self._starts.known) or sum(map(self._starts.is_row, some)) < _MOSTLY * len(some)
