"""Tags put into the text of a BibTeX entry; everything else in it stays as it is."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import replace

from tagger.formats import note
from tagger.formats.bibtex_syntax import (
    MONTHS,
    NO_ENTRIES,
    Block,
    Field,
    NotBibtexError,
    evaluate,
    parse,
    pieces,
    split,
)
from tagger.formats.chunks import TextLines
from tagger.formats.keywords import (
    add_keywords,
    encode_keyword,
    join_keywords,
    remove_keyword,
    separator_of,
    split_keywords,
)
from tagger.formats.latex import decode, encode
from tagger.formats.layout import Layout
from tagger.records import Tags

NOTE = "x-tagger"
"""The field that holds what the keywords do not say."""

_KEYWORDS = ("keywords", "keyword")
_COMMA = re.compile(r"\s*,")
_INDENT = re.compile(r"(?:\r\n|\n|\r)?[ \t]*$")


def with_tags(text: str, keywords: str, tags: Tags, layout: Layout) -> str:
    """The text of an entry with tags among its keywords, and a note; what an earlier run added is taken out.

    Parameters
    ----------
    text : str
        The entry, after whatever stands before it.
    keywords : str
        The value of its field of keywords, macros resolved.
    tags : Tags
        What to add.
    layout : Layout
        What the note says about the model.
    """
    blocks = list(split(TextLines(io.StringIO(text, newline=""))))
    place = next((number for number, block in enumerate(blocks) if block.kind not in NO_ENTRIES), None)
    if place is None:
        return text
    try:
        edited = _edited(blocks[place], keywords, tags, layout)
    except NotBibtexError:
        return text
    blocks[place] = replace(blocks[place], text=edited)
    return "".join(block.before + block.text for block in blocks)


def _edited(block: Block, keywords: str, tags: Tags, layout: Layout) -> str:
    entry = _Entry(block)
    if all(field.name.lower() in ("", NOTE) for field in entry.fields):
        return block.text
    present = split_keywords(keywords)
    gone: tuple[str, ...] = ()
    separator = separator_of(keywords)
    if earlier := entry.find(NOTE):
        gone = note.added(decode(evaluate(entry.value(earlier), MONTHS)))
        entry.remove(NOTE)
        present = [keyword for keyword in present if keyword not in gone]
        if gone and entry.keywords:
            entry.put(_without(entry.keywords, gone))
    own = {keyword.casefold() for keyword in present}
    new = [area for area in tags.areas if area.casefold() not in own]
    if new and entry.keywords:
        entry.put(_extended(entry.keywords, join_keywords(new, separator), separator if present else ""))
    elif new:
        entry.append("keywords", join_keywords(new, separator))
    elif gone and not present:
        entry.remove(*_KEYWORDS)
    entry.append(NOTE, encode(note.compose(tags, layout, [area for area in tags.areas if area not in new])))
    return entry.text


def _extended(value: str, addition: str, separator: str) -> str:
    """The text of a value with keywords after those that it has; of several joined parts, in the last."""
    start, end = pieces(value)[-1]
    if value[start] not in '{"':
        return f"{value} # {{{separator}{addition}}}"
    return value[: start + 1] + add_keywords(value[start + 1 : end - 1], addition, separator) + value[end - 1 :]


def _without(value: str, keywords: Sequence[str]) -> str:
    """The text of a value without those keywords, which :func:`_extended` added."""
    start, end = pieces(value)[-1]
    if value[start] not in '{"':
        return value
    inner = value[start + 1 : end - 1]
    for keyword in reversed(keywords):
        inner = remove_keyword(inner, encode_keyword(keyword))
    return value[: start + 1] + inner + value[end - 1 :]


class _Entry:
    """The text of an entry, and where its fields stand in it."""

    def __init__(self, block: Block) -> None:
        self._block = block
        self._set(block.text)

    def _set(self, text: str) -> None:
        self.text = text
        syntax = parse(replace(self._block, text=text))
        self.fields, self._key_end = syntax.fields, syntax.key_end
        self._named = [field for field in self.fields if field.name]

    def find(self, *names: str) -> Field | None:
        """The first field with one of those names."""
        return next((field for field in self._named if field.name.lower() in names), None)

    def value(self, field: Field) -> str:
        """The value of a field as it is written."""
        return self.text[field.start : field.end]

    @property
    def keywords(self) -> str:
        """The value of the field of keywords as it is written; empty if there is none."""
        field = self.find(*_KEYWORDS)
        return self.value(field) if field else ""

    def put(self, value: str) -> None:
        """Replace the value of the field of keywords, if there is one."""
        if field := self.find(*_KEYWORDS):
            self._set(self.text[: field.start] + value + self.text[field.end :])

    def remove(self, *names: str) -> None:
        """Take out the first field with one of those names, if there is one."""
        field = self.find(*names)
        if field is None:
            return
        start = self._end_before(field)
        end = field.end
        if comma := _COMMA.match(self.text, end):
            end = comma.end()
            start = self.text.index(",", start) + 1
            start += len(self.text[start : field.name_start].rstrip())
        self._set(self.text[:start] + self.text[end:])

    def append(self, name: str, content: str) -> None:
        """Add a last field, written as the one before it is; to an entry without fields nothing can be added."""
        if not self._named:
            return
        model = self._named[-1]
        lead = self.text[self._end_before(model) : model.name_start]
        before, _, gap = lead.partition(",")
        indent = _INDENT.search(gap)
        gap = indent[0] if indent else ""
        assignment = self._assignment(name, model) + self._enclosed(content)
        last = self.fields[-1]
        if comma := _COMMA.match(self.text, last.end):
            at, addition = comma.end(), f"{gap}{assignment},"
        else:
            at, addition = last.end, f"{before if before.isspace() else ''},{gap}{assignment}"
        self._set(self.text[:at] + addition + self.text[at:])

    def _end_before(self, field: Field) -> int:
        """Where what stands before a field and its comma ends: the field before it, or the key."""
        place = self.fields.index(field)
        return self.fields[place - 1].end if place else self._key_end

    def _assignment(self, name: str, model: Field) -> str:
        """The name of a field and its equals sign in the style of another: its case, its blanks, its columns."""
        if model.name.isupper():
            name = name.upper()
        elif model.name[0].isupper():
            name = name[0].upper() + name[1:]
        equals, value = self._columns(model)
        others = [self._columns(field) for field in self._named if len(field.name) != len(model.name)]
        blanks = self.text[model.name_start + len(model.name) : model.name_start + equals]
        after = self.text[model.name_start + equals + 1 : model.start]
        if any(equals == other for other, _ in others):
            return f"{name + ' ':{equals}}={after}" if blanks else f"{name}={after}"
        if any(value == other for _, other in others):
            return f"{name + blanks + '= ':{value}}"
        return f"{name}{blanks}={after}"

    def _columns(self, field: Field) -> tuple[int, int]:
        equals = self.text.index("=", field.name_start + len(field.name))
        return equals - field.name_start, field.start - field.name_start

    def _enclosed(self, content: str) -> str:
        opening = {self.text[field.start] for field in self._named}
        in_quotes = '"' in opening and "{" not in opening and '"' not in content
        return f'"{content}"' if in_quotes else f"{{{content}}}"
