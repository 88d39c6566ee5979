"""Names of authors: as bibliographies list them, taken apart, and put the other way round."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tagger.formats.latex import decode

_LITERAL = ("literal", "name", "fullname", "full_name", "value")
_FAMILY = ("family", "keyname", "last", "lastname", "last_name", "surname")
_GIVEN = ("given", "forenames", "first", "firstname", "first_name", "givenname")
_PARTICLES = ("non-dropping-particle", "dropping-particle", "prefix")

_ORGANISATION = re.compile(
    r"\b(?:team|group|collaboration|consortium|institute|university|laborator(?:y|ies)|labs?|research|foundation"
    r"|society|association|committee|department|council|agency|inc|ltd|gmbh|corporation|community|project|initiative"
    r"|organi[sz]ation|network)\b",
    re.IGNORECASE,
)
_AND = re.compile(r"\s+and\s+|\\.|[{}]", re.IGNORECASE | re.DOTALL)
_REMARK = re.compile(r"\([^()]*\)")
_SUFFIX = re.compile(r"(?:jr|sr)\.?|i{2,3}|iv", re.IGNORECASE)
_INITIALS = re.compile(r"(?:[A-Z]\.?[\s-]*){1,4}")
_NUMBER = re.compile(r" \d{4}$", re.ASCII)
"""By this DBLP tells people of the same name apart."""
_OTHERS = ("others", "et al.", "et al")


def authors_of(value: Any, bibtex: bool = False) -> tuple[str, ...]:
    """The authors in a value.

    Parameters
    ----------
    value : str, mapping or sequence
        A name, a mapping with its parts, a list of these, or text that lists names: joined by ``and``, by semicolons
        or by commas.
    bibtex : bool
        Whether text lists names as BibTeX does: joined by nothing but ``and`` outside braces.

    Returns
    -------
    tuple of str
        Each as it was given, LaTeX undone: ``First Last`` or ``Last, First``.
    """
    names: list[str] = []
    if isinstance(value, str):
        names = _split_at_and(value) if bibtex else _listed(value)
    elif isinstance(value, Mapping):
        names = [_of_mapping(value)]
    elif isinstance(value, Sequence):
        names = [_of_mapping(item) if isinstance(item, Mapping) else item for item in value]
        names = [name for name in names if isinstance(name, str)]
    shown = (_NUMBER.sub("", decode(name)) for name in names)
    return tuple(name for name in shown if name and name.casefold() not in _OTHERS)


def family_and_given(name: str) -> tuple[str, str]:
    """The family name, with its particles, and the given names; these are empty for an organisation."""
    if "," in name:
        family, _, given = (part.strip() for part in name.rpartition(","))
        return (family, given) if family and given else (family or given, "")
    words = name.split()
    if len(words) < 2 or _ORGANISATION.search(name):
        return name, ""
    start = len(words) - 1
    while start > 1 and words[start - 1][0].islower():
        start -= 1
    return " ".join(words[start:]), " ".join(words[:start])


def family_first(name: str) -> str:
    """A name as ``Last, First``; an organisation as it is."""
    family, given = family_and_given(name)
    return f"{family}, {given}" if given else family


def _of_mapping(value: Mapping[str, Any]) -> str:
    parts = {str(name).lower(): part for name, part in value.items() if isinstance(part, str) and part.strip()}

    def first(names: tuple[str, ...]) -> str:
        return next((parts[name] for name in names if name in parts), "")

    family, given = first(_FAMILY), first(_GIVEN)
    if not family:
        return first(_LITERAL) or given
    family = " ".join(filter(None, (first(_PARTICLES), family)))
    return ", ".join(filter(None, (family, parts.get("suffix"), given)))


def _split_at_and(text: str) -> list[str]:
    names = []
    start = depth = 0
    for match in _AND.finditer(text):
        depth += (match[0] == "{") - (match[0] == "}")
        if depth == 0 and match[0].strip().lower() == "and":
            names.append(text[start : match.start()])
            start = match.end()
    return [*names, text[start:]]


def _listed(text: str) -> list[str]:
    for _ in range(2):  # affiliations, which may hold numbers in brackets themselves
        text = _REMARK.sub(" ", text)
    if ";" in text:
        return text.split(";")
    return [name for chunk in _split_at_and(text) for name in _between_commas(chunk)]


def _between_commas(text: str) -> list[str]:
    """The names in a text that either lists ``First Last, First Last`` or is one ``Last, First``, or several of it."""
    parts: list[str] = []
    for part in filter(None, map(str.strip, text.split(","))):
        if parts and _SUFFIX.fullmatch(part):
            parts[-1] += f" {part}"
        else:
            parts.append(part)
    seconds = parts[1::2]
    in_pairs = (
        len(parts) % 2 == 0
        and not text.rstrip().endswith(",")
        and (
            all(map(_INITIALS.fullmatch, seconds))
            or all(" " not in part for part in parts)
            or (len(parts) == 2 and (" " not in parts[0] or " " not in parts[1] or parts[0][0].islower()))
        )
    )
    if not in_pairs:
        return parts
    return [f"{family}, {given}" for family, given in zip(parts[::2], seconds)]
