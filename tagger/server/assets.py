"""The page and what it links to, from the package, held in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from importlib import resources

from fastapi import APIRouter, Request
from starlette.responses import Response

from tagger.web import SCRIPTS, STYLES

_PACKAGES = ("tagger.server.static", "tagger.web")
OWN = ("index.html", "page.css", "api.js", "one.js", "many.js", "page.js", "icon.svg")
_MEDIA_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}


def router() -> APIRouter:
    """Routes for the page at ``/`` and its files at ``/static/NAME``."""
    routes = APIRouter(include_in_schema=False)
    for name in (*OWN, *STYLES, *SCRIPTS):
        path = "/" if name == "index.html" else f"/static/{name}"
        routes.add_api_route(path, _route(_content(name), name), methods=["GET", "HEAD"])
    return routes


def _content(name: str) -> bytes:
    own = name in OWN
    return resources.files(_PACKAGES[0 if own else 1]).joinpath(name).read_bytes()


def _route(content: bytes, name: str) -> Callable[[Request], Awaitable[Response]]:
    tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
    headers = {"etag": tag, "cache-control": "no-cache"}
    media_type = _MEDIA_TYPES[name.rpartition(".")[2]]

    async def give(request: Request) -> Response:
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(content, 200, headers, media_type)

    return give
