"""The addresses that take files: their results as they come, and the file again with its tags."""

from __future__ import annotations

import io
import math
import re
from pathlib import Path

from fastapi import APIRouter, Request
from starlette.responses import Response

from tagger.formats.layout import Layout
from tagger.formats.output import COMPRESSED, WRITABLE, open_writer
from tagger.formats.registry import FORMATS
from tagger.records import Tagged
from tagger.server import schemas
from tagger.server.context import Context, context_of
from tagger.server.replies import Refusal, to_json
from tagger.server.results import corrected, record_json
from tagger.server.streams import Stream
from tagger.server.uploads import Part, Upload, receive

router = APIRouter()
DOWNLOADS = tuple(name for name in WRITABLE if name not in ("table", "parquet"))
"""Formats that a download can have: those that are written as records come."""
_RANGE = re.compile(r"(\d{1,12})(?:-(\d{1,12}))?", re.ASCII)
_MEDIA_TYPES = {
    "csl": "application/json",
    "csv": "text/csv",
    "json": "application/json",
    "jsonl": "application/x-ndjson",
    "markdown": "text/markdown",
    "tsv": "text/tab-separated-values",
}


@router.post(
    "/api/files",
    summary="Tag a file",
    openapi_extra=schemas.taking(schemas.UPLOAD, "multipart/form-data"),
    responses=schemas.giving(schemas.RECORD, "application/x-ndjson"),
)
async def tag_file(request: Request) -> Response:
    """Tag a file of any format that is read: an object a line, as they come, in the order of the file.

    A line is a result; or tells the ``progress`` made; or, as the last one, the ``end``: how many records and errors
    there were, and why it came before its time, if it did.
    """
    context = context_of(request)
    upload = await receive(request, context.work)
    return await Stream(request, context, upload, _Results(upload)).begun()


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
        form = _Download(context, upload)
    except Refusal:
        upload.remove()
        raise
    return await Stream(request, context, upload, form).begun()


class _Results:
    """An object a line."""

    def __init__(self, upload: Upload) -> None:
        self._read = upload.read
        self.headers = {"content-type": "application/x-ndjson"}
        self.most = math.inf
        self._count = {"records": 0, "errors": 0}

    def show(self, part: Part) -> bytes:
        """The results of some records, and the progress made."""
        rows = [
            record_json(part.start + k, tagged, key, part.corrections.get(key))
            for k, (tagged, key) in enumerate(zip(part.tagged, part.keys))
        ]
        self._count["records"] += len(rows)
        self._count["errors"] += sum("error" in row for row in rows)
        bytes_ = {"read": self._read.read, "bytes": self._read.total} if self._read.total else {}
        return b"".join(to_json(row) + b"\n" for row in [*rows, {"progress": self._count | bytes_}])

    def end(self, why: str | None) -> bytes:
        """How many there were."""
        return to_json({"end": self._count | ({"error": why} if why else {})}) + b"\n"


class _Download:
    """A file in a format that is written."""

    def __init__(self, context: Context, upload: Upload) -> None:
        format_ = upload.fields.get("format", "")
        if format_ not in DOWNLOADS:
            raise Refusal(422, f"The format {format_[:40]!r} cannot be written; give one of {', '.join(DOWNLOADS)}.")
        self._wanted = Ranges(upload.fields.get("rows") or f"0-{10**12 - 1}")
        self.most = self._wanted.end if "rows" in upload.fields else math.inf
        name = re.sub(r"[^\w.-]", "_", _without_endings(upload.name), flags=re.ASCII)
        self.headers = {
            "content-type": f"{_MEDIA_TYPES.get(format_, 'text/plain')}; charset=utf-8",
            "content-disposition": f'attachment; filename="{name}-tagged{FORMATS[format_].suffixes[0]}"',
        }
        model = context.tagger.model
        self._stream = io.StringIO()
        layout = Layout(model.areas, f"{context.name} {context.checksum[:12]}", central=model.central)
        self._writer = open_writer(format_, self._stream, layout)

    def show(self, part: Part) -> bytes:
        """What the format has for the wanted ones of some records."""
        for k, (tagged, key) in enumerate(zip(part.tagged, part.keys)):
            if part.start + k in self._wanted:
                self._writer.write(Tagged(tagged.record, corrected(tagged.tags, part.corrections.get(key, {}))))
        return self._taken()

    def end(self, why: str | None) -> bytes | None:
        """What ends the file."""
        if why:
            return None  # a file that is not whole must not look as if it were
        self._writer.close()
        return self._taken()

    def _taken(self) -> bytes:
        text = self._stream.getvalue()
        self._stream.seek(0)
        self._stream.truncate()
        return text.encode("utf-8", "backslashreplace")


def _without_endings(name: str) -> str:
    """The name of a file without the endings that say its format and how it is compressed."""
    name = Path(name).stem if name.lower().endswith(COMPRESSED) else name
    endings = [suffix for format_ in FORMATS.values() for suffix in format_.suffixes if name.lower().endswith(suffix)]
    return name[: -len(max(endings, key=len))] if endings else Path(name).stem


class Ranges:
    """A set of numbers, given as ``0-99,120``.

    Raises
    ------
    Refusal
        If it is given otherwise.
    """

    def __init__(self, text: str) -> None:
        ranges = []
        for part in text.split(","):
            match = _RANGE.fullmatch(part.strip())
            if match is None:
                raise Refusal(422, f"The rows {part[:40]!r} are no range; give numbers from 0, as 0-99,120.")
            ranges.append(range(int(match[1]), int(match[2] or match[1]) + 1))
        self._ranges = sorted(ranges, key=lambda one: one.start)
        self._at = 0
        self.end = max(one.stop for one in ranges)
        """The number after the last one."""

    def __contains__(self, number: int) -> bool:
        """Whether a number, not smaller than those asked for before, is in one of the ranges."""
        while self._at < len(self._ranges) and self._ranges[self._at].stop <= number:
            self._at += 1
        return self._at < len(self._ranges) and number in self._ranges[self._at]
