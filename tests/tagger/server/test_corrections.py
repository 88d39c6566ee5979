from __future__ import annotations

import json
import sqlite3

import pytest
import server
from abstracts import AREAS, ASTRONOMY, COOKING
from hypothesis import given, settings
from hypothesis import strategies as st
from labelled_data import write_data

from tagger import InputError
from tagger.server.corrections import Correction, Corrections
from tagger.server.results import key_of
from training.dataset import add_labels, load_dataset
from training.labelled import read_labelled

COMET, SOUP = ASTRONOMY[1], COOKING[4]


def correction(abstract=COMET, area="cooking", grade=1, **more):
    return Correction(abstract, area, grade, "checksum", 0, 0.25, **more)


def say(client, abstract=COMET, area="cooking", grade=1, **more):
    answer = client.put("/api/corrections", json={"abstract": abstract, "area": area, "grade": grade} | more)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_correction_is_shown_wherever_its_abstract_is_tagged(client):
    wrapped = COMET.replace(" of ", "\n  of ")
    say(client, grade=2)
    assert client.post("/api/tag", json={"abstract": COMET}).json()["corrections"] == {"cooking": 2}
    assert client.post("/api/explain", json={"abstract": COMET}).json()["corrections"] == {"cooking": 2}
    many = client.post("/api/tag-many", json=[SOUP, wrapped, 3]).json()
    assert [row.get("corrections") for row in many] == [None, {"cooking": 2}, None]
    pasted = client.post("/api/paste", json={"text": f"{SOUP}\n\n{wrapped}"}).json()["results"]
    assert [row.get("corrections") for row in pasted] == [None, {"cooking": 2}]
    lines = server.results_of(client.post("/api/files", files={"file": ("a.txt", f"{SOUP}\n\n{COMET}")}))
    assert [row.get("corrections") for row in lines] == [None, {"cooking": 2}]


def test_a_correction_can_be_undone_for_an_area_and_for_all(client):
    key = say(client)["key"]
    assert say(client, area="astronomy", grade=0) == {
        "key": key, "corrections": {"astronomy": 0, "cooking": 1}, "count": 2
    }  # fmt: skip
    left = client.delete("/api/corrections", params={"key": key, "area": "cooking"}).json()
    assert left == {"key": key, "corrections": {"astronomy": 0}, "count": 1}
    assert client.delete("/api/corrections", params={"key": key}).json()["count"] == 0
    assert client.get("/api/corrections.jsonl").text == ""


def test_corrections_survive_a_restart(tagger_, tmp_path):
    with server.client(tagger_, tmp_path / "c") as client:
        say(client, id="x1", title="Comets")
        listed = client.get("/api/corrections").json()
    with server.client(tagger_, tmp_path / "c") as client:
        assert client.get("/api/corrections").json() == listed
        assert client.post("/api/tag", json={"abstract": COMET}).json()["corrections"] == {"cooking": 1}
    (one,) = listed["corrections"]
    tags = tagger_.tag(COMET, "Comets")
    assert one["probability"] == pytest.approx(tags.probabilities["cooking"], abs=1e-6)
    assert (one["said"], one["grade"], one["id"], one["title"]) == (int("cooking" in tags.areas), 1, "x1", "Comets")


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"abstract": COMET, "area": "sports", "grade": 1}, "no area 'sports'; its areas are astronomy, cooking"),
        ({"abstract": COMET, "area": "cooking"}, "must be 2 (central), 1 (present) or 0 (absent)"),
        ({"abstract": COMET, "area": "cooking", "grade": 3}, "must be 2"),
        ({"abstract": COMET, "area": "cooking", "grade": True}, "must be 2"),
        ({"abstract": COMET, "area": "cooking", "grade": "1"}, "must be 2"),
        ({"abstract": COMET, "area": "cooking", "grade": [1]}, "must be 2"),
        ({"abstract": " ", "area": "cooking", "grade": 1}, "empty"),
        ({"area": "cooking", "grade": 1}, "'abstract' is missing"),
        ({"abstract": COMET, "area": "cooking", "grade": 1, "id": 7}, "'id' is a number"),
    ],
)
def test_a_correction_that_makes_no_sense_is_refused(client, body, says):
    answer = client.put("/api/corrections", json=body)
    assert answer.status_code == 422
    assert says in answer.json()["error"]
    assert client.get("/api/corrections").json()["count"] == 0


def test_undoing_needs_a_key_and_listing_needs_numbers(client):
    assert client.delete("/api/corrections").status_code == 422
    assert client.get("/api/corrections?limit=-1").status_code == 422
    assert client.get("/api/corrections?offset=x").status_code == 422
    assert client.delete("/api/corrections?key=unknown").json()["count"] == 0


@settings(max_examples=30)
@given(
    steps=st.lists(
        st.tuples(st.sampled_from([COMET, SOUP]), st.sampled_from(AREAS), st.sampled_from([0, 1, 2, None])), max_size=25
    )
)
def test_what_was_said_last_counts(tmp_path_factory, steps):
    path = tmp_path_factory.mktemp("corrections") / "c.sqlite"
    expected: dict[str, dict[str, int]] = {}
    corrections = Corrections(path)
    for abstract, area, grade in steps:
        said = expected.setdefault(key_of(abstract), {})
        if grade is None:
            said.pop(area, None)
            assert corrections.delete(key_of(abstract), area) == said
        else:
            said[area] = grade
            assert corrections.put(correction(abstract, area, grade)) == said
    corrections.close()
    corrections = Corrections(path)
    assert corrections.of(map(key_of, (COMET, SOUP))) == {key: said for key, said in expected.items() if said}
    assert len(corrections) == sum(map(len, expected.values()))
    assert len(list(corrections.lines())) == sum(bool(said) for said in expected.values())
    corrections.close()


def test_two_servers_can_share_a_file(tmp_path):
    one, other = Corrections(tmp_path / "c"), Corrections(tmp_path / "c")
    one.put(correction())
    assert other.of([key_of(COMET)]) == {key_of(COMET): {"cooking": 1}}
    other.put(correction(grade=0))
    assert one.of([key_of(COMET)]) == {key_of(COMET): {"cooking": 0}}
    one.close()
    other.close()


def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("not a database, but long enough to look like one " * 100)
    foreign = tmp_path / "other.sqlite"
    with sqlite3.connect(foreign) as database:
        database.execute("CREATE TABLE t (x)")
    database.close()
    newer = tmp_path / "newer.sqlite"
    Corrections(newer).close()
    with sqlite3.connect(newer) as database:
        database.execute("PRAGMA user_version = 2")
    database.close()
    for path, says in ((text, "not usable"), (foreign, "another program's data"), (newer, "version 2")):
        before = path.read_bytes()
        with pytest.raises(InputError, match=says):
            Corrections(path)
        assert path.read_bytes() == before
    with pytest.raises(InputError, match="cannot be opened"):
        Corrections(tmp_path)


def test_the_export_is_what_training_reads(tmp_path):
    corrections = Corrections(tmp_path / "c")
    corrections.put(correction(COMET, "cooking", 0, id="2301.00001", title="Comets"))
    corrections.put(correction(COMET, "astronomy", 2, id="2301.00001"))
    corrections.put(correction(SOUP, "cooking", 1, id="papers.txt:3"))
    corrections.put(correction(ASTRONOMY[2], "cooking", 1, id="shared"))
    corrections.put(correction(ASTRONOMY[3], "cooking", 1, id="shared"))
    path = tmp_path / "corrections.jsonl"
    path.write_text("".join(corrections.lines()))
    corrections.close()
    labelled = read_labelled(path)
    grades = dict(zip(labelled.texts, labelled.grades.tolist()))
    ids = dict(zip(labelled.texts, labelled.ids))
    assert labelled.areas == ("astronomy", "cooking")
    assert grades[COMET] == [2, 0]
    assert grades[SOUP] == [-1, 1]
    assert ids[COMET] == "2301.00001"
    # An id that says nothing, or that two texts have, would make one paper of two.
    assert len(set(labelled.ids)) == 4
    assert not {"papers.txt:3", "shared"} & set(ids.values())


def test_corrections_are_trained_on(tmp_path, run, client, monkeypatch):
    data = write_data(tmp_path / "data", 48)
    say(client, SOUP, "astronomy", 2, id="p1")
    say(client, "A survey of soup.", "cooking", 2)
    path = tmp_path / "corrections.jsonl"
    path.write_text(client.get("/api/corrections.jsonl").text)
    before = load_dataset(data)
    after = add_labels(before, read_labelled(path))
    assert len(after) == len(before) + 1
    assert after.grades[after.ids.index("p1")].tolist()[0] == 2
    monkeypatch.setattr("training.classifier.CANDIDATES", (("linear",),))
    outcome = run("train", "--data", data, "--add", path, "--out", tmp_path / "model", "--jobs", 1)
    assert outcome.code == 0, outcome.err
    assert json.loads((tmp_path / "model" / "manifest.json").read_text())["areas"] == list(AREAS)


def test_half_a_surrogate_pair_and_quotes_are_kept_as_text(client):
    abstract = "A \ud800 comet'; DROP TABLE texts; --"
    body = json.dumps({"abstract": abstract, "area": "cooking", "grade": 0, "title": "\udfff", "id": "\ud800"})
    assert client.put("/api/corrections", content=body, headers={"content-type": "application/json"}).status_code == 200
    (row,) = server.lines_of(client.get("/api/corrections.jsonl"))
    assert row["abstract"] == "A ? comet'; DROP TABLE texts; --"
