"""CSV and TSV: which columns there are, and a record for each row.

The delimiter is found from the header, or from the line ``sep=;`` that Excel puts before it. A table without a header
is known by its first row, a cell of which is long: its columns are then called ``1``, ``2``, ..., the one with the
longest cells holds the abstracts, and the first other one whose cells are all different and without blanks the ids.
In a table of one column, a line is a cell, whatever it holds, unless it is quoted. An apostrophe that keeps a
spreadsheet from running a cell is no part of it; see :mod:`tagger.formats.formulas`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TextIO

from tagger.formats.fields import Fields, NoListError
from tagger.formats.formulas import restored
from tagger.formats.mapping import reason_in
from tagger.formats.rows import Dialect, Lines, read_rows
from tagger.formats.sources import default_id_prefix
from tagger.records import Record

_DELIMITERS = ",;\t|"
_NO_DELIMITER = "\x1f"
"""Delimiter of a table of one column: a character that no text has."""
_SAMPLE_LINES = 50
_MOST_HEADER_LINES = 10
_LONG_CELL_WORDS = 20
"""Words from which a cell is an abstract and no name of a column."""
_TITLE_WORDS = 3
"""Words that the cells of a column have on average, from which they may be titles."""
_ALIKE = 0.8
"""Share of the rows that must have the same number of cells for a delimiter to be one."""

_SEPARATOR = re.compile(r'\s*"?sep=(.)"?\s*$', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Table:
    """What is known of a table before its first row is read."""

    names: list[str]
    delimiter: str
    fields: Fields
    skips_blanks: bool = False


def read_csv(stream: TextIO, source: str, fields: Fields) -> Iterator[Record]:
    """Yield a record for each row of a CSV file, whose delimiter is found."""
    return _read(stream, source, fields, None)


def read_tsv(stream: TextIO, source: str, fields: Fields) -> Iterator[Record]:
    """Yield a record for each row of a TSV file, quoted as in CSV or not at all."""
    return _read(stream, source, fields, "\t")


def detect(head: str, fields: Fields = Fields()) -> str | None:
    """``csv`` or ``tsv`` if `head` begins with a header that names an abstract, and has a row, else None."""
    lines = [line for line in head.splitlines() if line.strip()]
    given = _SEPARATOR.match(lines[0]) if lines else None
    if given:
        lines = lines[1:]
    if len(lines) < 2 or lines[0].lstrip().startswith("|"):  # a table of Markdown
        return None
    delimiter = given[1] if given else delimiter_of(lines[0], fields)
    names = _names(lines[0], delimiter)
    if len(names) > 1 and fields.find_abstract(names) and any(delimiter in line for line in lines[1:]):
        return "tsv" if delimiter == "\t" else "csv"
    return None


def delimiter_of(header: str, fields: Fields = Fields()) -> str:
    """The delimiter of a file that begins with the line `header`: the one that gives most names, abstract included."""

    def fitness(delimiter: str) -> tuple[bool, int]:
        names = _names(header, delimiter)
        return fields.find_abstract(names) is not None, len(names)

    return max(_DELIMITERS, key=fitness)


def _names(header: str, delimiter: str) -> list[str]:
    return [name.strip() for name in next(csv.reader([header], delimiter=delimiter, skipinitialspace=True), [])]


def _read(stream: TextIO, source: str, fields: Fields, delimiter: str | None) -> Iterator[Record]:
    lines = Lines(stream)
    table = _table(lines, source, fields, delimiter)
    if table is None:
        return
    names, fields, width = table.names, table.fields, len(table.names)
    dialect = Dialect(table.delimiter, width, table.skips_blanks, quotes_optional=table.delimiter == "\t")
    abstract_column, id_column, title_column = (
        None if name is None else names.index(name) for name in fields.find(names)
    )
    assert abstract_column is not None
    prefix = default_id_prefix(source)
    number = 0
    for line, cells, error in read_rows(lines, dialect):
        cells = [restored(cell) if cell[:1] == "'" else cell for cell in cells]
        id_ = cells[id_column] if id_column is not None and id_column < len(cells) else ""
        if error is not None:
            number += 1
            id_ = id_ if id_.strip() else f"{prefix}:{number}"
            yield Record(id_, "", None, error, source, f"line {line}", dict(zip(names, cells)))
            continue
        abstract = cells[abstract_column]
        if (width > 1 and not abstract and not any(cells)) or (width == 1 and abstract.isspace()):
            continue  # a row of delimiters, as spreadsheets have below the last one, or a line of blanks
        number += 1
        id_ = id_ if id_.strip() else f"{prefix}:{number}"
        title = cells[title_column] if title_column is not None else ""
        row = dict(zip(names, cells))
        reason = reason_in(row, names[abstract_column])
        yield Record(id_, abstract, title if title.strip() else None, reason, source, f"line {line}", row)


def _table(lines: Lines, source: str, fields: Fields, delimiter: str | None) -> _Table | None:
    """Read the header and find out how the rows are written; None if there is nothing to read."""
    sample = lines.take(_SAMPLE_LINES)
    while sample and not any(line.strip() for line in sample):
        sample = lines.take(_SAMPLE_LINES)
    start = next((at for at, line in enumerate(sample) if line.strip()), None)
    if start is None:
        if lines.failure is not None:
            raise lines.failure
        return None
    if given := _SEPARATOR.match(sample[start]):
        start += 1
        delimiter = delimiter or given[1]
        sample += lines.take(1)
    rest = sample[start:]
    header = rest[0] if rest else ""
    header_delimiter = delimiter or delimiter_of(header, fields)
    found = _with_header(rest, fields, header_delimiter) or _without_header(rest, fields, delimiter)
    if found is None:
        names = _names(header, header_delimiter)
        shown = ", ".join(name[:40] for name in names[:8])
        wanted = f"column {fields.abstract!r}" if fields.abstract else "text column"
        raise NoListError(f"{source}: no {wanted} among {shown}; name the column with --text-field")
    table, used = found
    lines.give_back(rest[used:])
    return table


def _with_header(lines: list[str], fields: Fields, delimiter: str) -> tuple[_Table, int] | None:
    """The table whose header `lines` begin with, and the lines that it takes; None if they begin with no header."""
    reader = csv.reader(lines[:_MOST_HEADER_LINES], delimiter=delimiter, skipinitialspace=True)
    names = _distinct([restored(name) for name in next(reader, [])])
    if fields.find_abstract(names) is None:
        return None
    skips_blanks = bool(re.search(rf"{re.escape(delimiter)}\s", lines[0])) and not re.search(
        rf"{re.escape(delimiter)}\S", lines[0]
    )
    return _Table(names, delimiter if len(names) > 1 else _NO_DELIMITER, fields, skips_blanks), reader.line_num


def _without_header(lines: list[str], fields: Fields, delimiter: str | None) -> tuple[_Table, int] | None:
    """A table of rows alone, known by a first one that has a long cell, and no lines for a header."""
    for candidate in [delimiter] if delimiter else [*_DELIMITERS, _NO_DELIMITER]:
        rows = [row for row in csv.reader(lines, delimiter=candidate) if row]
        width = len(rows[0]) if rows else 0
        same = [row for row in rows if len(row) == width]
        if (width > 1 or candidate == _NO_DELIMITER) and len(same) >= _ALIKE * len(rows):
            break
    else:
        return None
    if max(len(cell.split()) for cell in rows[0]) < _LONG_CELL_WORDS:
        return None
    names = [str(column) for column in range(1, width + 1)]
    found = Fields(*_roles(same, names))
    wanted = Fields(fields.abstract or found.abstract, fields.id or found.id, fields.title or found.title)
    return (_Table(names, candidate, wanted), 0) if wanted.find_abstract(names) else None


def _roles(rows: Sequence[Sequence[str]], names: Sequence[str]) -> tuple[str, str | None, str | None]:
    """The names of the columns that hold abstract, id and title, by what the cells of `rows` look like."""
    columns = dict(zip(names, zip(*rows)))
    words = {name: sum(len(cell.split()) for cell in cells) / len(rows) for name, cells in columns.items()}
    abstract = max(names, key=lambda name: words[name])
    others = [name for name in names if name != abstract]
    ids = (name for name in others if len(set(columns[name])) == len(rows) and _are_single_words(columns[name]))
    id_ = next(ids, None)
    title = next((name for name in others if words[name] >= _TITLE_WORDS), None)
    return abstract, id_, title


def _are_single_words(cells: Sequence[str]) -> bool:
    return all(len(cell.split()) == 1 for cell in cells)


def _distinct(names: list[str]) -> list[str]:
    """Names of columns, without blanks around them and each once; one without a name is called by its number."""
    distinct: list[str] = []
    for column, name in enumerate(names, 1):
        name = name.strip() or f"column {column}"
        again = 2
        wanted = name
        while wanted in distinct:
            wanted = f"{name} ({again})"
            again += 1
        distinct.append(wanted)
    return distinct
