"""A polite HTTP client: paced, patient, cached; what it gives has been read, or the error says why it could not be."""

from __future__ import annotations

import contextlib
import json
import random
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urljoin, urlsplit

from tagger.errors import FetchError
from tagger.fetch.body import utf8
from tagger.fetch.cache import Cache
from tagger.fetch.pace import Pace, pause_of
from tagger.fetch.waits import reason_of, seconds_of, wait_of
from tagger.formats.extras import require

if TYPE_CHECKING:
    import urllib3

T = TypeVar("T")

TRIES = 6
"""Times that one thing is asked for before the run ends."""
TRIES_TO_CONNECT = 3
LONGEST_WAIT = 900.0
"""Seconds that a service may ask to wait; if it wants more, the run ends and says when to come back."""
TIMEOUT = 180.0
"""Seconds without a byte after which an answer is given up; arXiv's OAI interface thinks for up to 90."""
LONGEST_ANSWER = 600.0
"""Seconds after which an answer is given up even if bytes still come."""
LARGEST_ANSWER = 128 * 2**20
"""Bytes of an answer, decompressed."""
_MOST_REDIRECTS = 5
_LONGEST_BACK_OFF = 120.0


class UnusableError(ValueError):
    """What a reader raises for an answer that is not as it must be: cut off, no XML, unexpectedly empty."""


class RefusedError(FetchError):
    """The service says no, and would again."""

    def __init__(self, message: str, status: int, body: bytes) -> None:
        super().__init__(message)
        self.status = status
        self.body = body


class _NotNowError(Exception):
    """The service did not answer this time."""

    def __init__(self, reason: str, wait: float = 0.0, tries: int = TRIES) -> None:
        super().__init__(reason)
        self.wait = wait
        self.tries = tries


class Client:
    """Asks one service; to be used in a ``with``, which closes its connection."""

    def __init__(
        self,
        pace: Pace,
        pause: float | None = None,
        cache: Cache | None = None,
        timeout: float = TIMEOUT,
        say: Callable[[str], None] = lambda message: None,
    ) -> None:
        """Prepare to ask.

        Parameters
        ----------
        pace : Pace
            Gives the turns.
        pause : float, optional
            Seconds between two requests; three if None, and at least that for the services themselves.
        cache : Cache, optional
            Where answers are kept; nowhere if None.
        timeout : float
            Seconds without a byte after which an answer is given up.
        say : callable
            Is told why it takes long.

        Raises
        ------
        MissingExtraError
            If urllib3 is not installed.
        """
        require("urllib3", "fetching", "fetch")
        import urllib3

        from tagger import __version__

        self._pace = pace
        self._pause = pause
        self._cache = cache
        self._timeout = urllib3.Timeout(connect=min(timeout, 30.0), read=timeout)
        self._say = say
        self._headers = {"User-Agent": f"area-tagger/{__version__} (tagger fetch; urllib3)"}
        self._pools: dict[str, urllib3.PoolManager] = {}
        self._token = ""
        self._token_hosts: frozenset[str] = frozenset()
        self.identity = ""
        """Who asks, where the answer may depend on it; part of the key in the cache."""
        self.before: Callable[[], None] | None = None
        """What to do before the service is first asked, such as to log in."""

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for pool in self._pools.values():
            pool.clear()

    def authorise(self, token: str, *base_urls: str) -> None:
        """Send a bearer token to the hosts of `base_urls`, and to no other."""
        self._token = token
        self._token_hosts = frozenset(urlsplit(url).netloc for url in base_urls)

    def get(self, url: str, read: Callable[[bytes], T], keep: float = 0.0, refresh: bool = False) -> T:
        """Ask for `url` and read the answer.

        Parameters
        ----------
        url : str
            What to ask for.
        read : callable
            Given the answer in UTF-8, returns what is in it; raises `UnusableError` to have it asked for again.
        keep : float
            Seconds for which an earlier answer will do; none does if 0.
        refresh : bool
            Ask even if there is an earlier answer.

        Raises
        ------
        RefusedError
            If the service refuses.
        FetchError
            If it does not answer, or not as it should, after several tries; or wants to be left alone for long.
        """
        key = f"{self.identity} {url}" if self.identity else url
        if keep and not refresh and self._cache and (kept := self._cache.get(key, keep)) is not None:
            with contextlib.suppress(UnusableError):
                return read(kept)
        if self.before:
            before, self.before = self.before, None
            before()
        body, value = self._repeat(lambda: self._ask("GET", url), read, url)
        if keep and self._cache:
            try:
                self._cache.put(key, body)
            except OSError as error:
                self._say(f"answers cannot be kept ({error.strerror}); set TAGGER_CACHE to a directory for them")
                self._cache = None
        return value

    def post(self, url: str, data: Mapping[str, Any], read: Callable[[bytes], T]) -> T:
        """Send `data` as JSON and read the answer, which is not kept; raises as :meth:`get` does."""
        content = json.dumps(data).encode()
        return self._repeat(lambda: self._ask("POST", url, content), read, url)[1]

    def _repeat(self, ask: Callable[[], bytes], read: Callable[[bytes], T], url: str) -> tuple[bytes, T]:
        pause = pause_of(_host(url), self._pause)
        host = urlsplit(url).netloc
        tries = 0
        while True:
            tries += 1
            most, wait = TRIES, 0.0
            try:
                body = ask()
                return body, read(body)
            except UnusableError as error:
                reason = str(error)
            except _NotNowError as error:
                reason, wait, most = str(error), error.wait, error.tries
            if wait > LONGEST_WAIT:
                then = datetime.fromtimestamp(time.time() + wait, UTC)
                raise FetchError(f"{host}: {reason}, and asks to come back after {then:%Y-%m-%d %H:%M} UTC")
            if tries >= most:
                raise FetchError(f"{host}: {reason}; asked {tries} times, try again later")
            # Exponential back-off with jitter; a pause of less than the services' own is a test's, or a mirror's.
            wait = max(wait, min(pause * 2.0 ** (tries - 1), _LONGEST_BACK_OFF) * random.uniform(1.0, 1.5))
            if wait >= 1:
                self._say(f"{host}: {reason}; asking again in {wait:.0f} s")
            self._pace.hold(wait)

    def _ask(self, method: str, url: str, content: bytes | None = None) -> bytes:
        for _ in range(_MOST_REDIRECTS):
            with self._pace.turn(pause_of(_host(url), self._pause)), self._errors():
                response = self._send(method, url, content)
                with contextlib.closing(response):
                    target = response.headers.get("Location")
                    if response.status not in (301, 302, 303, 307, 308) or not target:
                        return self._body(response, url)
            try:
                url = urljoin(url, target)
            except ValueError:
                url = target
        raise FetchError(f"{url[:100]}: redirects without end; check the base URL")

    def _send(self, method: str, url: str, content: bytes | None) -> urllib3.BaseHTTPResponse:
        parts = urlsplit(url)
        headers = self._headers | {"Accept-Encoding": "gzip, deflate"}
        if content is not None:
            headers["Content-Type"] = "application/json"
        if self._token and parts.netloc in self._token_hosts:
            headers["Authorization"] = f"Bearer {self._token}"
        pool = self._pool(parts.scheme, parts.hostname or "")
        return pool.request(method, url, body=content, headers=headers, preload_content=False, redirect=False)

    def _pool(self, scheme: str, host: str) -> urllib3.PoolManager:
        """Connections to `host`: through the proxy that the environment names for it, if any."""
        from urllib.request import getproxies, proxy_bypass

        import urllib3

        proxy = "" if proxy_bypass(host) else getproxies().get(scheme, "")
        if proxy not in self._pools:
            options: dict[str, Any] = {"timeout": self._timeout, "retries": False, "maxsize": 1}
            self._pools[proxy] = urllib3.ProxyManager(proxy, **options) if proxy else urllib3.PoolManager(**options)
        return self._pools[proxy]

    def _body(self, response: urllib3.BaseHTTPResponse, url: str) -> bytes:
        started = time.monotonic()
        chunks: list[bytes] = []
        size = 0
        for chunk in response.stream(2**16):
            size += len(chunk)
            chunks.append(chunk)
            if size > LARGEST_ANSWER:
                raise FetchError(f"{url[:100]}: answers with more than {LARGEST_ANSWER >> 20} MB; ask for less")
            if time.monotonic() - started > LONGEST_ANSWER:
                raise _NotNowError(f"did not finish its answer in {LONGEST_ANSWER:.0f} s")
        body = utf8(b"".join(chunks), response.headers.get("Content-Type", ""))
        if response.status == 200:
            if response.headers.get("RateLimit-Remaining") == "0":
                self._pace.hold(min(seconds_of(response.headers.get("RateLimit-Reset")), LONGEST_WAIT))
            return body
        reason = f"answered {response.status} {response.reason or ''}".rstrip()
        if response.status in (408, 425, 429) or response.status >= 500:
            raise _NotNowError(reason, wait_of(response.status, response.headers, body))
        raise RefusedError(f"{urlsplit(url).netloc}: {reason}{reason_of(body)}", response.status, body)

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        """Say in plain words what went wrong on the way."""
        import urllib3.exceptions as errors

        try:
            yield
        except (errors.NewConnectionError, errors.ConnectTimeoutError) as error:
            raise _NotNowError("cannot be reached; is there a network?", tries=TRIES_TO_CONNECT) from error
        except errors.TimeoutError as error:
            raise _NotNowError("did not answer in time") from error
        except errors.SSLError as error:
            if not isinstance(error.args[0] if error.args else None, ssl.SSLCertVerificationError):
                raise _NotNowError("broke off the secure connection") from error
            raise FetchError(f"no secure connection ({error}); check the clock and the certificates") from error
        except errors.DecodeError as error:
            raise _NotNowError("sent what cannot be decompressed") from error
        except (errors.HTTPError, OSError) as error:
            raise _NotNowError("broke off the connection") from error


def _host(url: str) -> str:
    """The host of an address, once it is sure that it is one."""
    try:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:
            return parts.hostname
    except ValueError:
        pass  # a port that is no number, a bracket that is not closed
    raise FetchError(f"{url[:100]}: not an http or https address; correct the base URL")
