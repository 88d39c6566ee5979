"""What format a file has: by its content where that tells, else by its name."""

from __future__ import annotations

import re
from pathlib import PurePath

from tagger.formats import delimited
from tagger.formats.decoding import decode_head, is_unicode
from tagger.formats.fields import Fields, NoListError
from tagger.formats.registry import FORMATS

COMPRESSION_SUFFIXES = (".gz", ".bz2", ".xz", ".zst", ".zstd")
"""Endings that say how a file is compressed; the one before says what it is."""

TOLD_BY_THE_BEGINNING = frozenset({"parquet", "arrow", "xml", "jsonl", "csv", "tsv"})
"""Formats that nothing further on can disprove."""

_BINARY_MAGIC = (
    (re.compile(rb"PAR1"), "parquet"),
    (re.compile(rb"ARROW1|FEA1|\xff\xff\xff\xff...\0", re.DOTALL), "arrow"),
)

_FOREIGN_MAGIC = (
    (re.compile(rb"%PDF"), "a PDF"),
    (re.compile(rb"%!PS"), "PostScript"),
    (re.compile(rb"PK\x03\x04|PK\x05\x06"), "a ZIP archive or an Office document"),
    (re.compile(rb"\xd0\xcf\x11\xe0"), "an Office document"),
    (re.compile(rb"\{\\rtf"), "an RTF document"),
    (re.compile(rb"\x89PNG|\xff\xd8\xff|GIF8[79]a|II\*\0|MM\0\*|RIFF....WEBP|BM....\0\0\0\0", re.DOTALL), "a picture"),
    (re.compile(rb"7z\xbc\xaf|Rar!|.{257}ustar", re.DOTALL), "an archive"),
    (re.compile(rb"\x1f\x9d|\x04\x22\x4d\x18|LZIP\x01"), "compressed in a way that is not read"),
    (re.compile(rb"SQLite format 3"), "a database"),
    (re.compile(rb"\x93NUMPY|\x89HDF|\x80[\x02-\x05]"), "arrays or objects of a program"),
)

_FOREIGN_SUFFIXES = {
    ".html": "HTML",
    ".htm": "HTML",
    ".pdf": "PDF",
    ".doc": "an Office document",
    ".docx": "an Office document",
    ".xls": "an Office document",
    ".xlsx": "an Office document",
    ".zip": "a ZIP archive",
    ".tar": "an archive",
}

_NOTES = ("readme", "license", "licence", "copying", "notice", "changelog", "contributing", "makefile", "requirements")
"""Names of files that lie beside lists and are none."""
_CONTROL = bytes(set(range(32)) - set(b"\t\n\f\r\x1b"))
_MOST_CONTROL = 0.05
"""Share of control characters from which a file is no text; a stray NUL is none."""
_SHORT_LINE = 200
"""Lines shorter than this may stand before the first entry of a BibTeX or RIS file: notes of the program it is from."""

_XML = re.compile(
    r"""(?: <!--.*?-->\s* | <\?(?!xml\b).*?\?>\s* | <!DOCTYPE\b[^<>\[]*>\s* )*
    (?: <\?xml\b | <(?:[\w.-]+:)?(?:feed|entry|rss|item|RDF|record|OAI-PMH|ListRecords|GetRecord
      |arXiv|arXivRaw|arXivOld|dc|qualifieddc) [\s/>] )""",
    re.VERBOSE | re.DOTALL,
)
"""A declaration, or a root in which the reader of XML looks for records."""
_HTML = re.compile(r"(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head)\b", re.IGNORECASE | re.DOTALL)
_BIBTEX = re.compile(
    r"^[ \t]*@(?:(?!string|preamble|comment)[A-Za-z]+\s*[{(]\s*[^\s{}(),=\"]*\s*,|(?:string|preamble|comment)\s*[{(])",
    re.MULTILINE | re.IGNORECASE,
)
_RIS = re.compile(r"^TY {1,2}-(?: |$)", re.MULTILINE)
_JSON = re.compile(
    r"""\s*(?:
      \{\s*["}]                                       # an object, not {\em Reasoning} models
    | \[\s*(?: \{\s*["}] | "(?:[^"\\\n]|\\.)*"\s*[,\]] | \]\s*$ )   # a list of objects or strings, not [1] We prove
    )""",
    re.VERBOSE,
)


def detect(head: bytes, path: str, source: str, fields: Fields = Fields()) -> str:
    """The format of a file, a key of :data:`tagger.formats.registry.FORMATS`.

    Parameters
    ----------
    head : bytes
        What it begins with, decompressed.
    path : str
        Its name, whose ending tells where the content does not.
    source : str
        What messages call it.
    fields : Fields
        Names of the fields that hold the abstract and more, which a header may have.

    Raises
    ------
    NoListError
        If it is in a format that is not read.
    """
    format_ = _by_magic(head)
    if format_ is None:
        foreign = _foreign(head)
        if foreign:
            raise _unknown(source, foreign)
        text = decode_head(head)
        format_ = _by_content(text, fields) or by_name(path)
    if format_ is None:
        suffix = _suffix(path)
        if suffix in _FOREIGN_SUFFIXES:
            raise _unknown(source, _FOREIGN_SUFFIXES[suffix])
        return "text"
    if format_ not in FORMATS:
        raise _unknown(source, format_)
    return format_


def by_name(path: str) -> str | None:
    """The format that the ending of a file's name stands for; None if it stands for none."""
    suffix = _suffix(path)
    return next((name for name, format_ in FORMATS.items() if format_.reader and suffix in format_.suffixes), None)


def is_named_like_a_list(path: str) -> bool:
    """Whether a file that is text may be a list of abstracts by its name: it ends as one does, or has no ending."""
    name = PurePath(path).name.partition(".")[0].lower()
    return name not in _NOTES and (not _suffix(path) or by_name(path) is not None)


def _suffix(path: str) -> str:
    name = PurePath(path)
    if name.suffix.lower() in COMPRESSION_SUFFIXES:
        name = name.with_suffix("")
    return name.suffix.lower()


def _by_magic(head: bytes) -> str | None:
    return next((format_ for magic, format_ in _BINARY_MAGIC if magic.match(head)), None)


def _foreign(head: bytes) -> str | None:
    """What kind of file it is, if it is none that is read."""
    for magic, kind in _FOREIGN_MAGIC:
        if magic.match(head):
            return kind
    if not is_unicode(head) and _share_of_control(head) > _MOST_CONTROL:
        return "binary"
    return "an HTML page" if _HTML.match(decode_head(head).lstrip()) else None


def _share_of_control(head: bytes) -> float:
    return (len(head) - len(head.translate(None, _CONTROL))) / max(len(head), 1)


def _by_content(text: str, fields: Fields) -> str | None:
    stripped = text.lstrip()
    if _XML.match(stripped):
        return "xml"
    if _JSON.match(text):
        return "jsonl"
    if table := delimited.detect(text, fields):
        return table
    for pattern, format_ in ((_BIBTEX, "bibtex"), (_RIS, "ris")):
        entry = pattern.search(text)
        if entry and all(len(line) < _SHORT_LINE for line in text[: entry.start()].splitlines()):
            return format_
    return None


def _unknown(source: str, kind: str) -> NoListError:
    known = ", ".join(name for name, format_ in FORMATS.items() if format_.reader)
    return NoListError(f"{source}: unknown format ({kind}); give one of {known}, or name it with --from")
