"""Answers that are made while they are sent, a part of an upload at a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing
from typing import Protocol

from fastapi import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from tagger.errors import TaggerError
from tagger.server.context import Context
from tagger.server.guard import LIMIT
from tagger.server.replies import Refusal, sentence
from tagger.server.uploads import Part, Upload, parts

GRACE = 10.0
"""Seconds that an answer under way has to say that its time is over."""

Steps = Generator[bytes | None, None, None]


class Form(Protocol):
    """What an answer looks like."""

    headers: dict[str, str]
    most: float
    """Records that it wants, from the first."""

    def show(self, part: Part) -> bytes:
        """What stands for some records."""

    def end(self, why: str | None) -> bytes | None:
        """What stands at the end; `why` tells why it comes before its time. None if it then must be broken off."""


class Stream(Response):
    """An answer to an upload, which is removed at its end. Whoever makes one sends it."""

    def __init__(self, request: Request, context: Context, upload: Upload, form: Form) -> None:
        super().__init__(headers=form.headers)
        del self.headers["content-length"]
        self._request, self._context, self._upload, self._form = request, context, upload, form
        self._deadline = asyncio.get_running_loop().time() + context.settings.timeout
        self._steps: Steps = _steps(context, upload, form)
        self._first: bytes | None = None

    async def begun(self) -> Stream:
        """Do the first part, so that a file that cannot be read is refused and not answered."""
        try:
            self._context.work.begin_file()
        except Refusal:
            self._upload.remove()
            raise
        try:
            self._first = await self._context.work.bulk(lambda: next(self._steps))
        except BaseException:
            await self._finish()
            raise
        return self

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        limit = scope.get(LIMIT)
        if limit is not None:
            limit.reschedule(self._deadline + GRACE)
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            async with aclosing(self._pieces()) as pieces:
                async for piece in pieces:
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
                    if await self._request.is_disconnected():
                        return
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        except _BrokenOff:
            return  # without an end: the connection is closed, and nobody takes what was sent for the whole
        finally:
            await self._finish()

    async def _pieces(self) -> AsyncGenerator[bytes, None]:
        piece = self._first
        while piece is not None:
            yield piece
            if asyncio.get_running_loop().time() > self._deadline:
                seconds = f"{self._context.settings.timeout:g} seconds"
                late = self._form.end(f"This took longer than {seconds}; give the server a longer --timeout.")
                if late is None:
                    raise _BrokenOff
                yield late
                return
            piece = await self._context.work.bulk(lambda: next(self._steps, None))

    async def _finish(self) -> None:
        self._context.work.end_file()
        await asyncio.shield(self._context.work.bulk(self._clear))

    def _clear(self) -> None:
        self._steps.close()
        self._upload.remove()


def _steps(context: Context, upload: Upload, form: Form) -> Steps:
    """What an answer consists of: some records at a time, and its end."""
    most = context.settings.max_records
    records = upload.records()
    begun, why = False, None
    try:
        for part in parts(records, context.tagger, context.corrections, int(min(most, form.most))):
            yield form.show(part)
            begun = True
        if form.most > most and next(records, None) is not None:
            why = (
                f"The file has more than {most:,} abstracts; those after them are not tagged. "
                "Split it, or give the server a larger --max-records."
            )
    except TaggerError as error:
        why = sentence(upload.plain(str(error)))
        if not begun:
            raise type(error)(why) from error
    last = form.end(why)
    if last is None:
        raise _BrokenOff
    yield last


class _BrokenOff(Exception):
    """An answer that would not be whole."""
