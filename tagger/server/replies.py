"""Answers as JSON, and every refusal as one sentence: ``{"error": "..."}``."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from tagger.errors import TaggerError

_SENTENCES = {
    404: "There is nothing at this address; see /openapi.json for what there is.",
    405: "This address does not answer to that method; see /openapi.json for those that it does.",
}


class Refusal(HTTPException):
    """A request that is not answered, with the sentence that says why."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(status, sentence)


class Json(Response):
    """A value as JSON in ASCII, which holds any text, half a surrogate pair included."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """The value as bytes."""
        return to_json(content)


def to_json(value: Any) -> bytes:
    """`value` as JSON on one line."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode()


def refuse(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> Json:
    """The answer that says why there is none."""
    return Json({"error": sentence}, status, headers)


def sentence(message: str) -> str:
    """A message of the library as a sentence; the name of a file at its beginning stays as it is."""
    begun = message[:1].upper() + message[1:] if re.match(r"[a-z]+\s", message) else message
    return begun if begun.endswith((".", "!", "?")) else f"{begun}."


def add_handlers(app: FastAPI) -> None:
    """Make every error an answer of one sentence."""

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        own = isinstance(error, Refusal)
        said = error.detail if own else _SENTENCES.get(error.status_code, f"Not understood: {error.detail}")
        return refuse(error.status_code, said, error.headers)

    async def not_possible(request: Request, error: Exception) -> Response:
        return refuse(422, sentence(str(error)))

    async def not_kept(request: Request, error: Exception) -> Response:
        return refuse(503, f"The corrections cannot be read or written ({error}); see to their file and try again.")

    async def failed(request: Request, error: Exception) -> Response:
        return refuse(500, "Something in the server is wrong; its terminal says what.")

    app.add_exception_handler(HTTPException, refused)
    app.add_exception_handler(TaggerError, not_possible)
    app.add_exception_handler(sqlite3.Error, not_kept)
    app.add_exception_handler(Exception, failed)
