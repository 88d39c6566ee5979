"""Files of any format -> records, in order: what is opened when, and what becomes of a file that cannot be read."""

from __future__ import annotations

import contextlib
import importlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from tagger.errors import InputError, MissingExtraError, TaggerError
from tagger.formats.chunks import DamagedError
from tagger.formats.decoding import open_text
from tagger.formats.detect import TOLD_BY_THE_BEGINNING, detect, is_named_like_a_list
from tagger.formats.fields import Fields, NoListError
from tagger.formats.registry import FORMATS
from tagger.formats.sources import Bytes, Content, Source, default_id_prefix, find, open_source, total_bytes
from tagger.records import Record

Report = Callable[[str], None]

_FIRST_BYTES, _HEAD_BYTES = 2**12, 2**16
"""Bytes by which the format of a file is found, the more where the fewer do not tell."""
_MOST_REPORTED = 10
"""Files that are reported one by one as no lists of abstracts; a directory may hold thousands."""


def read_records(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    format: str | None = None,
    fields: Fields = Fields(),
    *,
    report: Report | None = None,
    progress: Bytes | None = None,
) -> Iterator[Record]:
    """Read the abstracts of files.

    What is wrong with one record is an ``error`` of that record. A file that turns out to be damaged gives the
    records before the damage and one with an error. Of the files of a directory or a pattern, those that are no lists
    of abstracts are left out and reported, and one that cannot be read gives a record with an error.

    Parameters
    ----------
    paths : path or sequence of paths
        Files, compressed or not, directories, patterns as a shell has them, and ``-`` for standard input; see
        :func:`tagger.formats.sources.find`.
    format : str, optional
        A key of :data:`tagger.formats.registry.FORMATS`; found from each file's content and name if None.
    fields : Fields
        Names of the fields that hold the abstract, the id and the title.
    report : callable, optional
        Is told, in one line each, which files were left out and which encodings guessed.
    progress : Bytes, optional
        Kept up to date while records are taken.

    Returns
    -------
    iterator of Record
        In the order of the files, one of which is open at a time. The first record has been read when this returns,
        and every file that was named has been found to hold one.

    Raises
    ------
    InputError
        If a file that was named cannot be read, is not in a known format or holds no abstract, or if there are no
        abstracts at all.
    MissingExtraError
        If such a file needs a library that is not installed.
    """
    wanted = [os.fspath(paths)] if isinstance(paths, (str, os.PathLike)) else [os.fspath(path) for path in paths]
    if format is not None and (format not in FORMATS or FORMATS[format].reader is None):
        known = ", ".join(name for name, one in FORMATS.items() if one.reader)
        raise InputError(f"unknown format {format!r}; the formats are {known}")
    progress = progress if progress is not None else Bytes()
    reading = _Reading(format, fields, report or _say_nothing, progress)
    trial = _Reading(format, fields, _say_nothing, Bytes())
    sources = find(wanted)
    progress.total = total_bytes(sources)
    opened: list[Iterator[Record] | None] = []
    for source in sources:
        # What can be opened once only stays open. A file is closed again: there may be more than can be open at once.
        stays = source.named and (source.size is None or source.path == "-" or len(sources) == 1)
        opened.append(_begun(reading.records(source)) if stays else None)
        if source.named and not stays:
            trial.try_out(source)
    records = chain.from_iterable(
        begun if begun is not None else reading.all_but_failures(source) for source, begun in zip(sources, opened)
    )
    records = chain(records, reading.end())
    first = next(records, None)
    if first is None:
        raise InputError(f"{', '.join(wanted[:8])}: holds no abstracts; give a file with at least one")
    return chain([first], records)


def _begun(records: Iterator[Record]) -> Iterator[Record]:
    return chain([next(records)], records)


def _say_nothing(message: str) -> None:
    pass


@dataclass(frozen=True, slots=True)
class _Reading:
    """How files are read."""

    format: str | None
    fields: Fields
    report: Report
    progress: Bytes
    left_out: list[str] = field(default_factory=list)
    """Names of the files that turned out to be no lists."""

    def records(self, source: Source) -> Iterator[Record]:
        """The records of a file, at least one; what fails after the first of them gives a record, too."""
        given = 0
        try:
            with open_source(source, self.progress) as content:
                for record in self._read(content, source):
                    yield record
                    given += 1
                if content.chunks.failure is not None:
                    raise content.chunks.failure
        except (TaggerError, OSError) as error:
            if not given:
                raise _refusal(source, error) from error
            yield _failed(source, given + 1, error)
        if not given:
            raise NoListError(f"{source.name}: holds no abstracts; give a file with at least one")

    def all_but_failures(self, source: Source) -> Iterator[Record]:
        """The records of a file, and if it gives none, one that says why, or none if it is no list of abstracts."""
        try:
            yield from self.records(source)
        except TaggerError as error:
            if isinstance(error, NoListError) and not source.named:
                self.left_out.append(source.name)
                if len(self.left_out) <= _MOST_REPORTED:
                    self.report(f"{str(error).partition('; ')[0]}; left out")
            else:
                yield _failed(source, 1, error)

    def end(self) -> Iterator[Record]:
        """Report what has not been, once this is asked for more records, of which there are none."""
        if len(self.left_out) > _MOST_REPORTED:
            more = len(self.left_out) - _MOST_REPORTED
            self.report(f"{more} more file{'s' if more > 1 else ''} left out, {self.left_out[-1]} the last of them")
        yield from ()

    def try_out(self, source: Source) -> None:
        """Find out whether a file gives a record, and raise if not."""
        records = self.records(source)
        next(records)
        records.close()  # type: ignore[attr-defined]

    def _read(self, content: Content, source: Source) -> Iterator[Record]:
        if content.is_empty:
            return
        format_ = self.format
        if format_ is None:
            format_ = self._found_format(content, source)
            if format_ == "text" and not source.named and not is_named_like_a_list(source.path):
                raise NoListError(f"{source.name}: may be anything; name it if it is a list of abstracts")
        reader = _reader_of(format_)
        if FORMATS[format_].seekable:
            with content.seekable() as file:
                records = reader(file, source.name, self.fields)
                failure = content.chunks.failure
                yield from records if failure is None else _before_failure(records, failure)
        elif FORMATS[format_].binary:
            yield from reader(content.stream(), source.name, self.fields)
        else:
            text = open_text(content.chunks, lambda message: self.report(f"{source.name}: {message}"))
            yield from reader(text, source.name, self.fields)

    def _found_format(self, content: Content, source: Source) -> str:
        """The format, found without waiting for more of a slow pipe than it takes."""
        with contextlib.suppress(NoListError):
            format_ = detect(content.chunks.head(_FIRST_BYTES), "", source.name, self.fields)
            if format_ in TOLD_BY_THE_BEGINNING:
                return format_
        return detect(content.chunks.head(_HEAD_BYTES), source.path, source.name, self.fields)


def _before_failure(records: Iterator[Record], failure: DamagedError | OSError) -> Iterator[Record]:
    """`records` of a file of which the rest is missing, without the one that says so: the failure says it better."""
    last: Record | None = None
    try:
        for record in records:
            if last is not None:
                yield last
            last = record
    except InputError as error:
        raise failure from error
    if last is not None and last.error is None:
        yield last


def _reader_of(format: str) -> Callable[[Any, str, Fields], Iterator[Record]]:
    one = FORMATS[format]
    assert one.reader is not None
    module, _, function = one.reader.partition(":")
    try:
        reader = getattr(importlib.import_module(module), function or "read")
    except ImportError as error:
        library = error.name or str(error)
        raise MissingExtraError(f"{one.title} needs {library}; run: pip install 'area-tagger[formats]'") from error
    return reader  # type: ignore[no-any-return]


def _refusal(source: Source, error: TaggerError | OSError) -> TaggerError:
    """The error that says of a file that was named why there is nothing to read in it."""
    if isinstance(error, DamagedError):
        return InputError(f"{source.name}: {error}")
    if isinstance(error, TaggerError):
        return error
    if isinstance(error, FileNotFoundError):
        return InputError(f"{source.name}: no such file; check the name")
    return InputError(f"{source.name}: cannot be read ({error.strerror or error}); check the file")


def _failed(source: Source, number: int, error: TaggerError | OSError) -> Record:
    """The record that stands for what could not be read."""
    message = str(error if isinstance(error, DamagedError) else _refusal(source, error))
    message = message.removeprefix(f"{source.name}: ")
    return Record(f"{default_id_prefix(source.name)}:{number}", error=message, source=source.name)
