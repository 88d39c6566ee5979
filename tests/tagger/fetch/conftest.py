"""A server that misbehaves on demand, and clients that do not wait."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from services import Services, serving

from tagger.fetch.cache import Cache
from tagger.fetch.client import Client
from tagger.fetch.pace import Pace


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch):
    """The servers of the tests are asked directly, whatever the machine has set."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def serve() -> Iterator[Callable[[Services], Services]]:
    """Starts to serve what it is given, until the end of the test."""
    with ExitStack() as stack:
        yield lambda services: stack.enter_context(serving(services))


@pytest.fixture
def make_client() -> Iterator[Callable[..., Client]]:
    """Makes clients that do not pause, with a cache in a directory if one is given."""
    with ExitStack() as stack:

        def make(cache: Path | None = None, pace: Pace | None = None, pause: float = 0.0, **options) -> Client:
            kept = None if cache is None else Cache(cache)
            return stack.enter_context(Client(pace or Pace(None), pause, kept, **{"timeout": 5.0} | options))

        yield make
