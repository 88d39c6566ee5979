"""Cells that a spreadsheet would run are harmless in a file, and what they were when they are read again."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given

from tagger.formats.formulas import FIRST_CHARACTERS, harmless, restored

RUN = tuple("=+-@\t\r\n＝＋－＠")
begun = st.builds(str.__add__, st.text(st.sampled_from("'=+-@\t ＝5.e"), max_size=5), st.text(max_size=5))


@given(begun | st.text())
def test_any_text_is_harmless_in_a_file_and_comes_back(text):
    cell = harmless(text)
    assert restored(cell) == text
    assert not cell.startswith(RUN) or float(cell) is not None
    assert cell == text or text[0] in FIRST_CHARACTERS


@pytest.mark.parametrize(
    ("text", "cell"),
    [("=1+1", "'=1+1"), ("'=1+1", "''=1+1"), ("''@a", "'''@a"), ("-x", "'-x"), ("\n=1", "'\n=1"), ("=", "'=")],
)
def test_a_formula_gets_one_apostrophe_more(text, cell):
    assert (harmless(text), restored(cell)) == (cell, text)


@pytest.mark.parametrize("text", ["-1.5", "+3", "'-1.5", "'tis bread", "''Bread''", "'", "''", "", "a=b", "' =1", "'1"])
def test_other_texts_stay_as_they_are(text):
    assert harmless(text) == restored(text) == text
