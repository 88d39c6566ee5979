from __future__ import annotations

import csv
import gzip
import io
import json
import tempfile
from pathlib import Path

import pytest
import server
from abstracts import ASTRONOMY, COOKING, small_abstracts
from hypothesis import given
from hypothesis import strategies as st

from tagger.server.files import Ranges
from tagger.server.replies import Refusal
from tagger.server.uploads import safe_name

TEXTS = small_abstracts(150, seed=2)[0]


@pytest.fixture(autouse=True)
def nothing_is_left_behind(tmp_path, monkeypatch):
    """Uploads go to a directory of the test, where in the end there must be none."""
    directory = tmp_path / "uploads"
    directory.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(directory))
    yield
    assert list(directory.glob("tagger-*")) == []


def jsonl(texts=TEXTS):
    return "".join(json.dumps({"id": f"p{k}", "abstract": text}) + "\n" for k, text in enumerate(texts))


def upload(client, content, name="papers.jsonl", path="/api/files", **fields):
    return client.post(path, files={"file": (name, content)}, data=fields)


def test_a_file_gives_a_result_for_each_record_in_order(client, tagger_):
    answer = upload(client, jsonl())
    assert answer.headers["content-type"] == "application/x-ndjson"
    results = server.results_of(answer)
    assert [(row["number"], row["id"]) for row in results] == [(k, f"p{k}") for k in range(150)]
    assert [row["areas"] for row in results] == [list(tags.areas) for tags in tagger_.tag_many(TEXTS)]
    assert {row["source"] for row in results} == {"papers.jsonl"}
    lines = server.lines_of(answer)
    progress = [line["progress"] for line in lines if "progress" in line]
    assert [one["records"] for one in progress] == [32, 64, 96, 128, 150]
    assert {one["bytes"] for one in progress} == {len(jsonl())}
    assert progress[-1]["read"] == len(jsonl())
    assert lines[-1] == {"end": {"records": 150, "errors": 0}}


def test_records_that_cannot_be_read_have_their_errors_in_their_places(client):
    answer = upload(client, f'{{"abstract": "{TEXTS[0]}"}}\nnot JSON\n{{"id": "x"}}\n{{"abstract": "{TEXTS[1]}"}}\n')
    results = server.results_of(answer)
    assert [bool(row.get("error")) for row in results] == [False, True, True, False]
    assert results[2]["id"] == "x"
    assert "--" not in results[2]["error"]
    assert server.lines_of(answer)[-1] == {"end": {"records": 4, "errors": 2}}


def test_the_date_of_a_paper_is_told_where_the_file_has_it(client):
    content = "".join(json.dumps({"abstract": TEXTS[0]} | more) + "\n" for more in ({"published": "2024-03-05"}, {}))
    assert [row.get("date") for row in server.results_of(upload(client, content))] == ["2024-03-05", None]


def test_a_file_is_named_as_the_user_named_it(client):
    answer = upload(client, "\x89PNG", "pictures.png")
    assert answer.status_code == 422
    assert answer.json()["error"].startswith("pictures.png: ")
    assert server.is_sentence(answer.json()["error"])
    assert "/" not in answer.json()["error"]


@pytest.mark.parametrize("content", ["", "\n\n", "id,x\n1,2\n"])
def test_a_file_without_abstracts_is_refused(client, content):
    answer = upload(client, content, "empty.csv")
    assert (answer.status_code, list(answer.json())) == (422, ["error"])
    assert "--" not in answer.json()["error"]


def test_a_field_of_another_name_can_be_named(client):
    content = f"Zusammenfassung,n\n{ASTRONOMY[0]},1\n"
    assert upload(client, content, "a.csv").status_code == 422
    (row,) = server.results_of(upload(client, content, "a.csv", text_field="Zusammenfassung"))
    assert row["abstract"] == ASTRONOMY[0]


def test_a_form_without_a_file_or_that_is_none_is_refused(client):
    for answer in (
        client.post("/api/files", files={"other": ("a.txt", "b")}),
        client.post("/api/files", content=b"x", headers={"content-type": "multipart/form-data"}),
        client.post("/api/files", content=b"x", headers={"content-type": "multipart/form-data; boundary=b"}),
        client.post("/api/files", json={}),
        client.post("/api/files", files=[("file", ("a.txt", "b")), ("file", ("c.txt", "d"))]),
    ):
        assert answer.status_code in (400, 415, 422)
        assert list(answer.json()) == ["error"]


def test_more_records_than_allowed_are_said_at_the_end(tagger_, tmp_path):
    with server.client(tagger_, tmp_path / "c", max_records=40) as client:
        lines = server.lines_of(upload(client, jsonl()))
        assert lines[-1]["end"]["records"] == 40
        assert "more than 40 abstracts" in lines[-1]["end"]["error"]
        assert server.is_sentence(lines[-1]["end"]["error"])
        assert "error" not in server.lines_of(upload(client, jsonl(TEXTS[:40])))[-1]["end"]


def test_a_file_that_takes_too_long_ends_with_a_sentence(tagger_, tmp_path, monkeypatch):
    import time

    many = type(tagger_).tag_many

    def slowly(self, *arguments):
        time.sleep(0.4)
        return many(self, *arguments)

    monkeypatch.setattr(type(tagger_), "tag_many", slowly)
    with server.client(tagger_, tmp_path / "c", timeout=1.5) as client:
        lines = server.lines_of(upload(client, jsonl()))
        assert "longer than 1.5 seconds" in lines[-1]["end"]["error"]
        assert 0 < len([line for line in lines if "number" in line]) < 150


def test_a_file_is_given_again_with_its_tags_and_corrections(client, tagger_):
    client.put("/api/corrections", json={"abstract": TEXTS[1], "area": "cooking", "grade": 2})
    client.put("/api/corrections", json={"abstract": TEXTS[1], "area": "astronomy", "grade": 0})
    answer = upload(client, jsonl(), path="/api/download", format="csv")
    assert answer.headers["content-disposition"] == 'attachment; filename="papers-tagged.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [row["id"] for row in rows] == [f"p{k}" for k in range(150)]
    assert (rows[1]["areas"], rows[1]["central"], rows[1]["unsure"]) == ("cooking", "cooking", "")
    tags = list(tagger_.tag_many(TEXTS))
    assert [row["areas"] for k, row in enumerate(rows) if k != 1] == [
        "; ".join(one.areas) for k, one in enumerate(tags) if k != 1
    ]


def test_some_records_of_a_file_can_be_downloaded(client):
    answer = upload(client, jsonl(), path="/api/download", format="jsonl", rows="0-1, 70,149-200")
    assert [row["id"] for row in server.lines_of(answer)] == ["p0", "p1", "p70", "p149"]


def test_what_was_pasted_can_be_downloaded(client):
    form = {"text": f"{ASTRONOMY[0]}\n\n{COOKING[0]}", "format": "markdown"}
    answer = client.post("/api/download", data=form)
    assert answer.status_code == 415
    parts = {name: (None, value) for name, value in form.items()}
    answer = client.post("/api/download", files=parts)
    assert answer.headers["content-disposition"] == 'attachment; filename="pasted-tagged.md"'
    assert answer.text.count("telescope") == 1


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("papers.json", "papers-tagged.csv"),
        ("my papers.2024.csl.json", "my_papers.2024-tagged.csv"),
        ("papers.json.GZ", "papers-tagged.csv"),
        ("papers.list", "papers-tagged.csv"),
    ],
)
def test_a_download_is_named_after_the_file_without_its_endings(client, given, name):
    content = json.dumps([{"id": "p", "abstract": TEXTS[0]}]).encode()
    content = gzip.compress(content) if given.lower().endswith(".gz") else content
    answer = upload(client, content, given, path="/api/download", format="csv")
    assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'


@pytest.mark.parametrize(("fields", "says"), [({}, "cannot be written"), ({"format": "exe"}, "cannot be written"),
                                              ({"format": "csv", "rows": "a"}, "no range")])  # fmt: skip
def test_a_download_that_makes_no_sense_is_refused(client, fields, says):
    answer = upload(client, jsonl(), path="/api/download", **fields)
    assert answer.status_code == 422
    assert says in answer.json()["error"]
    assert server.is_sentence(answer.json()["error"])


def test_bibtex_comes_back_with_keywords_and_is_else_unchanged(client):
    bib = (
        f"% of mine\n@article{{a1,\n  title = {{{{On}} Comets}},\n  abstract = {{{ASTRONOMY[1]}}},\n  year = 2020\n}}\n"
    )
    answer = upload(client, bib, "mine.bib", path="/api/download", format="bibtex")
    assert answer.status_code == 200, answer.text
    assert "% of mine" in answer.text
    assert "title = {{On} Comets}" in answer.text
    assert "year = 2020" in answer.text
    assert "astronomy" in answer.text


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("papers.bib", "papers.bib"),
        ("../../etc/passwd", "passwd"),
        ("C:\\papers\\my list.csv", "my list.csv"),
        ("..", "upload"),
        ("", "upload"),
        ("a\0b\ud800.txt", "a_b_.txt"),
        ("x" * 300 + ".jsonl", "x" * 94 + ".jsonl"),
        ("pasted.txt", "upload"),
    ],
)
def test_an_upload_has_a_harmless_name_with_its_ending(given, name):
    assert safe_name(given) == name


@given(st.text())
def test_no_name_leads_out_of_its_directory(name):
    safe = safe_name(name)
    assert Path("/d", safe).resolve().parent == Path("/d")
    assert len(safe.encode("utf-8")) <= 400
    assert safe not in ("", ".", "..")


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 10)), min_size=1, max_size=8))
def test_ranges_hold_the_numbers_that_are_in_one_of_them(pairs):
    ranges = Ranges(",".join(f"{start}-{start + more}" for start, more in pairs))
    expected = {k for start, more in pairs for k in range(start, start + more + 1)}
    assert {k for k in range(100) if k in ranges} == expected
    assert ranges.end == max(expected) + 1


def test_ranges_are_numbers():
    for text in ("", "-1", "1-", "a", "1;2", "٣"):
        with pytest.raises(Refusal):
            Ranges(text)
