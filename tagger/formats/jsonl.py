"""JSON: an object a line, a list of objects, or an object with such a list in it, as the APIs of libraries answer.

Where a value is broken, the reading goes on at the next line, or in a list at the next object that is like those
before. Values need no line of their own, and may be spread over many.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TextIO

from tagger.formats.fields import Fields, NoListError
from tagger.formats.json_buffer import BrokenError, JsonBuffer
from tagger.formats.mapping import kind_of, reason_in, record_of_mapping
from tagger.formats.sources import default_id_prefix
from tagger.records import Record

LIST_NAMES = ("notes", "data", "results", "items", "papers")
"""Fields of an object that hold a list of records."""
OUTER_NAMES = ("message", "response", "data", "result", "results")
"""Fields of an object that may hold an object which has such a field."""


class _Found(NamedTuple):
    value: Any
    position: str
    error: str | None = None


def read(stream: TextIO, source: str, fields: Fields) -> Iterator[Record]:
    """Yield a record for each value of `stream`, or each element of the list in it."""
    prefix = default_id_prefix(source)
    buffer = JsonBuffer(stream)
    for number, (value, position, error) in enumerate(_Values(buffer, fields).read(), 1):
        default_id = f"{prefix}:{number}"
        if error is not None:
            yield Record(default_id, error=f"not JSON ({error})", source=source, position=position)
        elif isinstance(value, dict):
            record = record_of_mapping(value, default_id, source, fields, position)
            if number == 1 and fields.abstract and fields.abstract not in record.fields and not reason_in(value, None):
                raise NoListError(f"{source}: {record.error}")
            yield record
        elif isinstance(value, str):
            yield Record(default_id, value, source=source, position=position)
        else:
            error = f"expected a JSON object, got {kind_of(value)}"
            yield Record(default_id, error=error, source=source, position=position)
    if buffer.failure is not None:
        raise buffer.failure


class _Values:
    """The values of a text that are records, and the broken ones in their places."""

    def __init__(self, buffer: JsonBuffer, fields: Fields) -> None:
        self._buffer = buffer
        self._fields = fields
        self._spread: bool | None = None
        """Whether values take several lines each; None if that is not known yet."""
        self._last: dict[str, Any] | None = None
        """The last sound object of a list."""
        self._first_names: set[str] = set()
        """The first fields of those so far."""
        self._line = 0
        self._on_line = 0

    def read(self) -> Iterator[_Found]:
        buffer = self._buffer
        in_lists: bool | None = None
        while character := buffer.next_character():
            if character == "[" and in_lists is not False and not self._is_empty_line():
                in_lists = True
                yield from self._elements()
            elif character == "{" and in_lists is not False and (depth := self._enter()):
                in_lists = True
                yield from self._lists_of_object(depth)
            else:
                in_lists = bool(in_lists)
                yield from self._value()
                if not in_lists:
                    yield from self._objects_on_lines()

    def _is_empty_line(self) -> bool:
        """Whether there is a list without elements at the place, and something behind it: one line of many."""
        buffer = self._buffer
        buffer.drop_used()
        end = buffer.after_blanks(1)
        return buffer.text[end : end + 1] == "]" and buffer.after_blanks(end + 1) < len(buffer.text)

    def _position(self) -> str:
        line = self._buffer.line()
        self._on_line = self._on_line + 1 if line == self._line else 1
        self._line = line
        return f"line {line}" if self._on_line == 1 else f"line {line}, item {self._on_line}"

    def _objects_on_lines(self) -> Iterator[_Found]:
        """The objects outside lists that follow, as long as each takes a line of its own."""
        buffer = self._buffer
        if buffer.rest_of_line() == "\n":
            buffer.next_line()
        while (line := buffer.line()) != self._line and (value := buffer.object_on_line()) is not None:
            self._line, self._on_line = line, 1
            yield _Found(value, f"line {line}")

    def _value(self) -> Iterator[_Found]:
        """A value outside lists."""
        buffer, position = self._buffer, self._position()
        try:
            value, end = buffer.decode(buffer.at, in_lines=True)
            self._spread = self._spread or buffer.text.find("\n", buffer.at, end) >= 0
            buffer.at = end
            if buffer.rest_of_line() not in '{["\r\n,':
                raise BrokenError("there is something else behind it")
        except BrokenError as error:
            if not self._is_cut(error):
                yield _Found(None, position, str(error))
            self._go_on()
        else:
            yield _Found(value, position)

    def _is_cut(self, error: BrokenError) -> bool:
        """Whether a value is broken because the file could not be read further, which is told at its end."""
        return error.cut and self._buffer.failure is not None

    def _go_on(self) -> None:
        """Go to the next line or, where values take several lines each, to the next that begins like one."""
        buffer = self._buffer
        first = buffer.next_line()
        if self._spread is None:
            self._spread = first not in ("", "{", "[", '"')
        while self._spread and first not in ("", "{", "["):
            first = buffer.next_line()

    def _elements(self) -> Iterator[_Found]:
        """The elements of the list at the place."""
        buffer = self._buffer
        buffer.at += 1
        while (character := buffer.next_character()) not in ("", "]"):
            position = self._position()
            try:
                value, end = buffer.decode(buffer.at)
                if end < len(buffer.text) and buffer.text[end] in ",]":  # almost always
                    buffer.at = end
                else:
                    buffer.at = end
                    if buffer.behind() not in ("", ",", "]", "{"):
                        raise BrokenError("there is something else behind it")
            except BrokenError as error:
                if not self._is_cut(error):
                    yield _Found(None, position, str(error))
                self._go_on_in_list(character)
            else:
                if isinstance(value, dict) and value:
                    self._last = value
                    self._first_names.add(next(iter(value)))
                yield _Found(value, position)
        buffer.at += len(character)

    def _go_on_in_list(self, character: str) -> None:
        """Go to the next element of a list, behind a broken one that began with `character`."""
        buffer = self._buffer
        if character != "{" and self._last is None:
            buffer.next_item()
            return
        while (name := buffer.next_object()) is not None:
            try:
                value, _ = buffer.decode(buffer.at)
            except BrokenError:
                if name in self._first_names or not self._first_names:
                    return
            else:
                if self._is_like_the_last(value):
                    return

    def _is_like_the_last(self, value: Any) -> bool:
        """Whether a value is likely to be an element of the list, and not a part of one."""
        if not isinstance(value, dict):
            return False
        if self._last is None:
            return self._field_of_text(value) is not None
        field = self._field_of_text(self._last)
        return (field is not None and field in value) or 2 * len(value.keys() & self._last.keys()) >= len(self._last)

    def _field_of_text(self, value: dict[str, Any]) -> str | None:
        return self._fields.find_abstract(self._fields.with_nested(value))

    def _enter(self) -> int:
        """Go to the list of records in the object at the place; gives how many objects it is in, 0 if there is none."""
        buffer = self._buffer
        buffer.drop_used()
        whole = buffer.decode_what_is_there()
        if whole is not None and not self._has_list(whole):
            return 0
        depth, at = 1, 1
        try:
            while True:
                name, at = buffer.decode(buffer.after_blanks(at))
                at = buffer.after_blanks(at)
                if not isinstance(name, str) or buffer.text[at : at + 1] != ":" or self._fields.find_abstract([name]):
                    return 0
                at = buffer.after_blanks(at + 1)
                if name in OUTER_NAMES and buffer.text[at : at + 1] == "{":
                    depth, at = depth + 1, at + 1
                elif name in LIST_NAMES and buffer.begins_list_of_objects(at):
                    buffer.at = at
                    return depth
                else:
                    at = buffer.decode(at)[1]
        except BrokenError:
            return 0

    def _has_list(self, value: Any) -> bool:
        if not isinstance(value, dict) or self._field_of_text(value) is not None:
            return False
        lists = [value[name] for name in LIST_NAMES if isinstance(value.get(name), list)]
        inner = (value.get(name) for name in OUTER_NAMES)
        return any(not some or isinstance(some[0], dict) for some in lists) or any(map(self._has_list, inner))

    def _lists_of_object(self, depth: int) -> Iterator[_Found]:
        """The elements of the list at the place, and of those behind it in the objects that it is in."""
        buffer = self._buffer
        yield from self._elements()
        while depth and (character := buffer.next_character()):
            if character == "}":
                buffer.at += 1
                depth -= 1
                continue
            try:
                name, buffer.at = buffer.decode(buffer.at)
                if buffer.next_character() != ":":
                    raise BrokenError("no field")
                buffer.at += 1
                buffer.next_character()
                if name in LIST_NAMES and buffer.begins_list_of_objects(buffer.at):
                    yield from self._elements()
                else:
                    buffer.at = buffer.decode(buffer.at)[1]
            except BrokenError:
                return
