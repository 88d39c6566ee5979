"""The bytes of an answer -> text in UTF-8, whatever was declared."""

from __future__ import annotations

import codecs
import re

_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_XML_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_XML_ENCODING = re.compile(rb"^\s*<\?xml[^>]*?encoding\s*=\s*[\"']([A-Za-z0-9._-]+)")
_CHARSET = re.compile(r"charset\s*=\s*\"?([A-Za-z0-9._-]+)", re.IGNORECASE)
_ILLEGAL = dict.fromkeys([*range(9), 11, 12, *range(14, 32)], " ")
"""Control characters that neither XML nor JSON may hold; an abstract that was pasted from a PDF sometimes does."""


def utf8(body: bytes, content_type: str) -> bytes:
    """Give an answer as UTF-8 without XML declaration.

    What is valid UTF-8 is taken for it, even if something else is declared: text in another encoding hardly ever
    happens to be valid UTF-8. Otherwise a byte order mark counts, then what the XML or the header declares, and
    Windows-1252 if that does not fit either.

    Parameters
    ----------
    body : bytes
        The answer as it came, after decompression.
    content_type : str
        Its header ``Content-Type``; may be empty.
    """
    text = _decode(body, content_type).translate(_ILLEGAL)
    return _XML_DECLARATION.sub("", text, count=1).encode("utf-8", "replace")


def _decode(body: bytes, content_type: str) -> str:
    declared = [encoding for mark, encoding in _MARKS.items() if body.startswith(mark)] or ["utf-8"]
    if match := _XML_ENCODING.match(body[:200]):
        declared.append(match[1].decode())
    if header := _CHARSET.search(content_type):
        declared.append(header[1])
    for encoding in declared:
        try:
            return body.decode(encoding)
        except (UnicodeError, LookupError):
            continue
    return body.decode("cp1252", "replace")
