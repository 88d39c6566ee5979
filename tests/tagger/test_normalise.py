"""Markup is found by its first bytes as a search for its pattern finds it, in time that grows with the text."""

from __future__ import annotations

import time

import hypothesis.strategies as st
import pytest
from hypothesis import example, given, settings

from tagger import normalise
from tagger.vectorize import find_words

PIECES = (
    "<b>", "</jats:p>", "<", "a < b > c", "&amp;", "&#x27;", "&", "http://a.b", "https://a.b/c", "httphttps://x", "://",
    "s://", "xhttp://", "http:/", "www.a.b", "wwww.a", "ww.a", "w.", "www.", "\\times", "\\cite{a}", "\\'e", "\\",
    "}{", "}", "{", "}{}{", "<a href=http://www.a.b>", " ", "x", "\0", ":", "//", ".",
)  # fmt: skip
batches = st.lists(st.sampled_from(PIECES), max_size=30).map("".join).map(str.encode)

FOUND = {
    "tags": (normalise._TAG, lambda batch: normalise._each(batch, b"<")),
    "entities": (normalise._ENTITY, lambda batch: normalise._each(batch, b"&")),
    "URLs": (normalise._URL, normalise._starts_of_urls),
    "bare URLs": (normalise._BARE_URL, normalise._starts_of_bare_urls),
    "LaTeX": (normalise._LATEX, lambda batch: normalise._each(batch, b"\\")),
    "braces": (normalise._BRACES, lambda batch: normalise._each(batch, b"}")),
}


@pytest.mark.parametrize("what", FOUND)
@settings(max_examples=200)
@given(batches)
@example(b"")
@example(b"w.www.a http://a")
def test_what_is_replaced_where_it_may_begin_is_what_is_replaced_everywhere(what, batch):
    pattern, starts_in = FOUND[what]

    def replacement(match):
        return b"[" + match[0] + b"]"

    assert normalise._replaced(batch, pattern, starts_in(batch), replacement) == pattern.sub(replacement, batch)


LONG = (
    *PIECES, "3\\times ", "$ \\times", "3 $$ \\times ", "1 ", "1,", "5\\% ", "\\textbf{x} ", "\\cite[", "\\cite{",
    "<a ", "&#", "http://a ", "é", "中", "α ", "e\u0301", "$", "\ud800", "word ",
)  # fmt: skip


@pytest.mark.parametrize("piece", LONG)
def test_many_long_texts_take_as_much_longer_as_they_are_many(piece):
    """A text made to be slow must not hold up those that are worked on with it."""
    text = (piece * 5_000)[:5_000]

    def seconds(n: int) -> float:
        texts, times = [text] * n, []
        for _ in range(3):
            start = time.process_time()
            find_words(texts)
            times.append(time.process_time() - start)
        return min(times)

    assert seconds(128) < 30 * max(seconds(16), 0.002)  # 8 times is to be expected, 64 if time grew by the square
