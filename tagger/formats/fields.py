"""Which fields of a record hold the abstract, its id and its title."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

ABSTRACT_NAMES = ("abstract", "abstracttext", "abstractnote", "summary", "text", "body", "content", "description")
ID_NAMES = ("id", "arxivid", "arxiv", "paperid", "openreviewid", "corpusid", "doi", "key", "citekey", "number", "url")
TITLE_NAMES = ("title", "papertitle", "name", "heading")


@dataclass(frozen=True, slots=True)
class Fields:
    """Names of fields that a user gave; the usual names are tried where none was given."""

    abstract: str | None = None
    id: str | None = None
    title: str | None = None

    def find_abstract(self, names: Iterable[str]) -> str | None:
        """The one of `names` that holds the abstract, None if there is none."""
        return _find(self.abstract, ABSTRACT_NAMES, tuple(names))

    def find_id(self, names: Iterable[str]) -> str | None:
        """The one of `names` that holds the id, None if there is none."""
        return _find(self.id, ID_NAMES, tuple(names))

    def find_title(self, names: Iterable[str]) -> str | None:
        """The one of `names` that holds the title, None if there is none."""
        return _find(self.title, TITLE_NAMES, tuple(names))


@lru_cache(maxsize=1024)  # records of a file have the same few sets of names
def _find(given: str | None, usual: tuple[str, ...], names: tuple[str, ...]) -> str | None:
    if given is not None:
        return given if given in names else None
    found = {plain(name): name for name in reversed(names) if name}
    return next((found[name] for name in usual if name in found), None)


@lru_cache(maxsize=4096)
def plain(name: str) -> str:
    """A name without case, spaces and punctuation: ``Paper ID`` and ``paper_id`` are the same field."""
    return "".join(character for character in name.casefold() if character.isalnum())
