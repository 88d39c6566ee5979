"""What arXiv and OpenReview answer about papers that nobody wrote, right or wrong."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date, timedelta
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote, unquote

from abstracts import long_abstract

if TYPE_CHECKING:
    from services import Asked, Services


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
