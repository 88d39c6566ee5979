"""Papers come from OpenReview by venue and by id, through either version of its API."""

from __future__ import annotations

import json

import pytest
from service_answers import notes
from services import Services

from tagger.errors import FetchError, InputError
from tagger.fetch import openreview
from tagger.fetch.openreview import Bases, is_venue, parse
from tagger.formats.openreview import flatten, is_note

NEW = "ICML.cc/2025/Conference"
OLD = "ICLR.cc/2022/Conference"
OLDER = "ICLR.cc/2019/Conference"


def older_notes() -> list[dict]:
    """Notes of a venue of version 1 that say nothing of what became of them."""
    made = notes(OLDER, 6, 1, "older")
    for note in made:
        del note["content"]["venue"], note["content"]["venueid"]
    return made


@pytest.fixture(autouse=True)
def _small_pages(monkeypatch):
    monkeypatch.setattr(openreview, "PAGE", 10)
    for name in ("OPENREVIEW_USERNAME", "OPENREVIEW_PASSWORD"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def services(serve) -> Services:
    old = {OLD: notes(OLD, 33, 1, "old"), OLDER: older_notes()}
    return serve(Services(new={NEW: notes(NEW, 43)}, old=old))


@pytest.fixture
def bases(services) -> Bases:
    return Bases.from_text(f"{services.url} {services.url}/old")


@pytest.fixture
def fetch(bases, make_client, tmp_path):
    """Fetches a venue, and collects what is said."""

    def fetch(venue: str, everything: bool = False) -> list[dict]:
        client = make_client(tmp_path / "answers")
        openreview.use_account(client, bases)
        fetch.said.clear()
        return list(openreview.papers_of_venue(client, bases, venue, everything, note=fetch.said.append))

    fetch.said = []
    return fetch


def ids_of(rows) -> list[str]:
    return [row["id"] for row in rows]


def test_a_row_has_what_openreview_says_of_a_paper(fetch):
    row = fetch(NEW)[1]
    assert row == {
        "id": "note00001",
        "title": "Learned ovens 1: “crème”",
        "abstract": row["abstract"],
        "authors": ["Ada Baker", "Bo Cook 1"],
        "keywords": ["ovens", "crusts"],
        "venue": f"{NEW} Poster",
        "venueid": NEW,
        "published": "2025-02-19T21:20:00Z",
        "forum": "note00001",
        "url": "https://openreview.net/forum?id=note00001",
    }
    assert row["abstract"].startswith("Après tout, oven 1 is warm. This is study 1")


def test_a_venue_gives_the_papers_that_it_accepted_and_not_the_replies_to_them(fetch, services):
    assert ids_of(fetch(NEW)) == [f"note{k:05d}" for k in range(43) if k % 5 != 4]
    assert not fetch.said
    assert services.paths()[0] == "/groups"
    assert set(services.paths()[1:]) == {"/notes"}


def test_a_venue_gives_all_its_submissions_on_demand(fetch):
    assert ids_of(fetch(NEW, everything=True)) == [f"note{k:05d}" for k in range(43)]


def test_a_venue_that_has_not_decided_gives_its_submissions_and_says_so(fetch, services):
    for note in services.new[NEW]:
        note["content"]["venueid"]["value"] = f"{NEW}/Submission"
    assert ids_of(fetch(NEW)) == [f"note{k:05d}" for k in range(43)]
    assert "has not published what it accepted" in fetch.said[0]


def test_an_old_venue_is_asked_for_at_the_old_interface_and_its_papers_say_whether_they_were_accepted(fetch, services):
    assert ids_of(fetch(OLD)) == [f"old{k:05d}" for k in range(33) if k % 5 != 4]
    assert services.paths()[0] == "/groups"
    assert set(services.paths()[1:]) == {"/old/notes"}
    assert ids_of(fetch(OLD, everything=True)) == [f"old{k:05d}" for k in range(33)]
    assert not fetch.said


def test_an_older_venue_that_does_not_say_what_it_accepted_gives_everything_and_says_so(fetch):
    assert ids_of(fetch(OLDER)) == [f"older{k:05d}" for k in range(6)]
    assert fetch.said == [f"OpenReview does not tell which papers {OLDER} accepted; these are all 6 submissions"]


def test_a_venue_that_is_not_there_is_said(fetch):
    with pytest.raises(FetchError, match=r"has no venue 'ICML\.cc/1925/Conference'; find its id"):
        fetch("ICML.cc/1925/Conference")


def test_papers_come_by_id_in_order_or_with_the_reason(bases, make_client):
    rows = list(openreview.papers_by_id(make_client(), bases, ["old00003", "nonesuch1", "note00002"]))
    assert ids_of(rows) == ["old00003", "nonesuch1", "note00002"]
    assert rows[1] == {"id": "nonesuch1", "error": "OpenReview has no paper with this id"}
    assert rows[0]["abstract"]
    assert rows[2]["abstract"]


def test_a_paper_without_an_abstract_or_deleted_has_that_as_its_error(services, bases, make_client):
    services.new[NEW][0]["content"]["abstract"] = {"value": " \n"}
    services.new[NEW][1]["ddate"] = 1_740_000_000_000
    empty, deleted = openreview.papers_by_id(make_client(), bases, ["note00000", "note00001"])
    assert empty["error"] == "this paper has no abstract that is public"
    assert deleted["error"] == "this paper was deleted"
    assert "abstract" not in deleted


def test_without_an_account_where_one_is_needed_the_error_says_what_to_set(fetch, services):
    services.login = {"id": "ada", "password": "s3cret"}
    with pytest.raises(FetchError, match="wants to know who asks; set OPENREVIEW_USERNAME and OPENREVIEW_PASSWORD"):
        fetch(NEW)
    assert len(services.asked) == 1


def test_a_page_that_wants_to_verify_the_browser_ends_the_run_at_once(fetch, services, monkeypatch):
    import service_answers as server

    monkeypatch.setattr(server, "_groups", lambda *_: (200, "<html>Verifying your browser</html>"))
    with pytest.raises(FetchError, match="wants to know who asks"):
        fetch(NEW)
    assert len(services.asked) == 1


def test_an_account_is_used_once_and_only_if_something_must_be_asked(fetch, services, monkeypatch):
    services.login = {"id": "ada", "password": "s3cret"}
    monkeypatch.setenv("OPENREVIEW_USERNAME", "ada")
    monkeypatch.setenv("OPENREVIEW_PASSWORD", "s3cret")
    rows = fetch(NEW)
    assert len(rows) == 35
    assert services.paths().count("/login") == 1
    assert fetch(NEW) == rows
    assert services.paths().count("/login") == 1


def test_a_wrong_password_is_said_and_not_shown(fetch, services, monkeypatch):
    services.login = {"id": "ada", "password": "s3cret"}
    monkeypatch.setenv("OPENREVIEW_USERNAME", "ada")
    monkeypatch.setenv("OPENREVIEW_PASSWORD", "wr0ng")
    with pytest.raises(FetchError, match=r"\(Invalid password\); check OPENREVIEW_USERNAME") as failed:
        fetch(NEW)
    assert "wr0ng" not in str(failed.value)
    assert len(services.asked) == 1


@pytest.mark.parametrize(
    ("text", "id_"),
    [
        (NEW, NEW),
        (f"https://openreview.net/group?id={NEW}#tab-accept-oral", NEW),
        ("https://openreview.net/forum?id=WzG-pILL_b&noteId=x", "WzG-pILL_b"),
        ("WzGypILLDb", "WzGypILLDb"),
        ("TMLR/Authors", "TMLR/Authors"),
    ],
)
def test_venues_and_papers_are_found_in_what_people_write(text, id_):
    assert parse(text) == id_
    assert is_venue(id_) == ("/" in id_)


@pytest.mark.parametrize("text", ["", "ICML 2025", "https://openreview.net/", "a", "ICML.cc/2025?x=1&y", "/", "x/"])
def test_anything_else_is_refused_with_an_example(text):
    with pytest.raises(InputError, match=r"ICML\.cc/2025/Conference"):
        parse(text)


def test_one_address_serves_both_versions_and_none_is_openreviews():
    assert Bases.from_text("http://mirror/") == Bases("http://mirror", "http://mirror")
    assert Bases.from_text(" ") == Bases("https://api2.openreview.net", "https://api.openreview.net")


def test_notes_of_both_versions_are_flattened_alike():
    new, old = notes(NEW, 1)[0], notes(NEW, 1, version=1)[0]
    assert is_note(new)
    assert is_note(old)
    assert flatten(new) == flatten(old)
    assert flatten(new)["title"] == "Learned ovens 0: “crème”"
    assert not is_note({"id": "x", "content": "text", "invitation": "y"})
    assert flatten({"id": "x", "content": None}) == {"id": "x"}


@pytest.mark.parametrize(
    "answer",
    [
        {"notes": [None, 5, {}, {"id": 7}, {"id": "odd", "content": {"title": 5, "abstract": ["x"]}}], "count": "many"},
        {"notes": [{"id": "odd", "content": {"abstract": {"value": None}}, "cdate": 1e300}], "count": 1},
    ],
)
def test_odd_notes_harm_nothing(fetch, services, monkeypatch, answer):
    import service_answers as server

    monkeypatch.setattr(server, "_notes", lambda *_: (200, json.dumps(answer)))
    rows = fetch(NEW)
    assert ids_of(rows) == ["odd"]
    assert "error" in rows[0]
