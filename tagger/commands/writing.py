"""What the commands share that write records: where to, what a run left, and what is said when it ends."""

from __future__ import annotations

import argparse
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from tagger.commands.reading import Input, files_of, stamps
from tagger.errors import InputError
from tagger.formats.registry import FORMATS

if TYPE_CHECKING:
    from tagger.formats.layout import Layout
    from tagger.interrupts import Interrupted
    from tagger.partfile import PartFile
    from tagger.records import Record
    from tagger.run import Outcome, Tag

WRITABLE = tuple(name for name, format_ in FORMATS.items() if format_.writer)
_NOT_IN_THE_OUTPUT = {"files", "output", "force", "resume", "strict", "jobs", "model", "format", "run", "version"}
"""Options that change nothing in the output, or that the fingerprint of a run has in another form."""
EXIT_CODES = "exit codes: 0 done, 1 some records failed, 2 refused, 130 interrupted (Ctrl-C), 143 terminated"
TASKS_IN_A_MEMBER = 16
"""Tasks between two marks of a compressed file: shorter members would be compressed worse."""


def add_output(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where records are written and what becomes of a run that is interrupted."""
    parser.add_argument("-o", "--output", metavar="FILE", help="write here; the name's ending chooses the format")
    parser.add_argument("--format", choices=WRITABLE, help="output format (table on a terminal, else jsonl)")
    parser.add_argument("--force", action="store_true", help="replace FILE, and what an interrupted run left of it")
    parser.add_argument("--resume", action="store_true", help="continue the run that was interrupted, if one was")
    parser.add_argument("--strict", action="store_true", help="stop at the first record with an error")


@dataclass(frozen=True)
class Target:
    """Where the records of a run are written."""

    format: str
    path: str | None
    """None for standard output."""
    part: PartFile | None
    """None where the output is written to as it is: standard output, a pipe or a device."""

    @property
    def is_complete(self) -> bool:
        """Whether there is nothing left to do."""
        return self.part is not None and self.part.is_complete


def look(options: argparse.Namespace) -> Target:
    """Find out where to write, before any work.

    Raises
    ------
    InputError
        If it is not possible, or something would be lost that `options` do not give up.
    """
    from tagger.formats.output import COMPRESSED, format_of_file, is_made_at_the_end
    from tagger.partfile import PartFile, is_device

    path: str | None = options.output
    format_ = options.format
    if path is None and sys.stdout is None:
        raise InputError("standard output is closed; name a file with -o")
    if format_ is None:
        format_ = format_of_file(path) if path else "table" if sys.stdout.isatty() else "jsonl"
    if path is None and (options.resume or options.force):
        raise InputError(f"{'--resume' if options.resume else '--force'} needs -o; name the file")
    as_it_is = path is None or is_device(path)
    if as_it_is and is_made_at_the_end(format_):
        raise InputError(f"{FORMATS[format_].title} needs a file; name one with -o")
    if path and is_made_at_the_end(format_) and path.lower().endswith(COMPRESSED):
        raise InputError(f"{path}: {FORMATS[format_].title} is compressed in itself; leave out the second ending")
    if path is None:
        _refuse_inputs(options.files, sys.stdout)
        return Target(format_, None, None)
    if as_it_is:
        if options.resume or Path(path).suffix in COMPRESSED:
            raise InputError(f"{path}: is no plain file; it cannot be resumed or compressed, leave that out")
        return Target(format_, path, None)
    part = PartFile(path, resume=options.resume, force=options.force)
    for file in files_of(options.files):
        if any(written.exists() and os.path.samefile(file, written) for written in (Path(path), part.part)):
            raise InputError(f"{file}: is read and would be written; name another file with -o")
    if part.is_complete:
        print(f"tagger: {path} is complete; nothing is left to do (--force makes it again)", file=sys.stderr)
    return Target(format_, path, part)


def _refuse_inputs(files: list[str], stdout: TextIO) -> None:
    """Refuse to read what standard output goes to: there would be no end of it."""
    status = _status_of(stdout)
    for file in files_of(files):
        if status is not None and os.path.samestat(status, os.stat(file)):
            raise InputError(f"{file}: is read and would be written; write to another file")


def _status_of(stream: TextIO) -> os.stat_result | None:
    try:
        return os.fstat(stream.fileno())
    except (OSError, ValueError):  # no file at all, as in a test
        return None


def write(
    options: argparse.Namespace,
    target: Target,
    input_: Input,
    tag: Tag,
    layout: Layout,
    keep: bool,
    words: tuple[str, str],
) -> int:
    """Write all records, and say how it went; returns the exit code.

    Parameters
    ----------
    options : Namespace
        With those of :func:`add_output`.
    target : Target
        Where to.
    input_ : Input
        What is read.
    tag : callable
        Tags a stream of records.
    layout : Layout
        What there is to write, but for the fields.
    keep : bool
        Whether the fields of the input are passed through.
    words : pair of str
        What is done and what has been done with records: ``tagging``, ``tagged``.
    """
    from tagger.formats import output as formats

    records = input_.records
    if keep:
        layout = replace(layout, kept=())
    if keep and target.format in formats.WITH_COLUMNS:
        first = list(islice(records, formats.PEEKED + 1))
        has_more = len(first) > formats.PEEKED
        layout = formats.with_columns(target.format, layout, first[: formats.PEEKED], has_more)
        records = chain(first, records)
    try:
        outcome = _run(options, target, input_, records, tag, layout, words[0])
    except OSError as error:  # of a pipe or a device: what happens to a part file is told by the outcome
        error.filename = error.filename or target.path
        raise
    return _say_how_it_ended(outcome, target, words[1])


def _run(
    options: argparse.Namespace,
    target: Target,
    input_: Input,
    records: Iterator[Record],
    tag: Tag,
    layout: Layout,
    doing: str,
) -> Outcome:
    from tagger.formats.compressed import members_for
    from tagger.formats.output import maker_of, open_writer
    from tagger.progress import Silent, progress_of
    from tagger.run import Run, Stream

    part = target.part
    members = members_for(Path(target.path)) if part and target.path else None
    make = maker_of(target.format, layout)
    with _opened(target) as direct:
        stream = part.open(_fingerprint(options, target, layout, doing), members) if part else direct
        output = part or Stream(direct)
        progress = progress_of(doing, input_.read, _goes_to_a_file(target), int(output.state.get("done", 0)))
        input_.voice.progress = progress
        job = Run(
            tag,
            lambda stream: open_writer(target.format, stream, layout),
            progress,
            options.strict,
            TASKS_IN_A_MEMBER if members else 1,
        )
        try:
            outcome = job.write(records, stream, output)
        finally:
            progress.close()
            input_.voice.progress = Silent()
        if part is None and isinstance(outcome.ended_by, OSError):
            raise outcome.ended_by
    if part and outcome.ended_by is None:
        outcome = replace(outcome, ended_by=_finish(part, make))
    return outcome


def _opened(target: Target) -> AbstractContextManager[TextIO]:
    """What is written to as it is."""
    if target.part or target.path is None:
        return nullcontext(sys.stdout)
    return open(target.path, "w", encoding="utf-8", errors="backslashreplace", newline="")


def _goes_to_a_file(target: Target) -> bool:
    status = _status_of(sys.stdout) if target.path is None else None
    return target.part is not None or (status is not None and stat.S_ISREG(status.st_mode))


def _finish(part: PartFile, make: Callable[[Path, Path], None] | None) -> Interrupted | OSError | None:
    from tagger.interrupts import Interrupted, Interrupts

    with Interrupts() as interrupts:
        interrupts.held = make is None  # too quick to be interrupted
        try:
            part.finish(make)
        except (Interrupted, OSError) as error:
            return error
    return None


def _say_how_it_ended(outcome: Outcome, target: Target, done: str) -> int:
    from tagger.interrupts import Interrupted
    from tagger.run import Stopped

    error, failures = outcome.ended_by, outcome.failures
    if error is not None:
        code, what = 2, str(error)
        if isinstance(error, Interrupted):
            code, what = error.code, error.what
        elif isinstance(error, Stopped):
            code = 1
        elif isinstance(error, OSError):
            what = f"{error.filename or target.path}: {error.strerror or error}; check the files and the space for them"
        if outcome.done and target.part is not None:
            what += f"; {outcome.done:,} records are done and kept in {target.part.part}, --resume continues from there"
        elif isinstance(error, Interrupted) and outcome.done:
            what += f" after {outcome.done:,} records"
        print(f"tagger: {what}", file=sys.stderr)
        return code
    if failures.count:
        print(f"tagger: {failures.summary(outcome.done, done)}", file=sys.stderr)
    elif target.part and sys.stderr.isatty():
        print(f"tagger: {outcome.done:,} records {done}, {target.path} written", file=sys.stderr)
    return 1 if failures.count else 0


def _fingerprint(options: argparse.Namespace, target: Target, layout: Layout, command: str) -> dict[str, Any]:
    """All that the output depends on, by names for people."""
    from tagger import __version__

    given = {
        "--from" if name == "input_format" else f"--{name.replace('_', '-')}": value
        for name, value in vars(options).items()
        if name not in _NOT_IN_THE_OUTPUT
    }
    return {
        "the version of tagger": __version__,
        "the command": command,
        "the model": layout.model,
        "the format": target.format,
        "the list of inputs": options.files,
        **{f"the input {path}": stamp for path, stamp in stamps(options.files).items()},
        **given,
    }
