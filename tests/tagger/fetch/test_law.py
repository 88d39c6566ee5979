"""Whatever goes wrong, in whatever order, the papers are those of a run where nothing did, or one line says why not."""

from __future__ import annotations

import random
from datetime import date

import pytest
from service_answers import notes, papers
from services import FAULTS, Services, randomly, serving

from tagger.errors import FetchError
from tagger.fetch import arxiv, openreview
from tagger.fetch.cache import Cache
from tagger.fetch.client import Client
from tagger.fetch.pace import Pace

NEW, OLD = "ICML.cc/2025/Conference", "ICLR.cc/2022/Conference"
IDS = [paper.id for paper in papers(47)]
IDS = [*IDS[::2], "2412.00001", "rubbish", *IDS[1::2], "2503.09999"]
RUNS = ("ids", "query", "since", "venue", "all", "old", "notes")
QUICK = tuple(fault for fault in FAULTS if fault != "slow")
CALM = tuple(fault for fault in QUICK if fault not in ("more", "fewer", "repeat", "half", "empty"))


@pytest.fixture(autouse=True)
def _small_pages(monkeypatch):
    monkeypatch.setattr(arxiv, "PAGE", 10)
    monkeypatch.setattr(openreview, "PAGE", 10)


def services(**options) -> Services:
    new, old = {NEW: notes(NEW, 43)}, {OLD: notes(OLD, 33, 1, "old")}
    return Services(papers=papers(47), new=new, old=old, **options)


def rows_of(run: str, client: Client, url: str, warn):
    at_arxiv, at_openreview = arxiv.Bases.from_text(url), openreview.Bases.from_text(f"{url} {url}/old")
    if run == "ids":
        return arxiv.papers_by_id(client, at_arxiv, IDS)
    if run == "query":
        return arxiv.papers_of_query(client, at_arxiv, "cat:cs.LG", warn=warn)
    if run == "since":
        return arxiv.papers_since(client, at_arxiv, date(2025, 3, 3), ["cs.LG", "stat.ML"])
    if run == "notes":
        return openreview.papers_by_id(client, at_openreview, ["note00003", "old00004", "nonesuch"])
    return openreview.papers_of_venue(client, at_openreview, OLD if run == "old" else NEW, run == "all", warn=warn)


@pytest.fixture(scope="module")
def undisturbed() -> dict[str, list[dict]]:
    with pytest.MonkeyPatch.context() as patch, serving(services()) as served, Client(Pace(None), 0.0) as client:
        patch.setattr(arxiv, "PAGE", 10)
        patch.setattr(openreview, "PAGE", 10)
        return {run: list(rows_of(run, client, served.url, pytest.fail)) for run in RUNS}


def disturbed(run: str, faults, timeout: float = 5.0, cache: Cache | None = None, **options):
    """Rows, warnings and the error of a run."""
    rows: list[dict] = []
    warned: list[str] = []
    with serving(services(faults=faults, **options)) as served, Client(Pace(None), 0.0, cache, timeout) as client:
        try:
            rows.extend(rows_of(run, client, served.url, warned.append))
        except FetchError as error:
            return rows, warned, str(error), served
    return rows, warned, None, served


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("run", RUNS)
def test_faults_at_random_change_nothing_or_are_said_in_one_line(undisturbed, run, seed):
    rows, warned, error, served = disturbed(run, randomly(seed, 0.4, QUICK))
    assert served.most_at_once == 1
    assert len(served.asked) < 300
    if error is None and not warned:
        assert rows == undisturbed[run]
    else:
        assert "\n" not in (error or warned[0])
        ids = [row["id"] for row in rows]
        assert len(set(ids)) == len(ids)
        assert set(ids) <= {row["id"] for row in undisturbed[run]}


@pytest.mark.parametrize("run", ["ids", "query", "since", "old"])
@pytest.mark.parametrize("fault", QUICK)
def test_each_fault_now_and_then_changes_nothing(undisturbed, run, fault):
    generator = random.Random(f"{run} {fault}")

    def now_and_then(number: int, path: str) -> str:
        return fault if number % 3 == 1 or (number % 7 == 4 and generator.random() < 0.5) else ""

    rows, warned, error, served = disturbed(run, now_and_then)
    assert (rows, warned, error) == (undisturbed[run], [], None)
    assert served.most_at_once == 1


@pytest.mark.parametrize("run", ["ids", "since", "venue"])
def test_answers_that_come_too_late_change_nothing(undisturbed, run):
    rows, warned, error, _ = disturbed(run, lambda number, path: "slow" if number % 3 == 1 else "", 0.3, slowness=0.6)
    assert (rows, warned, error) == (undisturbed[run], [], None)


@pytest.mark.parametrize("run", RUNS)
def test_a_run_that_fails_and_is_repeated_gets_there_without_asking_twice_for_the_same(undisturbed, run, tmp_path):
    cache = Cache(tmp_path)
    answered: set[tuple[str, ...]] = set()
    for seed in range(60):
        rows, _, error, served = disturbed(run, randomly(seed, 0.7, CALM), cache=cache)
        for asked in served.asked:
            key = (asked.path, *asked.query.values())
            assert key not in answered
            if asked.fault in ("", "latin header", "latin bytes", "utf-16") and _is_kept(key):
                answered.add(key)
        if error is None:
            break
    assert rows == undisturbed[run]


def _is_kept(key: tuple[str, ...]) -> bool:
    """Whether an answer is one that is kept: not a refusal, and not the absence of a paper."""
    return not any(
        "2503.09999" in value or "2412.00001" in value or "nonesuch" in value or "old0" in value for value in key
    )
