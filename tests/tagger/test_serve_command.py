from __future__ import annotations

import asyncio
import importlib.util
import json
import socket
import sys
import time
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import server
from command import REPOSITORY

from tagger.server.running import address_of, listen
from tagger.server.settings import default_database


def ask(url: str, body: object = None) -> dict:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)


@pytest.fixture(scope="module")
def load():
    """The module benchmarks/load.py."""
    spec = importlib.util.spec_from_file_location("load", REPOSITORY / "benchmarks" / "load.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["load"] = module
    spec.loader.exec_module(module)
    return module


def test_the_command_serves_on_this_machine_alone_and_ends_without_complaint(saved_model, tmp_path):
    with server.running("--model", saved_model, database=tmp_path / "c") as (url, process):
        assert url.startswith("http://127.0.0.1:")
        assert ask(f"{url}api/model")["areas"] == ["astronomy", "cooking"]
        assert ask(f"{url}api/tag", {"abstract": "The telescope finds a comet."})["areas"] == ["astronomy"]
        process.terminate()
        assert process.wait(10) == 0
        assert process.stderr.read() == ""


def test_many_clients_are_answered_without_error_and_in_time(saved_model, tmp_path, load):
    with server.running("--model", saved_model, database=tmp_path / "c") as (url, process):
        figures = asyncio.run(load.measure(url, 4, 20, process.pid, file=2000))
    assert figures.errors == []
    assert len(figures.seconds) > 100
    assert figures.files > 0
    assert figures.quantile(0.99) < 1000  # an eye kept open; benchmarks/load.py measures
    start, end = figures.memory.values()
    assert end < start * 1.25


def test_a_client_that_goes_away_ends_the_work_and_leaves_nothing_behind(saved_model, tmp_path):
    lines = "".join(json.dumps({"abstract": f"The telescope finds comet {k}."}) + "\n" for k in range(60_000))
    body = (
        f'--b\r\ncontent-disposition: form-data; name="file"; filename="a.jsonl"\r\n\r\n{lines}\r\n--b--\r\n'.encode()
    )
    uploads = tmp_path / "uploads"
    uploads.mkdir()
    options = {"database": tmp_path / "c", "TMPDIR": str(uploads)}
    with server.running("--model", saved_model, **options) as (url, process):
        parts = urlsplit(url)
        head = f"POST /api/files HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Length: {len(body)}\r\n"
        with socket.create_connection((parts.hostname, parts.port), 20) as connection:
            connection.sendall(f"{head}Content-Type: multipart/form-data; boundary=b\r\n\r\n".encode() + body)
            assert b'"number":0' in connection.recv(2**16) + connection.recv(2**16)
            assert list(uploads.glob("tagger-*"))
        end = time.monotonic() + 10
        while list(uploads.glob("tagger-*")) and time.monotonic() < end:
            time.sleep(0.05)
        assert list(uploads.glob("tagger-*")) == []
        assert ask(f"{url}health") == {"status": "ok"}
        process.terminate()
        assert process.wait(10) == 0
        assert process.stderr.read() == ""


def test_a_port_that_is_taken_is_said_in_a_line(run, tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        outcome = run("serve", "--port", port, "--database", tmp_path / "c")
    assert outcome.code == 2
    assert f"127.0.0.1, port {port}: cannot be listened on" in outcome.err
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("--port", "70000"),
        ("--max-records", "0"),
        ("--max-bytes", "-1"),
        ("--timeout", "nan"),
        ("--timeout", "inf"),
        ("--host", "no.such.host.invalid"),
        ("--port", "0", "--model", "nowhere"),
        ("--port", "0", "--database", "/proc/nowhere/c"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(run, arguments):
    outcome = run("serve", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize(("host", "address"), [("0.0.0.0", "127.0.0.1"), ("127.0.0.1", "127.0.0.1")])
def test_the_address_that_is_told_is_one_that_is_answered_to(host, address):
    with listen(host, 0) as listener:
        assert address_of(listener) == f"http://{address}:{listener.getsockname()[1]}/"


@pytest.mark.parametrize("library", ["fastapi", "uvicorn", "python_multipart"])
def test_a_library_that_is_absent_is_named_with_what_brings_it(run, monkeypatch, library):
    monkeypatch.setitem(sys.modules, library, None)
    outcome = run("serve", "--port", "0")
    assert outcome.code == 2
    assert outcome.err == f"tagger: tagger serve needs {library}, which is not installed; run: " \
                          "pip install 'area-tagger[server]'\n"  # fmt: skip


def test_corrections_are_in_the_data_of_the_user(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_database() == tmp_path / "tagger" / "corrections.sqlite"
    for value in ("", "not/absolute"):
        monkeypatch.setenv("XDG_DATA_HOME", value)
        assert default_database() == Path.home() / ".local" / "share" / "tagger" / "corrections.sqlite"
