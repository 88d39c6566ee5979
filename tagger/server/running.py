"""Listening and running: a socket, uvicorn on it, and a line that says where."""

from __future__ import annotations

import contextlib
import gc
import socket
import sys

import uvicorn
from starlette.types import ASGIApp

from tagger.errors import InputError
from tagger.server.settings import Settings
from tagger.server.work import SWITCH_INTERVAL

BACKLOG = 512
SECONDS_TO_END = 3
"""How long answers under way may take when the server is told to end."""


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens.

    Raises
    ------
    InputError
        If there is no such address, or the port is taken.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise InputError(f"--host {host}: no such address ({error.strerror}); give one of this machine") from error
    try:
        if sys.platform != "win32":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        advice = "give another --port, or --port 0 for any that is free"
        raise InputError(f"{host}, port {port}: cannot be listened on ({error.strerror}); {advice}") from error
    return listener


def address_of(listener: socket.socket) -> str:
    """The address of the page that a listening socket serves."""
    host, port = listener.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def serve(app: ASGIApp, listener: socket.socket, settings: Settings, open_page: bool = False) -> None:
    """Answer requests until told to end; says where on standard output."""
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=SECONDS_TO_END,
        timeout_keep_alive=60,
        backlog=BACKLOG,
        lifespan="on",
        ws="none",
    )
    address = address_of(listener)
    print(f"tagger: {address} (Ctrl-C ends it)", flush=True)
    if open_page:
        import webbrowser

        webbrowser.open(address)
    gc.collect()
    gc.freeze()  # the model stays for good: looking through it again and again would be most of the longest pauses
    interval = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_INTERVAL)
    try:
        with contextlib.suppress(KeyboardInterrupt):  # the usual way to end it, which is no failure
            uvicorn.Server(config).run([listener])
    finally:
        sys.setswitchinterval(interval)
        gc.unfreeze()
