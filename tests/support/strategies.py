"""Hypothesis strategies for texts: anything that a file of abstracts can hold, and much that it should not."""

from __future__ import annotations

from hypothesis import strategies as st

_WORDS = [
    "the",
    "deep",
    "Nets",
    "GPT-4",
    "k-means",
    "state-of-the-art",
    "model's",
    "x",
    "a",
    "3D",
    "e.g.",
    "i.i.d.",
    "o'clock",
    "µm",
    "naïve",
    "co-operate",
]
_LATEX = [
    r"\textbf{X}",
    r"\emph{so}",
    r"\url{https://a.org/b_c}",
    r"$O(1/t)$",
    r"\cite{a,b}",
    r"\citep[see][p.",
    r"3]{x}",
    r"\ref{fig:1}",
    r"\alpha",
    r"\varepsilon",
    r"$\ell_2$",
    r"\mathcal{O}(n\log{n})",
    r"\"{o}",
    r"\'e",
    r"\c{c}",
    r"\v{s}",
    r"\~n",
    r"\H{o}",
    r"\i",
    r"\-",
    r"\\",
    r"\%",
    r"\&",
    r"\_",
    r"\times",
    r"$2\times$",
    r"\cite[",
    r"\cite[]",
    r"\cite{",
    r"\textit{a}\textbf{b}",
    r"}{",
    r"{}",
    r"{\em",
    r"it}",
    r"\text{fast}_p",
    r"~",
    r"\begin{x}",
    r"\end{x}",
    r"\big(",
    r"\x*",
    r"\'{\i}",
    r"\ref*{a}",
    r"\d{",
    r"\d",
    r"\=",
]
_MARKDOWN = [
    "**X**",
    "*x*",
    "_x_",
    "[t](u)",
    "[code](https://g.org/a_(b))",
    "`x`",
    "``quotes''",
    "# H",
    "| a | b |",
    "~~",
]
_HTML = [
    "<p>",
    "</p>",
    "<br/>",
    "<a href='x'>",
    "<jats:italic>",
    "a<b",
    "<a ",
    "&amp;",
    "&lt;b&gt;",
    "&#x3b1;",
    "&x",
    "<",
]
_URLS = ["https://x.y/z)", "http://", "www.foo.bar.", "https://é.org/ü", "HTTPS://A.B", "www.", "http://[::1]/"]
_NUMBERS = [
    "70%",
    "70 \\%",
    "2.4x",
    "2X",
    "2.4$\\times$",
    "1,000.5",
    "7",
    "10^{-3}",
    "1/2",
    "3xy",
    "0x1F",
    "1e-3",
    "²",
    "½",
    "5 %",
]
_SCRIPTS = [
    "αβγ",
    "λ",
    "ς",
    "Ω",
    "大模型推理",
    "ひらがな",
    "한국어",
    "हिन्दी",
    "עברית",
    "العربية",
    "русский",
    "ไทย",
    "ﬁne",
    "𝐱𝛼",
    "İı",
    "ß",
]
_MARKS = [
    "e\u0301",
    "\u0301",
    "\u0327\u0301",
    "\u200d",
    "\u200b",
    "\ufeff",
    "\u00ad",
    "\u2019",
    "\u2014",
    "\u3000",
    "\u0338",
]
_ODDITIES = [
    "\0",
    "\0\0",
    "\ud800",
    "\udc00",
    "\ud83d\ude00",
    "😀👍🏽",
    "\x1b[31m",
    "\x7f",
    "\x85",
    "\u2028",
    "\uffff",
    "\U0010ffff",
]
_SEPARATORS = ["", "", " ", " ", "\n", "\r\n", "\t", "\x0b", "\xa0", "-", ",", ". "]

_snippets = st.sampled_from(
    [*_WORDS, *_LATEX, *_MARKDOWN, *_HTML, *_URLS, *_NUMBERS, *_SCRIPTS, *_MARKS, *_ODDITIES, *_SEPARATORS]
)
_any_characters = st.text(st.characters(exclude_categories=()), max_size=12)
_markup_characters = st.text(st.sampled_from("\\{}[]()$`'*<>/&;#%^~\"=. \n019xXaAéα"), max_size=16)
_commands = st.builds(
    "\\{}{}".format, st.text(st.sampled_from("acdhlntvx"), min_size=1, max_size=8), _markup_characters
)
_long_runs = st.builds(
    lambda piece, times: piece * times,
    st.one_of(
        st.sampled_from(["x", "9", "é", "大", " ", "$", "\\", "{", "\u0301", "a ", "\\cite{", "1.", "<a "]), _snippets
    ),
    st.sampled_from([2, 9, 63, 64, 65, 130, 1500]),
)
_pieces = st.one_of(_snippets, _snippets, _snippets, _any_characters, _markup_characters, _commands, _long_runs)

texts = st.one_of(
    st.lists(st.builds(str.__add__, _pieces, st.sampled_from(_SEPARATORS)), max_size=14).map("".join), _any_characters
)
"""Any text: words with LaTeX, Markdown, HTML, URLs, numbers, many scripts, NULs, lone surrogates, very long runs."""

batches = st.lists(texts, max_size=10)
"""Some texts, or none."""

sentences = st.lists(st.sampled_from(["soup", "star", "comet", "dough", "the", "of"]), max_size=12).map(" ".join)
"""Texts of few words, so that the same pairs come up again."""
