"""What a request must be before anything looks at it, and the headers of every answer.

A page of another site that is open in the same browser can send requests to this machine. One whose ``Host`` is the
name of that site was led here by its DNS (rebinding); one whose ``Origin`` is not this server comes from its page.
"""

from __future__ import annotations

import asyncio
import ipaddress
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tagger.server.replies import Refusal, refuse
from tagger.server.settings import Settings

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
_SAFE_METHODS = ("GET", "HEAD")
_CLOSE = {"connection": "close"}
LIMIT = "tagger.limit"
"""Where in a scope the time limit of the request is."""


class Guard:
    """Lets requests through to an application that are meant for it, small and quick enough."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._settings = settings
        self._names = {"localhost", _bare(settings.host), *map(_bare, settings.hosts)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        passage = _Passage(receive, send, self._settings)
        if refusal := self._refusal(Headers(scope=scope), scope["method"], scope["scheme"]):
            await refuse(*refusal)(scope, receive, passage.send)
            return
        try:
            async with asyncio.timeout(self._settings.timeout) as limit:
                scope[LIMIT] = limit
                await self._app(scope, passage.receive, passage.send)
        except TimeoutError:
            if passage.started:
                return  # without an end: the connection is closed, which tells the client
            seconds = f"{self._settings.timeout:g} seconds"
            if passage.is_whole:
                late = refuse(
                    504, f"This took longer than {seconds}; send less, or give the server a longer --timeout."
                )
            else:
                late = refuse(408, f"The request did not arrive within {seconds}; send it again.", _CLOSE)
            await late(scope, receive, passage.send)

    def _refusal(self, headers: Headers, method: str, scheme: str) -> tuple[int, str] | None:
        host = headers.get("host", "")
        if not self._is_known(host):
            return 421, f"This server is not called {host[:100]!r}; start it with --allow-host to give it that name."
        if method in _SAFE_METHODS:
            return None
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in (f"{scheme}://{host}".lower(), f"https://{host}".lower()):
            return 403, "Requests from pages of other sites are refused."
        if origin is None and headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return 403, "Requests from pages of other sites are refused."
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length) > self._settings.max_bytes:
            return 413, _too_large(self._settings.max_bytes)
        return None

    def _is_known(self, host: str) -> bool:
        """Whether a ``Host`` is one of our names, or an address, which no DNS leads astray."""
        name = _bare(host)
        if name in self._names:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True


class _Passage:
    """What a request sends and is sent: counted on the way in, with our headers on the way out."""

    def __init__(self, receive: Receive, send: Send, settings: Settings) -> None:
        self._receive = receive
        self._send = send
        self._most = settings.max_bytes
        self._bytes = 0
        self.is_whole = False
        self.started = False

    async def receive(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            self._bytes += len(message.get("body", b""))
            self.is_whole = not message.get("more_body", False)
            if self._bytes > self._most:
                raise Refusal(413, _too_large(self._most))
        return message

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
            headers.setdefault("cache-control", "no-store")
        await self._send(message)


def _bare(host: str) -> str:
    """A host without port and brackets, in lower case; empty if it is none."""
    try:
        parts = urlsplit(f"//{host}")
        return "" if parts.path or parts.query or parts.fragment or "@" in host else parts.hostname or ""
    except ValueError:
        return ""


def _too_large(most: int) -> str:
    return f"The request is larger than {most:,} bytes; send less, or give the server a larger --max-bytes."
