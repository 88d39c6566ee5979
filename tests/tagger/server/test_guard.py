from __future__ import annotations

import asyncio

import pytest
import server

from tagger.server.guard import Guard
from tagger.server.settings import Settings

OWN = "http://127.0.0.1:8000"


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8000", "localhost", "localhost:1", "[::1]:8000", "192.168.1.7", "LocalHost"]
)
def test_the_server_answers_to_localhost_and_to_addresses(client, host):
    assert client.get("/health", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8000",
        "localhost.evil.example",
        "127.0.0.1.nip.io",
        "",
        "a@localhost",
        "localhost/x",
        "127.0.0.1:8000@evil.example",
        "[",
        "2130706433",
    ],
)
def test_a_name_that_dns_could_lead_here_is_refused(client, host):
    answer = client.get("/api/corrections.jsonl", headers={"host": host})
    assert (answer.status_code, list(answer.json())) == (421, ["error"])


def test_a_name_that_was_given_is_answered_to(tagger_, tmp_path):
    with server.client(tagger_, tmp_path / "c", hosts=("papers.example",)) as client:
        assert client.get("/health", headers={"host": "papers.example:8000"}).status_code == 200
        assert client.get("/health", headers={"host": "other.example"}).status_code == 421


@pytest.mark.parametrize(
    ("headers", "allowed"),
    [
        ({}, True),
        ({"origin": OWN}, True),
        ({"origin": OWN, "sec-fetch-site": "same-origin"}, True),
        ({"origin": "https://127.0.0.1:8000"}, True),
        ({"sec-fetch-site": "none"}, True),
        ({"origin": "http://evil.example"}, False),
        ({"origin": "null"}, False),
        ({"origin": "http://127.0.0.1:9999"}, False),
        ({"origin": "http://127.0.0.1:8000.evil.example"}, False),
        ({"sec-fetch-site": "cross-site"}, False),
        ({"sec-fetch-site": "same-site"}, False),
    ],
)
def test_pages_of_other_sites_change_nothing(client, headers, allowed):
    body = {"abstract": "Comets.", "area": "cooking", "grade": 1}
    statuses = {
        client.put("/api/corrections", json=body, headers=headers).status_code,
        client.post("/api/tag", json={"abstract": "Comets."}, headers=headers).status_code,
        client.delete("/api/corrections?key=x", headers=headers).status_code,
    }
    assert statuses == ({200} if allowed else {403})


def test_every_answer_has_a_strict_policy_and_is_kept_by_nobody(client):
    answers = [client.get(path) for path in ("/", "/static/page.js", "/health", "/nothing", "/openapi.json")]
    answers += [client.post("/api/tag", content="{"), client.get("/", headers={"host": "evil.example"})]
    for answer in answers:
        policy = dict(part.strip().partition(" ")[::2] for part in answer.headers["content-security-policy"].split(";"))
        assert policy["default-src"] == "'none'"
        assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
        assert policy["base-uri"] == policy["form-action"] == policy["frame-ancestors"] == "'none'"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cache-control"] in ("no-store", "no-cache")
        assert "access-control-allow-origin" not in answer.headers


def test_the_page_and_its_files_are_served_and_only_they(client):
    page = client.get("/")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    links = [part.split('"')[0] for name in ('src="', 'href="') for part in page.text.split(name)[1:]]
    for link in links:
        assert client.get(link).status_code == 200, link
    etag = client.get("/static/page.js").headers["etag"]
    assert client.get("/static/page.js", headers={"if-none-match": etag}).status_code == 304


def test_the_page_holds_no_script_and_no_style_of_its_own(client):
    text = client.get("/").text
    assert "<style" not in text
    assert "style=" not in text
    assert text.count("<script") == text.count('<script src="/static/')


def test_a_body_that_never_arrives_is_answered_with_408():
    async def reading(scope, receive, send):
        while (await receive()).get("more_body"):
            pass

    async def exchange() -> list[dict]:
        sent: list[dict] = []

        async def receive():
            await asyncio.sleep(10)

        async def send(message):
            sent.append(message)

        scope = {"type": "http", "method": "POST", "scheme": "http", "path": "/", "headers": [(b"host", b"localhost")]}
        await Guard(reading, Settings(timeout=0.05))(scope, receive, send)
        return sent

    start, body = asyncio.run(exchange())
    assert start["status"] == 408
    assert b"did not arrive within 0.05 seconds" in body["body"]


def test_a_web_socket_is_not_answered():
    async def never(scope, receive, send):
        raise AssertionError

    asyncio.run(Guard(never, Settings())({"type": "websocket"}, None, None))
