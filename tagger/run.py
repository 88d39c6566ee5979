"""A run: records are read, tagged, written and counted, and what is done survives whatever ends it."""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol, TextIO

from tagger.batch import BATCH_SIZE, TASK_SIZE
from tagger.errors import InputError, TaggerError
from tagger.failures import Failures, place_of
from tagger.formats.layout import Writer
from tagger.interrupts import Interrupted, Interrupts
from tagger.progress import Progress
from tagger.records import Record, Tagged, Tags
from tagger.terminal import clean

FLUSH_SECONDS = 0.5
"""Results that go to a reader wait for no others longer than this, or until the next after it."""

Tag = Callable[[Iterator[Record]], Iterator[Tags]]


class Output(Protocol):
    """Where a run writes to and what it can take up again; :class:`tagger.partfile.PartFile` is one."""

    @property
    def state(self) -> Mapping[str, Any]:
        """What was marked by the run that is continued; empty for a new one."""

    def skip(self, skipping: bool) -> None:
        """Drop what is written from now on, or no longer."""

    def mark(self, state: Mapping[str, Any]) -> None:
        """Say what has been done with what has been written."""

    def flush(self) -> None:
        """Let others see what has been written, if anybody can."""

    def cut(self) -> None:
        """Go back to the last mark, after writing failed."""

    def keep(self) -> None:
        """Leave what has been written for another run."""

    def discard(self) -> None:
        """Leave nothing."""


class Stream:
    """Standard output, a pipe or a device: written to as it is, and nothing can be taken up again."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.state: Mapping[str, Any] = {}

    def skip(self, skipping: bool) -> None:
        """Nothing is skipped."""

    def mark(self, state: Mapping[str, Any]) -> None:
        """Nothing is marked."""

    def flush(self) -> None:
        """Write what is buffered."""
        self._stream.flush()

    def cut(self) -> None:
        """What is written is gone."""

    def keep(self) -> None:
        """Write what is buffered."""
        self._stream.flush()

    def discard(self) -> None:
        """Nothing has been written."""


@dataclass(frozen=True)
class Outcome:
    """How a run ended."""

    done: int
    """Records that have been written, those of the runs that it continued included."""
    failures: Failures
    ended_by: Interrupted | TaggerError | OSError | None = None
    """What ended it before its time; a :class:`Stopped` if it was strict."""


class Stopped(TaggerError):
    """A strict run has come to a record with an error."""


@dataclass(frozen=True)
class Run:
    """What to do with the records."""

    tag: Tag
    """Tags a stream of records: one result for each, in order."""
    writer_of: Callable[[TextIO], Writer]
    """Makes the writer for a stream."""
    progress: Progress
    strict: bool = False
    """Whether to stop before the first record that fails."""
    tasks_between_marks: int = 1
    """Marks stand this many tasks apart."""

    def write(self, records: Iterable[Record], stream: TextIO, output: Output) -> Outcome:
        """Tag and write `records`, after those that the runs before this one have done.

        Marks stand at multiples of :data:`tagger.batch.TASK_SIZE` records, and at the end, and so compressed output
        does not show where a run was interrupted. How the records are grouped may differ: a text has the same
        probabilities in any company.

        Parameters
        ----------
        records : iterable of Record
            All records of the input, from the first.
        stream : text stream
            Where to write.
        output : Output
            What `stream` belongs to; it is left open if all has been written.
        """
        done, failures = int(output.state.get("done", 0)), Failures(output.state.get("failures"))
        count = _Count(done, failures, done)
        results: Iterator[Tags] = iter(())
        writer: Writer | None = None
        with Interrupts() as interrupts:
            try:
                output.skip(done > 0)
                writer = self.writer_of(stream)
                records = iter(records)
                self._skip(records, done, writer, output)
                output.skip(False)
                kept: deque[Record] = deque()
                results = self.tag(_remembered(records, kept))
                self._write(results, kept, writer, output, count, interrupts)
            except BrokenPipeError:
                raise  # its reader has gone, and nobody is left to be told anything
            except (Interrupted, TaggerError, OSError) as error:
                while_writing, interrupts.held = interrupts.held, True
                if while_writing and isinstance(error, OSError):
                    output.cut()
                    count.done = count.marked
                with contextlib.suppress(OSError):
                    _leave(output, writer, count.done)
                return Outcome(count.done, failures, error)
            finally:
                if hasattr(results, "close"):
                    results.close()  # ends its processes
        return Outcome(count.done, failures)

    def _skip(self, records: Iterator[Record], done: int, writer: Writer, output: Output) -> None:
        """Pass over the records that are done; the writer is shown them."""
        record, number = None, 0
        for number, record in enumerate(islice(records, done), 1):
            writer.write(Tagged(record, Tags()))
            if not number % BATCH_SIZE:
                self.progress.at(number)
        if record is not None and (number < done or record.id != output.state.get("last")):
            found = f"its record {number:,} is {record.id!r}" if number == done else f"it has {number:,} records"
            raise InputError(
                f"not the input of the run that was interrupted, which had done {done:,} records: {found}; "
                "give the same input, or --force to start afresh"
            )

    def _write(
        self,
        results: Iterator[Tags],
        kept: deque[Record],
        writer: Writer,
        output: Output,
        count: _Count,
        interrupts: Interrupts,
    ) -> None:
        interval = TASK_SIZE * self.tasks_between_marks
        due = 0.0
        record: Record | None = None

        def mark() -> None:
            last = record.id if record else ""
            output.mark({"done": count.done, "failures": count.failures.state, "last": last})
            count.marked = count.done

        for tags in results:
            record = kept.popleft()
            if tags.error is not None:
                if self.strict:
                    raise Stopped(f"{place_of(record)}: {clean(tags.error)}")
                count.failures.add(record, tags.error)
            interrupts.held = True
            writer.write(Tagged(record, tags))
            count.done += 1
            if not count.done % BATCH_SIZE:
                if not count.done % interval:
                    mark()
                self.progress.at(count.done)
            if time.monotonic() > due:
                output.flush()
                self.progress.at(count.done)
                due = time.monotonic() + FLUSH_SECONDS
            interrupts.release()
        interrupts.held = True
        if count.done != count.marked:
            mark()  # what is left to do takes no tags
        writer.close()
        interrupts.release()


@dataclass
class _Count:
    done: int
    failures: Failures
    marked: int
    """Records that were done at the last mark."""


def _leave(output: Output, writer: Writer | None, done: int) -> None:
    """Leave the output as a file that is valid, or none if it holds nothing."""
    if not done:
        output.discard()
        return
    if writer is not None:
        writer.close()
    output.keep()


def _remembered(records: Iterator[Record], kept: deque[Record]) -> Iterator[Record]:
    """Pass `records` on and keep each in `kept` until its tags come back."""
    for record in records:
        kept.append(record)
        yield record
