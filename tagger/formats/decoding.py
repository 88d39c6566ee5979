"""Bytes -> text: whatever the bytes are, they decode, and what had to be guessed is reported."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Callable, Iterator
from itertools import chain
from typing import TextIO

from tagger.formats.chunks import Chunks, ChunkStream

_PATTERN_BYTES = 4096
"""Bytes at the beginning of a file whose NULs tell UTF-16 and UTF-32."""
_WINDOW_BYTES = 2**20
"""Bytes from the first that is not UTF-8 on by which the encoding is guessed."""
_LEAST_SHARE = 0.01
"""Share of bytes above ASCII from which an encoding other than Windows-1252 is looked for: in English it has fewer."""

_MARKS = (  # the longer first: the mark of UTF-32 begins with that of UTF-16
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_ALIKE = 0.01
"""Difference up to which one encoding makes no more of a mess of a text than another."""
_GUESSES = (
    *("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "koi8_r", "mac_roman"),
    *("gb18030", "big5", "cp932", "euc_jp", "cp949"),
)
_CONTINUATION = re.compile(rb"[\x80-\xbf]")
_ESCAPED = re.compile(r"[\udc80-\udcff]")
_WINDOWS_1252 = {0xDC00 + byte: bytes([byte]).decode("cp1252", "replace") for byte in range(0x80, 0x100)}
"""For each byte that :pep:`383` escapes as half a surrogate pair, its character; five bytes have none."""


def open_text(chunks: Chunks, report: Callable[[str], None]) -> TextIO:
    """The text in `chunks`, without a byte-order mark, with line ends as they are and NULs as blanks.

    Parameters
    ----------
    chunks : Chunks
        Bytes in any encoding.
    report : callable
        Is told, at most once, what was guessed.
    """
    stream = ChunkStream(_as_utf8(chunks, report), chunks)
    return io.TextIOWrapper(io.BufferedReader(stream, 2**16), encoding="utf-8", newline="")


def decode_head(head: bytes) -> str:
    """The text that a file begins with whose first bytes are `head`, for finding its format."""
    mark, encoding = _unicode_encoding(head)
    return head[mark:].decode(encoding, "replace").removesuffix("\ufffd")


def is_unicode(head: bytes) -> bool:
    """Whether a byte-order mark or a pattern of NULs says that `head` is text."""
    mark, encoding = _unicode_encoding(head)
    return mark > 0 or encoding != "utf-8"


def _unicode_encoding(head: bytes) -> tuple[int, str]:
    """How many bytes the byte-order mark of `head` takes, and the encoding, UTF-8 where nothing tells."""
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return len(mark), encoding
    head = head[: _PATTERN_BYTES // 4 * 4]
    quarters = [head[start::4] for start in range(4)]
    if len(head) < 4 or b"\0" not in head:
        return 0, "utf-8"
    nul = [quarter.count(0) / len(quarter) for quarter in quarters]
    # English in UTF-16 has a NUL in almost every other byte, in UTF-32 in three of four.
    if nul[2] > 0.9 and nul[3] > 0.9 and nul[0] < 0.1:
        return 0, "utf-32-le"
    if nul[0] > 0.9 and nul[1] > 0.9 and nul[3] < 0.1:
        return 0, "utf-32-be"
    if nul[1] > 0.6 and nul[3] > 0.6 and nul[0] + nul[2] < 0.1:
        return 0, "utf-16-le"
    if nul[0] > 0.6 and nul[2] > 0.6 and nul[1] + nul[3] < 0.1:
        return 0, "utf-16-be"
    return 0, "utf-8"


def _as_utf8(chunks: Chunks, report: Callable[[str], None]) -> Iterator[bytes]:
    head = chunks.head(_PATTERN_BYTES)
    mark, encoding = _unicode_encoding(head)
    if encoding != "utf-8":
        if not mark:
            report(f"has no byte-order mark; read as {encoding.upper()}, which is a guess")
        yield from _recoded(_without(chunks, mark), encoding)
        return
    yield from _mended(_without(chunks, mark), report)


def _without(chunks: Chunks, mark: int) -> Iterator[bytes]:
    first = next(chunks, b"")  # as long as the head that was looked at
    return chain([first[mark:]], chunks)


def _recoded(chunks: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    for chunk in chunks:
        yield decoder.decode(chunk).replace("\0", " ").encode()
    yield decoder.decode(b"", True).encode()


def _mended(chunks: Iterator[bytes], report: Callable[[str], None]) -> Iterator[bytes]:
    """Valid UTF-8 from bytes that are UTF-8 apart from some, or in an encoding to be guessed at the first of these."""
    rest, seen_utf8, decided, bad = b"", False, False, 0
    for chunk in chain(chunks, [None]):
        data, final = rest + (chunk or b""), chunk is None
        try:
            text, used = codecs.utf_8_decode(data, "strict", final)
        except UnicodeDecodeError:
            if not decided and not seen_utf8:
                data += _more(chunks, _WINDOW_BYTES - len(data))
                guess = _guess(data)
                if guess is not None:
                    report(f"is not UTF-8; read as {guess}, which is a guess")
                    yield from _recoded(chain([data], chunks), guess)
                    return
            decided = True
            text, used = codecs.utf_8_decode(data, "surrogateescape", final)
            bad += len(_ESCAPED.findall(text))
            yield text.translate(_WINDOWS_1252).replace("\0", " ").encode()
        else:
            seen_utf8 = seen_utf8 or len(text) < used
            yield data[:used].replace(b"\0", b" ")
        rest = data[used:]
    if bad:
        is_, them = ("byte is", "it is") if bad == 1 else ("bytes are", "they are")
        report(f"{bad} {is_} not UTF-8; {them} read as Windows-1252")


def _more(chunks: Iterator[bytes], size: int) -> bytes:
    more: list[bytes] = []
    while size > 0 and (chunk := next(chunks, None)):
        more.append(chunk)
        size -= len(chunk)
    return b"".join(more)


def _guess(data: bytes) -> str | None:
    """The encoding of `data`, which are not UTF-8; None if they may as well be, with bytes of Windows-1252 in them."""
    data = data[:_WINDOW_BYTES]
    high = len(data) - len(data.translate(None, bytes(range(0x80, 0x100))))
    good = len(data.decode("utf-8", "ignore").encode()) - (len(data) - high)
    if high < _LEAST_SHARE * len(data) or good > high / 2:
        return None
    try:
        from charset_normalizer import from_bytes
    except ImportError:
        return None
    # Lines of ASCII tell nothing, and the guessing takes its time.
    lines = b"\n".join(line for line in data.splitlines() if not line.isascii())[: 2**15]
    matches = list(from_bytes(lines, cp_isolation=list(_GUESSES)))
    clean = [match for match in matches if match.chaos <= matches[0].chaos + _ALIKE]
    # Of encodings in which the text looks like one, a wrong one makes signs of some letters: `po³owê`.
    names = {name: match.coherence for match in clean for name in match.could_be_from_charset}
    best = max(names, key=lambda name: (_share_of_letters(lines, name), names[name], name == "cp1252"), default=None)
    return None if best == "cp1252" else best


def _share_of_letters(data: bytes, encoding: str) -> float:
    text = data.decode(encoding, "ignore")
    return round(sum(map(str.isalpha, text)) / max(len(text), 1), 3)
