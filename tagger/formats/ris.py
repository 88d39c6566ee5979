"""RIS: records are read one at a time, and written back with a line for each tag among their keywords."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TextIO

from tagger.formats import note
from tagger.formats.bibliography import bibliography
from tagger.formats.chunks import TextLines
from tagger.formats.entries import EntryWriter
from tagger.formats.fields import Fields
from tagger.formats.keywords import split_keywords
from tagger.formats.latex import one_line
from tagger.formats.layout import Layout
from tagger.formats.people import family_first
from tagger.records import Entry, Record, Tags

_ABSTRACTS = ("AB", "N2")
_TITLES = ("TI", "T1", "CT", "BT")
_IDS = ("ID", "AN", "DO", "LB", "UR")
_LISTS = frozenset(("AU", "A1", "A2", "A3", "A4", "KW", "N1", "UR"))
"""Tags whose values are a list, however many there are."""

_TAG = re.compile(r"[\ufeff \t]*(?P<tag>[A-Za-z][A-Za-z0-9])(?P<dash>  -[ \t]?)(?P<value>.*)", re.DOTALL)
_KNOWN_TAGS = (
    "TY A1 A2 A3 A4 AB AD AN AU AV BT C1 C2 C3 C4 C5 C6 C7 C8 CA CN CP CT CY DA DB DO DP ED EP ER ET ID IS J1 J2 JA JF"
    " JO KW L1 L2 L3 L4 LA LB LK M1 M2 M3 N1 N2 NO NV OP PB PP PY RI RN RP SE SN SP ST T1 T2 T3 TA TI TT U1 U2 U3 U4 U5"
    " UR VL VO Y1 Y2"
)
_LOOSE_TAG = re.compile(
    rf"[\ufeff \t]*(?P<tag>{'|'.join(_KNOWN_TAGS.split())})(?P<dash>[ \t]*-(?:[ \t]|$)[ \t]*)(?P<value>.*)", re.DOTALL
)
"""A tag in a file that does not put two blanks after it; such a line may be prose, so the tag must be known."""
_START = re.compile(r"[\ufeff \t]*(?:[Tt][Yy]  -|TY[ \t]*-[ \t]*[A-Z]+\s*$)")
_END = re.compile(r"[ \t]*(?:ER  -.*|ER[ \t]*-?\s*)", re.DOTALL)
_LINE_END = re.compile(r"\r\n|\n|\r")
_NOTE = "tagger "

_TYPES = {"article": "JOUR", "inproceedings": "CONF", "chapter": "CHAP", "book": "BOOK", "thesis": "THES"}
_TYPES |= {"report": "RPRT", "misc": "GEN"}


@dataclass(frozen=True, slots=True)
class _Item:
    """A tag with its value, and the lines of the record that they take."""

    tag: str
    values: list[str]
    start: int
    end: int


def read(stream: TextIO, source: str, fields: Fields) -> Iterator[Record]:
    """Yield a record for each ``TY`` up to its ``ER``, or up to the next ``TY``; one without abstract says so.

    Its `fields` are the values by tag, in upper case: a list where RIS has a list or a tag comes twice, else a string.

    Raises
    ------
    DamagedError, OSError
        Where the stream ends early, after the records that are whole.
    """
    text = TextLines(stream)
    name = "stdin" if source == "standard input" else Path(source).name
    last: Record | None = None
    rest: list[str] = []
    for number, (lines, start, line) in enumerate(_records(text, rest), start=1):
        if last:
            yield last
        record = _record(lines[start:], f"{name}:{number}", fields)
        last = replace(record, source=source, position=f"line {line}", entry=Entry("ris", "".join(lines)))
    if last and last.entry:
        yield replace(last, entry=Entry("ris", last.entry.text + "".join(rest)))
    if text.failure is not None:
        raise text.failure


def _records(stream: TextLines, rest: list[str]) -> Iterator[tuple[list[str], int, int]]:
    """The lines of each record after those that stand before it, where it begins among them and in the stream.

    A record that has lost its ``TY`` begins with its first tag. What follows the last record is added to `rest`.
    One that was cut off, where the stream ends early, is left out.
    """
    lines: list[str] = []
    start = line = 0
    typed = tagged = False
    for number, text in enumerate(stream, start=1):
        begins = _START.match(text) is not None
        if begins and typed:
            yield lines, start, line
            lines, typed, tagged = [], False, False
        if begins or (not tagged and _TAG.match(text)):
            start, line, tagged = len(lines), number, True
            typed = typed or begins
        lines.append(text)
        if tagged and _END.fullmatch(text):
            yield lines, start, line
            lines, typed, tagged = [], False, False
    if typed and stream.failure is None:
        yield lines, start, line
    elif not typed:
        rest += lines


def _items(lines: list[str]) -> list[_Item]:
    """The tags of a record and their values; a line without a tag goes on with the value before it."""
    pattern = _TAG if _TAG.match(lines[0]) else _LOOSE_TAG
    items: list[_Item] = []
    for number, line in enumerate(lines):
        if _END.fullmatch(line):
            items.append(_Item("ER", [""], number, number + 1))
        elif match := pattern.match(line):
            items.append(_Item(match["tag"].upper(), [match["value"].strip()], number, number + 1))
        elif items and line.strip():
            previous = items[-1]
            if previous.tag == "KW":  # EndNote puts each keyword on a line and the tag before the first
                values = [*previous.values, line.strip()]
            else:
                values = [" ".join(filter(None, (previous.values[0], line.strip())))]
            items[-1] = replace(previous, values=values, end=number + 1)
    return items


def _record(lines: list[str], default_id: str, fields: Fields) -> Record:
    row: dict[str, Any] = {}
    for item in _items(lines):
        if item.tag in _LISTS or item.tag in row:
            values = row.get(item.tag, [])
            row[item.tag] = [*([values] if isinstance(values, str) else values), *item.values]
        elif item.tag != "ER":
            row[item.tag] = item.values[0]
    abstract, title, id_ = (
        _text(row, (given.upper(),) if given else usual)
        for given, usual in ((fields.abstract, _ABSTRACTS), (fields.title, _TITLES), (fields.id, _IDS))
    )
    error = None
    if not abstract:
        wanted = fields.abstract or "AB or N2"
        error = f"the record has no abstract ({wanted}); add one, or name the tag that holds it with --text-field"
    return Record(id_ or default_id, abstract, title or None, error, fields=row)


def _text(row: dict[str, Any], tags: tuple[str, ...]) -> str:
    """The value of the first of those tags that has one; of a list of identifiers the first, else all, joined."""
    for tag in tags:
        value = row.get(tag) or ""
        if isinstance(value, list):
            value = value[0] if tag in _IDS else " ".join(value)
        if value:
            return str(value)
    return ""


class Writer(EntryWriter):
    """Records: those that were read from RIS as they were, with tags among their keywords; others are made."""

    format = "ris"

    def with_tags(self, text: str, record: Record, tags: Tags) -> str:
        """The text of the record with tags."""
        return _with_tags(text, tags, self._layout)

    def new_entry(self, record: Record, tags: Tags) -> str:
        """A reference for a record of another format."""
        return _new_record(record, tags, self._layout)


def _with_tags(text: str, tags: Tags, layout: Layout) -> str:
    """The text of a record with tags among its keywords, and a note; what an earlier run added is taken out."""
    found = next(_records(TextLines(io.StringIO(text, newline="")), []), None)
    if found is None:
        return text
    lines, start, _ = found
    before, after = "".join(lines[:start]), text[sum(map(len, lines)) :]
    lines = lines[start:]
    gone: list[str] = []
    for item in reversed(_items(lines)):
        if item.tag == "N1" and item.values[0].startswith(_NOTE) and note.is_note(item.values[0].removeprefix(_NOTE)):
            gone += note.added(item.values[0].removeprefix(_NOTE))
            _remove(lines, item)
    for area in gone:
        for item in [item for item in _items(lines) if item.tag == "KW" and item.values == [area]][-1:]:
            _remove(lines, item)
    keywords = [item for item in _items(lines) if item.tag == "KW"]
    own = {word.casefold() for item in keywords for value in item.values for word in (value, *split_keywords(value))}
    new = [area for area in tags.areas if one_line(area).casefold() not in own]
    _insert(lines, keywords[-1].end if keywords else _end_of(lines), [("KW", area) for area in new])
    text_of_note = note.compose(tags, layout, [area for area in tags.areas if area not in new])
    _insert(lines, _end_of(lines), [("N1", _NOTE + text_of_note)])
    return before + "".join(lines) + after


def _end_of(lines: list[str]) -> int:
    """Where a last tag of a record can be put: before its ``ER``, or after its last line that says something."""
    last = _items(lines)[-1]
    return last.start if last.tag == "ER" else last.end


def _remove(lines: list[str], item: _Item) -> None:
    at_end_of_file = not lines[item.end - 1].endswith(("\n", "\r"))
    del lines[item.start : item.end]
    if at_end_of_file:
        lines[-1] = _LINE_END.sub("", lines[-1])


def _insert(lines: list[str], at: int, items: list[tuple[str, str]]) -> None:
    """Put tags with their values before the line `at`, written as the first line is."""
    first = _TAG.match(lines[0]) or _LOOSE_TAG.match(lines[0])
    dash = first["dash"].rstrip() + " " if first else "  - "
    line_end = _LINE_END.search(lines[0])
    end = line_end[0] if line_end else "\n"
    new = [f"{tag}{dash}{one_line(value)}{end}" for tag, value in items]
    if new and not lines[at - 1].endswith(("\n", "\r")):  # the file ends without a line end, and still does
        lines[at - 1] += end
        new[-1] = new[-1].removesuffix(end)
    lines[at:at] = new


def _new_record(record: Record, tags: Tags, layout: Layout) -> str:
    paper = bibliography(record)
    error = record.error or tags.error
    first_page, _, last_page = paper.pages.partition("-")
    lines = [
        ("TY", _TYPES[paper.kind]),
        ("ID", record.id),
        ("TI", paper.title),
        *(("AU", family_first(name)) for name in paper.authors),
        ("T2", paper.venue),
        ("VL", paper.volume),
        ("IS", paper.number),
        ("SP", first_page),
        ("EP", last_page.strip("-")),
        ("PB", paper.publisher),
        ("PY", paper.date[:4]),
        ("DA", paper.date.replace("-", "/")),
        ("DO", paper.doi),
        ("UR", paper.url),
        ("AB", record.abstract),
        *(("KW", keyword) for keyword in dict.fromkeys((*paper.keywords, *tags.areas))),
        ("N1", _NOTE + note.compose(tags, layout, paper.keywords) if layout.areas or error else ""),
    ]
    return "".join(f"{tag}  - {shown}\n" for tag, value in lines if (shown := one_line(value))) + "ER  - \n"
