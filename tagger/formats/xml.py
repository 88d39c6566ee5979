"""XML: Atom and RSS feeds, and records of OAI-PMH, from arXiv and others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from tagger.errors import InputError
from tagger.formats import feeds, oai
from tagger.formats.documents import Documents, ForeignError, RefusedError
from tagger.formats.elements import local_name, short_id
from tagger.formats.fields import Fields, NoListError
from tagger.formats.mapping import record_of_mapping
from tagger.records import Record

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_ENTRIES = frozenset({"entry", "item"})
RECORDS = _ENTRIES | {"record"} | oai.ARXIV_FORMATS | oai.DUBLIN_CORE
"""Names of elements that hold a record."""
ROOTS = frozenset({"feed", "rss", "RDF", "OAI-PMH", "ListRecords", "GetRecord"})
"""Names of elements in which there are such."""


def read(stream: BinaryIO, source: str, fields: Fields) -> Iterator[Record]:
    """Yield a record for each entry, item or record of an XML document, or of several joined into one file.

    Memory stays the same however long the document is. Where it breaks off or is not well-formed, one more record
    has an error that says where, and is the last.

    Raises
    ------
    NoListError
        If it is not XML, or is XML of another kind.
    InputError
        If it declares entities or an encoding that is not read.
    DamagedError, OSError
        Where the stream ends early, after the records before.
    MissingExtraError
        If defusedxml is not installed.
    """
    documents = Documents(stream, _holds_record, ROOTS)
    name = "stdin" if source == "standard input" else Path(source).name
    number = 0
    try:
        for element in documents:
            number += 1
            record = _record(element, f"{name}:{number}", source, fields)
            if number == 1 and fields.abstract and record.error and repr(fields.abstract) in record.error:
                raise NoListError(f"{source}: {record.error}")
            yield replace(record, position=f"{local_name(element.tag)} {number}")
        problem = documents.error
    except RefusedError as refusal:
        problem = f"{refusal}; give an Atom or RSS feed, or OAI-PMH records in arXiv's formats or Dublin Core"
        if not number:
            kind = NoListError if isinstance(refusal, ForeignError) else InputError
            raise kind(f"{source}: {problem}") from None
    if problem and not documents.begun:
        raise NoListError(f"{source}: is not XML ({problem}); check the file, or name its format with --from")
    if problem:
        number += 1
        error = f"{problem}; the rest cannot be read: mend the file, or get it again"
        yield Record(f"{name}:{number}", error=error, source=source, position=f"record {number}")


def _holds_record(name: str, root: str) -> bool:
    return name in RECORDS or (name == "error" and root == "OAI-PMH")


def _record(element: Element, default_id: str, source: str, fields: Fields) -> Record:
    kind = local_name(element.tag)
    if kind == "error":
        return Record(default_id, error=oai.protocol_error(element), source=source)
    values = feeds.entry_fields(element) if kind in _ENTRIES else oai.record_fields(element)
    error = feeds.error_of(values) if kind in _ENTRIES else None
    if error:
        return Record(default_id, error=error, source=source, fields=values)
    record = record_of_mapping(values, default_id, source, position="", fields=fields)
    record = replace(record, id=short_id(record.id), fields=values)
    return replace(record, abstract="", error=oai.DELETED) if oai.is_deleted(element) else record
