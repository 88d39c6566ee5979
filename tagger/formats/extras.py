"""Optional libraries: imported where they are used, and one line that says what to install where one is absent."""

from __future__ import annotations

import importlib
from typing import Any

from tagger.errors import MissingExtraError


def require(module: str, purpose: str, extra: str = "formats") -> Any:
    """The imported `module`, of a library that an installation may lack.

    Parameters
    ----------
    module : str
        Full name, as ``pyarrow.parquet``.
    purpose : str
        What it is needed for, as the subject of a sentence: ``reading Parquet``.
    extra : str
        The extra of this project that brings it.

    Returns
    -------
    module
        Not typed: most of these libraries have no type hints.

    Raises
    ------
    MissingExtraError
        If it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        library = module.partition(".")[0]
        raise MissingExtraError(
            f"{purpose} needs {library}, which is not installed; run: pip install 'area-tagger[{extra}]'"
        ) from error
