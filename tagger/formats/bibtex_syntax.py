"""BibTeX as text: the blocks of a stream, and where the fields of an entry stand."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tagger.errors import MissingExtraError, TaggerError
from tagger.formats.chunks import TextLines
from tagger.formats.latex import one_line

MONTHS = {
    "jan": "January", "feb": "February", "mar": "March", "apr": "April", "may": "May", "jun": "June",
    "jul": "July", "aug": "August", "sep": "September", "oct": "October", "nov": "November", "dec": "December",
}  # fmt: skip
"""The macros that every style of BibTeX defines."""

NO_ENTRIES = frozenset(("", "comment", "preamble", "string"))
"""Kinds of blocks that are no entries; what follows the last block has none."""

_START = re.compile(r"(?<!\w)@[ \t]*(?P<kind>[^\W\d]\w*(?:-\w+)*)[ \t]*(?P<opening>[{(])")
_START_OF_LINE = re.compile(rf"[ \t]*{_START.pattern}")
_MARK = re.compile(r'\\.|[{}")]', re.DOTALL)
_CONTINUES = re.compile(r"\s*,\s*[\w-]+\s*=\s*[\w{\"]")
_NAME = re.compile(r"[^\s\"#%'(),={}]+")
_COMMENTS = re.compile(r"(?:%[^\r\n]*(?:[\r\n]+\s*|$))+")
_JOINT = re.compile(r"\s*#\s*")

MOST_MACROS = 10_000
"""Macros that a file may define."""
MOST_OF_MACROS = 10_000
"""Characters that macros may bring into a value: one that is twice another, and so on, would else fill the memory."""

_SILENT = logging.NullHandler()


class NotBibtexError(TaggerError):
    """An entry that cannot be read; the message says where and why."""


@dataclass(frozen=True, slots=True)
class Block:
    """One ``@kind{...}`` of a stream with the text before it."""

    before: str
    """The text between the block before and this one."""
    text: str
    """The block itself; of a broken one, everything up to where reading goes on."""
    kind: str
    """In lower case, without the ``@``; ``""`` of what follows the last block."""
    line: int
    """Number of the line where it begins."""
    opening: int
    """Where in `text` its brace or parenthesis stands."""
    error: str | None = None
    """Why it is broken."""


@dataclass(frozen=True, slots=True)
class Field:
    """Where one field of an entry stands in its text; `value` runs from its first delimiter to its last."""

    name: str
    name_start: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Syntax:
    """The parts of an entry's text."""

    key: str
    key_end: int
    fields: tuple[Field, ...]
    """In order; one that is commented out has no name."""


def split(lines: TextLines) -> Iterator[Block]:
    """Split lines into blocks; their texts, joined in order, are the text of the lines.

    A block whose braces are not closed when a line begins with the next ``@kind{`` ends there. One that was cut off,
    where the lines end early, is left out.
    """
    before: list[str] = []
    block: _Open | None = None
    waiting: Block | None = None
    for number, line in enumerate(lines, start=1):
        position = 0
        if block and _START_OF_LINE.match(line):
            yield block.broken(f"not closed before line {number}, where another entry begins")
            block, before = None, []
        while position < len(line):
            if block is None:
                start = _START.search(line, position)
                if start is None:
                    before.append(line[position:])
                    break
                before.append(line[position : start.start()])
                if waiting:
                    yield _checked(waiting, "".join(before))
                    waiting = None
                block, before = _Open("".join(before), start, number), []
                position = start.end()
            end = block.find_end(line, position)
            block.add(line[position:end])
            if end is not None:
                waiting, block = block.closed(), None
                position = end
            else:
                break
    if block and lines.failure is None:
        yield block.broken("not closed at the end of the file")
    rest = "".join(before)
    if waiting:
        yield _checked(waiting, rest)
    if rest:
        yield Block(rest, "", "", 0, 0)


def _checked(block: Block, after: str) -> Block:
    """The block, broken if what follows it looks like more of its fields."""
    if _CONTINUES.match(after):
        error = f"closed too early, before {_shown(after.strip(' ,'))}"
        return Block(block.before, block.text, block.kind, block.line, block.opening, error)
    return block


class _Open:
    """A block that is being read."""

    def __init__(self, before: str, start: re.Match[str], line: int) -> None:
        self._before = before
        self._parts = [start[0]]
        self._kind = start["kind"].lower()
        self._line = line
        self._in_braces = start["opening"] == "{"
        self._depth = int(self._in_braces)
        self._in_quotes = False

    def find_end(self, line: str, position: int) -> int | None:
        """Where in `line` the block ends, seen from `position`; None if it goes on."""
        if self._in_braces and "\\" not in line:
            closing = line.count("}", position)
            if closing < self._depth:
                self._depth += line.count("{", position) - closing
                return None
        for mark in _MARK.finditer(line, position):
            character = mark[0]
            if character == "{":
                self._depth += 1
            elif character == "}":
                self._depth -= 1
                if self._in_braces and self._depth == 0:
                    return mark.end()
            elif self._in_braces or self._depth:
                continue
            elif character == '"':
                self._in_quotes = not self._in_quotes
            elif character == ")" and not self._in_quotes:
                return mark.end()
        return None

    def add(self, text: str) -> None:
        self._parts.append(text)

    def closed(self) -> Block:
        return self._block(None)

    def broken(self, error: str) -> Block:
        return self._block(error)

    def _block(self, error: str | None) -> Block:
        return Block(self._before, "".join(self._parts), self._kind, self._line, len(self._parts[0]) - 1, error)


def parse(block: Block) -> Syntax:
    """Find the fields of an entry.

    Raises
    ------
    NotBibtexError
        If it is broken.
    MissingExtraError
        If bibtexparser is not installed.
    """
    if block.error:
        raise NotBibtexError(block.error)
    # Two backslashes break a line; the library takes the second for an escape of what follows. Private characters
    # stand for them, so that every position stays the same.
    text = block.text.replace("\\\\", "\ue000\ue000")
    key, assignments = _parse("@entry" + text[block.opening :])
    position = key_end = text.index(key, block.opening + 1) + len(key)
    fields = []
    for name, value in assignments:
        name_start = text.index(name, position)
        start = text.index(value, text.index("=", name_start + len(name)) + 1)
        if comments := _COMMENTS.match(name):
            name_start += comments.end()
            name = name[comments.end() :]
        position = start + len(value)
        if not value or (name and not _NAME.fullmatch(name)):
            raise NotBibtexError(f"expected `name = value`, found {_shown(text[name_start:])}")
        fields.append(Field(name, name_start, start, position))
    return Syntax(key, key_end, tuple(fields))


def evaluate(value: str, macros: Mapping[str, str]) -> str:
    """What the text of a value stands for: without delimiters, macros and concatenations resolved.

    Raises
    ------
    NotBibtexError
        If it is no value, or its macros stand for more than :data:`MOST_OF_MACROS` characters.
    """
    parts, of_macros = [], 0
    for start, end in pieces(value):
        piece = value[start:end]
        if piece[0] in '{"':
            parts.append(piece[1:-1])
        else:
            parts.append(macros.get(piece.lower(), piece))
            of_macros += len(parts[-1])
    if of_macros > MOST_OF_MACROS:
        raise NotBibtexError(f"its macros stand for {of_macros:,} characters, more than {MOST_OF_MACROS:,}")
    return "".join(parts)


def pieces(value: str) -> list[tuple[int, int]]:
    """Where the parts of a value that ``#`` joins begin and end.

    Raises
    ------
    NotBibtexError
        If it is no value.
    """
    found = []
    position = 0
    while True:
        end = end_of_piece(value, position)
        if end is None:
            raise NotBibtexError(f"expected a value, found {_shown(value[position:])}")
        found.append((position, end))
        joint = _JOINT.match(value, end)
        if joint is None:
            break
        position = joint.end()
    if end < len(value):
        raise NotBibtexError(f"expected a comma before {_shown(value[end:])}")
    return found


def end_of_piece(value: str, start: int) -> int | None:
    """Where the braced, quoted or bare part of a value that begins at `start` ends; None if there is none."""
    opening = value[start : start + 1]
    if opening not in ("{", '"'):
        word = _NAME.match(value, start)
        return word.end() if word else None
    depth = 0
    for mark in _MARK.finditer(value, start + 1):
        if depth == 0 and mark[0] == ("}" if opening == "{" else '"'):
            return mark.end()
        depth += (mark[0] == "{") - (mark[0] == "}")
    return None


def _parse(text: str) -> tuple[str, list[tuple[str, str]]]:
    """The key of the one entry that is `text`, and the name and the value of each of its fields, as written."""
    try:
        from bibtexparser.entrypoint import parse_string
        from bibtexparser.model import DuplicateFieldKeyBlock, Entry, ParsingFailedBlock
    except ImportError:
        raise MissingExtraError(
            "reading BibTeX needs bibtexparser 2.1 or newer; run: pip install 'area-tagger[formats]'"
        ) from None
    # What it would say about a broken entry is said in that entry's record.
    logging.getLogger("bibtexparser").addHandler(_SILENT)
    entry = parse_string(text, parse_stack=[]).blocks[0]
    if isinstance(entry, DuplicateFieldKeyBlock) and entry.ignore_error_block:
        entry = entry.ignore_error_block
    if isinstance(entry, ParsingFailedBlock):
        reason = one_line(getattr(entry.error, "abort_reason", "")).rstrip(".")
        reason = reason.replace("end of file", "end of the entry; a brace or a quotation mark is missing")
        raise NotBibtexError(reason[:1].lower() + reason[1:])
    if not isinstance(entry, Entry) or entry.raw != text:
        raise NotBibtexError("closed too early")
    return entry.key, [(field.key, field.value) for field in entry.fields]


def _shown(text: str) -> str:
    """The beginning of a text, for a message."""
    start = one_line(text[:80])
    return repr(start if len(start) <= 40 else start[:39] + "…")
