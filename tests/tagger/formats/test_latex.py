"""LaTeX in bibliographies: read as people read it, and written so that it reads back the same."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import texts

from tagger.formats.latex import decode, encode, is_balanced, one_line, unescape

markup = st.text(st.sampled_from("\\{}$-`' %aB~\n^_&#\"\u0301@(),=[]"), max_size=30)


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"G{\"o}del, \'etale, \'{E}cole, {\'e}t{\'e}", "Gödel, étale, École, été"),
        (r"Stra\ss e, \o re, {\L}ukasz, {\AA}sa, {\ng}a", "Straße, øre, Łukasz, Åsa, ŋa"),
        (r"\c{c}a, \c c, \v{S}krabec, Erd{\H{o}}s, \d{\i}", "ça, ç, Škrabec, Erdős, ị"),
        (r"na\"{\i}ve, na\"\i ve, \^{\j}", "naïve, naïve, ĵ"),
        (r"{BERT}: {Pre-training} of {{D}eep} nets", "BERT: Pre-training of Deep nets"),
        (r"50\% of \$5 \& more \#1 a\_b \{x\}", "50% of $5 & more #1 a_b {x}"),
        ("90% of the\n  rest_of it^2 # 1 & 2", "90% of the rest_of it^2 # 1 & 2"),
        (r"\emph{not} \textbf{so} {\em slow}, {\bf x}", "not so slow, x"),
        (r"see \url{https://a.org/b_c%20d}", "see https://a.org/b_c%20d"),
        ("pages 1--2, so---yes, ``quoted'' {``}words{''}", "pages 1–2, so—yes, “quoted” “words”"),
        (r"Fig.~3 costs ~5 \textasciitilde{}x {\textbackslash}", "Fig. 3 costs ~5 ~x \\"),
        (r"a\,b\ c\\d \LaTeX{} e\-f", "a b c d LaTeX ef"),
        (r"\{few\vphantom{\}} loaves", "{few loaves"),
        (r"\^{}\~{}", "^~"),
        (r"the \"best\" way", r"the \"best\" way"),
        ("a\\", "a\\"),
    ],
)
def test_accents_symbols_and_braces_become_text(latex, text):
    assert decode(latex) == text


@pytest.mark.parametrize(
    "formula", [r"$\alpha_{t} = {x}$", r"$$\frac{a}{b}$$", r"\(x^{2}\)", r"\[\sum_{i} {x}_i\]", r"$k$-means", "$5"]
)
def test_formulas_stay_as_they_are(formula):
    assert decode(f"{{A}} {formula} {{B}}") == f"A {formula} B"


@pytest.mark.parametrize("command", [r"\unknown{x}{y}", r"\cite[p. 3]{abc}", r"\frac{a}{b}", r"\unknown"])
def test_commands_that_are_not_known_stay_as_they_are(command):
    assert decode(f"{{A}} {command} {{B}}") == f"A {command} B"


@given(texts | markup, st.booleans())
def test_what_is_encoded_is_decoded_to_the_same_and_balanced(text, protect_capitals):
    latex = encode(text, protect_capitals)
    assert decode(latex) == one_line(text)
    assert is_balanced(latex)


def test_special_characters_are_escaped_and_formulas_are_not():
    assert encode("50% of R&D_1 costs $5 {a} \\b ~c ^d") == (
        r"50\% of R\&D\_1 costs \$5 {\textbraceleft}a{\textbraceright} {\textbackslash}b {\textasciitilde}c"
        r" {\textasciicircum}d"
    )
    assert encode(r"rate $O(\sqrt{t})$ -- ``no''") == r"rate $O(\sqrt{t})$ -{}- `{}`no'{}'"


def test_words_with_capitals_inside_are_protected_where_that_is_wanted():
    assert encode("Large GPT-4 and ImageNet", protect_capitals=True) == "Large {GPT}-4 and {ImageNet}"
    assert encode("Large GPT-4 and ImageNet") == "Large GPT-4 and ImageNet"


@pytest.mark.parametrize("text", ["{}", r"\{x\}", "a{b{c}}", r"\\{x}", ""])
def test_balanced_braces_are_told(text):
    assert is_balanced(text)


@pytest.mark.parametrize("text", ["{", "}", "}{", r"\{", r"{\}", r"{\{}"])
def test_braces_without_partner_are_told_even_if_escaped(text):
    assert not is_balanced(text)


def test_addresses_lose_their_escapes_only():
    assert unescape(r"https://a.org/x{\_}y\_z\%20\#1/\~{}me/{\textasciitilde}you--us") == (
        "https://a.org/x_y_z%20#1/~me/~you--us"
    )


@pytest.mark.parametrize(
    "piece",
    [
        "\\a{",
        "\\a[",
        "$",
        "\\(",
        "\\[",
        "{",
        "\\a{x",
        "$\\",
        "\\c ",
        "\\emph ",
        '\\" ',
        "$$x",
        "\\\\[",
        "\\\\",
        "`",
        "-",
    ],
)
def test_no_text_takes_long(piece):
    text = piece * (200_000 // len(piece))
    start = time.process_time()
    decode(text)
    encode(text)
    assert time.process_time() - start < 3
