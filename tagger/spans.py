"""Which characters of a text, as it was written, each of its words stands for.

Goes through the rewrites of :mod:`tagger.text` one by one, and remembers for each character where it came from.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from tagger import text as definition


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text and the characters that it came from: ``text[start:end]``, markup within it included."""

    word: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Traced:
    """A text whose characters each know their first character in the original, and the one after their last."""

    text: str
    starts: list[int]
    ends: list[int]


def words(text: str) -> list[Word]:
    """The words of `text`, as :func:`tagger.text.words` gives them, with their spans.

    Spans ascend. Those of two words are equal or do not overlap: a character that two words came from, as ``½`` in
    ``1½m``, is the first one's, and a word that is left without any has the span of the word before it.
    """
    traced = _trace(definition.encodable(text))
    for pattern, replacement in definition.REWRITES:
        traced = _fold(traced) if pattern == definition.NON_ASCII else _rewrite(traced, pattern, replacement)
    traced = _rewrite(traced, f"[{re.escape(definition.DELETED)}]", "")
    lowered = traced.text.translate(definition.LOWER_AND_DELETE)
    found: list[Word] = []
    start = end = 0
    for match in re.finditer(definition.WORD, lowered):
        if len(match[0].encode()) > definition.MAX_WORD_BYTES:
            continue
        first, last = _trimmed(text, max(traced.starts[match.start()], end), traced.ends[match.end() - 1])
        if first < last:
            start, end = first, last
        found.append(Word(match[0], start, end))
    return found


def _trace(text: str) -> _Traced:
    return _Traced(text, list(range(len(text))), list(range(1, len(text) + 1)))


def _rewrite(traced: _Traced, pattern: str, replacement: str | Callable[[re.Match[str]], str]) -> _Traced:
    """As :func:`re.sub`; each character of a replacement came from the whole of what it replaces."""

    def pieces() -> Iterator[tuple[int, int, _Traced]]:
        for match in re.finditer(pattern, traced.text, flags=re.ASCII):
            new = replacement if isinstance(replacement, str) else replacement(match)
            start, end = traced.starts[match.start()], traced.ends[match.end() - 1]
            yield match.start(), match.end(), _Traced(new, [start] * len(new), [end] * len(new))

    return _replaced(traced, pieces())


def _replaced(traced: _Traced, pieces: Iterator[tuple[int, int, _Traced]]) -> _Traced:
    """`traced` with each piece instead of what stands from its start to its end."""
    texts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    done = 0
    for start, end, piece in pieces:
        texts += (traced.text[done:start], piece.text)
        starts += traced.starts[done:start] + piece.starts
        ends += traced.ends[done:start] + piece.ends
        done = end
    return _Traced("".join([*texts, traced.text[done:]]), starts + traced.starts[done:], ends + traced.ends[done:])


def _fold(traced: _Traced) -> _Traced:
    """Fold what is outside ASCII; `traced` is the original."""

    def pieces() -> Iterator[tuple[int, int, _Traced]]:
        for match in re.finditer(definition.NON_ASCII, traced.text):
            folded = _fold_run(match[0])
            starts, ends = ([match.start() + place for place in places] for places in (folded.starts, folded.ends))
            yield match.start(), match.end(), _Traced(folded.text, starts, ends)

    return _replaced(traced, pieces())


def _fold_run(run: str) -> _Traced:
    """Fold a run as :func:`tagger.text.fold_run` does, tracing characters to their clusters in it."""
    clusters = [match.span() for match in re.finditer(r"(?s).[\ue000]*", _shape(run))]
    folded = [_fold_cluster(run[start:end]) for start, end in clusters]
    whole = definition.fold_run(run)
    seen = [k for k, part in enumerate(folded) if part.strip()] or [0]
    first, last = clusters[seen[0]][0], clusters[seen[-1]][1]
    if "".join(folded) == definition.fold_characters(run) and len(seen) > 1:
        starts = [start for (start, _), part in zip(clusters, folded) for _ in part]
        ends = [end for (_, end), part in zip(clusters, folded) for _ in part]
        traced = _rewrite(_Traced("".join(folded), starts, ends), definition.SPACED_SCRIPTS.pattern, _spaced)
        if traced.text == whole:
            return traced
    # A letter that was named, or clusters that fold otherwise together than apart: it came from all that is not blank.
    return _Traced(whole, [first] * len(whole), [last] * len(whole))


_fold_cluster = lru_cache(maxsize=4096)(definition.fold_characters)


def _spaced(match: re.Match[str]) -> str:
    return f" {match[0]} "


def _shape(run: str) -> str:
    """A character for each of `run`: a private one for those that join the character before them."""
    return "".join("\ue000" if _joins(character) else "x" for character in run)


@lru_cache(maxsize=4096)
def _joins(character: str) -> bool:
    """Whether a character may fold together with the one before it: a combining mark, or a part of a syllable."""
    first = unicodedata.normalize("NFKD", character)[0]
    return unicodedata.category(first)[0] == "M" or "\u1160" <= first <= "\u11ff"


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """A span without white space at its ends, with the accents that follow it."""
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    while start < end < len(text) and "\u0300" <= text[end] <= "\u036f":
        end += 1
    return start, end
