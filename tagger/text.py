"""Abstract -> n-grams: the one definition of text, used by training and runtime alike.

A text passes through five steps, each a few lines below:

1. fold      characters outside ASCII: accents off, Greek letters named, punctuation to ASCII;
2. URLs      become the word ``url``, and HTML goes;
3. numbers   become classes: ``70%`` -> ``0%``, ``2.4x`` -> ``0x``, ``128`` -> ``0``; a single digit stays;
4. LaTeX     and Markdown are undone;
5. words     are runs of letters, digits and ``%`` in lower case; everything else separates them.

The n-grams of a text are its words and its pairs of neighbouring words.

This module is the reference: plain and slow. :mod:`tagger.vectorize` computes the same for a whole batch with
array operations and must agree with it on any input. The patterns are shared, so they use ASCII classes only and
never match a NUL, which is what separates the texts of a batch there; all but two begin with a literal, which the
regular-expression engine finds ten times as fast as a class of characters.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise

TEXT_VERSION = 1
"""Version of this definition. A model records the version it was trained with and is refused under another."""

MAX_WORD_BYTES = 64
"""Longer runs (hashes, encoded data) are not words and are dropped; measured in UTF-8 bytes."""

NON_ASCII = r"[^\x00-\x7f]+"

TAG = (
    r"</?(?:jats:)?(?:a|b|br|code|div|em|i|italic|bold|li|ol|p|sec|span|strong|sub|sup|title|tt|ul)"
    r"(?:\s[^<>\x00]*)?/?>"
)
ENTITY = r"&(?:[a-zA-Z]{2,8}|\#x?[0-9a-fA-F]{1,6});"

_URL_REST = r"""[^\s\x00{}<>()\[\]"|]+"""
URL = r"https?://" + _URL_REST
BARE_URL = r"www\." + _URL_REST

NUMBER = (
    r"[0-9]+(?:[.,][0-9]+)*"
    r"(?:(?P<times>[\s$]*\\times(?![a-zA-Z])|[xX](?![a-zA-Z0-9]))|(?P<percent>\s?\\?%))?"
)

LATEX = (
    r"\\(?:"
    r"(?:cite|ref|label|eqref|cref)[a-z]*\*?(?:\[[^\[\]\x00]*\])*\{[^{}\x00]*\}"
    r"|(?:[`'^\"~=.]|[cvHukrbdt](?=\{))\s?\{?\\?(?P<accented>[A-Za-z])\}?"
    r"|(?P<command>[A-Za-z]+)\*?\s?"
    r"|-)"
)

DELETED = "{}$*`'"
"""Marks inside words that carry no meaning: ``\\textbf{X}s``, ``$k$-means``, ``**X**``, ``model's``."""

LOWER_AND_DELETE = str.maketrans(string.ascii_uppercase, string.ascii_lowercase, DELETED)

WORD = r"[a-z0-9%\u0080-\U0010ffff]+"

FORMATTING_COMMANDS = frozenset(
    """
    textbf textit texttt textsc textsf textrm textnormal textup text emph underline uline em bf it tt sc rm sf
    mathbf mathrm mathcal mathbb mathsf mathit mathfrak mathscr boldsymbol bm mbox hbox ensuremath operatorname
    textsuperscript textsubscript textcolor color url href footnote footnotesize small tiny large
    left right big bigl bigr Big Bigl Bigr bigg biggl biggr tilde widetilde hat widehat bar overline vec
    displaystyle limits nolimits unicode protect
    """.split()  # noqa: SIM905 - a list of 80 quoted names is harder to read
)
"""LaTeX commands that only change how something looks; any other command keeps its name as a word."""

SPACING_COMMANDS = frozenset("begin end item xspace quad qquad noindent par newline".split())  # noqa: SIM905
"""LaTeX commands that set words apart."""

PUNCTUATION = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "′": "'", "×": "x"})
SPACED_SCRIPTS = re.compile(r"([\u2e80-\u2fdf\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])")


@lru_cache(maxsize=4096)
def fold_run(run: str) -> str:
    """Fold a maximal run of characters outside ASCII.

    Accents of Latin, Greek and Cyrillic letters are dropped, compatibility forms (ligatures, full width, mathematical
    letters) replaced, a lone Greek letter is named as LaTeX names it, characters of scripts without spaces
    become words of their own, and what is neither letter, digit nor combining mark becomes a space.
    """
    folded = fold_characters(run)
    if len(folded.strip()) == 1 and unicodedata.name(folded.strip(), "").startswith("GREEK SMALL LETTER"):
        name = unicodedata.name(folded.strip()).split()[-1].lower()
        return " lambda " if name == "lamda" else f" {name} "  # Unicode spells this one as modern Greek does
    return SPACED_SCRIPTS.sub(r" \1 ", folded)


def fold_characters(run: str) -> str:
    """What :func:`fold_run` does to characters, whatever stands beside them."""
    decomposed = unicodedata.normalize("NFKD", run.translate(PUNCTUATION))
    kept = "".join(_fold_character(character) for character in decomposed)
    return unicodedata.normalize("NFC", kept.casefold())


def _fold_character(character: str) -> str:
    if "\u0300" <= character <= "\u036f":  # the combining accents
        return ""
    if character.isascii() or unicodedata.category(character)[0] in "LMN":
        return character
    return " "


def number_class(match: re.Match[str]) -> str:
    """The class of a number that :data:`NUMBER` matched: a factor, a share, a lone digit or any other number."""
    if match["times"]:
        return "0x"
    if match["percent"]:
        return "0%"
    return match[0] if len(match[0]) == 1 else "0"


def undo_latex(match: re.Match[str]) -> str:
    """What stays of the LaTeX that :data:`LATEX` matched."""
    if match["accented"]:
        return match["accented"]
    if match["command"]:
        return command_name(match["command"])
    if match[0] == "\\-":  # a hyphenation hint
        return ""
    return " "


def command_name(command: str) -> str:
    """The word that a LaTeX command stands for: none if it only formats, else its name, without a leading `var`."""
    if command in FORMATTING_COMMANDS:
        return ""
    if command in SPACING_COMMANDS:
        return " "
    return f" {command.removeprefix('var')} "


REWRITES: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (NON_ASCII, lambda match: fold_run(match[0])),
    (TAG, " "),
    (ENTITY, " "),
    (URL, " url "),
    (BARE_URL, " url "),
    (NUMBER, number_class),
    (LATEX, undo_latex),
    (r"\}\{", " "),
)
"""Steps 1 to 4: each pattern and what replaces its matches, in order."""


def normalise(text: str) -> str:
    """Undo markup and fold `text` to lower-case words and separators (steps 1 to 4, and the case of step 5)."""
    text = encodable(text)
    for pattern, replacement in REWRITES:
        text = re.sub(pattern, replacement, text, flags=re.ASCII)
    return text.translate(LOWER_AND_DELETE)


def encodable(text: str) -> str:
    """`text` with a question mark for each lone surrogate and a space for each NUL."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")


def words(text: str) -> list[str]:
    """The words of `text`, in order."""
    return [word for word in re.findall(WORD, normalise(text)) if len(word.encode()) <= MAX_WORD_BYTES]


def ngrams(text: str) -> Counter[str]:
    """Count the n-grams of `text`: its words, and its pairs of neighbouring words joined by a space."""
    sequence = words(text)
    return Counter(sequence) + Counter(f"{first} {second}" for first, second in pairwise(sequence))
