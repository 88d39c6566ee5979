"""A file or a pasted list of a request -> its records, their tags and corrections, part by part."""

from __future__ import annotations

import contextlib
import io
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path, PurePosixPath

from fastapi import Request
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException

from tagger.errors import TaggerError
from tagger.formats import paragraphs, read_records
from tagger.formats.fields import Fields
from tagger.formats.sources import Bytes
from tagger.records import Record, Tagged
from tagger.server.corrections import Corrections
from tagger.server.replies import Refusal
from tagger.server.results import key_of
from tagger.server.work import Work
from tagger.tagging import Tagger

PART = 32
"""Records that are worked on before others have their turn."""
PASTED = "pasted.txt"
"""Name of a list that was pasted."""
_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f/\\:\ud800-\udfff]")
_LONGEST_NAME = 100
_TEXT = "text"
"""Source of what was pasted."""
_STRUCTURED = re.compile(r"\s*(?:@\w+\s*[{(]|TY  - |[{\[]\s*[\"{\[]|<\?xml)")
_OPTIONS = re.compile(r"(?:;|, or) name (?:the (?:field|column)|it) with --[\w-]+")


@dataclass(frozen=True)
class Upload:
    """A file in a directory of its own, under the name that it came with."""

    path: Path
    name: str
    fields: dict[str, str]
    """What else the form had."""
    read: Bytes = field(default_factory=Bytes)
    """How much of the file has been read."""

    def records(self) -> Iterator[Record]:
        """The records of the file; a pasted text without a list in it is one.

        Raises
        ------
        TaggerError
            If it cannot be read.
        """
        path = str(self.path)
        if self.name == PASTED:
            yield from pasted_records(self.path.read_text("utf-8", "surrogatepass"))
            return
        fields = Fields(*(self.fields.get(name) or None for name in ("text_field", "id_field", "title_field")))
        for record in read_records(path, self.fields.get("from") or None, fields, progress=self.read):
            yield replace(record, source=self.name, error=record.error and self.plain(record.error))

    def plain(self, message: str) -> str:
        """A message for those who sent the file: with its own name, and without the options of the command."""
        return _OPTIONS.sub("", message.replace(str(self.path), self.name))

    def remove(self) -> None:
        """Remove the file."""
        shutil.rmtree(self.path.parent, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class Part:
    """Some records of an upload, in order."""

    start: int
    """How many were before them."""
    tagged: list[Tagged]
    keys: list[str]
    corrections: dict[str, dict[str, int]]
    """What was said of those of which something was, by key."""


async def receive(request: Request, work: Work) -> Upload:
    """Take the file, or the text, from a form.

    Raises
    ------
    Refusal
        If there is none, or more than one.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "multipart/form-data":
        raise Refusal(
            415, "Send the file as a form (multipart/form-data) with the field file: curl -F file=@papers.bib"
        )
    try:
        async with request.form(max_files=1, max_fields=8, max_part_size=2**62) as form:
            values = dict(form)
            file = values.pop("file", None)
            fields = {name: value for name, value in values.items() if isinstance(value, str)}
            text = fields.pop("text", None)
            if isinstance(file, UploadFile):
                stream, name = file.file, safe_name(file.filename or "")
                return await work.bulk(lambda: _kept(stream.read, name, fields))
            if text is not None:
                pieces = iter([text.encode("utf-8", "surrogatepass"), b""])
                return await work.bulk(lambda: _kept(lambda size: next(pieces), PASTED, fields))
    except Refusal:
        raise
    except HTTPException as error:
        raise Refusal(400, f"The form cannot be read: {str(error.detail).rstrip('.')}.") from error
    raise Refusal(422, "The form has neither a file nor a text; give one in the field file or text.")


def safe_name(name: str) -> str:
    """The name of an upload without directories and what no file should be called, its endings kept."""
    last = PurePosixPath(name.replace("\\", "/")).name
    plain = _UNSAFE.sub("_", last)[-_LONGEST_NAME:].strip()
    return plain if plain.strip(".") and plain != PASTED else "upload"


def pasted_records(text: str) -> Iterator[Record]:
    """The abstracts in what was pasted: a list, or the content of a file that begins as BibTeX, RIS, JSON or XML do.

    A text that is no list - a line without an end, as one types - is an abstract itself.
    """
    none = True
    if _STRUCTURED.match(text):
        with tempfile.TemporaryDirectory(prefix="tagger-") as directory, contextlib.suppress(TaggerError):
            path = Path(directory, _TEXT)
            path.write_text(text, "utf-8", "backslashreplace")
            for record in read_records(path):
                none = False
                yield replace(record, source=_TEXT)
    if none:
        for record in paragraphs.read(io.StringIO(text, newline=""), _TEXT, Fields()):
            none = False
            yield record
    if none and text.strip():
        yield Record(f"{_TEXT}:1", text.strip(), source=_TEXT)


def parts(records: Iterator[Record], tagger: Tagger, corrections: Corrections, most: int) -> Iterator[Part]:
    """Tag at most `most` of the records, part by part."""
    start = 0
    records = islice(records, most)
    while batch := list(islice(records, PART)):
        tagged = [Tagged(record, tags) for record, tags in zip(batch, tagger.tag_many(batch), strict=True)]
        keys = [key_of(record.abstract) for record in batch]
        yield Part(start, tagged, keys, corrections.of(keys))
        start += len(batch)


def _kept(read: Callable[[int], bytes], name: str, fields: dict[str, str]) -> Upload:
    directory = Path(tempfile.mkdtemp(prefix="tagger-"))
    try:
        path = directory / name
        with path.open("wb") as target:
            while piece := read(2**20):
                target.write(piece)
    except BaseException:
        shutil.rmtree(directory, ignore_errors=True)
        raise
    return Upload(path, name, fields)
