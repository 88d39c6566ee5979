"""Lists of abstracts in files: one module a format, named in :mod:`tagger.formats.registry`.

:func:`read_records` is the way in and :mod:`tagger.formats.output` the way out. What reads and writes is imported when
it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tagger.formats.registry import FORMATS

if TYPE_CHECKING:
    from tagger.formats.reading import read_records

__all__ = ["FORMATS", "read_records"]


def __getattr__(name: str) -> Any:
    if name == "read_records":
        from tagger.formats.reading import read_records

        return read_records
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
