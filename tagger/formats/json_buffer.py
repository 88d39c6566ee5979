"""Values of JSON from a text of any length, one at a time, of which no more is kept than the longest takes."""

from __future__ import annotations

import json
import re
import time
from typing import Any, TextIO

from tagger.formats.chunks import DamagedError, failure_of

_CHARACTERS = 2**16
_MOST_CHARACTERS = 2**28
"""Longest value; one that does not end would else fill the memory."""
_PATIENCE = 0.2
"""Seconds within which a stream gives its next characters if it is no slow one."""
_LONGEST_TOKEN = 12
"""Characters at the end of the buffer that may be a part of a token: ``\\ud83d\\ude`` or ``-Infinity``."""

_STRICT, _LENIENT = json.JSONDecoder().raw_decode, json.JSONDecoder(strict=False).raw_decode
_BLANKS = re.compile(r"[\s,]*")
_LINE_END = re.compile(r"[\r\n]")
_NO_BLANK = re.compile(r"\S")
_ON_LINE = re.compile(r"[\S\r\n]")
_OBJECT = re.compile(r'\{\s*"((?:[^"\\\n]|\\.)*)"\s*:')
_NEXT_ITEM = re.compile(r'(?:,|[\r\n])\s*(?=["{])')
_MOST_BLANKS = 100
_LONGEST_NAME = 1000


class BrokenError(Exception):
    """A value that is not JSON."""

    def __init__(self, message: str, cut: bool = False) -> None:
        super().__init__(message)
        self.cut = cut
        """Whether it may only be that the text ends too early."""


class JsonBuffer:
    """A text and a place in it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._ended = False
        self._quick = 0
        """Characters since the stream last took its time; where they are few, lines are used as they come."""
        self.text = ""
        """What has been read and not been used."""
        self.at = 0
        """Where in `text` the next value is."""
        self.failure: DamagedError | OSError | None = None
        """Why the text ended, if that is not the end of the file."""
        self._line = 1
        self._counted = 0
        self._dropped = ""
        """The last character before `text` that was no blank."""
        self._returned = False
        """Whether what has been counted ends with a carriage return."""

    def fill(self) -> bool:
        """Read more, as much as there is already, and forget what is before the place; False if there is no more."""
        if self._ended:
            return False
        started, wanted = time.monotonic(), max(_CHARACTERS, len(self.text) - self.at)
        try:
            more = self._stream.read(wanted) if self._quick > _CHARACTERS else self._stream.readline(wanted)
        except (DamagedError, OSError) as error:
            self.failure, more = error, ""
        else:
            self.failure = failure_of(self._stream) if not more else None
        self._quick = self._quick + len(more) if time.monotonic() - started < _PATIENCE else 0
        if not more:  # then places in the text stay what they are
            self._ended = True
            return False
        self.drop_used()
        self.text += more
        return True

    def drop_used(self) -> None:
        """Forget what is before the place."""
        if self.at:
            self.line()
            self._dropped = self._visible_before(self.at)
            self.text = self.text[self.at :]
            self.at = self._counted = 0

    def line(self) -> int:
        """Number of the line that the place is on."""
        if self._counted < self.at:
            self._line += self.text.count("\n", self._counted, self.at)
            if self._returned and self.text[self._counted] == "\n":  # the other half of a line end
                self._line -= 1
            if returns := self.text.count("\r", self._counted, self.at):
                self._line += returns - self.text.count("\r\n", self._counted, self.at)
            self._returned = self.text[self.at - 1] == "\r"
        self._counted = self.at
        return self._line

    def object_on_line(self) -> dict[str, Any] | None:
        """The object that takes the line at whose beginning the place is, after going to the next line.

        The way of nearly every record. None, and nothing is done, if that is not what is there, as far as is known
        without reading more.
        """
        text, at = self.text, self.at
        if self._counted != at or self._returned or not text.startswith("{", at):
            return None
        try:
            value, end = _STRICT(text, at)
        except (ValueError, RecursionError):
            return None
        if not text.startswith("\n", end) or text.find("\n", at, end) >= 0 or text.find("\r", at, end) >= 0:
            return None
        self._line += 1
        self.at = self._counted = end + 1
        return value  # type: ignore[no-any-return] # it begins with a brace

    def next_character(self) -> str:
        """The character at the place, after going on past blanks and commas; empty at the end."""
        self.at = self.after_blanks(self.at)
        return self.text[self.at : self.at + 1]

    def after_blanks(self, at: int) -> int:
        """Where blanks and commas from `at` on end. Places in `text` stay what they are if the place is 0."""
        at -= self.at
        while True:
            match = _BLANKS.match(self.text, self.at + at)
            assert match is not None
            if match.end() < len(self.text) or not self.fill():
                return match.end()

    def begins_list_of_objects(self, at: int) -> bool:
        """Whether there is a list at `at` whose first element is an object, or an empty one."""
        if self.text[at : at + 1] != "[":
            return False
        at = self.after_blanks(at + 1)
        return self.text[at : at + 1] in ("{", "]")

    def behind(self) -> str:
        """The first character that is no blank from the place on, which stays; empty at the end."""
        while not (match := _NO_BLANK.search(self.text, self.at)):
            if not self.fill():
                return ""
        return match[0]

    def rest_of_line(self) -> str:
        """The first character that is no blank on the line of the place, which stays; a line end if there is none."""
        while not (match := _ON_LINE.search(self.text, self.at)):
            if not self.fill():
                return "\n"
        return match[0]

    def next_line(self) -> str:
        """Go to the beginning of the next line; gives its first character, nothing at the end."""
        while not (match := _LINE_END.search(self.text, self.at)):
            self.at = len(self.text)
            if not self.fill():
                return ""
        self.at = match.end()
        if self.at == len(self.text):
            self.fill()
        if match[0] == "\r" and self.text.startswith("\n", self.at):
            self.at += 1
            if self.at == len(self.text):
                self.fill()
        return self.text[self.at : self.at + 1]

    def next_object(self) -> str | None:
        """Go to what looks like the next object, other than the value of a field; gives the name of its first field.

        Goes to the end and gives None if there is none.
        """
        self.at += 1
        while True:
            for match in _OBJECT.finditer(self.text, self.at):
                if self._visible_before(match.start()) != ":":
                    self.at = match.start()
                    return match[1]
            # One may begin at the end of what there is.
            begins = self.text.find("{", max(self.at, len(self.text) - _LONGEST_NAME))
            self.at = begins if begins >= 0 else len(self.text)
            if not self.fill():
                self.at = len(self.text)
                return None

    def _visible_before(self, at: int) -> str:
        """The last character before `at` that is no blank, also if it has been dropped."""
        near = self.text[max(0, at - _MOST_BLANKS) : at].rstrip()
        return near[-1] if near else self._dropped

    def next_item(self) -> None:
        """Go to what is behind the next comma or line end that a value may follow."""
        self.at += 1
        while not (match := _NEXT_ITEM.search(self.text, self.at)):
            # The comma may be there and the value not yet.
            self.at = max(self.at, len(self.text.rstrip(", \t\r\n")))
            if not self.fill():
                self.at = len(self.text)
                return
        self.at = match.end()

    def decode_what_is_there(self) -> Any:
        """The value at the place if it can be decoded without reading more, else None."""
        try:
            return _STRICT(self.text, self.at)[0]
        except (ValueError, RecursionError):
            return None

    def decode(self, at: int, in_lines: bool = False) -> tuple[Any, int]:
        """The value at `at`, to which there is nothing but blanks before, and where it ends.

        Places in `text` stay what they are if the place is 0.

        Parameters
        ----------
        at : int
            Where it begins.
        in_lines : bool
            Whether a string may not hold a line end; one with a tab or another control character is taken anyway.

        Raises
        ------
        BrokenError
            If it is not JSON.
        """
        at -= self.at  # from the place on, which moves when more is read
        decode = _STRICT
        while True:
            start = self.at + at
            try:
                value, end = decode(self.text, start)
            except json.JSONDecodeError as error:
                unended = error.msg.startswith("Unterminated string") or error.pos >= len(self.text) - _LONGEST_TOKEN
                if unended and len(self.text) - start < _MOST_CHARACTERS and self.fill():
                    continue
                if decode is _STRICT and error.msg.startswith("Invalid control character"):
                    decode = _LENIENT
                    continue
                message = f"{error.msg.removesuffix(' at')}, character {error.pos - start + 1} of it"
                raise BrokenError(message, cut=unended) from None
            except RecursionError:
                raise BrokenError("nested too deep") from None
            except ValueError as error:  # a number of more digits than Python converts
                raise BrokenError(str(error).partition(";")[0]) from None
            if end >= len(self.text) - 2 and self.text[end - 1] not in '"}]' and self.fill():
                continue  # a number may go on, also with `.5` or `e-5`
            if decode is _LENIENT and in_lines and _LINE_END.search(self.text, self.at + at, end):
                raise BrokenError("a string that does not end")
            return value, end
