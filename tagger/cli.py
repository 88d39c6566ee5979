"""The command ``tagger``: which command was meant, and how errors are shown."""

from __future__ import annotations

import argparse
import contextlib
import gc
import io
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from tagger.commands import compare, convert, evaluate, explain, fetch, info, report, serve, tag, train
from tagger.errors import TaggerError
from tagger.interrupts import Interrupted, Interrupts

BETWEEN_COLLECTIONS = 50_000
"""Objects that are made before Python looks for cycles among them: there are none among records, which come and go by
the hundred, and looking each time would take up to an eighth of a run."""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong with the arguments in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see `{self.prog} --help`\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code: 0 done, 1 some records failed, 2 refused, 130 or 143 interrupted."""
    options = _parser().parse_args(arguments)
    gc.set_threshold(max(BETWEEN_COLLECTIONS, gc.get_threshold()[0]), *gc.get_threshold()[1:])
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a character that it cannot hold is no reason to stop
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - it is closed, and `print` would write to stdout instead
    try:
        with Interrupts():
            code = int(options.run(options))
            if sys.stdout is not None:
                sys.stdout.flush()
            return code
    except TaggerError as error:
        print(f"tagger: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        _drop_output()  # its reader has gone, as `head` does
        return 0
    except OSError as error:
        _drop_output()
        where = error.filename or "input or output"
        print(f"tagger: {where}: {error.strerror or error}; check the files and the space for them", file=sys.stderr)
        return 2
    except KeyboardInterrupt as error:
        interrupted = error if isinstance(error, Interrupted) else Interrupted()
        print(f"tagger: {interrupted.what}", file=sys.stderr)
        return interrupted.code


def _drop_output() -> None:
    """Point stdout nowhere, so that its closing does not fail."""
    with contextlib.suppress(OSError, ValueError):  # it is no file, as in a test
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="tagger", description="Tag abstracts by research area, and train areas of your own.")
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    parser.set_defaults(run=_version_or_help)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=_Parser)
    for command in (tag, explain, report, serve, fetch, convert, info, train, evaluate, compare):
        command.add(commands)
    return parser


def _version_or_help(options: argparse.Namespace) -> int:
    from tagger import __version__

    if not options.version:
        _parser().error("no command given")
    print(f"tagger {__version__}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
