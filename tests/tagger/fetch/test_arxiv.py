"""Papers come from arXiv by id, by query and since a day, each once, or a row says why not."""

from __future__ import annotations

from datetime import date

import pytest
from service_answers import Paper, papers
from services import Services, in_turn

from tagger.errors import FetchError, InputError
from tagger.fetch import arxiv
from tagger.fetch.arxiv import Bases
from tagger.fetch.client import TRIES
from tagger.fetch.paging import LOOKS

PAPERS = papers(47)
DAY = date(2025, 3, 4)


@pytest.fixture(autouse=True)
def _small_pages(monkeypatch):
    monkeypatch.setattr(arxiv, "PAGE", 10)


@pytest.fixture
def services(serve) -> Services:
    return serve(Services(papers=papers(47)))


@pytest.fixture
def fetch(services, make_client, tmp_path):
    """Fetches by one of the functions: `fetch(arxiv.papers_by_id, ids)`."""

    def fetch(function, *arguments, **options):
        client = make_client(tmp_path / "answers")
        return list(function(client, Bases.from_text(services.url), *arguments, **options))

    return fetch


def ids_of(rows) -> list[str]:
    return [row["id"] for row in rows]


def test_a_row_has_what_arxiv_says_of_a_paper(fetch):
    (row,) = fetch(arxiv.papers_by_id, [PAPERS[5].id])
    assert list(row) == [
        *("id", "title", "abstract", "authors", "published", "updated"),
        *("categories", "primary_category", "comment", "url"),
    ]
    assert row["id"] == PAPERS[5].id
    assert row["title"] == PAPERS[5].title
    assert row["abstract"] == " ".join(PAPERS[5].abstract.split())
    assert row["authors"] == ["Ada Baker", "Bo Cook"]
    assert row["categories"] == ["cs.CL"]
    assert row["url"] == f"https://arxiv.org/abs/{PAPERS[5].id}v3"


def test_ids_in_are_as_many_rows_out_in_their_order(fetch, services):
    wanted = [paper.id for paper in PAPERS[::2]]
    ids = [*wanted, "rubbish", wanted[0], "2412.00001", "2503.09999", *wanted[::-1]]
    rows = fetch(arxiv.papers_by_id, ids)
    assert ids_of(rows) == ids
    assert [row["id"] for row in rows if "error" in row] == ["rubbish", "2412.00001", "2503.09999"]
    assert all(row.get("abstract") for row in rows if "error" not in row)
    assert "'rubbish' is not an arXiv id" in rows[len(wanted)]["error"]
    assert rows[len(wanted) + 2]["error"] == "arXiv has no paper 2412.00001"
    assert "incorrect id format for 2503.09999" in rows[len(wanted) + 3]["error"]


def test_ids_are_asked_for_together_and_no_id_twice(fetch, services):
    fetch(arxiv.papers_by_id, [paper.id for paper in PAPERS])
    asked = [id_ for asked in services.asked for id_ in asked.query["id_list"].split(",")]
    assert asked == [paper.id for paper in PAPERS]
    assert len(services.asked) == 5
    assert {asked.query["max_results"] for asked in services.asked} == {"10", "7"}


def test_versions_of_a_paper_are_told_apart(fetch):
    id_ = PAPERS[5].id
    rows = fetch(arxiv.papers_by_id, [f"{id_}v1", f"{id_}v3", id_, f"{id_}v2", f"{id_}v9"])
    assert [row["url"].rpartition("v")[2] for row in rows[:4]] == ["1", "3", "3", "2"]
    assert rows[4]["error"] == f"arXiv has no paper {id_}v9"


def test_a_paper_that_an_answer_lacks_is_looked_for_again(fetch, services):
    services.faults = in_turn("half", "half")
    rows = fetch(arxiv.papers_by_id, [paper.id for paper in PAPERS[:10]])
    assert not any("error" in row for row in rows)
    assert [len(asked.query["id_list"].split(",")) for asked in services.asked] == [10, 5, 3]


def test_one_id_alone_that_is_not_there_is_looked_for_a_few_times(fetch, services):
    (row,) = fetch(arxiv.papers_by_id, ["2412.00001"])
    assert row == {"id": "2412.00001", "error": "arXiv has no paper 2412.00001"}
    assert len(services.asked) == LOOKS


def test_a_complaint_that_names_no_id_is_narrowed_down(fetch, services, monkeypatch):
    import service_answers as server

    monkeypatch.setattr(server, "_complaint", lambda message, made=server._complaint: made("malformed"))
    ids = [paper.id for paper in PAPERS[:4]] + ["2503.09999"] + [paper.id for paper in PAPERS[4:8]]
    rows = fetch(arxiv.papers_by_id, ids)
    assert ids_of(rows) == ids
    assert [row["error"] for row in rows if "error" in row] == ["arXiv says: malformed"]


def test_a_withdrawn_paper_has_the_notice_as_its_error(serve, make_client):
    abstract = "This paper has been withdrawn by the author due to a crucial error in equation 3."
    mentions = "This paper is about withdrawn ovens. " + PAPERS[0].abstract
    services = serve(
        Services(
            papers=[
                Paper("2501.00001", "Gone", abstract, "2025-01-01T00:00:00Z"),
                Paper("2501.00002", "Not gone", mentions, "2025-01-01T00:00:00Z"),
                Paper("2501.00003", "Empty", "", "2025-01-01T00:00:00Z"),
            ]
        )
    )
    ids = ["2501.00001", "2501.00002", "2501.00003"]
    gone, there, empty = arxiv.papers_by_id(make_client(), Bases.from_text(services.url), ids)
    assert gone["error"] == f"withdrawn: {abstract}"
    assert "abstract" not in gone
    assert "error" not in there
    assert empty["error"] == "this paper has no abstract"


def test_rows_that_are_there_are_not_asked_for_again(fetch, services):
    ids = [paper.id for paper in PAPERS]
    whole = fetch(arxiv.papers_by_id, ids)
    services.asked.clear()
    for skip in (0, 1, 9, 10, 25, 47):
        assert fetch(arxiv.papers_by_id, ids, skip) == whole[skip:]
    assert not services.asked


def test_a_query_gives_all_that_it_finds_newest_first(fetch, services):
    rows = fetch(arxiv.papers_of_query, "cat:cs.LG")
    assert ids_of(rows) == [paper.id for paper in reversed(PAPERS)]
    assert services.asked[0].query["search_query"] == "cat:cs.LG"
    assert len(services.asked) == 6


def test_a_query_can_be_sorted(fetch, services):
    assert ids_of(fetch(arxiv.papers_of_query, "x", "oldest")) == [paper.id for paper in PAPERS]
    fetch(arxiv.papers_of_query, "x", "relevance")
    assert services.asked[-1].query["sortBy"] == "relevance"


@pytest.mark.parametrize("most", [1, 9, 10, 11, 47, 100])
def test_no_more_is_asked_for_than_is_wanted(fetch, services, most):
    rows = fetch(arxiv.papers_of_query, "x", most=most)
    assert ids_of(rows) == [paper.id for paper in reversed(PAPERS)][:most]
    if most <= 10:
        assert [asked.query["max_results"] for asked in services.asked] == [str(most)]


def test_papers_that_come_and_go_while_a_query_is_read_cost_no_other(services, fetch):
    everything = papers(60)

    def change(number: int) -> None:
        if number < 3:
            services.papers.append(everything[47 + number])
            services.papers[40 - number].deleted = True

    services.after = change
    rows = ids_of(fetch(arxiv.papers_of_query, "x"))
    stayed = {paper.id for paper in PAPERS} - {PAPERS[k].id for k in (40, 39, 38)}
    assert len(rows) == len(set(rows))
    assert stayed <= set(rows)


def test_a_query_that_arxiv_does_not_understand_is_refused_in_its_words(fetch):
    with pytest.raises(InputError, match=r"does not understand the query \(unbalanced brackets\); correct it"):
        fetch(arxiv.papers_of_query, "(ti:ovens")


def test_a_query_that_finds_more_than_arxiv_shows_is_said(fetch, monkeypatch):
    monkeypatch.setattr(arxiv, "MOST_OF_QUERY", 30)
    with pytest.raises(FetchError, match="shows 30 results of a query at most"):
        fetch(arxiv.papers_of_query, "x")
    assert len(fetch(arxiv.papers_of_query, "x", most=20)) == 20


def test_a_query_can_be_narrowed_to_days_and_categories():
    assert arxiv.narrowed("ti:a OR ti:b", None, []) == "ti:a OR ti:b"
    narrowed = arxiv.narrowed("ti:a OR ti:b", DAY, ["cs.LG", "cs.CL"])
    assert narrowed.startswith("(ti:a OR ti:b) AND (cat:cs.LG OR cat:cs.CL) AND submittedDate:[202503040000 TO 2")


def test_since_a_day_are_the_papers_submitted_on_it_or_later(fetch, services):
    services.papers[2].changed = "2025-03-09"  # submitted before, changed after
    services.papers[20].deleted = True
    rows = fetch(arxiv.papers_since, DAY, ["cs.LG", "stat.ML"])
    wanted = {
        p.id for p in services.papers if p.published >= "2025-03-04" and "cs.LG" in p.categories and not p.deleted
    }
    assert len(rows) == len(wanted)
    assert set(ids_of(rows)) == wanted
    assert {"title", "abstract", "authors", "published", "categories", "primary_category", "comment", "url"} <= rows[
        0
    ].keys()
    assert services.asked[0].query == {
        "verb": "ListRecords",
        "metadataPrefix": "arXiv",
        "set": "cs:cs:LG",
        "from": "2025-03-04",
    }
    assert set(services.paths()) == {"/oai"}


def test_the_same_paper_gives_the_same_row_by_either_interface_but_for_the_version(fetch):
    by_day = {row["id"]: row for row in fetch(arxiv.papers_since, DAY, ["cs.LG"])}
    for by_id in fetch(arxiv.papers_by_id, list(by_day)):
        other = by_day[by_id["id"]]
        for name in ("title", "abstract", "categories", "primary_category", "comment"):
            assert by_id[name] == other[name]
        assert by_id["url"].startswith(other["url"])
        assert by_id["published"].startswith(other["published"])


def test_a_token_that_expired_makes_the_list_begin_again(fetch, services, monkeypatch):
    import service_answers as server

    answered = server._records

    def expire(services, asked):
        if "resumptionToken" in asked.query and len(services.asked) == 3:
            asked.query["resumptionToken"] = "expired"
        return answered(services, asked)

    whole = fetch(arxiv.papers_since, DAY, ["cs.LG"])
    services.asked.clear()
    monkeypatch.setattr(server, "_records", expire)
    client_rows = fetch(arxiv.papers_since, date(2025, 3, 3), ["cs.LG"])
    assert [row for row in client_rows if row["published"] >= "2025-03-04"] == whole
    assert len({row["id"] for row in client_rows}) == len(client_rows)
    assert sum("from" in asked.query for asked in services.asked) == 2


def test_nothing_since_a_day_is_no_paper_and_no_error(fetch):
    assert fetch(arxiv.papers_since, date(2025, 5, 1), ["cs.LG", "cs.AI"]) == []


def test_a_category_that_arxiv_does_not_have_is_said(fetch):
    with pytest.raises(FetchError, match=r"refuses the set cs:cs:XX \(badArgument\); check the category"):
        fetch(arxiv.papers_since, DAY, ["cs.XX"])


def test_an_empty_list_is_asked_for_again_and_then_refused(fetch, services):
    services.faults = lambda number, path: "empty"
    with pytest.raises(FetchError, match="answered with an empty list"):
        fetch(arxiv.papers_since, DAY, ["cs.LG"])
    assert len(services.asked) == TRIES


def test_a_day_before_all_records_is_asked_for_from_the_first_record(fetch, services):
    wanted = [paper.id for paper in PAPERS if "cs.LG" in paper.categories]
    assert ids_of(fetch(arxiv.papers_since, date(1991, 1, 1), ["cs.LG"])) == wanted
    assert services.asked[0].query["from"] == "2005-09-16"
