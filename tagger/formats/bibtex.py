"""BibTeX and BibLaTeX: entries are read one at a time, and written back with tags among their keywords."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from tagger.formats import note
from tagger.formats.bibliography import bibliography
from tagger.formats.bibtex_edit import NOTE, with_tags
from tagger.formats.bibtex_syntax import MONTHS, MOST_MACROS, NO_ENTRIES, Block, NotBibtexError, evaluate, parse, split
from tagger.formats.chunks import TextLines
from tagger.formats.entries import EntryWriter
from tagger.formats.fields import Fields
from tagger.formats.keywords import join_keywords
from tagger.formats.latex import decode, encode, is_balanced
from tagger.formats.layout import Layout
from tagger.formats.mapping import record_of_mapping
from tagger.formats.people import family_and_given
from tagger.records import Entry, Record, Tagged, Tags

_KEY = re.compile(r"\s*([^\s\"#%'(),={}]+)\s*,")
_NOT_IN_KEY = re.compile(r"[\s\x00-\x1f\x7f\"#%'(),={}~\\@]+")

_TYPES = {
    "inproceedings": ("inproceedings", "booktitle"),
    "chapter": ("incollection", "booktitle"),
    "thesis": ("phdthesis", "school"),
    "report": ("techreport", "institution"),
    "book": ("book", "series"),
    "misc": ("misc", "howpublished"),
}
"""For each kind of publication the type of its entry, and the field for where it appeared."""


def read(stream: TextIO, source: str, fields: Fields) -> Iterator[Record]:
    """Yield a record for each entry; one that is broken or has no abstract says so.

    Its `fields` are the entry's, with names in lower case, macros resolved and LaTeX as it is, and ``ENTRYTYPE`` and
    ``ID`` for the type and the citation key. In its title and abstract LaTeX is undone.

    Raises
    ------
    MissingExtraError
        If bibtexparser is not installed.
    DamagedError, OSError
        Where the stream ends early, after the entries that are whole.
    """
    name = "stdin" if source == "standard input" else Path(source).name
    fields = Fields(_lower(fields.abstract), _lower(fields.id), _lower(fields.title))
    macros = dict(MONTHS)
    number = 0
    text: list[str] = []
    last: Record | None = None
    lines = TextLines(stream)
    for block in split(lines):
        text += (block.before, block.text)
        if block.kind == "string":
            _define(block, macros)
        if block.kind in NO_ENTRIES:
            continue
        if last:
            yield last
        number += 1
        record = _record(block, f"{name}:{number}", source, fields, macros)
        last = replace(record, source=source, position=f"line {block.line}", entry=Entry("bibtex", "".join(text)))
        text = []
    if last and last.entry:
        yield replace(last, entry=Entry("bibtex", last.entry.text + "".join(text)))
    if lines.failure is not None:
        raise lines.failure


def _lower(name: str | None) -> str | None:
    return name if name in (None, "ENTRYTYPE", "ID") else name.lower()


def _define(block: Block, macros: dict[str, str]) -> None:
    """Add the macro of a ``@string`` to `macros`; a broken one defines nothing, nor does one of too many."""
    if len(macros) >= MOST_MACROS:
        return
    name, _, value = block.text[block.opening + 1 : -1].partition("=")
    try:
        macros[name.strip().lower()] = evaluate(value.strip(), macros)
    except NotBibtexError:
        return


def _record(block: Block, default_id: str, source: str, fields: Fields, macros: dict[str, str]) -> Record:
    try:
        syntax = parse(block)
        values = [
            (field.name.lower(), evaluate(block.text[field.start : field.end], macros))
            for field in syntax.fields
            if field.name
        ]
    except NotBibtexError as error:
        key = _KEY.match(block.text, block.opening + 1)
        return Record(key[1] if key else default_id, error=f"not BibTeX ({error})")
    row = {"ENTRYTYPE": block.kind, "ID": syntax.key}
    for field_name, value in values:
        row.setdefault(field_name, value)  # the first counts, as in BibTeX
    record = replace(record_of_mapping(row, default_id, source, fields), fields=row)
    abstract = fields.find_abstract(row)
    problem = record.error
    if problem and not fields.abstract:
        problem = "the entry has no abstract; add one, or name the field that holds it with --text-field"
    if len({value for field_name, value in values if field_name == abstract}) > 1:
        problem = f"the field {abstract!r} occurs twice with different texts; delete one"
    return replace(
        record,
        abstract=decode(record.abstract) if not problem else "",
        title=decode(record.title or "") or None,
        error=problem,
    )


class Writer(EntryWriter):
    """Entries: those that were read from BibTeX as they were, with tags among their keywords; others are made."""

    format = "bibtex"

    def __init__(self, stream: TextIO, layout: Layout) -> None:
        super().__init__(stream, layout)
        self._keys: dict[str, int] = {}

    def write(self, tagged: Tagged) -> None:
        """Write one entry; a record that could not be tagged stays as it is, or is made with a note that says why."""
        super().write(tagged)
        if "ENTRYTYPE" in tagged.record.fields:
            self._keys.setdefault(tagged.record.fields.get("ID", ""), 1)

    def with_tags(self, text: str, record: Record, tags: Tags) -> str:
        """The text of the record's entry with tags."""
        keywords = record.fields.get("keywords") or record.fields.get("keyword") or ""
        return with_tags(text, keywords, tags, self._layout)

    def new_entry(self, record: Record, tags: Tags) -> str:
        """An entry for a record of another format."""
        return _new_entry(self._key(record.id), record, tags, self._layout)

    def _key(self, id_: str) -> str:
        """A citation key that BibTeX allows and that no other entry has."""
        wanted = key = _NOT_IN_KEY.sub("_", id_) or "record"
        while key in self._keys:
            self._keys[wanted] += 1
            key = f"{wanted}-{self._keys[wanted]}"
        self._keys[key] = 1
        return key


def _new_entry(key: str, record: Record, tags: Tags, layout: Layout) -> str:
    paper = bibliography(record)
    type_, venue = _TYPES.get(paper.kind, (paper.kind, "journal"))
    year, month, day = (*paper.date.split("-"), "", "")[:3]
    error = record.error or tags.error
    values = {
        "title": encode(paper.title, protect_capitals=True),
        "author": " and ".join(map(_author, paper.authors)),
        venue: encode(paper.venue),
        "volume": encode(paper.volume),
        "number": encode(paper.number),
        "pages": encode(paper.pages).replace("-", "--"),
        "publisher": encode(paper.publisher),
        "year": year,
        "month": list(MONTHS)[int(month) - 1] if month else "",
        "day": day.lstrip("0"),
        "doi": _verbatim(paper.doi),
        "eprint": _verbatim(paper.arxiv_id),
        "archiveprefix": "arXiv" if paper.arxiv_id else "",
        "url": _verbatim(paper.url),
        "abstract": encode(record.abstract),
        "keywords": join_keywords(dict.fromkeys((*paper.keywords, *tags.areas))),
        NOTE: encode(note.compose(tags, layout, paper.keywords)) if layout.areas or error else "",
    }
    lines = [
        f"  {name} = " + (value if name == "month" else f"{{{value}}}")  # a month is a macro
        for name, value in values.items()
        if value
    ]
    return f"@{type_}{{{key},\n" + ",\n".join(lines) + "\n}\n"


def _author(name: str) -> str:
    """A name as BibTeX takes it; braces keep an organisation, or what BibTeX would take apart, in one piece."""
    _, given = family_and_given(name)
    in_one_piece = not given or name.count(",") > 2 or re.search(r"\band\b", name, re.IGNORECASE)
    return f"{{{encode(name)}}}" if in_one_piece and " " in name else encode(name)


def _verbatim(text: str) -> str:
    """An identifier or an address, which BibLaTeX reads without escapes."""
    return text if is_balanced(text) and "\\" not in text else encode(text)
