"""Which fields of a record hold the abstract, its id and its title."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tagger.errors import InputError

ABSTRACT_NAMES = ("abstract", "abstracttext", "abstractnote", "summary", "text", "body", "content", "description")
ID_NAMES = ("id", "arxivid", "arxiv", "paperid", "openreviewid", "corpusid", "doi", "key", "citekey", "number", "url")
TITLE_NAMES = ("title", "papertitle", "name", "heading")


class NoListError(InputError):
    """A file that is no list of abstracts: in another format, without a field that holds text, or empty."""


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

    def find(self, names: Iterable[str]) -> tuple[str | None, str | None, str | None]:
        """Those of `names` that hold the abstract, its id and its title."""
        return _find_all(self.abstract, self.id, self.title, tuple(names))

    def with_nested(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """`row`, with the fields inside its fields that a user gave as ``outer.inner``, under these names."""
        found = {}
        for given in (self.abstract, self.id, self.title):
            if given is not None and given not in row and "." in given:
                value: Any = row
                for name in given.split("."):
                    value = value.get(name) if isinstance(value, Mapping) else None
                if value is not None:
                    found[given] = value
        return {**row, **found} if found else row


@lru_cache(maxsize=1024)  # the records of a file have the same few sets of names
def _find_all(
    abstract: str | None, id: str | None, title: str | None, names: tuple[str, ...]
) -> tuple[str | None, str | None, str | None]:
    return _find(abstract, ABSTRACT_NAMES, names), _find(id, ID_NAMES, names), _find(title, TITLE_NAMES, names)


@lru_cache(maxsize=1024)
def _find(given: str | None, usual: tuple[str, ...], names: tuple[str, ...]) -> str | None:
    if given is not None:
        return given if given in names else None
    by_plain_name = {plain(name): name for name in reversed(names) if name}
    return next((by_plain_name[name] for name in usual if name in by_plain_name), None)


@lru_cache(maxsize=4096)
def plain(name: str) -> str:
    """A name without case, spaces and punctuation: ``Paper ID`` and ``paper_id`` are the same field."""
    return "".join(character for character in name.casefold() if character.isalnum())
