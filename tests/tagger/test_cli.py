"""`tagger tag` and `tagger info`: what goes in, what comes out, on which stream and with which exit code."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import signal

import hypothesis.strategies as st
import pytest
from abstracts import ASTRONOMY, COOKING, long_abstract, small_abstracts
from hypothesis import HealthCheck, given, settings

import tagger as package

STARS, SOUP = " ".join(ASTRONOMY), " ".join(COOKING)


@pytest.fixture
def tag(run, model_directory):
    """Runs `tagger tag` with the small model."""
    return lambda *arguments, **options: run("tag", "--model", model_directory, *arguments, **options)


def rows_of(output: str) -> list[dict]:
    return [json.loads(line) for line in output.splitlines()]


def jsonl(*rows: object) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_a_list_of_abstracts_gives_a_row_for_each_with_its_areas(tag, tmp_path):
    (tmp_path / "list.txt").write_text(f"Papers\n\n{STARS}\n\n{SOUP}\n")
    done = tag(tmp_path / "list.txt")
    assert (done.code, done.err) == (0, "")
    assert [(row["id"], row["areas"]) for row in rows_of(done.out)] == [
        ("list.txt:1", ["astronomy"]), ("list.txt:2", ["cooking"]),
    ]  # fmt: skip
    keys = ("id", "areas", "probabilities", "central", "central_probabilities", "unsure", "source", "position", "model")
    assert all(set(keys) == row.keys() for row in rows_of(done.out))


def test_the_command_gives_what_the_library_gives(tag, tagger_, tmp_path):
    texts = small_abstracts(12, seed=8)[0]
    (tmp_path / "list.jsonl").write_text(jsonl(*({"abstract": text} for text in texts)))
    for row, tags in zip(rows_of(tag(tmp_path / "list.jsonl").out), tagger_.tag_many(texts), strict=True):
        assert row["areas"] == list(tags.areas)
        assert row["unsure"] == list(tags.unsure)
        assert row["probabilities"] == pytest.approx(dict(tags.probabilities), abs=1e-6)
        assert row["central"] == list(tags.central)
        assert row["central_probabilities"] == pytest.approx(dict(tags.central_probabilities), abs=1e-6)


def test_several_files_of_several_formats_are_one_stream_in_order(tag, tmp_path):
    (tmp_path / "a.txt").write_text(SOUP)
    (tmp_path / "b.csv").write_text(f'id,abstract\nb1,"{STARS}"\n')
    (tmp_path / "c.jsonl").write_text(jsonl({"id": "c1", "abstract": SOUP}))
    done = tag(tmp_path / "b.csv", tmp_path / "a.txt", tmp_path / "c.jsonl")
    assert [row["id"] for row in rows_of(done.out)] == ["b1", "a.txt:1", "c1"]


@pytest.mark.parametrize(
    "content",
    [f"{STARS}\n\n{SOUP}", jsonl({"abstract": STARS}, {"abstract": SOUP}), f'abstract,n\n"{STARS}",1\n"{SOUP}",2\n'],
)
def test_a_dash_is_standard_input(tag, content):
    done = tag("-", stdin=content.encode())
    assert (done.code, done.err) == (0, "")
    assert [(row["id"], row["areas"]) for row in rows_of(done.out)] == [
        ("stdin:1", ["astronomy"]),
        ("stdin:2", ["cooking"]),
    ]


def test_a_directory_is_tagged_and_what_is_left_out_or_guessed_is_told_on_stderr(tag, tmp_path):
    papers = tmp_path / "papers"
    papers.mkdir()
    (papers / "a.txt").write_bytes(STARS.encode() + b" na\xefve")
    (papers / "b.png").write_bytes(b"\x89PNG")
    (papers / "c.csv.gz").write_bytes(gzip.compress(f'id,abstract\nc1,"{SOUP}"\n'.encode()))
    done = tag(papers)
    assert [(row["id"], row["areas"]) for row in rows_of(done.out)] == [("a.txt:1", ["astronomy"]), ("c1", ["cooking"])]
    assert done.code == 0
    assert done.err.splitlines() == [
        f"tagger: {papers / 'a.txt'}: 1 byte is not UTF-8; it is read as Windows-1252",
        f"tagger: {papers / 'b.png'}: unknown format (a picture); left out",
    ]


def test_the_fields_can_be_named(tag, tmp_path):
    (tmp_path / "in.csv").write_text(f"nr,abstract,words,head\nx1,none,{STARS},Skies\n")
    done = tag(tmp_path / "in.csv", "--text-field", "words", "--id-field", "nr", "--title-field", "head")
    (row,) = rows_of(done.out)
    assert (row["id"], row["title"], row["areas"]) == ("x1", "Skies", ["astronomy"])


def test_the_input_format_can_be_named(tag, tmp_path):
    (tmp_path / "in.txt").write_text(f"id,abstract\nx1,{STARS}\n")
    assert [row["id"] for row in rows_of(tag("--from", "csv", tmp_path / "in.txt").out)] == ["x1"]


@pytest.mark.parametrize("arguments", [["-o", "out.csv"], ["--output", "out.data", "--format", "csv"]])
def test_a_csv_file_holds_every_row_and_standard_output_nothing(tag, tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.jsonl").write_text(jsonl({"id": "p1", "abstract": STARS}, {"id": "p2", "abstract": SOUP}))
    done = tag("in.jsonl", *arguments)
    assert (done.code, done.out, done.err) == (0, "", "")
    rows = list(csv.DictReader(io.StringIO((tmp_path / arguments[1]).read_text())))
    assert [(row["id"], row["areas"], row["error"]) for row in rows] == [("p1", "astronomy", ""), ("p2", "cooking", "")]
    assert float(rows[0]["astronomy"]) > 0.5 > float(rows[0]["cooking"])


def test_a_jsonl_file_holds_what_standard_output_would(tag, tmp_path):
    (tmp_path / "in.jsonl").write_text(jsonl({"id": "p1", "abstract": STARS}, {"id": "p2"}))
    on_stdout = tag(tmp_path / "in.jsonl")
    to_file = tag(tmp_path / "in.jsonl", "-o", tmp_path / "out.jsonl")
    assert (tmp_path / "out.jsonl").read_text() == on_stdout.out
    assert (to_file.code, to_file.err) == (on_stdout.code, on_stdout.err)


def test_the_table_can_be_asked_for_without_a_terminal(tag, tmp_path):
    (tmp_path / "in.txt").write_text(STARS)
    header, line = tag(tmp_path / "in.txt", "--format", "table").out.splitlines()
    assert header.split() == ["id", "areas", "text"]
    assert line.split()[:2] == ["in.txt:1", "astronomy"]


def test_records_that_fail_have_rows_with_errors_and_the_exit_code_is_1(tag, tmp_path):
    rows = [
        {"id": "p1", "abstract": STARS},
        {"id": "p2"},
        {"id": "p3", "abstract": " "},
        {"id": "p4", "abstract": SOUP},
    ]
    (tmp_path / "in.jsonl").write_text(jsonl(*rows) + "{not JSON\n")
    done = tag(tmp_path / "in.jsonl")
    results = rows_of(done.out)
    assert [row["id"] for row in results] == ["p1", "p2", "p3", "p4", "in.jsonl:5"]
    assert ["error" in row for row in results] == [False, True, True, False, True]
    assert done.code == 1
    assert done.err.splitlines() == [
        "tagger: 3 of 5 records could not be tagged: no field 'abstract' (1), the abstract is empty (1), not JSON (1); "
        f"the first is {tmp_path / 'in.jsonl'}, line 2 (id p2); their rows say why"
    ]


good_rows = st.builds(lambda k: {"id": f"p{k}", "abstract": long_abstract(k)}, st.integers(0, 50))
odd_rows = st.sampled_from(
    [
        {},
        {"abstract": None},
        {"abstract": ""},
        [3],
        None,
        "",
        "a bare text.",
        3,
        {"id": "\ud800", "abstract": "Half \ud800."},
    ]
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(good_rows | odd_rows, min_size=1, max_size=12), st.sampled_from(["jsonl", "csv"]))
def test_any_mix_of_records_gives_a_row_for_each_in_order(tag, tmp_path, rows, format):
    (tmp_path / "in.jsonl").write_text(jsonl(*rows))
    done = tag(tmp_path / "in.jsonl", "-o", tmp_path / f"out.{format}", "--force")
    written = (tmp_path / f"out.{format}").read_text()
    results = rows_of(written) if format == "jsonl" else list(csv.DictReader(io.StringIO(written)))
    assert len(results) == len(rows)
    for k, (row, result) in enumerate(zip(rows, results), 1):
        has_id = isinstance(row, dict) and row.get("id")
        if not has_id or row["id"].isascii():
            assert result["id"] == (row["id"] if has_id else f"in.jsonl:{k}")
        text = row.get("abstract") if isinstance(row, dict) else row
        assert bool(result.get("error")) == (not isinstance(text, str) or not text.strip())
    assert done.code == int(any(result.get("error") for result in results))


def test_two_jobs_write_what_one_writes(tag, tmp_path):
    rows = [{"id": str(k), "abstract": long_abstract(k) if k % 9 else None} for k in range(600)]
    (tmp_path / "in.jsonl").write_text(jsonl(*rows))
    one, two = tag(tmp_path / "in.jsonl"), tag(tmp_path / "in.jsonl", "--jobs", 2)
    assert one == two
    assert len(rows_of(one.out)) == 600


def test_the_shipped_model_is_the_default(run, tmp_path):
    (tmp_path / "in.txt").write_text("We prove a tight lower bound on the regret of any bandit algorithm.")
    (row,) = rows_of(run("tag", tmp_path / "in.txt").out)
    assert row["areas"] == ["theory"]


@pytest.mark.parametrize(("number", "n"), [("000", 19), ("001", 19), ("003", 19), ("004", 18)])
def test_a_real_list_gives_one_result_for_each_abstract_in_order(run, seeds, number, n):
    (path,) = seeds.glob(f"{number}_*.txt")
    done = run("tag", path)
    assert (done.code, done.err) == (0, "")
    assert [row["id"] for row in rows_of(done.out)] == [f"{path.name}:{k}" for k in range(1, n + 1)]
    assert all(
        row["probabilities"].keys() == {"reasoning", "efficiency", "multimodal", "theory"} for row in rows_of(done.out)
    )


def test_info_shows_the_areas_and_where_the_model_comes_from(run, model_directory):
    done = run("info")
    assert (done.code, done.err) == (0, "")
    for expected in (
        "reasoning",
        "efficiency",
        "multimodal",
        "theory",
        "threshold",
        "14,548 abstracts",
        "dev",
        "macro",
    ):
        assert expected in done.out
    small = run("info", "--model", model_directory)
    assert (small.code, small.err) == (0, "")
    assert "astronomy, cooking" in small.out
    assert "theory" not in small.out


def test_the_version_is_that_of_the_package(run):
    assert run("--version").out == f"tagger {package.__version__}\n"


@pytest.mark.parametrize("command", [[], ["tag"], ["explain"], ["convert"], ["info"], ["train"], ["evaluate"]])
def test_every_command_has_help(run, command):
    done = run(*command, "--help")
    assert (done.code, done.err) == (0, "")
    assert "usage: tagger" in done.out


def test_evaluating_on_labels_without_grades_judges_presence_only(run, model_directory, tmp_path):
    labelled = tmp_path / "labelled.jsonl"
    labelled.write_text('{"abstract": "A comet.", "areas": ["astronomy"]}\n{"abstract": "A soup.", "areas": []}\n')
    outcome = run("evaluate", labelled, "--model", model_directory)
    assert (outcome.code, outcome.err) == (0, "")
    assert "macro-F1" in outcome.out
    assert "central" not in outcome.out


def test_evaluating_as_json_gives_curves(run, model_directory, tmp_path):
    labelled = tmp_path / "labelled.csv"
    labelled.write_text("abstract,astronomy,cooking\nA comet and a galaxy.,2,0\nA soup and a dough.,0,\nA comet.,1,0\n")
    outcome = run("evaluate", labelled, "--model", model_directory, "--json")
    result = json.loads(outcome.out)
    assert result["areas"]["astronomy"]["present"] == 2
    assert result["areas"]["cooking"]["n"] == 2
    assert [len(point) for point in result["curves"]["astronomy"]] == [3] * len(result["curves"]["astronomy"])
    assert result["curves"]["astronomy"][0][2] == 1.0


@pytest.mark.parametrize(
    ("number", "code", "line"),
    [(signal.SIGINT, 130, "tagger: interrupted\n"), (signal.SIGTERM, 143, "tagger: terminated\n")],
)
def test_any_command_that_is_interrupted_says_so_in_one_line(run, monkeypatch, number, code, line):
    monkeypatch.setattr("tagger.tagging.load", lambda _: os.kill(os.getpid(), number))
    done = run("info")
    assert (done.code, done.out, done.err) == (code, "", line)
