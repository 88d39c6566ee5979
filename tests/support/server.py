"""`tagger serve` for tests: its application in this process, and the command in a process of its own."""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from command import environment


@contextlib.contextmanager
def client(tagger: Any, database: Path, **settings: Any) -> Iterator[Any]:
    """A client of the application, as curl on this machine is one."""
    from starlette.testclient import TestClient

    from tagger.server.app import create_app
    from tagger.server.settings import Settings

    app = create_app(tagger, "small", Settings(database=database, **settings))
    with TestClient(app, base_url="http://127.0.0.1:8000", raise_server_exceptions=False) as one:
        yield one


@contextlib.contextmanager
def running(*options: object, database: Path, **variables: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The command on a free port, in an environment with `variables`: the address of its page, and its process."""
    command = [sys.executable, "-m", "tagger.cli", "serve", "--port", "0", "--database", database, *options]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [*map(str, command)], stdout=pipe, stderr=pipe, text=True, env=environment(**variables)
    ) as process:
        try:
            line = process.stdout.readline()
            match = re.search(r"http://\S+/", line)
            assert match, line + process.stderr.read()
            yield match[0], process
        finally:
            process.terminate()


def lines_of(answer: Any) -> list[dict[str, Any]]:
    """The objects of an answer in JSON Lines."""
    return [json.loads(line) for line in answer.text.splitlines()]


def results_of(answer: Any) -> list[dict[str, Any]]:
    """Those that are results."""
    return [line for line in lines_of(answer) if "number" in line]


def is_sentence(text: str) -> bool:
    """Whether a message begins as a sentence does, or with the name of a file, and ends with a full stop."""
    return re.match(r"[A-Z]|[^\s:]+: ", text) is not None and text.endswith(".") and not text.endswith("..")
