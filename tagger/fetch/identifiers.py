"""What people write for an arXiv paper or category -> the id or the name that arXiv uses."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tagger.errors import InputError

_NEW = r"\d{2}(?:0[1-9]|1[0-2])\.\d{4,5}"
_OLD = r"[a-z-]+(?:\.[a-z]{2})?/\d{2}(?:0[1-9]|1[0-2])\d{3}"
_PAPER = re.compile(
    r"(?:https?://\S+/)?(?:doi:\s*)?(?:10\.48550/)?(?:arxiv[.:]\s*)?"
    rf"(?P<id>{_NEW}|{_OLD})(?:v(?P<version>[1-9]\d{{0,2}}))?"
    r"(?:\.pdf)?/?(?:[?#]\S*)?(?:\s+\[[\w.-]+\])?",
    re.IGNORECASE | re.ASCII,
)
"""An id, after what addresses, DOIs and citations put before it and before what they put after it."""

_CATEGORY = re.compile(r"[a-z-]+(\.[A-Za-z-]+)?")
_GROUPS = ("cs", "econ", "eess", "math", "q-bio", "q-fin", "stat")
"""Archives that are groups of their own; every other one belongs to physics."""


@dataclass(frozen=True, slots=True)
class Paper:
    """What arXiv calls a paper."""

    id: str
    """Id without version; of an old one also without subject class: ``2505.01234``, ``math/0309136``."""
    version: int | None = None
    """The version that was asked for; None for the latest."""

    def __str__(self) -> str:
        return self.id if self.version is None else f"{self.id}v{self.version}"


def parse_paper(text: str) -> Paper:
    """The paper that an id, ``arXiv:`` with an id, a DOI of arXiv's or the address of a page or PDF stands for.

    Raises
    ------
    InputError
        If it is none of these.
    """
    text = text.strip()
    match = _PAPER.fullmatch(text[:500])
    if match is None:
        known = "one looks like 2505.01234, cs/0112017 or https://arxiv.org/abs/2505.01234"
        raise InputError(f"{text[:80]!r} is not an arXiv id; {known}")
    archive, slash, number = match["id"].lower().rpartition("/")
    id_ = f"{archive.partition('.')[0]}/{number}" if slash else number
    return Paper(id_, int(match["version"]) if match["version"] else None)


def set_of_category(category: str) -> str:
    """The set of arXiv's OAI interface that holds a category: ``cs:cs:LG`` for ``cs.LG``.

    Raises
    ------
    InputError
        If it cannot be a category.
    """
    if not _CATEGORY.fullmatch(category):
        raise InputError(f"{category[:40]!r} is not an arXiv category; one looks like cs.LG, stat.ML or hep-th")
    archive, _, subject = category.partition(".")
    group = archive if archive in _GROUPS else "physics"
    if subject:
        return f"{group}:{archive}:{subject}"
    return group if archive == group else f"{group}:{archive}"
