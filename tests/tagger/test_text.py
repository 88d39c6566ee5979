"""The one definition of text: what becomes a word, what becomes an n-gram."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from strategies import texts

from tagger import text


@pytest.mark.parametrize(
    ("written", "words"),
    [
        (r"\textbf{Bold} and \emph{slanted} words", "bold and slanted words"),
        (r"\textit{half}-open, \textbf{Plural}s", "half open plurals"),
        (r"at \url{https://a.example/x?y=1} now", "at url now"),
        ("**Strong**, *weak* and `code`", "strong weak and code"),
        ("[the code](https://a.example/x) is here", "the code url is here"),
        ("``quotes'' and 'quotes' and “quotes”", "quotes and quotes and quotes"),
        ("a $O(1/t)$ rate", "a o 1 t rate"),
        (r"$\mathcal{O}(n \log n)$ steps", "o n log n steps"),
        (r"$\varepsilon$ and \alpha_{t}", "epsilon and alpha t"),
        (r"shown before~\cite{a,b}, see \ref{fig:1} and \citep[see][p. 3]{c}", "shown before see and"),
        (r"$k$-means of the model's parts", "k means of the models parts"),
        ("the model’s parts", "the models parts"),
        (r"hy\-phen\-ation", "hyphenation"),
        (r"\frac{first}{second}", "frac first second"),
        ("<p>One</p> <jats:italic>two</jats:italic><br/>three", "one two three"),
        ("where a < b and c>d", "where a b and c d"),
        ("salt &amp; pepper &lt; R&D", "salt pepper r d"),
        ("state-of-the-art, (nested) words/lines", "state of the art nested words lines"),
    ],
)
def test_markup_is_undone(written, words):
    assert text.words(written) == words.split()


@pytest.mark.parametrize("command", ["xspace", "quad", "par", "item", "begin{list}", "end{list}"])
def test_a_command_that_stands_for_space_keeps_words_apart(command):
    assert {"soup", "boils"} <= set(text.words(rf"Soup\{command} boils"))


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("70% of 30 \\% or 2.5 %", "0% of 0% or 0%"),
        (r"2x, 2.5X, 3$\times$ and 10×", "0x 0x 0x and 0x"),
        ("1,204 of 12 in 2024.", "0 of 0 in 0"),
        ("7 of 9", "7 of 9"),
        ("3D, 7B and GPT4", "3d 7b and gpt4"),
    ],
)
def test_numbers_become_classes(written, words):
    assert text.words(written) == words.split()


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("naïve Schrödinger", "naive schrodinger"),
        ("cafe\u0301", "cafe"),
        (r"na\"ive Schr\"{o}dinger caf\'e gar\c{c}on", "naive schrodinger cafe garcon"),
        ("ﬁne Ｗｉｄｅ 𝐱", "fine wide x"),
        ("大模型 推理", "大 模 型 推 理"),
        ("Ёлка", "елка"),
        ("STRAẞE", "strasse"),
    ],
)
def test_characters_outside_ascii_are_folded(written, words):
    assert text.words(written) == words.split()


@pytest.mark.parametrize(
    ("letter", "command"),
    [("α", "alpha"), ("ε", "epsilon"), ("λ", "lambda"), ("Σ", "sigma"), ("ϕ", "phi"), ("ξ", "xi")],
)
def test_a_greek_letter_is_the_word_that_latex_calls_it(letter, command):
    assert text.words(f"{letter}-stable") == text.words(rf"$\{command}$-stable") == [command, "stable"]


def test_a_word_of_64_bytes_counts_and_a_longer_one_does_not():
    assert text.words("a" * 64 + " " + "b" * 65 + " c") == ["a" * 64, "c"]
    assert text.words("ж" * 32 + " " + "ж" * 33) == ["ж" * 32]


def test_ngrams_are_words_and_neighbouring_pairs_with_their_counts():
    assert text.ngrams("Soup, soup of the day") == {
        "soup": 2, "of": 1, "the": 1, "day": 1, "soup soup": 1, "soup of": 1, "of the": 1, "the day": 1,
    }  # fmt: skip


def test_a_text_without_words_has_no_ngrams():
    assert not text.ngrams("")
    assert not text.ngrams(" -- $ {} ... \0 \n")


def test_a_lone_surrogate_separates_words_and_raises_nothing():
    assert text.words("salt\ud800pepper") == ["salt", "pepper"]


@given(texts)
def test_words_are_lower_case_and_hold_no_separator(any_text):
    for word in text.words(any_text):
        assert word
        assert word == "".join(c for c in word if c.isascii() is False or c.islower() or c.isdigit() or c == "%")
        assert len(word.encode()) <= text.MAX_WORD_BYTES


@given(texts)
def test_a_nul_is_a_space(any_text):
    assert text.words(any_text.replace("\0", " ")) == text.words(any_text)


@pytest.mark.parametrize(
    "piece", [r"\cite[", r"\cite{", "<a ", "1 ", "1.", "http://", "&am", "\\", r"\'{", "$", "9$", r"\cite[]", "}{", "é"]
)
def test_no_input_takes_more_than_linear_time(piece):
    """A hundred kilobytes of the worst input take well under a second: nothing in a pattern backtracks over them."""
    start = time.perf_counter()
    text.words(piece * (100_000 // len(piece)))
    assert time.perf_counter() - start < 1.0
