"""The formats of files: their names, what their files are called, and the modules that read and write them.

A module that reads has ``read(stream, source, fields) -> iterator of Record``, or a function for each of the formats
that it reads; one that writes has a class `Writer`.
Modules are imported when they are used, since every call of the command declares the names.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Format:
    """One format."""

    title: str
    """What people call it."""
    suffixes: tuple[str, ...]
    """Endings of its files' names, in lower case."""
    reader: str | None = None
    """Module that reads it, as ``module``, or as ``module:function`` if the function is not called `read`."""
    writer: str | None = None
    """Module and class that write it, as ``module:Class``; a function of rows, path and layout where it cannot grow."""
    binary: bool = False
    """Whether the reader takes bytes and not text."""
    seekable: bool = False
    """Whether it goes back and forth in them."""


_PACKAGE = "tagger.formats."

FORMATS: dict[str, Format] = {
    "text": Format("a list of abstracts", (".txt", ".md", ".text"), _PACKAGE + "paragraphs"),
    "jsonl": Format("JSON Lines", (".jsonl", ".ndjson"), _PACKAGE + "jsonl", _PACKAGE + "json_rows:JsonlWriter"),
    "json": Format("JSON", (".json",), _PACKAGE + "jsonl", _PACKAGE + "json_rows:JsonWriter"),
    "csv": Format("CSV", (".csv",), _PACKAGE + "delimited:read_csv", _PACKAGE + "csv_rows:CsvWriter"),
    "tsv": Format("TSV", (".tsv", ".tab"), _PACKAGE + "delimited:read_tsv", _PACKAGE + "csv_rows:TsvWriter"),
    "markdown": Format("Markdown", (".md",), None, _PACKAGE + "markdown:MarkdownWriter"),
    "xml": Format("XML", (".xml", ".atom", ".rss"), _PACKAGE + "xml", binary=True),
    "parquet": Format(
        "Parquet", (".parquet", ".pq"), _PACKAGE + "arrow:read_parquet", _PACKAGE + "arrow:write_parquet", True, True
    ),
    "arrow": Format("Arrow", (".arrow", ".feather", ".ipc"), _PACKAGE + "arrow:read_arrow", None, True, True),
    "bibtex": Format("BibTeX", (".bib", ".bibtex"), _PACKAGE + "bibtex", _PACKAGE + "bibtex:Writer"),
    "ris": Format("RIS", (".ris",), _PACKAGE + "ris", _PACKAGE + "ris:Writer"),
    "csl": Format("CSL-JSON", (".csl.json",), None, _PACKAGE + "csl:Writer"),
    "table": Format("a table", (), None, _PACKAGE + "table:TableWriter"),
}
