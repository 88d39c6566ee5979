"""Text comes out right whatever encoding an answer declares."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagger.fetch.body import utf8

TEXT = "<feed>“crème” α</feed>"


@pytest.mark.parametrize("declared", ["UTF-8", "ISO-8859-1", "us-ascii", "utf-16", "nonsense"])
def test_what_is_utf8_is_read_as_such_whatever_is_declared(declared):
    body = f'<?xml version="1.0" encoding="{declared}"?>\n{TEXT}'.encode()
    assert utf8(body, f"application/xml; charset={declared}").decode().strip() == TEXT


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_a_byte_order_mark_counts(encoding):
    mark = "" if encoding in ("utf-8-sig", "utf-16") else "\ufeff"
    body = (mark + TEXT).encode(encoding)
    assert utf8(body, "application/xml; charset=utf-8").decode().strip("\ufeff\n") == TEXT


def test_another_encoding_is_read_as_declared():
    text = "Łódź"
    assert utf8(text.encode("iso8859-2"), "text/plain; charset=ISO-8859-2").decode() == text
    xml = f'<?xml version="1.0" encoding="ISO-8859-2"?><a>{text}</a>'
    assert utf8(xml.encode("iso8859-2"), "").decode() == f"<a>{text}</a>"


def test_bytes_that_fit_nothing_declared_are_windows_1252():
    assert utf8("“crème”".encode("cp1252"), "text/plain; charset=utf-8").decode() == "“crème”"


def test_control_characters_that_break_a_parser_become_blanks():
    assert utf8(b"<a>one\x01two\x0cthree\nfour</a>", "") == b"<a>one two three\nfour</a>"


@given(body=st.binary(), content_type=st.text())
def test_any_bytes_become_utf8(body, content_type):
    utf8(body, content_type).decode()


@given(text=st.text(st.characters(exclude_categories=("Cs", "Cc"))))
def test_text_stays_as_it_is(text):
    body = text.encode()
    if not text.lstrip().startswith("<?xml"):
        assert utf8(body, "application/json").decode() == text.removeprefix("\ufeff")
