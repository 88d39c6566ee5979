"""Measure `tagger serve` under load: 20 clients at once that each send one abstract after another.

    python benchmarks/load.py                      # 60 s against a server of its own
    python benchmarks/load.py --file 20000         # the same while files of 20,000 abstracts are tagged
    python benchmarks/load.py --url http://127.0.0.1:8000/

The clients are this process, the server is another. Reports requests a second, quantiles of the time from the first
byte sent to the last byte received, errors, and the resident memory of the server at 10 s and at the end.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

REPOSITORY = Path(__file__).resolve().parents[1]
SETTLED = 10.0
"""Seconds after which memory should grow no more."""


@dataclass
class Figures:
    """What was measured."""

    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    files: int = 0
    memory: dict[str, int] = field(default_factory=dict)
    """Resident bytes of the server, by moment."""
    took: float = 0.0
    processor: float = 0.0
    """Seconds that the server computed."""

    def quantile(self, q: float) -> float:
        """A quantile of the times in milliseconds."""
        ordered = sorted(self.seconds)
        return 1000 * ordered[min(len(ordered) - 1, int(q * len(ordered)))] if ordered else float("nan")

    def __str__(self) -> str:
        quantiles = ", ".join(f"p{100 * q:g} {self.quantile(q):.1f}" for q in (0.5, 0.9, 0.99, 0.999))
        memory = ", ".join(f"{size / 2**20:.1f} MiB at {moment}" for moment, size in self.memory.items())
        return (
            f"{len(self.seconds):,} requests in {self.took:.0f} s ({len(self.seconds) / self.took:,.0f} a second), "
            f"{len(self.errors)} errors\nmilliseconds: {quantiles}, most {self.quantile(1):.1f}\nmemory: {memory}"
            + (
                f"\nthe server computed {1000 * self.processor / max(1, len(self.seconds)):.2f} ms a request"
                if self.processor
                else ""
            )
            + (f"\n{self.files} files tagged meanwhile" if self.files else "")
        )


@contextmanager
def server(*options: str) -> Iterator[tuple[str, int]]:
    """A server of its own on a free port: its address and its process."""
    with tempfile.TemporaryDirectory() as directory:
        command = [sys.executable, "-m", "tagger.cli", "serve", "--port", "0", "--database", f"{directory}/c.sqlite"]
        environment = os.environ | {"PYTHONPATH": str(REPOSITORY)}
        with subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True, env=environment) as process:
            try:
                assert process.stdout is not None
                match = re.search(r"http://\S+", process.stdout.readline())
                if match is None:
                    raise SystemExit("the server did not start")
                yield match[0], process.pid
            finally:
                process.terminate()


def abstracts() -> list[str]:
    """The abstracts of the example file."""
    text = (REPOSITORY / "data" / "examples" / "papers.txt").read_text(encoding="utf-8")
    return [part for part in text.split("\n\n") if len(part) > 200]


async def measure(url: str, seconds: float, clients: int, pid: int | None = None, file: int = 0) -> Figures:
    """Send single abstracts with some clients at once, and files of `file` abstracts, for some time."""
    figures = Figures()
    texts = abstracts()
    before = computed(pid) if pid is not None else 0.0
    began = time.perf_counter()
    end = began + seconds
    tasks = [asyncio.create_task(_client(url, texts[k % len(texts) :] + texts, end, figures)) for k in range(clients)]
    if file:
        tasks.append(asyncio.create_task(_files(url, [texts[k % len(texts)] for k in range(file)], end, figures)))
    if pid is not None:
        await asyncio.sleep(min(SETTLED, seconds / 2))
        figures.memory[f"{min(SETTLED, seconds / 2):.0f} s"] = resident(pid)
    await asyncio.gather(*tasks)
    figures.took = time.perf_counter() - began
    if pid is not None:
        figures.memory["the end"] = resident(pid)
        figures.processor = computed(pid) - before
    return figures


def resident(pid: int) -> int:
    """Resident memory of a process in bytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    return 1024 * int(re.search(r"VmRSS:\s+(\d+)", status)[1])  # type: ignore[index]


def computed(pid: int) -> float:
    """Seconds that a process has computed."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def _client(url: str, texts: list[str], end: float, figures: Figures) -> None:
    host = urlsplit(url).netloc
    requests = [_request("/api/tag", host, "application/json", json.dumps({"abstract": t}).encode()) for t in texts]
    number = 0
    async with _connection(url) as (reader, writer):
        while (start := time.perf_counter()) < end:
            writer.write(requests[number % len(requests)])
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(re.search(rb"content-length: (\d+)", head)[1])  # type: ignore[index]
            body = await reader.readexactly(length)
            figures.seconds.append(time.perf_counter() - start)
            if not head.startswith(b"HTTP/1.1 200") or b'"areas"' not in body:
                figures.errors.append((head + body).decode()[:300])
            number += 1


async def _files(url: str, texts: list[str], end: float, figures: Figures) -> None:
    lines = "".join(json.dumps({"abstract": text}) + "\n" for text in texts)
    part = f'--b\r\ncontent-disposition: form-data; name="file"; filename="many.jsonl"\r\n\r\n{lines}\r\n--b--\r\n'
    request = _request("/api/files", urlsplit(url).netloc, "multipart/form-data; boundary=b", part.encode())
    while time.perf_counter() < end:
        async with _connection(url) as (reader, writer):
            writer.write(request)
            last = b""
            while time.perf_counter() < end and b'"end"' not in last and (piece := await reader.read(2**16)):
                last = last[-1000:] + piece
            figures.files += b'"end"' in last


@asynccontextmanager
async def _connection(url: str) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection(urlsplit(url).hostname, urlsplit(url).port, limit=2**24)
    try:
        yield reader, writer
    finally:
        writer.close()


def _request(path: str, host: str, kind: str, body: bytes) -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def main() -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--file", type=int, default=0, metavar="N", help="tag files of N abstracts meanwhile")
    parser.add_argument("--url", help="a server that runs (default: one of its own)")
    parser.add_argument("--model", help="the model of the server (default: the shipped one)")
    options = parser.parse_args()
    if options.url:
        print(asyncio.run(measure(options.url, options.seconds, options.clients, None, options.file)))
        return
    with server(*(["--model", options.model] if options.model else [])) as (url, pid):
        print(asyncio.run(measure(url, options.seconds, options.clients, pid, options.file)))


if __name__ == "__main__":
    main()
