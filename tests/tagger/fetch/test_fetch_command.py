"""The command `tagger fetch`: what it writes, what it says, and how it goes on after it was stopped."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest
from command import REPOSITORY, environment
from service_answers import notes, papers
from services import Services, in_turn, randomly

from tagger.fetch import arxiv, openreview

VENUE = "ICML.cc/2025/Conference"
PAPERS = papers(47)
IDS = [paper.id for paper in PAPERS]


@pytest.fixture
def services(serve, monkeypatch, tmp_path) -> Services:
    """Both services, where the command finds them."""
    monkeypatch.setattr(arxiv, "PAGE", 10)
    monkeypatch.setattr(openreview, "PAGE", 10)
    services = serve(Services(papers=papers(47), new={VENUE: notes(VENUE, 43)}))
    monkeypatch.setenv("TAGGER_ARXIV_URL", services.url)
    monkeypatch.setenv("TAGGER_OPENREVIEW_URL", f"{services.url} {services.url}/old")
    monkeypatch.setenv("TAGGER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TAGGER_FETCH_PAUSE", "0")
    for name in ("OPENREVIEW_USERNAME", "OPENREVIEW_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return services


def rows_of(text: str) -> list[dict]:
    return [json.loads(line) for line in text.splitlines()]


def test_papers_by_id_go_to_standard_output_as_json_lines(run, services):
    done = run("fetch", "arxiv", IDS[3], f"https://arxiv.org/abs/{IDS[1]}")
    assert (done.code, done.err) == (0, "")
    assert [row["id"] for row in rows_of(done.out)] == [IDS[3], IDS[1]]
    assert "“crusts” & crème" in done.out


def test_what_is_fetched_can_be_tagged(run, services, model_directory):
    assert run("fetch", "arxiv", *IDS[:3], "-o", "papers.jsonl").code == 0
    done = run("tag", "--model", model_directory, "papers.jsonl")
    assert done.code == 0
    assert [row["id"] for row in rows_of(done.out)] == IDS[:3]


def test_ids_come_from_a_file_and_from_standard_input(run, services, tmp_path):
    (tmp_path / "ids.txt").write_bytes(f"\ufeff# mine\r\n{IDS[0]}\r\n\r\n  {IDS[1]} # good\r\n".encode())
    assert [row["id"] for row in rows_of(run("fetch", "arxiv", IDS[5], "--ids", "ids.txt").out)] == [IDS[5], *IDS[:2]]
    for arguments in (["-"], ["--ids", "-"]):
        done = run("fetch", "arxiv", *arguments, stdin=f"{IDS[2]}\n{IDS[0]}\n".encode())
        assert [row["id"] for row in rows_of(done.out)] == [IDS[2], IDS[0]]


def test_papers_that_cannot_be_fetched_are_counted(run, services):
    done = run("fetch", "arxiv", IDS[0], "rubbish", "2412.00001")
    assert done.code == 1
    assert len(rows_of(done.out)) == 3
    assert done.err.startswith("tagger: 2 of 3 records could not be fetched: ")
    assert done.err.endswith("; the first is arXiv (id rubbish); their rows say why\n")


def test_queries_days_and_venues_give_what_they_should(run, services):
    newest = IDS[::-1]
    assert [row["id"] for row in rows_of(run("fetch", "arxiv", "--query", "cat:cs.LG", "--max", 12).out)] == newest[:12]
    assert [row["id"] for row in rows_of(run("fetch", "arxiv", "--query", "x", "--sort", "oldest").out)] == IDS
    done = run("fetch", "arxiv", "--since", "2025-03-10", "--categories", "cs.LG, stat.ML")
    assert {row["id"] for row in rows_of(done.out)} == {
        p.id for p in PAPERS if p.published >= "2025-03-10" and "cs.LG" in p.categories
    }
    run("fetch", "arxiv", "--since", "2025-03-10", "--no-cache")
    assert [asked.query["set"] for asked in services.asked[-5:]] == [
        *("cs:cs:LG", "cs:cs:CL", "cs:cs:CV", "cs:cs:AI", "stat:stat:ML")
    ]
    run("fetch", "arxiv", "--query", "ti:ovens", "--since", "2025-03-10", "--categories", "cs.LG")
    query = services.asked[-1].query["search_query"]
    assert query.startswith("(ti:ovens) AND (cat:cs.LG) AND submittedDate:[202503100000 TO ")
    assert len(rows_of(run("fetch", "openreview", VENUE).out)) == 35
    assert len(rows_of(run("fetch", "openreview", VENUE, "--all", "--max", 40).out)) == 40
    assert [row["id"] for row in rows_of(run("fetch", "openreview", "note00003", "note00001").out)] == [
        *("note00003", "note00001")
    ]


def test_an_answer_that_was_had_is_not_asked_for_again_unless_wanted(run, services):
    first = run("fetch", "arxiv", "--query", "x")
    n_asked = len(services.asked)
    assert run("fetch", "arxiv", "--query", "x").out == first.out
    assert len(services.asked) == n_asked
    assert run("fetch", "arxiv", "--query", "x", "--no-cache").out == first.out
    assert len(services.asked) == 2 * n_asked


REFUSED = {
    "fetch": "SERVICE",
    "fetch biorxiv": "invalid choice",
    "fetch arxiv": "give either ids of papers, or --query, or --since",
    "fetch arxiv 2503.00001 --query x": "give either ids of papers",
    "fetch arxiv 2503.00001 --since 2025-01-01": "give either ids of papers",
    "fetch arxiv --since yesterday": "--since yesterday: not a day; write it as 2025-06-30",
    "fetch arxiv --since 2999-01-01": "has not come",
    "fetch arxiv --since 2025-01-01 --categories LG": "'LG' is not an arXiv category",
    "fetch arxiv --query x --max 0": "--max 0: give a number of papers, 1 or more",
    "fetch arxiv --query x --resume": "name it with -o",
    "fetch arxiv --query x --base-url ftp://x": "not an http or https address",
    "fetch arxiv --ids none.txt": "none.txt: cannot be read (No such file or directory)",
    "fetch arxiv --ids empty.txt": "the list of ids is empty",
    "fetch arxiv 2503.00001 --max 5": "--categories and --max go with --query or --since",
    "fetch arxiv 2503.00001 --categories cs.LG": "leave them out with ids",
    "fetch openreview note00001 --all": "--all and --max go with a venue",
    "fetch arxiv --query x -o x.csv": "x.csv: fetch writes JSON Lines; name it .jsonl",
    "fetch arxiv --query x -o x.jsonl.gz": "`tagger convert` makes other formats",
    "fetch arxiv --query x -o folder": "folder: is a directory",
    "fetch arxiv --query x -o none/x.jsonl": "none/x.jsonl: cannot be written",
    "fetch arxiv --query (x": "arXiv does not understand the query (unbalanced brackets)",
    "fetch arxiv --since 2026-01-01": "nothing was found",
    "fetch openreview": "give one venue, or ids of papers",
    "fetch openreview ICML": "'ICML' is not at OpenReview; give a venue, as ICML.cc/2025/Conference",
    "fetch openreview ICML.cc/2025/Conference ICLR.cc/2025/Conference": "give one venue",
    "fetch openreview ICML.cc/1925/Conference": "OpenReview has no venue 'ICML.cc/1925/Conference'",
}


@pytest.mark.parametrize("arguments", REFUSED)
def test_what_cannot_be_done_is_said_in_one_line(run, services, tmp_path, arguments):
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty.txt").write_text("# nothing\n")
    done = run(*arguments.split())
    assert done.code == 2
    assert done.out == ""
    assert len(done.err.splitlines()) == 1
    assert REFUSED[arguments] in done.err
    assert len(done.err) < 300


@pytest.mark.parametrize("variable", ["TAGGER_FETCH_PAUSE", "TAGGER_FETCH_TIMEOUT"])
@pytest.mark.parametrize("value", ["soon", "-1", "nan", "inf"])
def test_a_variable_that_is_no_number_is_said(run, services, monkeypatch, variable, value):
    monkeypatch.setenv(variable, value)
    assert f"{variable}={value}: not a number of seconds" in run("fetch", "arxiv", IDS[0]).err


def test_a_file_appears_when_it_is_whole_and_is_not_replaced_unasked(run, services, tmp_path):
    assert run("fetch", "arxiv", "--query", "x", "-o", "out.jsonl").code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cache", "out.jsonl"]
    before = (tmp_path / "out.jsonl").read_bytes()
    done = run("fetch", "arxiv", IDS[0], "-o", "out.jsonl")
    assert done.code == 2
    assert "--force" in done.err
    assert (tmp_path / "out.jsonl").read_bytes() == before
    assert run("fetch", "arxiv", IDS[0], "-o", "out.jsonl", "--force").code == 0
    assert len(rows_of((tmp_path / "out.jsonl").read_text())) == 1


def test_a_file_can_be_a_device(run, services):
    assert run("fetch", "arxiv", IDS[0], "-o", "/dev/null").code == 0


ASKED = {
    "ids": ["arxiv", *IDS, "rubbish"],
    "query": ["arxiv", "--query", "cat:cs.LG"],
    "max": ["arxiv", "--query", "cat:cs.LG", "--max", "33"],
    "since": ["arxiv", "--since", "2025-03-03", "--categories", "cs.LG,cs.CL"],
    "venue": ["openreview", VENUE, "--all"],
    "notes": ["openreview", "note00003", "note00005", "nonesuch", "note00001"],
}


@pytest.mark.parametrize("what", ASKED)
def test_a_run_that_breaks_off_goes_on_where_it_was(run, services, tmp_path, what):
    arguments = ["fetch", *ASKED[what]]
    run(*arguments, "-o", "whole.jsonl", "--no-cache")
    services.asked.clear()
    services.faults = lambda number, path: "500" if number % 8 > 1 else ""
    for attempt in range(40):
        done = run(*arguments, "-o", "out.jsonl", *(["--resume"] if attempt else []))
        if done.code != 2:
            break
        assert len(done.err.splitlines()) == 1
        assert not (tmp_path / "out.jsonl").exists()
        if (tmp_path / "out.jsonl.part").exists():
            assert "are kept in out.jsonl.part, --resume goes on from there" in done.err
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert not list(tmp_path.glob("*.part*"))
    answered = [str(asked.query) for asked in services.asked if not asked.fault]
    absent = {query for query in answered if answered.count(query) > 1}
    assert all("nonesuch" in query for query in absent)


@pytest.mark.parametrize("what", ["ids", "notes"])
def test_without_answers_kept_no_paper_is_asked_for_that_is_there(run, services, what):
    arguments = ["fetch", *ASKED[what], "--no-cache", "-o", "out.jsonl"]
    services.faults = lambda number, path: "500" if number >= 2 else ""
    assert run(*arguments).code == 2
    before = [asked.query for asked in services.asked if not asked.fault]
    services.asked.clear()
    services.faults = in_turn()
    assert run(*arguments, "--resume").code == 1
    assert not [asked.query for asked in services.asked if asked.query in before]


def test_a_file_that_is_complete_needs_nothing(run, services):
    run("fetch", "arxiv", IDS[0], "-o", "out.jsonl")
    services.asked.clear()
    done = run("fetch", "arxiv", IDS[0], "-o", "out.jsonl", "--resume")
    assert (done.code, done.out) == (0, "")
    assert "out.jsonl is complete" in done.err
    assert not services.asked


def test_a_part_file_is_gone_on_with_only_by_the_same_command(run, services, tmp_path):
    services.faults = lambda number, path: "500" if number else ""
    assert run("fetch", "arxiv", "--query", "x", "-o", "out.jsonl").code == 2
    services.faults = in_turn()
    before = (tmp_path / "out.jsonl.part").read_bytes()
    assert before
    without = run("fetch", "arxiv", "--query", "x", "-o", "out.jsonl")
    assert (without.code, "--resume" in without.err, "--force" in without.err) == (2, True, True)
    other = run("fetch", "arxiv", "--query", "y", "-o", "out.jsonl", "--resume")
    assert (other.code, "--force" in other.err) == (2, True)
    assert (tmp_path / "out.jsonl.part").read_bytes() == before
    assert run("fetch", "arxiv", "--query", "y", "-o", "out.jsonl", "--force").code == 0
    assert len(rows_of((tmp_path / "out.jsonl").read_text())) == 47


def test_papers_that_are_fewer_than_announced_are_said(run, services):
    services.faults = lambda number, path: "more"
    done = run("fetch", "arxiv", "--query", "x")
    assert done.code == 1
    assert len(rows_of(done.out)) == 47
    assert done.err == "tagger: 54 papers were announced and 47 shown; try again later to see whether there are more\n"


def in_background(*arguments: str, **changes: str) -> subprocess.Popen:
    """The command in a process of its own, with pages of ten papers, that saves what it has after each."""
    program = "import sys; from tagger import partfile; from tagger.cli import main; "
    program += "from tagger.fetch import arxiv, openreview; arxiv.PAGE = openreview.PAGE = 10; "
    program += "partfile.CHECKPOINT_SECONDS, partfile.MOST_TIME_IN_CHECKPOINTS = 0, 1e9; sys.exit(main())"
    command = [sys.executable, "-c", program, "fetch", *arguments]
    return subprocess.Popen(command, env=environment(**changes), stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.mark.parametrize("what", ["ids", "query", "since"])
def test_a_run_that_is_killed_again_and_again_ends_with_the_file_of_a_run_that_was_not(run, services, tmp_path, what):
    run("fetch", *ASKED[what], "-o", "whole.jsonl")
    services.asked.clear()
    cache = str(tmp_path / "other")
    generator = random.Random(what)
    kills = 0
    output = tmp_path / "out.jsonl"
    for attempt in range(7):
        last = attempt == 6
        stop_at = len(services.asked) + generator.choice((1, 2, 2, 3))
        process = in_background(
            *ASKED[what],
            "-o",
            str(output),
            *(["--resume"] if attempt else []),
            TAGGER_CACHE=cache,
            TAGGER_FETCH_PAUSE="0",
        )
        until = time.monotonic() + 20
        while process.poll() is None and time.monotonic() < until:
            if not last and len(services.asked) >= stop_at:
                time.sleep(generator.random() * 0.02)
                process.kill()
                kills += 1
                break
            time.sleep(0.001)
        _, error = process.communicate(timeout=20)
        if process.returncode in (0, 1):
            break
        assert process.returncode == -signal.SIGKILL, error
        if output.exists():
            break
    assert output.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert kills
    queries = [tuple(asked.query.items()) for asked in services.asked if asked.ended]
    repeated = len(queries) - len(set(queries))
    assert repeated <= kills + 2  # an answer that was on its way, and looks for what is not there


def test_an_interrupt_leaves_what_is_there_and_says_how_to_go_on(run, services, tmp_path):
    services.faults, services.slowness = (lambda number, path: "slow" if number == 2 else ""), 5.0
    process = in_background(*ASKED["query"], "-o", "out.jsonl")
    until = time.monotonic() + 20
    while len(services.asked) < 3 and time.monotonic() < until:
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=20)
    assert process.returncode == 130
    assert error.decode() == "tagger: interrupted; 19 papers are kept in out.jsonl.part, --resume goes on from there\n"
    services.faults = in_turn()
    assert run("fetch", *ASKED["query"], "-o", "out.jsonl", "--resume").code == 0
    assert len(rows_of((tmp_path / "out.jsonl").read_text())) == 47
    assert len(services.asked) == 6 + 1


def test_a_reader_of_the_output_may_go_away(services):
    process = in_background(*ASKED["query"])
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(20) == 0
    assert process.stderr.read() == b""
    process.stderr.close()


def test_commands_at_once_ask_one_at_a_time_with_the_pause_between(services):
    pause = 0.15
    processes = [
        in_background("arxiv", "--query", f"x{k}", "--max", "20", TAGGER_FETCH_PAUSE=str(pause)) for k in range(3)
    ]
    for process in processes:
        out, error = process.communicate(timeout=60)
        assert (process.returncode, error) == (0, b"")
        assert len(out.splitlines()) == 20
    assert services.most_at_once == 1
    spans = sorted((asked.began, asked.ended) for asked in services.asked)
    assert len(spans) >= 6
    assert all(began - ended > pause - 0.02 for (_, ended), (began, _) in pairwise(spans))


def test_the_output_is_whole_whatever_goes_wrong(run, services, tmp_path):
    quick = ("429", "503", "cut", "reset", "latin header", "utf-16", "half", "repeat")
    run("fetch", *ASKED["query"], "-o", "whole.jsonl")
    for seed in range(5):
        services.faults = randomly(seed, 0.3, quick)
        done = run("fetch", *ASKED["query"], "-o", f"{seed}.jsonl", "--no-cache")
        assert (done.code, done.err) == (0, "")
        assert Path(f"{seed}.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_the_program_starts_without_the_libraries_that_fetching_needs(tmp_path):
    code = (
        "import sys; sys.modules.update({name: None for name in ('urllib3', 'defusedxml', 'tqdm')}); "
        "from tagger.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    for arguments, code_, expected in (
        (["--help"], 0, b""),
        (["fetch", "arxiv", "--help"], 0, b""),
        (["fetch", "arxiv", "2503.00001"], 2, b"pip install 'area-tagger[fetch]'"),
    ):
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments],
            capture_output=True,
            env=environment(TAGGER_CACHE=str(tmp_path)),
            cwd=REPOSITORY,
            timeout=60,
        )
        assert done.returncode == code_
        assert expected in done.stderr
        assert len(done.stderr.splitlines()) <= 1


def test_importing_the_package_imports_no_library_for_fetching():
    code = "import sys, tagger, tagger.cli; print({'urllib3', 'defusedxml', 'tqdm', 'scipy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment(), timeout=60)
    assert done.stdout.strip() == b"set()", os.fsdecode(done.stderr)
