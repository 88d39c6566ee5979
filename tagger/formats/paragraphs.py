"""Plain text: an abstract a paragraph, with headings between them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from tagger.formats.fields import Fields
from tagger.records import Record

MOST_WORDS_OF_A_HEADING = 25
SHORTEST_ABSTRACT_LINE = 200
"""Characters from which a line that ends a sentence is taken for a whole abstract, not for a wrapped line."""

_MARKED_HEADING = re.compile(r"\s*#{1,6}\s")
_RULE = re.compile(r"\s*[-=*_~]{3,}\s*")
_SENTENCE_END = re.compile(r"[.!?。！？…][\"'”’)\]}*_$]*\s*$")


def read(stream: TextIO, source: str, fields: Fields) -> Iterator[Record]:
    """Yield a record for each abstract of `stream`, a text with universal newlines left as they are."""
    name = "stdin" if source == "standard input" else Path(source).name
    number = 0
    for block in _blocks(stream):
        for abstract in _abstracts(block):
            number += 1
            yield Record(f"{name}:{number}", abstract, source=source)


def is_heading(line: str) -> bool:
    """Whether a line that stands alone is a heading or a rule: marked as one, or short and not a sentence."""
    if _MARKED_HEADING.match(line) or _RULE.fullmatch(line):
        return True
    return len(line.split()) <= MOST_WORDS_OF_A_HEADING and not _SENTENCE_END.search(line)


def _blocks(stream: TextIO) -> Iterator[list[str]]:
    """Runs of lines without a blank line, a heading mark or a rule between them."""
    block: list[str] = []
    for raw in stream:
        for line in raw.splitlines() or [""]:
            if not line.strip() or _MARKED_HEADING.match(line) or _RULE.fullmatch(line):
                if block:
                    yield block
                block = []
            else:
                block.append(line.strip())
    if block:
        yield block


def _abstracts(block: list[str]) -> list[str]:
    """The abstracts of a block: one a line if every line is long and ends a sentence, else one in all."""
    lines = block[1:] if is_heading(block[0]) else block
    if lines and all(len(line) >= SHORTEST_ABSTRACT_LINE and _SENTENCE_END.search(line) for line in lines):
        return lines
    if len(block) == 1 and is_heading(block[0]):
        return []
    return [" ".join(block)]
