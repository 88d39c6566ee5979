"""Every word knows the characters that it came from, whatever the text is made of."""

from __future__ import annotations

import time
import unicodedata

import pytest
from abstracts import MARKED_UP, small_abstracts
from hypothesis import given, settings
from strategies import texts

from tagger import spans, text


@settings(max_examples=400)
@given(texts)
def test_the_words_are_those_of_the_definition(any_text):
    assert [word.word for word in spans.words(any_text)] == text.words(any_text)


@settings(max_examples=400)
@given(texts)
def test_spans_ascend_lie_in_the_text_and_are_equal_or_apart(any_text):
    before = (0, 0)
    for word in spans.words(any_text):
        assert 0 <= word.start < word.end <= len(any_text)
        assert (word.start, word.end) == before or word.start >= before[1]
        assert not any_text[word.start].isspace()
        assert not any_text[word.end - 1].isspace()
        before = (word.start, word.end)


@pytest.mark.parametrize("abstract", [*small_abstracts(6)[0], *MARKED_UP])
def test_what_a_span_holds_reads_as_its_word(abstract):
    for word in spans.words(abstract):
        assert text.words(abstract[word.start : word.end]) == [word.word]


@pytest.mark.parametrize(
    ("written", "pieces"),
    [
        ("Plain, simple words.", ["Plain", "simple", "words"]),
        (r"\textbf{Bold} $k$-means \emph{plural}s", ["Bold", "k", "means", "plural}s"]),
        (r"$\alpha$-stable and \varepsilon now", [r"\alpha", "stable", "and", r"\varepsilon", "now"]),
        (r"Schr\"{o}dinger's caf\'e", [r"Schr\"{o}dinger's", r"caf\'e"]),
        (r"70\% of 1,204 or 2.4$\times$", [r"70\%", "of", "1,204", "or", r"2.4$\times"]),
        ("see https://a.example/b_c now", ["see", "https://a.example/b_c", "now"]),
        (r"at \url{www.a.example} now", ["at", "www.a.example", "now"]),
        ("<p>One</p> &amp; <i>two</i>", ["One", "two"]),
        (r"shown~\cite{a,b} here", ["shown", "here"]),
        ("naïve cafe\u0301s", ["naïve", "cafe\u0301s"]),
        ("it is cafe\u0301, so", ["it", "is", "cafe\u0301", "so"]),
        ("ﬁne 𝐱 “α”-rich αβ", ["ﬁne", "𝐱", "α", "rich", "αβ"]),
        ("大模型α大", ["大", "模", "型", "α", "大"]),
        ("a" * 65 + " b", ["b"]),
        ("1½m", ["1½", "m"]),
        ("ﷺ x", ["ﷺ", "ﷺ", "ﷺ", "ﷺ", "x"]),
        ("ひらがな", ["ひ", "ら", "が", "な"]),
        ("한국어 हिन्दी", ["한국어", "हिन्दी"]),
        (unicodedata.normalize("NFD", "한국어"), [unicodedata.normalize("NFD", "한국어")]),
        ("half\ud800pair \0nul", ["half", "pair", "nul"]),
    ],
)
def test_a_span_is_what_was_written(written, pieces):
    assert [written[word.start : word.end] for word in spans.words(written)] == pieces


def test_a_run_whose_parts_fold_otherwise_together_is_traced_as_a_whole(monkeypatch):
    """No run of characters is known to, but a new Unicode may have one."""
    monkeypatch.setattr(spans, "_fold_cluster", lambda cluster: cluster + "x")
    assert [(word.word, word.start, word.end) for word in spans.words("a 大模 b")] == [
        ("a", 0, 1), ("大", 2, 4), ("模", 2, 4), ("b", 5, 6),
    ]  # fmt: skip


@pytest.mark.parametrize("piece", ["word ", r"\cite[", "é", "1½", "α ", "</p>", r"\alpha ", "e\u0301", "大 x ", "$x$"])
def test_a_hundred_thousand_characters_take_less_than_a_second(piece):
    start = time.process_time()
    spans.words(piece * (100_000 // len(piece)))
    assert time.process_time() - start < 1.0


def test_real_abstracts_have_the_words_of_the_definition(real_abstracts):
    for abstract in real_abstracts[::400]:
        assert [word.word for word in spans.words(abstract)] == text.words(abstract)
