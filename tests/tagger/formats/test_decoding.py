"""Bytes become text whatever they are; what had to be guessed is told once."""

from __future__ import annotations

import io
import sys

import hypothesis.strategies as st
import pytest
from abstracts import long_abstract
from hypothesis import given
from no_english import LANGUAGES

from tagger.formats.chunks import Chunks
from tagger.formats.decoding import decode_head, is_unicode, open_text


def read(data: bytes, size: int = 1000) -> tuple[str, list[str]]:
    """The text in `data`, read in chunks of so many bytes, and what was reported."""
    reports: list[str] = []
    chunks = Chunks(data[start : start + size] for start in range(0, len(data), size))
    return open_text(chunks, reports.append).read(), reports


UNICODE = {
    "utf-8": b"",
    "utf-8-sig": b"",
    "utf-16": b"",
    "utf-32": b"",
    "utf-16-le": b"\xff\xfe",
    "utf-16-be": b"\xfe\xff",
    "utf-32-le": b"\xff\xfe\0\0",
    "utf-32-be": b"\0\0\xfe\xff",
}


@pytest.mark.parametrize("encoding", UNICODE)
@pytest.mark.parametrize("size", [1, 3, 4096])
def test_a_byte_order_mark_is_honoured_and_dropped(encoding, size):
    text = "Une étude\r\nüber 面包 🍞.\n" * 50
    data = UNICODE[encoding] + text.encode(encoding)
    assert read(data, size) == (text, [])
    assert decode_head(data) == text
    assert is_unicode(data) == (encoding != "utf-8")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_a_missing_byte_order_mark_is_found_by_the_pattern_of_nuls(encoding):
    text = long_abstract(1) + " Une étude.\n"
    found, reports = read(text.encode(encoding), 5)
    assert found == text
    assert len(reports) == 1
    assert encoding.upper() in reports[0]


def test_nuls_in_a_text_become_blanks():
    assert read(b"We bake\0bread, and\0\0stars." + b" So it is." * 10)[0].startswith("We bake bread, and  stars.")
    assert "\0" not in read("We bake\0 bread".encode("utf-16"))[0]


def test_bytes_that_are_not_utf8_are_windows_1252_in_a_file_that_is_else_utf8():
    data = "Une étude à la crème. ".encode() * 20 + b"It\x92s na\xefve \x93bread\x94. " + b"Plain words. " * 200
    for size in (1, 10, 10_000):
        text, reports = read(data, size)
        assert "It’s naïve “bread”." in text
        assert text.startswith("Une étude à la crème.")
        assert reports == ["4 bytes are not UTF-8; they are read as Windows-1252"]
    assert read(b"caf\xe9" + b" or tea" * 100)[1] == ["1 byte is not UTF-8; it is read as Windows-1252"]


def test_bytes_that_windows_1252_does_not_have_are_no_control_characters():
    assert read(b"a\x81b\x8dc\x8fd\x90e\x9df" + b" plain" * 1000)[0].startswith("a\ufffdb\ufffdc\ufffdd\ufffde\ufffdf")


def test_the_first_byte_that_is_not_utf8_may_come_late():
    text, reports = read(b"We bake bread. " * 200_000 + "Une étude. ".encode("cp1252"), 65_536)
    assert text.endswith("Une étude. ")
    assert len(reports) == 1


ENCODINGS = [
    ("German", "cp1252"),
    ("French", "cp1252"),
    ("Czech", "cp1250"),
    ("Polish", "cp1250"),
    ("Russian", "cp1251"),
    ("Russian", "koi8_r"),
    ("Greek", "cp1253"),
    ("Hebrew", "cp1255"),
    ("Arabic", "cp1256"),
    ("Chinese", "gb18030"),
    ("Japanese", "cp932"),
    ("Japanese", "euc_jp"),
    ("Korean", "cp949"),
]


@pytest.mark.parametrize(("language", "encoding"), ENCODINGS)
def test_another_encoding_is_guessed_and_reported_once(language, encoding):
    pytest.importorskip("charset_normalizer")
    text = "\n".join(f'{{"id": {k}, "abstract": "{LANGUAGES[language]}"}}' for k in range(30))
    found, reports = read(text.encode(encoding), 997)
    assert found == text
    assert len(reports) == 1
    assert "guess" in reports[0] or encoding == "cp1252"


def test_without_the_library_the_guess_is_windows_1252(monkeypatch):
    monkeypatch.setitem(sys.modules, "charset_normalizer", None)
    text, reports = read(LANGUAGES["Russian"].encode("cp1251"))
    assert len(text) == len(LANGUAGES["Russian"])
    assert "Windows-1252" in reports[0]


chunk_sizes = st.integers(1, 40)


@given(st.binary(max_size=300), chunk_sizes)
def test_any_bytes_decode_and_the_chunks_do_not_matter(data, size):
    text, reports = read(data, size)
    assert (text, reports) == read(data, 10_000)
    assert "\0" not in text
    assert len(reports) <= 1
    text.encode()


@given(
    st.lists(st.sampled_from([b"a", b"\xe9", "é".encode(), "大".encode(), b"\xff", b"\x81", b"\n"]), max_size=60),
    chunk_sizes,
)
def test_mixed_bytes_decode_and_the_chunks_do_not_matter(parts, size):
    data = b"".join(parts)
    assert read(data, size) == read(data, 10_000)


@given(st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=200), chunk_sizes)
def test_valid_utf8_comes_out_as_it_went_in(text, size):
    assert read(text.encode(), size) == (text.removeprefix("\ufeff"), [])


def test_lines_end_as_they_do():
    data = b"a\rb\nc\r\nd\x0be\xe2\x80\xa8f\n"
    stream = open_text(Chunks(data[k : k + 1] for k in range(len(data))), print)
    assert list(stream) == ["a\r", "b\n", "c\r\n", "d\x0be\u2028f\n"]


def test_reading_streams():
    taken = []

    def endless():
        while True:
            taken.append(1)
            yield b"We bake bread.\n" * 5000

    stream = open_text(Chunks(endless()), print)
    assert isinstance(stream, io.TextIOBase)
    for _ in range(100):
        assert stream.readline() == "We bake bread.\n"
    assert len(taken) < 5
