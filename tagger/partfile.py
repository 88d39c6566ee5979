"""A file that is whole under its name or not there, and whose making can be interrupted and continued.

While ``NAME`` is made it is ``NAME.part``. Beside it ``NAME.part.json``, the checkpoint, says how many bytes of it are
sure, what was done by then, and the fingerprint of the run: all that its output depends on. A run that continues cuts
the file there, so it does not matter at what moment the one before it ended. :func:`is_leftover` knows these files, and
those that come and go beside them.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TextIO, cast

from tagger import checkpoint
from tagger.checkpoint import Checkpoint, Fingerprint
from tagger.errors import InputError
from tagger.gathered import GatheredText

CHECKPOINT_SECONDS = 1.0
MOST_TIME_IN_CHECKPOINTS = 0.02
"""Share of the time that may go into checkpoints; on a slow disk they are rarer."""
_PART, _WHOLE = ".part", ".whole"


class Compression(Protocol):
    """Compresses in members that can be read alone, as :class:`tagger.formats.compressed.Members` does."""

    def compress(self, data: bytes) -> bytes:
        """Take `data`, and give what can be written by now."""

    def end(self) -> bytes:
        """The rest of a member."""


class PartFile:
    """A text file that appears under its name when it is whole.

    Made, it has looked at the place and refused it or not; :meth:`open` begins or continues; :meth:`mark` says now and
    then what is done; then comes :meth:`finish`, or :meth:`keep` if the rest is for another run.
    """

    def __init__(self, path: str | Path, *, resume: bool = False, force: bool = False) -> None:
        """Look at the place of the file.

        Parameters
        ----------
        path : path
            The file; of a link, the file that it points to.
        resume : bool
            Continue the run that left a part file, if there is one.
        force : bool
            Replace a file of that name, and a part file that is not to be continued or cannot be.

        Raises
        ------
        InputError
            If the file exists, or a part file does, and the options do not say what to do with it; if another process
            is writing it; or if its place cannot be written. Nothing has been changed then.
        """
        self.path = Path(path)
        self._target = self.path.resolve()
        named = self._target if self.path.is_symlink() else self.path
        self.part = named.with_name(f"{named.name}{_PART}")
        """The file as long as it grows."""
        self._checkpoint = self.part.with_name(f"{self.part.name}{checkpoint.SUFFIX}")
        self._resume, self._force = resume, force
        self._look()
        self.is_complete = resume and not force and self._target.exists() and not self.part.exists()
        """Whether there is nothing to resume because the file is whole."""
        self.state: Mapping[str, Any] = {}
        """What was marked for the part that is continued; empty at the beginning."""
        self._text = GatheredText(self._write)
        self._compression: Compression | None = None
        self._descriptor = -1
        self._marked = Checkpoint({})
        self._due = 0.0

    def _look(self) -> None:
        folder = self._target.parent
        if self._target.is_dir():
            raise InputError(f"{self.path}: is a directory; name a file in it")
        if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
            reason = f"{folder} is not writable" if folder.is_dir() else f"no directory {folder}"
            raise InputError(f"{self.path}: cannot be written ({reason}); name another file")
        if self.part.exists():
            descriptor = self._opened(os.O_RDWR)
            os.close(descriptor)
            if not self._resume and not self._force:
                raise InputError(
                    f"{self.part}: an interrupted run left this; --resume continues it, --force starts afresh"
                )
        elif self._target.exists() and not self._resume and not self._force:
            raise InputError(f"{self.path}: exists; --force replaces it")

    def _opened(self, flags: int) -> int:
        """A descriptor of the part file, locked."""
        try:
            descriptor = os.open(self.part, flags | getattr(os, "O_BINARY", 0), 0o666)
        except OSError as error:
            raise InputError(f"{self.path}: cannot be written ({error.strerror}); name another file") from error
        if not _lock(descriptor):
            os.close(descriptor)
            raise InputError(f"{self.part}: another run is writing it; wait for it, or name another file")
        with contextlib.suppress(FileNotFoundError):
            if os.stat(self.part).st_ino == os.fstat(descriptor).st_ino:
                return descriptor
        os.close(descriptor)  # the run that had locked it has given it its name
        raise InputError(f"{self.path}: another run has just written it; --force replaces it")

    def open(self, fingerprint: Fingerprint, compression: Compression | None = None) -> TextIO:
        """Begin the file, or continue it after the last bytes that are sure.

        Parameters
        ----------
        fingerprint : mapping from str
            What the output depends on; a part file of another one is not continued.
        compression : Compression, optional
            How the text is compressed; a member ends at each mark.

        Returns
        -------
        text stream
            What is written to it is in the file after the next :meth:`mark`.

        Raises
        ------
        InputError
            If a part file cannot be continued and `force` was not given; it has not been changed then.
        """
        self._descriptor = self._opened(os.O_RDWR | os.O_CREAT)
        try:
            saved = self._saved(fingerprint)
            self._marked = saved or Checkpoint(fingerprint, replaces=self._force)
            if saved is None:
                self._save()  # before the file is cut: a checkpoint never tells of more bytes than there are
            self._cut_to_mark()
        except OSError as error:
            if not os.fstat(self._descriptor).st_size:
                self.part.unlink(missing_ok=True)
            self._release()
            raise InputError(f"{self.path}: cannot be written ({error.strerror}); name another file") from error
        except BaseException:
            self._release()
            raise
        self.state = self._marked.state
        self._compression = compression
        self._due = time.monotonic() + CHECKPOINT_SECONDS
        return cast(TextIO, self._text)

    def _saved(self, fingerprint: Fingerprint) -> Checkpoint | None:
        """The checkpoint to continue from; None to begin afresh."""
        size = os.fstat(self._descriptor).st_size
        saved = checkpoint.read(self._checkpoint) if self._resume else None
        if saved is None:
            problem = f"has no checkpoint {self._checkpoint.name} beside it"
        elif saved.bytes > size:
            problem = "is shorter than its checkpoint says"
        elif changed := checkpoint.difference(saved.fingerprint, fingerprint):
            problem = f"cannot be continued, since {changed}"
        else:
            return saved
        if size and self._resume and not self._force:
            raise InputError(f"{self.part}: {problem}; --force starts afresh")
        return None

    def skip(self, skipping: bool) -> None:
        """Drop what is written from now on, or no longer."""
        self._text.skipping = skipping

    def mark(self, state: Mapping[str, Any]) -> None:
        """Say that what has been written is what `state` (for JSON) says; it is saved at times.

        Where marks stand may depend on nothing but what is written, not on time: members of compressed output end at
        them, and the file must not show where a run was interrupted.
        """
        self._end_member()
        self._marked = replace(self._marked, state=state, bytes=self._size())
        if time.monotonic() >= self._due:
            self._save()

    def flush(self) -> None:
        """Nothing is written between marks: a file has whole members and no half rows."""

    def keep(self) -> None:
        """Leave the part file with all that has been written, to be continued from the last mark."""
        try:
            self._end_member()
            self._save()
        finally:
            self._release()

    def cut(self) -> None:
        """Cut the file at the last mark, after writing failed."""
        self._text.clear()
        if self._compression:
            self._compression.end()
        self._cut_to_mark()

    def discard(self) -> None:
        """Remove the part file and its checkpoint."""
        self.part.unlink(missing_ok=True)
        self._checkpoint.unlink(missing_ok=True)
        self._release()

    def finish(self, make: Callable[[Path, Path], None] | None = None) -> None:
        """Give the whole file its name.

        Parameters
        ----------
        make : callable, optional
            Makes the file that gets the name (its second argument) from the part file (its first), for formats that
            cannot grow.

        Raises
        ------
        InputError
            If a file of that name has appeared meanwhile.
        """
        try:
            self._end_member()
            if self._compression and not self._size():
                self._write_bytes(self._compression.compress(b"") + self._compression.end())
            os.fsync(self._descriptor)
        except OSError:
            self.cut()
            self._release()
            raise
        if self._target.exists() and not self._force and not self._marked.replaces:
            self.keep()
            raise InputError(f"{self.path}: has appeared meanwhile; the result is {self.part}, move it where you like")
        whole = self.part if make is None else self.part.with_name(f"{self.part.name}{_WHOLE}")
        try:
            if make is not None:
                make(self.part, whole)
                self._marked = replace(self._marked, replaces=True)  # should this run end between the next two steps
                self._save()
            if self._target.exists():
                shutil.copymode(self._target, whole)
            if os.name == "nt":
                self._release()  # Windows renames no open file
            os.replace(whole, self._target)
            self.part.unlink(missing_ok=True)
            self._checkpoint.unlink(missing_ok=True)
        finally:
            if make is not None:
                whole.unlink(missing_ok=True)
            self._release()

    def _end_member(self) -> None:
        self._text.flush()
        if self._compression:
            self._write_bytes(self._compression.end())

    def _size(self) -> int:
        return os.lseek(self._descriptor, 0, os.SEEK_CUR)

    def _cut_to_mark(self) -> None:
        os.ftruncate(self._descriptor, self._marked.bytes)
        os.lseek(self._descriptor, self._marked.bytes, os.SEEK_SET)

    def _write(self, text: str) -> None:
        # Half a surrogate pair, which UTF-8 cannot hold, becomes the escape that JSON has for it.
        data = text.encode("utf-8", "backslashreplace")
        self._write_bytes(self._compression.compress(data) if self._compression else data)

    def _write_bytes(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]

    def _save(self) -> None:
        started = time.monotonic()
        os.fsync(self._descriptor)
        self._marked.write(self._checkpoint)
        ended = time.monotonic()
        self._due = ended + max(CHECKPOINT_SECONDS, (ended - started) / MOST_TIME_IN_CHECKPOINTS)

    def _release(self) -> None:
        self._text.clear()
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def is_leftover(path: str) -> bool:
    """Whether a file is one that a run makes while its output is not whole: one that was interrupted leaves it."""
    if path.endswith(f"{_PART}{checkpoint.SUFFIX}"):
        return checkpoint.read(Path(path)) is not None  # others may call a file so
    return path.endswith((_PART, f"{_PART}{_WHOLE}", f"{_PART}{checkpoint.SUFFIX}{checkpoint.NEW}"))


def is_device(path: str) -> bool:
    """Whether `path` is a pipe or a device; /dev/stdout is one even where a plain file is behind it."""
    if path in ("/dev/stdout", "/dev/stderr") or path.startswith(("/dev/fd/", "/proc/")):
        return True
    return Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir()


def _lock(descriptor: int) -> bool:
    """Lock a file for this process, where the system can; False if another one has it."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # a file system without locks
    return True
