"""Labels of one's own train areas of one's own, and correct those that are shipped."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from abstracts import AREAS, small_abstracts
from labelled_data import write_data

from tagger import load
from training.dataset import add_labels, dataset_of, load_dataset
from training.grades import UNKNOWN
from training.labelled import LabelledTexts


def write_own(path: Path, n: int, areas: tuple[str, ...] = AREAS, columns: slice = slice(None)) -> Path:
    texts, grades = small_abstracts(n)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "abstract", *areas])
        writer.writerows([f"own{k}", text, *row[columns]] for k, (text, row) in enumerate(zip(texts, grades.tolist())))
    return path


def labelled(ids: list[str], texts: list[str], areas: tuple[str, ...], grades: list[list[int]]) -> LabelledTexts:
    return LabelledTexts(tuple(ids), tuple(texts), areas, np.array(grades, dtype=np.int8))


@pytest.fixture(autouse=True)
def linear_only(monkeypatch):
    """What is tested here does not depend on the network, which takes seconds."""
    monkeypatch.setattr("training.classifier.NETWORK_MIN_TEXTS", 1000)


@pytest.fixture
def data(tmp_path) -> Path:
    return write_data(tmp_path / "data")


def test_a_later_label_replaces_the_earlier_and_leaves_the_others(data):
    before = load_dataset(data)
    first = before.ids[0]
    after = add_labels(before, labelled([first], ["Soup and comets."], before.areas[1:2], [[2]]))
    assert after.ids == before.ids
    assert after.grades[0, 1] == 2
    assert after.grades[0, 0] == before.grades[0, 0]
    assert (after.grades[1:] == before.grades[1:]).all()
    assert (after.provenance["split"] == before.provenance["split"]).all()


def test_of_two_labels_for_one_id_the_last_counts(data):
    before = load_dataset(data)
    twice = labelled(["new", "new"], ["One.", "Two."], before.areas[:1], [[1], [0]])
    after = add_labels(before, twice)
    assert after.ids == (*before.ids, "new")
    assert after.grades[-1, 0] == 0


def test_a_new_text_is_trained_on_but_does_not_stand_for_the_mixture(data):
    before = load_dataset(data)
    after = add_labels(before, labelled(["new"], ["A soup of comets."], ("stars",), [[1]]))
    assert after.areas == (*before.areas, "stars")
    assert after.provenance["split"][-1] == "train"
    assert not after.representative[-1]
    assert (after.grades[:-1, -1] == UNKNOWN).all()
    assert (after.grades[-1, :-1] == UNKNOWN).all()
    row = after.counts[np.array([len(after) - 1])]
    assert {row.vocabulary.ngrams[i] for i in row.matrix.indices} >= {"soup", "comets", "soup of"}


def test_titles_of_ones_own_are_read_with_the_texts_and_leave_the_others_alone(data):
    before = load_dataset(data)
    grades = np.array([[1], [0]], dtype=np.int8)
    own = LabelledTexts(
        ("new", before.ids[3]), ("Hot soup.", "Cold bread."), AREAS[:1], grades, ("Zucchini at dawn", None)
    )
    after = add_labels(before, own)

    def words(counts, row):
        return {counts.vocabulary.ngrams[i] for i in counts[np.array([row])].matrix.indices}

    assert words(after.titles, len(before)) == {"zucchini", "at", "dawn", "zucchini at", "at dawn"}
    assert words(after.full, len(before)) == words(after.titles, len(before)) | {"hot", "soup", "hot soup"}
    assert words(after.titles, 3) == set()
    assert words(after.full, 3) == {"cold", "bread", "cold bread"}
    for row in (0, 5):
        assert words(after.titles, row) == words(before.titles, row) != set()
    alone = dataset_of(own)
    assert alone.has_titles
    assert words(alone.full, 0) == words(after.full, len(before))
    untitled = dataset_of(labelled(["a", "b"], ["Hot soup.", "Cold bread."], AREAS[:1], [[1], [0]]))
    assert not untitled.has_titles
    assert untitled.full is untitled.counts


def test_texts_of_ones_own_all_stand_for_the_mixture():
    texts, grades = small_abstracts(10)
    dataset = dataset_of(labelled([str(k) for k in range(10)], texts, AREAS, grades.tolist()))
    assert dataset.representative.all()
    assert len(dataset.split("train")) == 10


def test_own_areas_are_trained_judged_and_tagged(run, tmp_path):
    own = write_own(tmp_path / "own.csv", 60)
    outcome = run("train", "--labels", own, "--out", tmp_path / "mine", "--data", tmp_path, "--jobs", 1)
    assert (outcome.code, outcome.err) == (0, "")
    assert "cross-validation: macro-F1" in outcome.out
    tagger = load(tmp_path / "mine")
    assert tagger.areas == AREAS
    about_stars = tagger.tag("The telescope recorded faint galaxies. A comet in the survey of the sky.")
    assert about_stars.areas[0] == AREAS[0]
    assert about_stars.probabilities[AREAS[0]] > about_stars.probabilities[AREAS[1]]
    card = (tmp_path / "mine" / "CARD.md").read_text()
    assert all(area in card for area in AREAS)
    assert json.loads((tmp_path / "mine" / "metrics.json").read_text())["cross-validation"]["abstracts"] == 60


def test_an_area_too_rare_to_cross_validate_is_said(run, tmp_path):
    texts, _ = small_abstracts(60)
    rows = "".join(f'{k},"{text}",{int(k % 2 == 0)},{int(k == 3)}\n' for k, text in enumerate(texts))
    (tmp_path / "own.csv").write_text("id,abstract,common,rare\n" + rows)
    outcome = run("train", "--labels", tmp_path / "own.csv", "--out", tmp_path / "mine", "--jobs", 1)
    assert outcome.code == 0
    assert "too few labels to cross-validate, so never sure: rare" in outcome.out


def test_own_labels_need_a_place_to_go(run, tmp_path):
    outcome = run("train", "--labels", write_own(tmp_path / "own.csv", 10))
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == "tagger: --labels needs --out; name a directory for the model\n"


def test_added_labels_reach_the_model(run, data, tmp_path):
    own = write_own(tmp_path / "more.csv", 40)
    outcome = run("train", "--data", data, "--add", own, "--out", tmp_path / "model", "--jobs", 1)
    assert outcome.code == 0, outcome.err
    about = load(tmp_path / "model").model.about
    assert about["trained_on"]["abstracts"] == len(load_dataset(data).split("train")) + 40


def test_a_clearly_worse_model_does_not_replace_a_better_one(run, tmp_path):
    own = write_own(tmp_path / "own.csv", 80)
    out = tmp_path / "mine"
    assert run("train", "--labels", own, "--out", out, "--jobs", 1).code == 0
    before = (out / "manifest.json").read_bytes()
    with own.open(newline="") as file:
        shuffled = list(csv.reader(file))
    order = np.random.default_rng(0).permutation(80)
    with own.open("w", newline="") as file:
        rows = [[*row[:2], *shuffled[1 + k][2:]] for row, k in zip(shuffled[1:], order)]
        csv.writer(file).writerows([shuffled[0], *rows])
    outcome = run("train", "--labels", own, "--out", out, "--jobs", 1)
    assert outcome.code == 2
    assert outcome.err.count("\n") == 1
    assert "holds a better model" in outcome.err
    assert (out / "manifest.json").read_bytes() == before
    assert run("train", "--labels", own, "--out", out, "--jobs", 1, "--force").code == 0
    assert (out / "manifest.json").read_bytes() != before


def test_two_models_are_compared_on_the_same_abstracts(run, model_directory, tmp_path):
    own = write_own(tmp_path / "own.csv", 60)
    outcome = run("compare", model_directory, model_directory, own)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("F1 on 60 abstracts\n")
    assert outcome.out.count("no clear difference") == len(AREAS) + 1


def test_models_without_a_common_area_cannot_be_compared(run, model_directory, tmp_path):
    own = write_own(tmp_path / "own.csv", 20, ("x", "y"))
    outcome = run("compare", model_directory, model_directory, own)
    assert (outcome.code, outcome.out) == (2, "")
    assert "share no labelled area" in outcome.err
