"""A server on this machine that speaks as arXiv and OpenReview do, and misbehaves on demand."""

from __future__ import annotations

import gzip
import json
import random
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from service_answers import Paper, answer

FAULTS = (
    "429",
    "429 now",
    "503",
    "503 date",
    "500",
    "short body",
    "short chunks",
    "cut",
    "cut gzip",
    "slow",
    "latin header",
    "latin bytes",
    "utf-16",
    "empty",
    "html",
    "reset",
    "repeat",
    "half",
    "more",
    "fewer",
)
"""All that can go wrong with one answer. ``repeat`` shows items of the page before once more, ``half`` only some of
the page, ``more`` and ``fewer`` a wrong total."""

HTML = "<!DOCTYPE html>\n<html><head><title>Sorry</title></head><body><p>We are & busy.</body></html>"


@dataclass
class Asked:
    """A request that came in."""

    path: str
    query: dict[str, str]
    headers: dict[str, str]
    fault: str
    began: float
    ended: float = 0.0


@dataclass
class Services:
    """What there is to be served, how, and what was asked."""

    papers: list[Paper] = field(default_factory=list)
    old: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    new: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    faults: Callable[[int, str], str] = lambda number, path: ""
    """The fault of a request, given how many there were before; empty if it is answered well."""
    after: Callable[[int], None] = lambda number: None
    """Called when a request has been answered."""
    records_a_page: int = 10
    retry_after: str = "0"
    slowness: float = 0.5
    login: dict[str, str] | None = None
    """Name and password without which OpenReview shows nothing; None if it shows all to everyone."""
    headers: dict[str, str] = field(default_factory=dict)
    """Headers of every good answer."""
    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    most_at_once: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    at_once: int = 0

    def paths(self) -> list[str]:
        """The paths of the requests, in order."""
        return [asked.path for asked in self.asked]


def randomly(seed: int, share: float, faults: tuple[str, ...] = FAULTS) -> Callable[[int, str], str]:
    """Faults drawn at random for a share of the requests; never more than two empty pages in a row."""
    generator = random.Random(seed)
    last: list[str] = []

    def draw(number: int, path: str) -> str:
        fault = generator.choice(faults) if generator.random() < share else ""
        if fault == "empty" and last[-2:] == ["empty", "empty"]:
            fault = ""
        last.append(fault)
        return fault

    return draw


def in_turn(*faults: str) -> Callable[[int, str], str]:
    """These faults for the first requests, none after them."""
    return lambda number, path: faults[number] if number < len(faults) else ""


@contextmanager
def serving(services: Services) -> Iterator[Services]:
    """Serve until the end of the `with`."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(services))
    server.daemon_threads = True
    services.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield services
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(services: Services) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, *arguments: object) -> None:
            pass

        def handle(self) -> None:
            with suppress(ConnectionError):  # the client broke off, or we did
                super().handle()

        def do_POST(self) -> None:
            sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self._answer(sent)

        def do_GET(self) -> None:
            self._answer(None)

        def _answer(self, sent: dict[str, str] | None) -> None:
            parts = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            with services.lock:
                number = len(services.asked)
                fault = services.faults(number, parts.path)
                asked = Asked(parts.path, query, dict(self.headers), fault, time.monotonic())
                services.asked.append(asked)
                services.at_once += 1
                services.most_at_once = max(services.most_at_once, services.at_once)
            try:
                self._respond(asked, sent)
            finally:
                asked.ended = time.monotonic()
                with services.lock:
                    services.at_once -= 1
                services.after(number)

        def _respond(self, asked: Asked, sent: dict[str, str] | None) -> None:
            fault = asked.fault
            if fault == "slow":
                time.sleep(services.slowness)
            if fault in ("429", "429 now", "503", "503 date", "500"):
                headers = {}
                if fault == "429 now":
                    headers["Retry-After"] = services.retry_after
                if fault == "503 date":
                    then = time.gmtime(time.time() + float(services.retry_after))
                    headers["Retry-After"] = time.strftime("%a, %d %b %Y %H:%M:%S GMT", then)
                self._send(int(fault[:3]), b"Rate exceeded.", "text/plain", headers)
            elif fault == "html":
                self._send(200, HTML.encode(), "text/html")
            elif fault == "reset":
                # Closing with a linger time of zero sends a reset.
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.close_connection = True
                self.connection.close()
            else:
                self._send_body(fault, *answer(services, asked, sent))

        def _send_body(self, fault: str, status: int, text: str) -> None:
            kind = "application/atom+xml" if text.startswith("<?xml") else "application/json"
            body = text.encode()
            if fault == "latin header":
                kind += "; charset=ISO-8859-1"
                body = body.replace(b'encoding="UTF-8"', b'encoding="ISO-8859-1"')
            elif fault == "latin bytes":
                body = text.encode("cp1252")
            elif fault == "utf-16":
                body = text.encode("utf-16")
            elif fault == "cut":
                body = body[: len(body) * 2 // 3]
            if fault == "short body":
                self._head(status, kind, {"Content-Length": str(len(body))})
                self.wfile.write(body[: len(body) // 2])
                self.close_connection = True
            elif fault == "short chunks":
                self._head(status, kind, {"Transfer-Encoding": "chunked"})
                half = body[: len(body) // 2]
                self.wfile.write(f"{len(half):x}\r\n".encode() + half + b"\r\n")
                self.close_connection = True
            elif fault == "cut gzip":
                squeezed = gzip.compress(body)
                self._send(status, squeezed[: len(squeezed) // 2], kind, {"Content-Encoding": "gzip"})
            else:
                self._send(status, body, kind, services.headers)

        def _send(self, status: int, body: bytes, kind: str, headers: dict[str, str] | None = None) -> None:
            self._head(status, kind, {"Content-Length": str(len(body))} | (headers or {}))
            self.wfile.write(body)

        def _head(self, status: int, kind: str, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in ({"Content-Type": kind} | headers).items():
                self.send_header(name, value)
            self.end_headers()

    return Handler
