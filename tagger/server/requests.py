"""Bodies of requests -> values that have been checked, or one sentence that says what is wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from fastapi import Request

from tagger.server.replies import Refusal
from tagger.server.work import Work

SMALL = 64_000
"""Bytes of JSON that are read in less time than it takes to hand them to another thread."""
_KINDS = {type(None): "null", bool: "true or false", int: "a number", float: "a number", list: "a list",
          dict: "an object", str: "text"}  # fmt: skip


async def read_json(request: Request, work: Work) -> Any:
    """The value in the body of a request.

    Raises
    ------
    Refusal
        If it is not JSON, or is not said to be.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refusal(415, "Send JSON, with the header Content-Type: application/json.")
    body = await request.body()
    if len(body) <= SMALL:
        return _parsed(body)
    return await work.bulk(lambda: _parsed(body))


async def read_object(request: Request, work: Work, fields: tuple[str, ...]) -> dict[str, Any]:
    """The object in the body of a request, which has no other fields than these.

    Raises
    ------
    Refusal
        If it is none, or has others.
    """
    value = await read_json(request, work)
    if not isinstance(value, dict):
        raise Refusal(422, f"Expected an object with {_listed(fields)}, got {kind_of(value)}.")
    for name in value:
        if name not in fields:
            raise Refusal(422, f"Unknown field {name[:100]!r}; the fields are {_listed(fields)}.")
    return value


def text_in(body: Mapping[str, Any], name: str) -> str:
    """A text that must be there.

    Raises
    ------
    Refusal
        If it is not.
    """
    if name not in body:
        raise Refusal(422, f"The field {name!r} is missing; give it as text.")
    value = body[name]
    if not isinstance(value, str):
        raise Refusal(422, f"The field {name!r} is {kind_of(value)}; give it as text.")
    return value


def text_or_none(body: Mapping[str, Any], name: str) -> str | None:
    """A text that may be missing or null.

    Raises
    ------
    Refusal
        If it is something else.
    """
    return None if body.get(name) is None else text_in(body, name)


def kind_of(value: object) -> str:
    """What JSON calls the kind of a value, for people."""
    return _KINDS.get(type(value), "something else")


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise Refusal(400, f"The body is not UTF-8 (byte {error.start}); send JSON in UTF-8.") from error
    except RecursionError as error:
        raise Refusal(400, "The body is JSON that is nested too deep.") from error
    except ValueError as error:
        raise Refusal(400, f"The body is not JSON ({error}).") from error


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names)
