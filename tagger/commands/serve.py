"""``tagger serve``: a page and a JSON API on this machine."""

from __future__ import annotations

import argparse
import math
import socket
from pathlib import Path

from tagger.commands.options import Commands, add_model, add_operating_point, load_tagger
from tagger.errors import InputError, MissingExtraError


def add(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "serve",
        help="tag in a browser, and over HTTP",
        description="Serve a page and a JSON API that tag abstracts, explain tags and keep corrections.",
    )
    parser.set_defaults(run=run)
    parser.add_argument("--host", default="127.0.0.1", metavar="NAME", help="listen here (127.0.0.1: this machine)")
    parser.add_argument("--port", type=int, default=8000, metavar="N", help="port (8000; 0: any that is free)")
    parser.add_argument("--allow-host", action="append", metavar="NAME", help="a name by which browsers may call it")
    parser.add_argument("--database", metavar="FILE", help="keep corrections here (default: in the user's data)")
    parser.add_argument("--max-records", type=int, default=100_000, metavar="N", help="abstracts at once (100,000)")
    parser.add_argument("--max-bytes", type=int, default=100_000_000, metavar="N", help="bytes at once (100,000,000)")
    parser.add_argument("--timeout", type=float, default=300.0, metavar="S", help="seconds for a request (300)")
    parser.add_argument("--open", action="store_true", help="open the page in the browser")
    add_operating_point(parser)
    add_model(parser)


def run(options: argparse.Namespace) -> int:
    """Run the command; returns its exit code."""
    try:
        import fastapi  # noqa: F401
        import python_multipart  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise MissingExtraError(
            f"tagger serve needs {error.name}, which is not installed; run: pip install 'area-tagger[server]'"
        ) from error
    from tagger.server.app import create_app
    from tagger.server.running import listen, serve
    from tagger.server.settings import Settings
    from tagger.store import shipped_model

    for name in ("max_records", "max_bytes", "timeout"):
        if not 0 < getattr(options, name) < math.inf:
            raise InputError(f"--{name.replace('_', '-')} {getattr(options, name)}: give a number above 0")
    if not 0 <= options.port < 65536:
        raise InputError(f"--port {options.port}: give a number from 0 to 65535")
    settings = Settings(
        host=options.host,
        port=options.port,
        hosts=tuple(options.allow_host or ()),
        database=Path(options.database) if options.database else None,
        max_records=options.max_records,
        max_bytes=options.max_bytes,
        timeout=options.timeout,
    )
    listener: socket.socket = listen(settings.host, settings.port)
    with listener:
        tagger = load_tagger(options)
        name = tagger.model.about.get("name") or Path(options.model or shipped_model()).resolve().name
        serve(create_app(tagger, str(name), settings), listener, settings, options.open)
    return 0
