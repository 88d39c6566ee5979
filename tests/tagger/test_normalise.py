"""Finding markup by its first bytes gives what searching for its pattern gives."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import example, given, settings

from tagger import normalise

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
