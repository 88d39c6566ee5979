"""The elements that hold records in a stream of XML, in bounded memory and without running what a document declares."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO
from xml.parsers.expat import ErrorString

from tagger.formats.chunks import DamagedError
from tagger.formats.elements import local_name
from tagger.formats.extras import require

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element, TreeBuilder

_CHUNK = 1 << 16
_DEEPEST = 100
"""Elements nested deeper than this in a record are read as text: some documents are made to exhaust the stack."""

_BLANK = b" \t\r\n"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class RefusedError(Exception):
    """A document that is not read, whatever it holds; the message says what it is."""


class ForeignError(RefusedError):
    """A document of another kind, which holds no records."""


class Documents:
    """Iterates over the elements that hold records, of one XML document or of several that were joined into one file.

    Parameters
    ----------
    stream : binary stream
        Read once, from where it stands.
    holds_record : function
        Whether an element holds a record, from its name without namespace and that of the root.
    roots : set of str
        Names of roots that have such elements somewhere in them. Another root will do if such a root, or an element
        that holds a record, is the first in it.

    Raises
    ------
    RefusedError
        While iterating, at a document of another kind (a :class:`ForeignError`) or one that declares entities.
    DamagedError, OSError
        While iterating, where the stream ends early, after all elements that were whole before.
    MissingExtraError
        If defusedxml is not installed.
    """

    error: str | None = None
    """After the last element: what is wrong with the rest of the stream and where, if anything is."""
    begun = False
    """Whether there was a root."""

    def __init__(self, stream: BinaryIO, holds_record: Callable[[str, str], bool], roots: frozenset[str]) -> None:
        self._stream = stream
        self._holds_record = holds_record
        self._roots = roots
        self._failure: DamagedError | OSError | None = None  # why the stream ended early
        self._line = 1  # at which the present document begins
        self._parser_class = require("defusedxml.ElementTree", "reading XML").DefusedXMLParser
        self._refusals = require("defusedxml", "reading XML").DefusedXmlException

    def __iter__(self) -> Iterator[Element]:
        rest = self._read()
        while rest:
            text = rest.lstrip(_BLANK)
            self._line += rest.count(b"\n", 0, len(rest) - len(text))
            rest = (yield from self._document(text)) if text else self._read()
        if self._failure is not None:
            raise self._failure

    def _read(self) -> bytes:
        """The next bytes; none at the end, and where the stream ends early, for what was read is of use."""
        try:
            return self._stream.read(_CHUNK) or self._stream.read(_CHUNK)  # the failure comes after the end
        except (DamagedError, OSError) as error:
            self._failure = error
            return b""

    def _document(self, chunk: bytes) -> Generator[Element, None, bytes]:
        """Yield the elements of the document that begins with `chunk`; return how the one after it begins, if any."""
        target = _Target(self._holds_record, self._roots)
        parser = self._parser_class(target=target)
        expat = parser.parser  # which `close` takes away
        window, given, at_end = b"", 0, False
        while not at_end:
            chunk = chunk or self._read()
            window, given, at_end = window[-_CHUNK:] + chunk, given + len(chunk), not chunk
            failure = self._feed(parser, chunk)
            self.begun |= target.root is not None
            yield from target.take()
            if isinstance(failure, SyntaxError):
                # What follows the end of the root may be another document: `cat page1.xml page2.xml`.
                start = expat.ErrorByteIndex - (given - len(window))
                rest = window[start:].lstrip(_BLANK).removeprefix(_BYTE_ORDER_MARK) if start >= 0 else b""
                self._line += expat.ErrorLineNumber - 1
                if target.closed and rest.startswith(b"<"):
                    return rest
                self._explain(expat, at_end)
                return b""
            chunk = b""
        return b""

    def _feed(self, parser: Any, chunk: bytes) -> SyntaxError | None:
        try:
            if chunk:
                parser.feed(chunk)
            else:
                parser.close()
        except SyntaxError as error:
            return error
        except self._refusals as error:
            name = getattr(error, "name", None) or getattr(error, "sysid", None) or ""
            raise RefusedError(
                f"declares the entity {str(name)[:40]!r}; entities are not read, since they can fill the memory or "
                "fetch other files: take the DOCTYPE out of the document"
            ) from error
        except (LookupError, ValueError) as error:  # from the decoder, for the encoding that the document declares
            raise RefusedError(f"has an encoding that is not read ({error}); convert it to UTF-8") from error
        return None

    def _explain(self, expat: Any, at_end: bool) -> None:
        place = f"line {self._line}, column {expat.ErrorColumnNumber + 1}"
        if at_end:
            self.error = f"the document breaks off at {place}"
        else:
            self.error = f"{place}: not well-formed XML ({ErrorString(expat.ErrorCode)})"


class _Target:
    """What the parser reports to: builds the elements that hold records and forgets the rest."""

    def __init__(self, holds_record: Callable[[str, str], bool], roots: frozenset[str]) -> None:
        from xml.etree.ElementTree import TreeBuilder

        self._new_builder = TreeBuilder
        self._builder: TreeBuilder | None = None
        self._holds_record = holds_record
        self._roots = roots
        self._depth = 0
        self._begin = 0  # depth of the element that is being built
        self._done: list[Element] = []
        self._known = True
        self.root: str | None = None
        self.closed = False

    def take(self) -> list[Element]:
        """The elements that ended since the last call."""
        done, self._done = self._done, []
        return done

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._builder is None:
            name = local_name(tag)
            self.root = self.root or name
            if self._holds_record(name, self.root):
                self._builder, self._begin, self._known = self._new_builder(), self._depth, True
            else:
                self._check(name)
        if self._builder is not None and self._depth - self._begin < _DEEPEST:
            self._builder.start(tag, attributes)

    def end(self, tag: str) -> None:
        if self._builder is not None:
            if self._depth - self._begin < _DEEPEST:
                self._builder.end(tag)
            if self._depth == self._begin:
                self._done.append(self._builder.close())
                self._builder = None
        self._depth -= 1
        if self._depth == 0:
            self.closed = True
            if not self._known:
                self._refuse()

    def data(self, text: str) -> None:
        if self._builder is not None:
            self._builder.data(text)

    def _check(self, name: str) -> None:
        if self._depth == 1:
            self._known = name in self._roots
            if name.lower() == "html":
                self._refuse()
        elif not self._known:
            if name not in self._roots:
                self._refuse()
            self._known = True

    def _refuse(self) -> None:
        name = (self.root or "")[:40]
        raise ForeignError("is an HTML page" if name.lower() == "html" else f"is XML with the root <{name}>")
