"""`tagger report`: what goes in, what comes out, and with which exit code."""

from __future__ import annotations

import json
import re

import pytest
from abstracts import AREAS, small_abstracts
from html_text import Reading

GOOD = "The comet and the soup. " + small_abstracts(1)[0][0]


@pytest.fixture
def report(run, model_directory, tmp_path, monkeypatch):
    """Runs `tagger report` with the small model, in a directory of its own."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments, **options: run("report", "--model", model_directory, "--jobs", "1", *arguments, **options)


@pytest.fixture
def jsonl(tmp_path):
    """A file with 30 good records and a bad one."""
    texts, _ = small_abstracts(30, seed=5)
    rows = [
        {"id": f"24{k % 2 + 1:02}.0{k:04}", "title": f"Study {k}", "abstract": text} for k, text in enumerate(texts)
    ]
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in [*rows[:9], {"id": "bad"}, *rows[9:]]))
    return path


def data_of(path):
    return json.loads(re.search(r'id="collection-data">(.*?)</script>', path.read_text(encoding="utf-8"), re.DOTALL)[1])


def test_a_collection_becomes_a_page(report, jsonl, tmp_path, tagger_):
    done = report(jsonl, "-o", "page.html")
    assert done.code == 1
    assert done.out == ""
    assert done.err == "tagger: 1 of 31 records could not be tagged; page.html says why\n"
    data = data_of(tmp_path / "page.html")
    assert data["areas"] == list(AREAS)
    assert [row[1] for row in data["rows"]][8:11] == ["2401.00008", "bad", "2402.00009"]
    row = data["rows"][3]
    tags = tagger_.tag(row[3], row[2])
    assert row[7] == [round(1000 * tags.probabilities[area]) for area in AREAS]
    assert {int(number) for number in data["evidence"]} == {*range(31)} - {9}
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Areas in in.jsonl" in Reading(text).text
    assert text.count('role="img"') == 2
    assert not list(tmp_path.glob(".*"))


def test_evidence_in_the_page_is_that_of_explain(report, jsonl, tmp_path, tagger_):
    report(jsonl, "-o", "page.html")
    data = data_of(tmp_path / "page.html")
    for number, found in data["evidence"].items():
        row = data["rows"][int(number)]
        why = tagger_.explain(row[3], row[2])
        for area, phrases in found:
            whole = {phrase.spans: phrase.share for phrase in why.areas[AREAS[area]].phrases}
            assert phrases
            for share, *numbers in phrases:
                spans = tuple((start, start + size) for start, size in zip(numbers[::2], numbers[1::2]))
                assert share == round(100 * whole[spans])


def test_a_page_is_not_replaced_unless_forced(report, tmp_path):
    (tmp_path / "in.txt").write_text(GOOD)
    (tmp_path / "report.html").write_text("mine")
    done = report("in.txt")
    assert (done.code, done.err) == (2, "tagger: report.html: exists; --force replaces it\n")
    assert (tmp_path / "report.html").read_text() == "mine"
    assert report("in.txt", "--force").code == 0
    assert data_of(tmp_path / "report.html")["rows"][0][1] == "in.txt:1"


def test_a_page_without_evidence_is_smaller_and_says_so(report, jsonl, tmp_path):
    report(jsonl, "-o", "with.html")
    report(jsonl, "-o", "without.html", "--no-evidence")
    sizes = [(tmp_path / name).stat().st_size for name in ("with.html", "without.html")]
    assert sizes[0] > sizes[1]
    assert data_of(tmp_path / "without.html")["evidence"] == {}
    assert "made without evidence" in (tmp_path / "without.html").read_text(encoding="utf-8")


def test_limits_hold_and_numbers_are_of_all(report, jsonl, tmp_path):
    report(jsonl, "-o", "page.html", "--rows", "12", "--evidence", "5", "--title", "<Mine>")
    data = data_of(tmp_path / "page.html")
    assert (len(data["rows"]), len(data["evidence"])) == (12, 5)
    text = Reading((tmp_path / "page.html").read_text(encoding="utf-8")).text
    assert "12 of the 31 abstracts" in text
    assert "<Mine>" in text
    assert sum(map(int, re.findall(r"(\d+) \d+\.\d %", text.split("Overlap")[-1].split("Over time")[0]))) == 30


def test_standard_input_is_read(report, tmp_path):
    assert report("-", "-o", "page.html", stdin=GOOD.encode()).code == 0
    assert len(data_of(tmp_path / "page.html")["rows"]) == 1


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["missing.txt"], "no such file"),
        (["in.txt", "--evidence", "-1"], "--evidence -1"),
        (["in.txt", "--rows", "0"], "--rows 0"),
        (["in.txt", "--jobs", "0"], "--jobs 0"),
        (["in.txt", "-o", "nowhere/page.html"], "nowhere/page.html"),
        (["in.txt", "-o", "."], "is a directory"),
        (["empty.txt"], "holds no abstracts"),
    ],
)
def test_what_cannot_be_done_is_refused_in_a_line(report, arguments, complaint, tmp_path):
    (tmp_path / "in.txt").write_text(GOOD)
    (tmp_path / "empty.txt").write_text("")
    done = report(*arguments)
    assert (done.code, done.out) == (2, "")
    assert len(done.err.splitlines()) == 1
    assert complaint in done.err
    assert not list(tmp_path.glob("*.html"))
