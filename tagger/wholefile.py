"""A text file that appears under its name when it is whole; one that takes long to make is a part file instead."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from tagger.errors import InputError


@contextmanager
def whole_file(path: str, force: bool = False) -> Iterator[TextIO]:
    """Open `path` for writing so that it appears under its name only when everything has been written.

    A pipe or a device is written to as it is; of a link, the file that it points to is replaced.

    Parameters
    ----------
    path : str
        The file.
    force : bool
        Replace a file of that name.

    Raises
    ------
    InputError
        If it cannot be written, or exists and is not to be replaced.
    """
    target = Path(path)
    if target.is_dir():
        raise InputError(f"{path}: is a directory; name a file in it")
    if target.exists() and not target.is_file():
        with _open_text(target) as stream:
            yield stream
        return
    if target.exists() and not force:
        raise InputError(f"{path}: exists; --force replaces it")
    target = target.resolve()
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}-", dir=target.parent)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror}); name another file") from error
    try:
        with _open_text(handle) as stream:
            yield stream
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _open_text(file: Path | int) -> TextIO:
    # Half a surrogate pair, which UTF-8 cannot hold, becomes the escape that JSON has for it.
    return open(file, "w", encoding="utf-8", errors="backslashreplace", newline="")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
