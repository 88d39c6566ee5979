"""Runs the command `tagger` inside the test process, or in one of its own."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Outcome:
    """What a run of the command left behind."""

    code: int
    out: str
    err: str


def in_process(monkeypatch, capsys) -> Callable[..., Outcome]:
    """A function that runs `tagger ARGUMENTS` here, with bytes or a binary stream for standard input if given."""
    from tagger.cli import main

    def run(*arguments: object, stdin: bytes | io.BytesIO = b"") -> Outcome:
        stream = io.BytesIO(stdin) if isinstance(stdin, bytes) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stream))
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as exit_:
            code = exit_.code
        out, err = capsys.readouterr()
        return Outcome(code, out, err)

    return run


def environment(**changes: str) -> dict[str, str]:
    """The environment for a process of its own that finds the packages of this checkout."""
    kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    return kept | {"PYTHONPATH": str(REPOSITORY)} | changes


def in_new_process(*arguments: object, **options) -> subprocess.CompletedProcess:
    """Run `tagger ARGUMENTS` in a process of its own; `options` are those of :func:`subprocess.run`."""
    command = [sys.executable, "-m", "tagger.cli", *map(str, arguments)]
    return subprocess.run(command, env=options.pop("env", environment()), timeout=60, **options)
