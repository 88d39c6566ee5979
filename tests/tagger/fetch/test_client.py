"""The client is polite and patient: it waits, tries again, keeps what it got, and gives up in one clear line."""

from __future__ import annotations

import json
import os
import re
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from services import Services, in_turn

from tagger import __version__
from tagger.errors import FetchError
from tagger.fetch import client as client_module
from tagger.fetch.cache import DAY
from tagger.fetch.client import LONGEST_WAIT, TRIES, RefusedError, UnusableError
from tagger.fetch.pace import Pace
from tagger.fetch.waits import reason_of, wait_of

PATH = "/notes?content.venueid=V&limit=10&offset=0"
NOTE = {"id": "n1", "forum": "n1", "content": {"venueid": {"value": "V"}, "title": {"value": "“crème” ovens"}}}


def read(body: bytes) -> str:
    try:
        return json.loads(body)["notes"][0]["content"]["title"]["value"]
    except (ValueError, LookupError):
        raise UnusableError("answered with rubbish") from None


@pytest.fixture
def services(serve) -> Services:
    return serve(Services(new={"V": [NOTE]}, slowness=0.4))


class Clock:
    """Time that passes by waiting only."""

    def __init__(self) -> None:
        self.time = time.time()
        self.waited: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.waited.append(seconds)
        self.time += seconds

    def pace(self) -> Pace:
        return Pace(None, self.sleep, lambda: self.time)


RECOVERABLE = ["429", "429 now", "503", "503 date", "500", "short body", "short chunks", "cut", "cut gzip"]
RECOVERABLE += ["slow", "empty", "html", "reset", "latin header", "latin bytes", "utf-16"]


@pytest.mark.parametrize("fault", RECOVERABLE)
def test_an_answer_that_goes_wrong_is_asked_for_again_or_mended(services, make_client, fault):
    services.faults = in_turn(fault, fault)
    timeout = 0.2 if fault == "slow" else 5.0
    assert make_client(timeout=timeout).get(services.url + PATH, read) == "“crème” ovens"
    assert len(services.asked) == (1 if fault in ("latin header", "latin bytes", "utf-16") else 3)
    assert services.most_at_once == 1 or fault == "slow"


@pytest.mark.parametrize("fault", RECOVERABLE[:13])
def test_what_goes_wrong_each_time_ends_in_one_line(services, make_client, fault):
    services.faults = lambda number, path: fault
    with pytest.raises(FetchError) as failed:
        make_client(timeout=0.1 if fault == "slow" else 5.0).get(services.url + PATH, read)
    assert re.fullmatch(r"127\.0\.0\.1:\d+: .*; asked 6 times, try again later", str(failed.value))
    assert len(services.asked) == TRIES


def test_waits_grow_from_the_pause_and_differ(services, make_client):
    services.faults = in_turn("500", "500", "500", "500", "500")
    clock = Clock()
    make_client(pace=clock.pace(), pause=3.0).get(services.url + PATH, read)
    for waited, shortest in zip(clock.waited, (3, 6, 12, 24, 48), strict=True):
        assert shortest <= waited <= 1.5 * shortest
    assert len({waited / shortest for waited, shortest in zip(clock.waited, (3, 6, 12, 24, 48))}) > 1


@pytest.mark.parametrize("fault", ["429 now", "503 date"])
def test_a_wait_that_the_service_asks_for_is_kept(services, make_client, fault):
    services.faults, services.retry_after = in_turn(fault), "100"
    clock = Clock()
    said: list[str] = []
    make_client(pace=clock.pace(), say=said.append).get(services.url + PATH, read)
    assert clock.waited == [pytest.approx(100, abs=3)]
    assert re.search(r"answered (429|503) .*; asking again in \d+ s", said[0])


def test_a_service_that_wants_to_be_left_alone_for_long_ends_the_run_and_says_until_when(services, make_client):
    services.faults, services.retry_after = in_turn("429 now"), str(int(LONGEST_WAIT) + 3600)
    with pytest.raises(FetchError, match=r"asks to come back after \d{4}-\d\d-\d\d \d\d:\d\d UTC"):
        make_client().get(services.url + PATH, read)
    assert len(services.asked) == 1


def test_a_wait_that_openreview_asks_for_in_json_is_kept():
    reset = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() + 90))
    body = json.dumps({"name": "RateLimitError", "details": {"resetTime": reset}}).encode()
    assert wait_of(429, {}, body) == pytest.approx(90, abs=3)
    for other in (b"", b"[]", b'{"details": 1}', b'{"details": {"resetTime": 5}}', b"[" * 100_000):
        assert wait_of(429, {}, other) == 0
    assert wait_of(429, {"RateLimit-Reset": "40"}, b"") == 40
    assert wait_of(503, {"RateLimit-Reset": "3000"}, b"") == 0
    assert wait_of(503, {"RateLimit-Reset": "3000", "Retry-After": "7"}, b"") == 7
    assert wait_of(429, {"Retry-After": "soon"}, b"") == 0
    assert reason_of(b'{"message": "too\\n  many"}') == " (too many)"
    assert reason_of(b"<html>") == ""


def test_a_host_that_is_not_there_ends_the_run_soon(make_client):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    with pytest.raises(FetchError, match=r"127\.0\.0\.1:\d+: cannot be reached; is there a network\?; asked 3 times"):
        make_client().get(f"http://127.0.0.1:{port}/", read)


def test_a_refusal_is_not_tried_again_and_says_what_the_service_says(services, make_client):
    with pytest.raises(RefusedError, match=r"answered 404 Not Found \(The Note x was not found\)") as refused:
        make_client().get(f"{services.url}/notes?id=x", read)
    assert refused.value.status == 404
    assert len(services.asked) == 1


def test_an_answer_that_is_too_large_ends_the_run(services, make_client, monkeypatch):
    monkeypatch.setattr(client_module, "LARGEST_ANSWER", 20)
    with pytest.raises(FetchError, match="answers with more than 0 MB; ask for less"):
        make_client().get(services.url + PATH, read)


def test_an_answer_without_end_is_given_up(services, make_client, monkeypatch):
    monkeypatch.setattr(client_module, "LONGEST_ANSWER", -1.0)
    with pytest.raises(FetchError, match="did not finish its answer"):
        make_client().get(services.url + PATH, read)


def test_the_client_says_who_it_is(services, make_client):
    make_client().get(services.url + PATH, read)
    assert services.asked[0].headers["User-Agent"].startswith(f"area-tagger/{__version__} ")


def test_an_answer_is_kept_for_its_time(services, make_client, tmp_path):
    url = services.url + PATH
    make_client(tmp_path).get(url, read, keep=DAY)
    assert make_client(tmp_path).get(url, read, keep=DAY) == "“crème” ovens"
    assert len(services.asked) == 1
    make_client(tmp_path).get(url, read)
    make_client(tmp_path).get(url, read, keep=DAY, refresh=True)
    assert len(services.asked) == 3
    for file in tmp_path.glob("??/*"):
        os.utime(file, (time.time() - 2 * DAY, time.time() - 2 * DAY))
    make_client(tmp_path).get(url, read, keep=DAY)
    assert len(services.asked) == 4


def test_what_could_not_be_read_is_not_kept(services, make_client, tmp_path):
    services.faults = lambda number, path: "cut"
    with pytest.raises(FetchError):
        make_client(tmp_path).get(services.url + PATH, read, keep=DAY)
    assert not list(tmp_path.glob("??/*"))


def test_a_kept_answer_that_cannot_be_read_any_more_is_asked_for_again(services, make_client, tmp_path):
    make_client(tmp_path).get(services.url + PATH, lambda body: None, keep=DAY)
    calls: list[bytes] = []

    def read_second(body: bytes) -> str:
        calls.append(body)
        if len(calls) == 1:
            raise UnusableError("too old")
        return read(body)

    assert make_client(tmp_path).get(services.url + PATH, read_second, keep=DAY) == "“crème” ovens"


def test_answers_are_kept_for_each_account_alone(services, make_client, tmp_path):
    for identity in ("", "ada", "bo"):
        client = make_client(tmp_path)
        client.identity = identity
        client.get(services.url + PATH, read, keep=DAY)
    assert len(services.asked) == 3


def test_a_cache_that_cannot_be_written_is_said_once_and_stops_nothing(services, make_client, tmp_path):
    (tmp_path / "file").write_text("")
    said: list[str] = []
    client = make_client(tmp_path / "file", say=said.append)
    for _ in range(2):
        assert client.get(services.url + PATH, read, keep=DAY) == "“crème” ovens"
    assert len(said) == 1
    assert "TAGGER_CACHE" in said[0]


class _Redirecting(BaseHTTPRequestHandler):
    target = ""
    seen: list[str | None]

    def do_GET(self) -> None:
        self.seen.append(self.headers.get("Authorization"))
        self.send_response(301)
        self.send_header("Location", self.target)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def redirecting():
    _Redirecting.seen = []
    with HTTPServer(("127.0.0.1", 0), _Redirecting) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_redirect_is_followed_without_taking_the_token_to_another_host(services, make_client, redirecting):
    _Redirecting.target = services.url + PATH
    client = make_client()
    client.authorise("t0k3n", redirecting)
    assert client.get(f"{redirecting}/old", read) == "“crème” ovens"
    assert _Redirecting.seen == ["Bearer t0k3n"]
    assert "Authorization" not in services.asked[0].headers


def test_redirects_without_end_are_refused(make_client, redirecting):
    _Redirecting.target = "/again"
    with pytest.raises(FetchError, match="redirects without end"):
        make_client().get(f"{redirecting}/", read)


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://example.org/", "http://[", "http://example.org:port/"])
def test_a_redirect_to_anything_but_the_web_is_refused(make_client, redirecting, target):
    _Redirecting.target = target
    with pytest.raises(FetchError, match="not an http or https address"):
        make_client().get(f"{redirecting}/", read)


def test_the_proxy_of_the_environment_is_used(services, make_client, monkeypatch):
    monkeypatch.setenv("http_proxy", services.url)
    monkeypatch.setenv("no_proxy", "localhost")
    url = "http://openreview.test" + PATH
    assert make_client().get(url, read) == "“crème” ovens"
    assert services.asked[0].headers["Host"] == "openreview.test"


def test_a_service_whose_budget_is_spent_is_left_alone_until_it_has_more(serve, make_client):
    clock = Clock()
    spent = serve(Services(new={"V": [NOTE]}, headers={"RateLimit-Remaining": "0", "RateLimit-Reset": "55"}))
    client = make_client(pace=clock.pace())
    client.get(spent.url + PATH, read)
    assert not clock.waited
    client.get(spent.url + PATH, read)
    assert clock.waited == [pytest.approx(55, abs=1)]
