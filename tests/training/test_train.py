"""From data to a model directory and its judgement, as a library and as commands."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pytest
from abstracts import AREAS, small_abstracts
from labelled_data import rows_of, write_data, write_labels

import tagger
from tagger import InputError, store
from training import evaluate as evaluation
from training import load_dataset
from training.dataset import dataset_of
from training.labelled import read_labelled
from training.train import evaluate_counts, train


@pytest.fixture(scope="module", autouse=True)
def few_resamples():
    """Intervals from 20 resamples, not 1,000: they are tested elsewhere and take most of the time here."""
    with pytest.MonkeyPatch.context() as patch:
        quick = partial(evaluation.evaluate, n_bootstrap=20)
        patch.setattr(evaluation, "evaluate", quick)
        patch.setattr("training.train.evaluate", quick)
        yield


@pytest.fixture(scope="module", autouse=True)
def linear_only():
    """No network: it has tests of its own and takes most of the time here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("training.classifier.NETWORK_MIN_TEXTS", 1000)
        yield


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A data directory with 80 small abstracts."""
    return write_data(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def trained(data, tmp_path_factory):
    """The directory of a model trained on `data`."""
    directory = tmp_path_factory.mktemp("models") / "areas"
    train(load_dataset(data), directory)
    return directory


def files_of(directory) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(directory.iterdir())}


def test_a_trained_model_tags_new_texts_right(trained):
    texts, grades = small_abstracts(60, seed=21)
    found = [[area in tags.areas for area in AREAS] for tags in tagger.load(trained).tag_many(texts)]
    assert (np.array(found) == (grades > 0)).mean() > 0.9


def test_training_again_gives_the_same_files_byte_for_byte(data, trained, tmp_path):
    train(load_dataset(data), tmp_path / "again", n_jobs=2)
    assert files_of(tmp_path / "again") == files_of(trained)


def test_training_replaces_a_model(data, trained, tmp_path):
    for _ in range(2):
        train(load_dataset(data), tmp_path / "model")
    assert files_of(tmp_path / "model") == files_of(trained)


def test_dev_has_no_part_in_training(data, trained, tmp_path):
    """Other grades in dev change its metrics and no array of the model."""
    other = write_data(tmp_path / "data")
    rows = rows_of(80, 0)
    for row in rows:
        if row["split"] == "dev":
            row |= {area: "01"[row[area] == "0"] for area in AREAS}
    write_labels(other / "labels" / "0001.csv", rows)
    train(load_dataset(other), tmp_path / "model")
    assert files_of(tmp_path / "model")["arrays.npz"] == files_of(trained)["arrays.npz"]
    assert files_of(tmp_path / "model")["metrics.json"] != files_of(trained)["metrics.json"]


def test_a_model_says_what_it_was_trained_on_and_how_well_it_does(trained):
    about = store.read_manifest(trained)["about"]
    assert about["trained_on"]["abstracts"] == 60
    assert about["trained_on"]["drawn_at_random"] == 50
    assert set(about["trained_on"]["present"]) == set(AREAS)
    assert set(about["metrics"]) == {"cross-validation", "dev"}
    assert about["metrics"]["dev"]["abstracts_alone"].keys() < about["metrics"]["dev"].keys()
    assert about["trained_on"]["with_title"] == 60
    assert {"tagger", "python", "numpy", "scikit-learn"} <= about["trained_by"].keys()


def test_the_metrics_beside_the_model_are_those_of_its_evaluation(data, trained):
    metrics = json.loads((trained / "metrics.json").read_text())
    evaluation = evaluate_counts(store.load(trained), load_dataset(data).split("dev"))
    assert metrics["dev"] == evaluation.to_json()
    assert metrics["dev"]["abstracts"] == 20
    alone = evaluate_counts(store.load(trained), load_dataset(data).split("dev"), titles=False)
    assert metrics["dev, abstracts alone"] == alone.to_json() != metrics["dev"]
    assert metrics["cross-validation, abstracts alone"] != metrics["cross-validation"]


def test_what_was_tried_is_kept_beside_the_model(run, data, tmp_path):
    (data / "candidates.json").write_text('{"sets": []}\n')
    try:
        assert run("train", "--data", data, "--out", tmp_path / "model", "--jobs", 1).code == 0
    finally:
        (data / "candidates.json").unlink()
    assert (tmp_path / "model" / "candidates.json").read_text() == '{"sets": []}\n'
    assert "candidates.json" in store.read_manifest(tmp_path / "model")["files"]
    assert "[candidates.json](candidates.json)" in (tmp_path / "model" / "CARD.md").read_text()
    (tried,) = store.read_manifest(tmp_path / "model")["about"]["method"]["tried"]
    assert set(tried["log_loss_of"]) == set(AREAS)


def test_data_without_titles_is_judged_once(tmp_path):
    texts, grades = small_abstracts(60)
    rows = [{"abstract": text} | dict(zip(AREAS, grade)) for text, grade in zip(texts, grades.tolist())]
    (tmp_path / "mine.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    train(dataset_of(read_labelled(tmp_path / "mine.jsonl")), tmp_path / "model")
    assert set(json.loads((tmp_path / "model" / "metrics.json").read_text())) == {"cross-validation", "strata"}
    assert "title" not in (tmp_path / "model" / "CARD.md").read_text()


def test_labels_may_be_missing(tmp_path):
    data = write_data(tmp_path / "data")
    rows = [row | {"cooking": "" if k % 3 == 0 else row["cooking"]} for k, row in enumerate(rows_of(80, 0))]
    write_labels(data / "labels" / "0001.csv", rows)
    train(load_dataset(data), tmp_path / "model")
    judged = store.read_manifest(tmp_path / "model")["about"]["trained_on"]["judged"]
    assert judged == {"astronomy": 60, "cooking": 40}


def test_training_without_dev_or_without_abstracts_drawn_at_random_works(tmp_path):
    train(load_dataset(write_data(tmp_path / "no dev", split="train")), tmp_path / "a")
    assert "dev" not in store.read_manifest(tmp_path / "a")["about"]["metrics"]
    train(load_dataset(write_data(tmp_path / "not random", sampled="uncertain")), tmp_path / "b")
    assert store.load(tmp_path / "b").areas == AREAS


def test_nothing_to_train_on_is_refused(tmp_path):
    with pytest.raises(InputError, match="'train'"):
        train(load_dataset(write_data(tmp_path / "data", split="dev")), tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_the_command_trains_and_evaluates(run, data, trained, tmp_path):
    done = run("train", "--data", data, "--out", tmp_path / "model", "--jobs", 1)
    assert (done.code, done.err) == (0, "")
    assert "macro-F1" in done.out
    assert "on 20 abstracts, " in done.out
    assert "without their titles" in done.out
    assert files_of(tmp_path / "model") == files_of(trained)
    judged = run("evaluate", "--model", tmp_path / "model", "--data", data)
    assert (judged.code, judged.err) == (0, "")
    for expected in (*AREAS, "precision", "recall", "F1", "macro-F1", "95 % interval", "20 abstracts"):
        assert expected in judged.out


def test_the_command_prints_an_evaluation_as_json(run, data, trained):
    done = run("evaluate", "--model", trained, "--data", data, "--json")
    result = json.loads(done.out)
    assert set(result.pop("curves")) == set(AREAS)
    assert result.pop("strata") == {}
    metrics = json.loads((trained / "metrics.json").read_text())
    assert result.pop("abstracts_alone") == metrics["dev, abstracts alone"]
    assert result == metrics["dev"]
    train_split = run("evaluate", "--model", trained, "--data", data, "--split", "train", "--json")
    assert json.loads(train_split.out)["abstracts"] == 60


def test_the_command_evaluates_on_a_labelled_file(run, trained, tmp_path):
    texts, grades = small_abstracts(30, seed=22)
    rows = [{"abstract": text} | dict(zip(AREAS, grade)) for text, grade in zip(texts, grades.tolist())]
    (tmp_path / "mine.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = run("evaluate", "--model", trained, tmp_path / "mine.jsonl", "--json")
    assert (done.code, done.err) == (0, "")
    values = json.loads(done.out)
    assert values["abstracts"] == 30
    assert values["areas"]["cooking"]["present"] == (grades[:, 1] > 0).sum()
    assert values["macro"]["f1"]["value"] > 0.85
    assert values["abstracts_alone"] is None
    plain = run("evaluate", "--model", trained, tmp_path / "mine.jsonl").out
    assert "title" not in plain
    assert "abstracts alone" not in plain


def test_titles_in_a_labelled_file_are_read_and_both_figures_given(run, trained, tmp_path):
    texts, grades = small_abstracts(30, seed=22)
    rows = [
        {"title": text, "abstract": "Here is what we found."} | dict(zip(AREAS, grade))
        for text, grade in zip(texts, grades.tolist())
    ]
    (tmp_path / "mine.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    values = json.loads(run("evaluate", "--model", trained, tmp_path / "mine.jsonl", "--json").out)
    assert values["macro"]["f1"]["value"] > 0.85 > values["abstracts_alone"]["macro"]["f1"]["value"]
    plain = run("evaluate", "--model", trained, tmp_path / "mine.jsonl").out
    assert plain.startswith("30 abstracts, read with their titles\n")
    assert "\nabstracts alone\n" in plain
    compared = run("compare", trained, trained, tmp_path / "mine.jsonl").out
    assert compared.startswith("F1 on 30 abstracts, read with their titles\n")
    assert "\nmacro, abstracts alone" in compared


def test_a_directory_that_is_no_model_is_refused_before_anything_is_fitted(run, data, tmp_path, monkeypatch):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.txt").write_text("years of work")
    monkeypatch.setattr("training.classifier.AreaClassifier.fit", lambda *args, **kwargs: pytest.fail("fitted"))
    done = run("train", "--data", data, "--out", tmp_path / "thesis")
    assert (done.code, done.out) == (2, "")
    assert "not a model" in done.err
    assert files_of(tmp_path / "thesis") == {"chapter.txt": b"years of work"}
