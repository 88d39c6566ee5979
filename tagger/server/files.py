"""The addresses that take files: their results as they come, and the file again with its tags."""

from __future__ import annotations

import asyncio
import io
import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing
from itertools import islice
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from tagger.errors import TaggerError
from tagger.formats.layout import Layout
from tagger.formats.output import WRITABLE, open_writer
from tagger.formats.registry import FORMATS
from tagger.records import Tagged
from tagger.server import schemas
from tagger.server.context import Context, context_of
from tagger.server.guard import LIMIT
from tagger.server.replies import Refusal, to_json
from tagger.server.results import corrected, record_json
from tagger.server.uploads import Part, Upload, parts, receive

router = APIRouter()
DOWNLOADS = tuple(name for name in WRITABLE if name not in ("table", "parquet"))
"""Formats that a download can have: those that are written as they come."""
_GRACE = 10.0
"""Seconds that an answer under way has to say that its time is over."""
_RANGE = re.compile(r"(\d{1,12})(?:-(\d{1,12}))?")
_MEDIA_TYPES = {"csv": "text/csv", "json": "application/json", "jsonl": "application/x-ndjson",
                "markdown": "text/markdown", "tsv": "text/tab-separated-values"}  # fmt: skip


@router.post(
    "/api/files",
    summary="Tag a file",
    openapi_extra=schemas.taking(schemas.UPLOAD, "multipart/form-data"),
    responses=schemas.giving(schemas.RECORD, "application/x-ndjson"),
)
async def tag_file(request: Request) -> Response:
    """Tag a file of any format that is read: an object a line, as they come, in the order of the file.

    A line is a result; or tells the ``progress`` made, a number of records; or, as the last one, the ``end``: how many
    records and errors there were, and why it came before its time, if it did.
    """
    context = context_of(request)
    upload = await receive(request, context.work)
    count = {"records": 0, "errors": 0}

    def lines(part: Part) -> bytes:
        rows = [
            record_json(part.start + k, tagged, key, part.corrections.get(key))
            for k, (tagged, key) in enumerate(zip(part.tagged, part.keys))
        ]
        count["records"] += len(rows)
        count["errors"] += sum("error" in row for row in rows)
        return b"".join(to_json(row) + b"\n" for row in rows) + to_json({"progress": count}) + b"\n"

    def end(why: str | None) -> bytes:
        return to_json({"end": count | ({"error": why} if why else {})}) + b"\n"

    return await _Stream.begun(request, context, upload, lines, end, {"content-type": "application/x-ndjson"})


@router.post(
    "/api/download",
    summary="A file again, with its tags",
    openapi_extra=schemas.taking(schemas.DOWNLOAD, "multipart/form-data"),
    responses=schemas.giving({"type": "string"}, "application/octet-stream"),
)
async def download(request: Request) -> Response:
    """Tag a file and give it in a format that is written, with corrections in place of the tags that they correct."""
    context = context_of(request)
    upload = await receive(request, context.work)
    try:
        format_, wanted = _format(upload.fields.get("format", "")), _rows(upload.fields.get("rows"))
    except Refusal:
        upload.remove()
        raise
    model = context.tagger.model
    stream = io.StringIO()
    writer = open_writer(format_, stream, Layout(model.areas, f"{context.name} {context.checksum[:12]}"))

    def taken() -> bytes:
        text = stream.getvalue()
        stream.seek(0)
        stream.truncate()
        return text.encode("utf-8", "backslashreplace")

    def write(part: Part) -> bytes:
        for k, (tagged, key) in enumerate(zip(part.tagged, part.keys)):
            if wanted is None or part.start + k in wanted:
                tags = corrected(tagged.tags, part.corrections.get(key, {}))
                writer.write(Tagged(tagged.record, tags))
        return taken()

    def close(why: str | None) -> bytes | None:
        if why:
            return None  # what is not whole must not look as if it were
        writer.close()
        return taken()

    name = f"{Path(upload.name).stem}-tagged{FORMATS[format_].suffixes[0]}"
    plain = re.sub(r"[^\w.-]", "_", name, flags=re.ASCII)
    headers = {
        "content-type": f"{_MEDIA_TYPES.get(format_, 'text/plain')}; charset=utf-8",
        "content-disposition": f'attachment; filename="{plain}"',
    }
    return await _Stream.begun(request, context, upload, write, close, headers)


class _Stream(Response):
    """An answer that is made while it is sent, a part of an upload at a time; the upload is removed at its end."""

    def __init__(
        self, request: Request, context: Context, upload: Upload, steps: Iterator[bytes | None], first: bytes | None
    ) -> None:
        super().__init__()
        self._request, self._context, self._upload, self._steps, self._first = request, context, upload, steps, first
        self._deadline = asyncio.get_running_loop().time() + context.settings.timeout

    @classmethod
    async def begun(
        cls,
        request: Request,
        context: Context,
        upload: Upload,
        show: Callable[[Part], bytes],
        end: Callable[[str | None], bytes | None],
        headers: dict[str, str],
    ) -> _Stream:
        """Do the first part, so that a file that cannot be read is refused and not answered."""
        steps = _steps(context, upload, show, end)
        try:
            context.work.begin_file()
        except Refusal:
            upload.remove()
            raise
        try:
            first = await context.work.bulk(lambda: next(steps))
        except BaseException:
            context.work.end_file()
            upload.remove()
            raise
        stream = cls(request, context, upload, steps, first)
        stream._end = end
        del stream.headers["content-length"]
        stream.headers.update(headers)
        return stream

    _end: Callable[[str | None], bytes | None]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        limit = scope.get(LIMIT)
        if limit is not None:
            limit.reschedule(self._deadline + _GRACE)
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
            self._context.work.end_file()
            await asyncio.shield(self._context.work.bulk(self._finish))

    async def _pieces(self) -> AsyncIterator[bytes]:
        piece = self._first
        while piece is not None:
            yield piece
            if asyncio.get_running_loop().time() > self._deadline:
                seconds = f"{self._context.settings.timeout:g}"
                last = self._end(f"This took longer than {seconds} seconds; start the server with a longer --timeout.")
                if last is None:
                    raise _BrokenOff
                yield last
                return
            piece = await self._context.work.bulk(lambda: next(self._steps, None))

    def _finish(self) -> None:
        close: Any = getattr(self._steps, "close", None)
        if close is not None:
            close()
        self._upload.remove()


def _steps(
    context: Context, upload: Upload, show: Callable[[Part], bytes], end: Callable[[str | None], bytes | None]
) -> Iterator[bytes | None]:
    """What an answer consists of, and at last its end; None if it must be broken off."""
    most = context.settings.max_records
    why = None
    records = upload.records()
    given = False
    try:
        for part in parts(records, context.tagger, context.corrections, most):
            yield show(part)
            given = True
        if next(islice(records, 1), None) is not None:
            why = (
                f"The file has more than {most:,} abstracts, which are not tagged; "
                "split it, or start the server with a larger --max-records."
            )
    except TaggerError as error:
        if not given:
            raise type(error)(str(error).replace(str(upload.path), upload.name)) from error
        why = str(error).replace(str(upload.path), upload.name)
    if (last := end(why)) is None:
        raise _BrokenOff
    yield last


class _BrokenOff(Exception):
    """A download cannot be whole."""


def _format(name: str) -> str:
    if name not in DOWNLOADS:
        raise Refusal(422, f"The format {name[:40]!r} cannot be written; give one of {', '.join(DOWNLOADS)}.")
    return name


def _rows(given: str | None) -> _Ranges | None:
    if given is None or not given.strip():
        return None
    ranges = []
    for part in given.split(","):
        match = _RANGE.fullmatch(part.strip())
        if match is None:
            raise Refusal(422, f"The rows {part[:40]!r} are no range; give numbers from 0, as 0-99,120.")
        ranges.append(range(int(match[1]), int(match[2] or match[1]) + 1))
    return _Ranges(ranges)


class _Ranges:
    """A set of numbers, given as ranges."""

    def __init__(self, ranges: list[range]) -> None:
        self._ranges = sorted(ranges, key=lambda one: one.start)
        self._at = 0

    def __contains__(self, number: int) -> bool:
        """Whether a number, not smaller than those asked for before, is in one of them."""
        while self._at < len(self._ranges) and self._ranges[self._at].stop <= number:
            self._at += 1
        return self._at < len(self._ranges) and number in self._ranges[self._at]
