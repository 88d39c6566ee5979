"""`tagger explain` and `tagger info --top`: what goes in, what comes out, and with which exit code."""

from __future__ import annotations

import json

import pytest
from abstracts import ASTRONOMY, COOKING
from command import in_new_process
from html_text import Reading

STARS, SOUP = " ".join(ASTRONOMY), " ".join(COOKING)


@pytest.fixture
def explain(run, model_directory):
    """Runs `tagger explain` with the small model."""
    return lambda *arguments, **options: run("explain", "--model", model_directory, *arguments, **options)


@pytest.fixture
def jsonl(tmp_path):
    """A file with good records and a bad one."""
    path = tmp_path / "in.jsonl"
    rows = [{"id": "s", "title": "Skies", "abstract": STARS}, {"id": "x"}, {"id": "c", "abstract": SOUP}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_list_is_explained_as_text(explain, tmp_path):
    (tmp_path / "list.txt").write_text(f"Papers\n\n{STARS}\n\n{SOUP}\n")
    done = explain(tmp_path / "list.txt")
    assert (done.code, done.err) == (0, "")
    assert "list.txt:1  astronomy" in done.out
    assert "list.txt:2  cooking" in done.out
    assert done.out.count("log-odds") >= 2
    assert "\x1b" not in done.out


def test_a_text_can_be_given_on_the_command_line(explain, tagger_):
    done = explain("--text", SOUP, "--title", "A soup", "--format", "json")
    assert done.code == 0
    row = json.loads(done.out)
    assert row == json.loads(json.dumps({"id": "text"} | tagger_.explain(SOUP, "A soup").to_json()))


@pytest.mark.parametrize("content", [f"{STARS}\n\n{SOUP}", f'id,abstract\na,"{STARS}"\nb,"{SOUP}"\n'])
def test_a_dash_is_standard_input(explain, content):
    done = explain("-", "--format", "json", stdin=content.encode())
    assert (done.code, done.err) == (0, "")
    assert [json.loads(line)["areas"] for line in done.out.splitlines()] == [["astronomy"], ["cooking"]]


@pytest.mark.parametrize("form", ["text", "json", "html"])
def test_a_record_that_cannot_be_explained_is_in_its_place_and_the_exit_code_is_1(explain, jsonl, form):
    done = explain(jsonl, "--format", form)
    assert done.code == 1
    assert done.err == "tagger: 1 of 3 records could not be explained; the output says why\n"
    if form == "json":
        rows = [json.loads(line) for line in done.out.splitlines()]
        assert [row["id"] for row in rows] == ["s", "x", "c"]
        assert ["error" in row for row in rows] == [False, True, False]
    else:
        text = Reading(done.out).text if form == "html" else done.out
        assert text.index("Skies") < text.index("abstract") < text.index("soup")


def test_json_adds_up_and_has_the_row_of_tagging(explain, run, jsonl, model_directory):
    rows = [json.loads(line) for line in explain(jsonl, "--format", "json").out.splitlines()]
    tagged = [json.loads(line) for line in run("tag", "--model", model_directory, jsonl).out.splitlines()]
    for row, tags in zip(rows, tagged, strict=True):
        if "error" in tags:
            continue
        assert row["areas"] == tags["areas"]
        assert row["unsure"] == tags["unsure"]
        assert row["probabilities"] == pytest.approx(tags["probabilities"], abs=1e-6)
        for found in row["evidence"].values():
            total = found["bias"] + sum(item["share"] for item in found["evidence"])
            assert total == pytest.approx(found["log_odds"], abs=1e-6)


def test_areas_and_the_length_of_lists_can_be_chosen(explain, jsonl):
    done = explain(jsonl, "--format", "json", "--area", "cooking", "--top", "2")
    row = json.loads(done.out.splitlines()[0])
    assert list(row["evidence"]) == ["cooking"]
    assert [len(row["evidence"]["cooking"][name]) for name in ("evidence", "phrases")] == [2, 2]
    both = explain(jsonl, "--area", "cooking", "--area", "astronomy").out
    assert both.count("log-odds") == 4


@pytest.mark.parametrize(
    ("name", "begins"), [("o.html", "<!DOCTYPE html>"), ("o.txt", "s  astr"), ("o.jsonl", '{"id"')]
)
def test_the_name_of_the_output_chooses_its_format(explain, jsonl, tmp_path, name, begins):
    done = explain(jsonl, "-o", tmp_path / name)
    assert (done.code, done.out) == (1, "")
    assert (tmp_path / name).read_text().startswith(begins)


def test_a_page_can_be_written_whatever_the_text_holds(explain, tmp_path):
    (tmp_path / "in.jsonl").write_text(json.dumps({"id": "\ud800", "abstract": f"\udfff <b>{SOUP}</b>"}) + "\n")
    for form in ("text", "json", "html"):
        done = explain(tmp_path / "in.jsonl", "-o", tmp_path / "out", "--force", "--format", form)
        assert (done.code, done.err) == (0, "")
        content = (tmp_path / "out").read_bytes().decode("utf-8")
        assert "soup" in content
    assert "<b>" not in content


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "no abstracts given"),
        (["--text", SOUP, "list.txt"], "not both"),
        (["--title", "A soup", "list.txt"], "--title goes with --text"),
        (["--text", SOUP, "--area", "astrology"], "astronomy, cooking"),
        (["--text", SOUP, "--top", "-1"], "--top -1"),
        (["--text", SOUP, "-o", "out.pdf"], ".html"),
        (["missing.txt"], "no such file"),
    ],
)
def test_what_cannot_be_done_is_refused_in_a_line(explain, arguments, complaint, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = explain(*arguments)
    assert (done.code, done.out) == (2, "")
    assert len(done.err.splitlines()) == 1
    assert complaint in done.err
    assert not list(tmp_path.glob("out*"))


def test_an_empty_text_is_an_error_of_its_record(explain):
    done = explain("--text", " ")
    assert done.code == 1
    assert "error: the abstract is empty" in done.out


def test_the_shipped_model_is_the_default(tmp_path):
    (tmp_path / "in.txt").write_text("We prove a tight lower bound on the regret of any bandit algorithm.")
    done = in_new_process("explain", tmp_path / "in.txt", capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "in.txt:1  theory 1.00" in done.stdout
    assert "[We prove a tight] lower [bound on the regret" in done.stdout


def test_info_lists_the_strongest_ngrams_of_each_area(run, model_directory):
    plain, listed = run("info", "--model", model_directory), run("info", "--model", model_directory, "--top", "3")
    assert (listed.code, listed.err) == (0, "")
    assert listed.out.startswith(plain.out)
    lists = listed.out[len(plain.out) :]
    assert lists.count("  for     ") == lists.count("  against ") == 2
    assert lists.count(" +") == lists.count(" -") == 6
    assert run("info", "--top", "0").code == 2


def test_info_says_so_if_frequencies_are_not_known(run, model, tmp_path):
    from dataclasses import replace

    from tagger import store

    store.save(replace(model, network=None, output=None), tmp_path / "linear", {})
    done = run("info", "--model", tmp_path / "linear", "--top", "2")
    assert (done.code, done.err) == (0, "")
    assert "rare ones are not weighted down" in " ".join(done.out.split())
