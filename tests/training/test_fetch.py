"""The labelled texts can be had again by id, beside their labels, and it shows which of them have changed."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path

import pytest
from abstracts import AREAS
from labelled_data import write_labels
from service_answers import notes, papers
from services import Services, in_turn, serving

from tagger.fetch import arxiv, openreview
from training import fetch
from training.counts import count_ngrams
from training.fetch import OPENREVIEW_VENUES, Counts
from training.shards import Shard, write_shard

COLM, OTHER = OPENREVIEW_VENUES["colm2024"], "Workshop.org/2024"
IDS = [f"2503.{k:05d}" for k in range(23)]
IDS[5:5] = ["colm2024:colm00003", "icml2018:2293", "alt2025:lost00001"]
IDS[11:11] = ["colm2024:else00002", "aistats2021:3dc7a54555", "oddity"]


NO_INTERFACE = "cannot be had through an interface; look at the venue's site"


@pytest.fixture
def services():
    with ExitStack() as stack:
        new = {COLM: notes(COLM, 12, prefix="colm"), OTHER: notes(OTHER, 4, prefix="else")}
        yield stack.enter_context(serving(Services(papers=papers(22), new=new)))


@pytest.fixture
def data(tmp_path, services) -> Path:
    """Labels, and counts of the texts as they were when they were labelled; one has changed since."""
    there = {paper.id: " ".join(paper.abstract.split()) for paper in services.papers}
    for venue in services.new.values():
        there |= {f"colm2024:{note['id']}": " ".join(note["content"]["abstract"]["value"].split()) for note in venue}
    there[IDS[2]] += " Code for our ovens is on the shelf."
    texts = [there.get(id_, "A text that is nowhere.") for id_ in IDS]
    labels = [
        {"id": id_, "split": "dev" if k % 4 == 3 else "train", "source": "x", "stratum": "y", "sampled": "random"}
        | {"astronomy": str(k % 3), "cooking": ""}
        for k, id_ in enumerate(IDS)
    ]
    write_labels(tmp_path / "data" / "labels" / "0001.csv", labels)
    (tmp_path / "data" / "labelled").mkdir()
    both = count_ngrams([*texts, *("A title" for _ in texts)])
    shard = Shard(tuple(IDS), both[: len(IDS)], both[len(IDS) :])
    write_shard(tmp_path / "data" / "labelled" / "0001.npz", shard)
    return tmp_path / "data"


@pytest.fixture
def run(services, data, tmp_path, monkeypatch, capsys):
    """Runs the program: `run("--split", "dev")`; gives the exit code and the rows."""
    monkeypatch.setattr(arxiv, "PAGE", 10)
    monkeypatch.setattr(openreview, "PAGE", 10)
    monkeypatch.setenv("TAGGER_ARXIV_URL", services.url)
    monkeypatch.setenv("TAGGER_OPENREVIEW_URL", f"{services.url} {services.url}/old")
    monkeypatch.setenv("TAGGER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TAGGER_FETCH_PAUSE", "0")
    for name in ("OPENREVIEW_USERNAME", "OPENREVIEW_PASSWORD", "http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    output = tmp_path / "texts.jsonl"

    def run(*arguments: str) -> tuple[int, list[dict]]:
        code = fetch.main(["--data", str(data), "-o", str(output), *arguments])
        run.out, run.err = capsys.readouterr()
        return code, [json.loads(line) for line in output.read_text().splitlines()] if output.exists() else []

    return run


def test_each_label_gives_a_row_in_order_with_its_text_or_the_reason(run):
    code, rows = run()
    assert code == 1
    assert [row["id"] for row in rows] == IDS
    by_id = {row["id"]: row for row in rows}
    assert by_id[IDS[0]]["abstract"].startswith("Après tout, we ask whether")
    assert by_id["colm2024:colm00003"]["abstract"].startswith("Après tout, oven 3 is warm.")
    assert by_id["colm2024:else00002"]["abstract"].startswith("Après tout, oven 2 is warm.")
    assert {id_: row["error"] for id_, row in by_id.items() if "error" in row} == {
        "2503.00022": "arXiv has no paper 2503.00022",
        "alt2025:lost00001": "OpenReview has no paper with this id",
        "icml2018:2293": f"the papers of icml2018 {NO_INTERFACE}",
        "aistats2021:3dc7a54555": f"the papers of aistats2021 {NO_INTERFACE}",
        "oddity": "neither an id at arXiv nor one of a venue",
    }


def test_labels_stand_beside_the_texts(run):
    _, rows = run()
    assert set(AREAS) <= rows[0].keys()
    assert [row["astronomy"] for row in rows[:4]] == [0, 1, 2, 0]
    assert {row["cooking"] for row in rows} == {None}
    assert [row["split"] for row in rows[:4]] == ["train", "train", "train", "dev"]


def test_a_text_that_is_not_the_one_that_was_labelled_is_told(run):
    _, rows = run()
    changed = [row for row in rows if row.get("unchanged") is False]
    assert [row["id"] for row in changed] == [IDS[2]]
    assert 0.5 < changed[0]["similarity"] < 1
    assert run.out.startswith("23 of 24 texts are the ones that were labelled\n")
    assert run.out.splitlines()[1:] == [f"  {IDS[2]}  {changed[0]['similarity']:.2f}"]


def test_one_split_can_be_had(run):
    _, rows = run("--split", "dev")
    assert [row["id"] for row in rows] == IDS[3::4]


def test_a_run_that_was_stopped_goes_on_without_asking_twice(run, services):
    _, whole = run()
    services.asked.clear()
    services.faults = lambda number, path: "500" if services.paths().count("/api/query") > 1 else ""
    code, _ = run("--force", "--no-cache")
    assert code == 2
    assert "--resume goes on from there" in run.err
    asked = [a.query["id_list"] for a in services.asked if "id_list" in a.query and not a.fault]
    services.faults = in_turn()
    services.asked.clear()
    code, rows = run("--resume", "--no-cache")
    assert code == 1
    assert rows == whole
    assert len(asked) == 2
    assert not set(asked) & {a.query.get("id_list") for a in services.asked}
    assert run.out.startswith("23 of 24")


def test_without_an_account_what_arxiv_has_is_had_all_the_same(run, services):
    services.login = {"id": "ada", "password": "s3cret"}
    _, rows = run()
    by_id = {row["id"]: row for row in rows}
    assert "set OPENREVIEW_USERNAME" in by_id["colm2024:colm00003"]["error"]
    assert "set OPENREVIEW_USERNAME" in by_id["alt2025:lost00001"]["error"]
    assert sum("abstract" in row for row in rows) == 22


def test_other_labels_do_not_go_on_with_the_file_of_these(run, services):
    services.faults = lambda number, path: "500" if number else ""
    assert run()[0] == 2
    assert run("--resume", "--split", "dev")[0] == 2
    assert "--force" in run.err


@pytest.mark.parametrize("arguments", [["--split", "none"], ["--data", "nowhere"]])
def test_what_cannot_be_done_is_said_in_one_line(run, arguments):
    assert run(*arguments)[0] == 2
    assert len(run.err.splitlines()) == 1


def test_counts_of_a_text_are_those_that_were_shipped_or_less_like_them(data):
    counts = Counts.read(data)
    text = "A text that is nowhere."
    assert counts.similarity("oddity", text) == 1
    assert counts.similarity("oddity", "A text  that is NOWHERE") == 1
    assert 0 < counts.similarity("oddity", text + " Zebra.") < 1
    assert 0 < counts.similarity("oddity", "A text.") < 1
    assert counts.similarity("oddity", "") == 0


def test_the_shipped_counts_are_those_of_the_labelled_texts(corpus, repository):
    from pyarrow import parquet

    counts = Counts.read(repository / "data")
    rows = parquet.read_table(corpus / "labelled.parquet", columns=["id", "abstract"]).to_pylist()[::150]
    assert {counts.similarity(row["id"], row["abstract"]) for row in rows} == {1.0}
