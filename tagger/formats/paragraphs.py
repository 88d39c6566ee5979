"""Plain text: an abstract a paragraph, with headings between them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TextIO

from tagger.formats.chunks import TextLines
from tagger.formats.fields import Fields
from tagger.formats.sources import default_id_prefix
from tagger.records import Record

MOST_WORDS_OF_A_HEADING = 25
SHORTEST_ABSTRACT_LINE = 200
"""Characters from which a line that ends a sentence is taken for a whole abstract, not for a wrapped line."""

_MARKED_HEADING = re.compile(r"\s*#{1,6}\s")
_RULE = re.compile(r"\s*[-=*_~]{3,}\s*")
_SENTENCE_END = re.compile(r"[.!?。！？…][\"'”’)\]}*_$]*\s*$")


def read(stream: TextIO, source: str, fields: Fields) -> Iterator[Record]:
    """Yield a record for each abstract of `stream`, a text with universal newlines left as they are.

    Raises
    ------
    DamagedError, OSError
        Where the stream ends early, after the abstracts that are whole.
    """
    prefix = default_id_prefix(source)
    number = 0
    lines = TextLines(stream)
    for block in _blocks(lines):
        for line, abstract in _abstracts(block):
            number += 1
            yield Record(f"{prefix}:{number}", abstract, source=source, position=f"line {line}")
    if lines.failure is not None:
        raise lines.failure


def is_heading(line: str) -> bool:
    """Whether a line that stands alone is a heading or a rule: marked as one, or short and not a sentence."""
    if _MARKED_HEADING.match(line) or _RULE.fullmatch(line):
        return True
    return len(line.split(None, MOST_WORDS_OF_A_HEADING)) <= MOST_WORDS_OF_A_HEADING and not _SENTENCE_END.search(line)


def _blocks(lines: TextLines) -> Iterator[list[tuple[int, str]]]:
    """Runs of lines, with their numbers, without a blank line, a heading mark or a rule between them.

    Of one that was cut off, where the lines end early, those that are abstracts by themselves.
    """
    block: list[tuple[int, str]] = []
    raw = ""
    for number, raw in enumerate(lines, 1):
        for line in raw.splitlines() or [""]:
            if not line.strip() or _MARKED_HEADING.match(line) or _RULE.fullmatch(line):
                if block:
                    yield block
                block = []
            else:
                block.append((number, line.strip()))
    if lines.failure is not None:
        block = block if raw.endswith(("\n", "\r")) else block[:-1]
        block = block if _are_abstracts(block[1:] if block and is_heading(block[0][1]) else block) else []
    if block:
        yield block


def _abstracts(block: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """The abstracts of a block, with their lines: one a line if all are long and end a sentence, else one in all."""
    first, heading = block[0]
    lines = block[1:] if is_heading(heading) else block
    if _are_abstracts(lines):
        return lines
    if len(block) == 1 and is_heading(heading):
        return []
    return [(first, " ".join(line for _, line in block))]


def _are_abstracts(lines: list[tuple[int, str]]) -> bool:
    """Whether each line is a whole abstract."""
    long = all(len(line) >= SHORTEST_ABSTRACT_LINE and _SENTENCE_END.search(line) for _, line in lines)
    return bool(lines) and long
