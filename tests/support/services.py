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
from datetime import date, timedelta
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

from abstracts import long_abstract

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
class Paper:
    """A paper at arXiv."""

    id: str
    title: str
    abstract: str
    published: str
    categories: tuple[str, ...] = ("cs.LG",)
    versions: int = 1
    changed: str = ""
    """Day on which its record last changed, if that was after it was published."""
    deleted: bool = False


def papers(n: int, first: date = date(2025, 3, 1)) -> list[Paper]:
    """`n` papers, the oldest first, one every six hours."""
    made = []
    for k in range(n):
        day = first + timedelta(days=k // 4)
        categories = (("cs.LG", "stat.ML"), ("cs.CL",), ("cs.LG",), ("cs.CV", "cs.LG"))[k % 4]
        made.append(
            Paper(
                f"{day:%y%m}.{k:05d}",
                f"Notes on ovens, part {k}: “crusts” & crème",
                f"Après tout, we ask whether a < b & b > c in oven {k}.\n  {long_abstract(k)}",
                f"{day:%Y-%m-%d}T{k % 4 * 6:02d}:00:00Z",
                categories,
                1 + k % 3,
            )
        )
    return made


def notes(venue: str, n: int, version: int = 2, prefix: str = "note") -> list[dict[str, Any]]:
    """`n` notes of a venue, of which every fifth was rejected and every seventh has a reply after it."""
    made: list[dict[str, Any]] = []
    for k in range(n):
        rejected = k % 5 == 4
        content: dict[str, Any] = {
            "title": f"Learned ovens {k}: “crème”",
            "abstract": f"Après tout, oven {k} is warm.\n\n{long_abstract(k)}",
            "authors": ["Ada Baker", f"Bo Cook {k}"],
            "keywords": ["ovens", "crusts"],
            "venue": f"Submitted to {venue}" if rejected else f"{venue} Poster",
            # Version 1 gives the id of the venue to rejected papers too.
            "venueid": f"{venue}/Rejected_Submission" if rejected and version == 2 else venue,
        }
        if version == 2:
            content = {name: {"value": value} for name, value in content.items()}
        id_ = f"{prefix}{k:05d}"
        note = {"id": id_, "forum": id_, "number": k + 1, "cdate": 1_740_000_000_000 + k, "content": content}
        invitation = f"{venue}/-/{'Submission' if version == 2 else 'Blind_Submission'}"
        made.append(note | ({"invitations": [invitation]} if version == 2 else {"invitation": invitation}))
        if k % 7 == 6:
            made.append(note | {"id": f"{id_}r", "number": k + 1})
    return made


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


def answer(services: Services, asked: Asked, sent: dict[str, str] | None) -> tuple[int, str]:
    """Status and text of the answer to a request, with those faults that are about what it says."""
    if asked.path == "/api/query":
        return _feed(services, asked)
    if asked.path == "/oai":
        return 200, _records(services, asked)
    if asked.path.endswith("/login"):
        ok = sent == services.login
        return (200, json.dumps({"token": "t0k3n"})) if ok else (400, json.dumps({"message": "Invalid password"}))
    if services.login and asked.headers.get("Authorization") != "Bearer t0k3n":
        return 403, json.dumps({"name": "ChallengeRequiredError", "message": "Please verify", "status": 403})
    known = services.old if asked.path.startswith("/old") else services.new
    if asked.path.endswith("/groups"):
        return _groups(services, asked.query["id"])
    return _notes(known, asked)


def _feed(services: Services, asked: Asked) -> tuple[int, str]:
    query = asked.query
    start, size = int(query.get("start", 0)), int(query.get("max_results", 10))
    if "id_list" in query:
        ids = query["id_list"].split(",")
        if bad := next((id_ for id_ in ids if id_.endswith("9999")), None):
            return 400, feed([_complaint(f"incorrect id format for {bad}")], 1)
        known = {paper.id: paper for paper in services.papers}
        found = []
        for id_ in dict.fromkeys(ids):
            bare, _, version = id_.partition("v")
            paper = known.get(bare)
            if paper and not paper.deleted and int(version or 1) <= paper.versions:
                found.append(_entry(paper, int(version or paper.versions)))
        found.reverse()  # arXiv's order is its own
    else:
        if "(" in query["search_query"] and ")" not in query["search_query"]:
            return 400, feed([_complaint("unbalanced brackets")], 1)
        newest = [paper for paper in reversed(services.papers) if not paper.deleted]
        found = [_entry(paper, paper.versions) for paper in newest]
        if query.get("sortOrder") == "ascending":
            found.reverse()
    shown, total = _spoiled(found, start, size, asked.fault)
    return 200, feed(shown, total)


def _spoiled(found: list[Any], start: int, size: int, fault: str) -> tuple[list[Any], int]:
    """A page of a list and the total, with a fault."""
    shown, total = found[start : start + size], len(found)
    if fault == "empty":
        return [], 0
    if fault == "repeat":
        shown = found[max(start - size // 2, 0) : start] + shown
    if fault == "half":
        shown = shown[: len(shown) // 2]
    if fault == "more":
        total += 7
    if fault == "fewer":
        total = max(total // 2, 1)
    return shown, total


def feed(entries: list[str], total: int) -> str:
    """An Atom feed."""
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/"
 xmlns:arxiv="http://arxiv.org/schemas/atom">
  <title>arXiv Query</title>
  <opensearch:totalResults>{total}</opensearch:totalResults>
{"".join(entries)}</feed>
"""


def _entry(paper: Paper, version: int) -> str:
    terms = "".join(f'<category term="{name}"/>' for name in paper.categories)
    return f"""  <entry>
    <id>http://arxiv.org/abs/{paper.id}v{version}</id>
    <published>{paper.published}</published>
    <updated>{paper.published}</updated>
    <title>{escape(paper.title)}</title>
    <summary>  {escape(paper.abstract)}
</summary>
    <author><name>Ada Baker</name></author>
    <author><name>Bo Cook</name></author>
    <arxiv:comment>12 pages</arxiv:comment>
    <link href="http://arxiv.org/abs/{paper.id}v{version}" rel="alternate" type="text/html"/>
    <arxiv:primary_category term="{paper.categories[0]}"/>{terms}
  </entry>
"""


def _complaint(message: str) -> str:
    return f"""  <entry>
    <id>http://arxiv.org/api/errors#{quote(message.replace(" ", "_"))}</id>
    <title>Error</title>
    <summary>{message}</summary>
    <author><name>arXiv api core</name></author>
  </entry>
"""


def _records(services: Services, asked: Asked) -> str:
    query = asked.query
    if "resumptionToken" in query:
        values = {name: values[0] for name, values in parse_qs(unquote(query["resumptionToken"])).items()}
        if not {"set", "from", "skip"} <= values.keys():
            return _oai('<error code="badResumptionToken">The token is invalid or expired.</error>')
    else:
        values = query | {"skip": "0"}
    category = values["set"].rpartition(":")[2]
    if category not in ("LG", "CL", "CV", "AI", "ML"):
        return _oai('<error code="badArgument">No such set.</error>')
    listed = [
        paper
        for paper in sorted(services.papers, key=lambda paper: (paper.changed or paper.published)[:10])
        if any(name.endswith(f".{category}") for name in paper.categories)
        and (paper.changed or paper.published)[:10] >= values["from"]
    ]
    skip = int(values["skip"])
    if not listed[skip:]:
        return _oai('<error code="noRecordsMatch">The list is empty.</error>')
    if asked.fault == "empty":
        return _oai("<ListRecords></ListRecords>")
    end = skip + services.records_a_page
    shown = listed[max(skip - 3, 0) : end] if asked.fault == "repeat" else listed[skip:end]
    token = ""
    if len(listed) > end:
        token = f"from%3D{values['from']}%26set%3D{quote(values['set'], safe='')}%26skip%3D{end}"
        token = f"<resumptionToken expires='2099-01-01T00:00:00Z'>{token}</resumptionToken>"
    return _oai(f"<ListRecords>{''.join(map(_record, shown))}{token}</ListRecords>")


def _oai(content: str) -> str:
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2025-06-01T00:00:00Z</responseDate>
<request>http://oaipmh.arxiv.org/oai</request>{content}</OAI-PMH>
"""


def _record(paper: Paper) -> str:
    day = (paper.changed or paper.published)[:10]
    if paper.deleted:
        header = f'<header status="deleted"><identifier>oai:arXiv.org:{paper.id}</identifier>'
        return f"<record>{header}<datestamp>{day}</datestamp></header></record>"
    return f"""<record>
<header><identifier>oai:arXiv.org:{paper.id}</identifier><datestamp>{day}</datestamp><setSpec>cs:cs:LG</setSpec></header>
<metadata><arXiv xmlns="http://arxiv.org/OAI/arXiv/"><id>{paper.id}</id><created>{paper.published[:10]}</created>
<authors><author><keyname>Baker</keyname><forenames>Ada</forenames></author></authors>
<title>{escape(paper.title)}</title><categories>{" ".join(paper.categories)}</categories>
<comments>12 pages</comments><abstract>  {escape(paper.abstract)}
</abstract></arXiv></metadata></record>"""


def _groups(services: Services, id_: str) -> tuple[int, str]:
    if id_ in services.new:
        content = {"submission_name": {"value": "Submission"}, "submission_id": {"value": f"{id_}/-/Submission"}}
        return 200, json.dumps({"groups": [{"id": id_, "domain": id_, "content": content}]})
    if id_ in services.old:
        return 200, json.dumps({"groups": [{"id": id_, "domain": None, "web": "// a script"}]})
    message = f"Group Not Found: {id_}"
    return 404, json.dumps({"name": "NotFoundError", "message": message, "status": 404})


def _notes(known: dict[str, list[dict[str, Any]]], asked: Asked) -> tuple[int, str]:
    query = asked.query
    everything = [note for listed in known.values() for note in listed]
    if "id" in query:
        found = [note for note in everything if note["id"] == query["id"]]
        if not found:
            message = f"The Note {query['id']} was not found"
            return 404, json.dumps({"name": "NotFoundError", "message": message, "status": 404})
        return 200, json.dumps({"notes": found, "count": 1})
    if int(query["limit"]) > 1000:
        return 400, json.dumps({"name": "ValidationError", "message": "limit must be <= 1000"})
    if "invitation" in query:
        wanted = query["invitation"]
        found = [note for note in everything if wanted in (note.get("invitation"), *note.get("invitations", ()))]
    else:
        found = [note for note in everything if _value(note, "venueid") == query["content.venueid"]]
    shown, total = _spoiled(found, int(query["offset"]), int(query["limit"]), asked.fault)
    return 200, json.dumps({"notes": shown, "count": total}, ensure_ascii=False)


def _value(note: dict[str, Any], name: str) -> Any:
    value = note["content"].get(name)
    return value["value"] if isinstance(value, dict) else value
