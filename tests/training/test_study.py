"""The study: every candidate is judged on texts it did not see, honestly, and the tables and the plot are made."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from abstracts import AREAS
from labelled_data import write_data
from scipy.special import expit, logit

from training import candidates, learning_curve, load_dataset, study
from training.calibrators import CALIBRATORS, compare_calibrators
from training.candidates import KINDS, fit_and_predict, out_of_fold_margins, problem_of
from training.network import NetworkSettings
from training.trees import TreeSettings

TREES = TreeSettings(rounds=5, features=50, min_texts=5)


@pytest.fixture(scope="module")
def problem(tmp_path_factory):
    """A small problem, with settings that make every candidate small."""
    dataset = load_dataset(write_data(tmp_path_factory.mktemp("data"), n=160))
    network = NetworkSettings(features=50, hidden=8, epochs=2)
    whole = problem_of(dataset.split("train"))
    return replace(whole, network=network, trees=TREES, dense_trees=TREES, folds=3)


@pytest.fixture(scope="module")
def result(problem):
    return study.study(problem)


@pytest.fixture(scope="module")
def curve(problem):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learning_curve, "NETWORK_MIN_TEXTS", 40)
        return learning_curve.learning_curve(problem, sizes=(40, 5000), repeats=2)


def test_outputs_are_the_areas_and_which_of_them_are_central(problem):
    assert problem.outputs == (*AREAS, *(f"{area} (central)" for area in AREAS))
    present, central = problem.targets[:, :2], problem.targets[:, 2:]
    assert ((central == 1) <= (present == 1)).all()
    assert (central == 1).sum() < (present == 1).sum()


def test_unknown_grades_are_unknown_targets(tmp_path):
    dataset = load_dataset(write_data(tmp_path, n=60))
    grades = dataset.grades.copy()
    grades[:7, 1] = -1
    targets = problem_of(replace(dataset, grades=grades)).targets
    assert np.isnan(targets).sum() == 14
    assert np.isnan(targets[:7, [1, 3]]).all()


@pytest.mark.parametrize("kind", KINDS)
def test_margins_do_not_depend_on_the_labels_of_the_texts_held_out(problem, kind):
    train, held_out = problem.splits()[0]
    targets = problem.targets.copy()
    targets[held_out] = 1 - targets[held_out]
    margins, seconds = fit_and_predict(problem, kind, train, held_out)
    turned, _ = fit_and_predict(replace(problem, targets=targets), kind, train, held_out)
    assert margins.shape == (len(held_out), 4)
    assert margins.tobytes() == turned.tobytes()
    assert seconds > 0


def test_dense_trees_are_grown_on_linear_margins_of_texts_not_seen(problem, monkeypatch):
    calls = []
    linear = candidates._linear_margins

    def watched(counts, targets, train, held_out):
        calls.append((set(train.tolist()), set(held_out.tolist())))
        return linear(counts, targets, train, held_out)

    monkeypatch.setattr(candidates, "_linear_margins", watched)
    train, held_out = problem.splits()[1]
    fit_and_predict(problem, "dense trees", train, held_out)
    assert all(not seen & unseen for seen, unseen in calls)
    assert all(not seen & set(held_out.tolist()) for seen, _ in calls)
    assert set().union(*(unseen for _, unseen in calls)) == set(range(len(problem)))


def test_out_of_fold_margins_are_those_of_the_folds(problem):
    margins, seconds = out_of_fold_margins(problem, ["linear"])
    train, held_out = problem.splits()[2]
    assert margins["linear"][held_out].tobytes() == fit_and_predict(problem, "linear", train, held_out)[0].tobytes()
    assert seconds["linear"] > 0


def test_another_kind_is_refused_by_name(problem):
    with pytest.raises(ValueError, match="forest"):
        fit_and_predict(problem, "forest", *problem.splits()[0])


def test_every_set_is_judged_on_the_texts_drawn_at_random(problem, result):
    assert [tuple(tried["classifiers"]) for tried in result["sets"]] == list(study.SETS)
    assert result["texts"] == len(problem)
    assert result["judged"] == problem.representative.sum() < len(problem)
    assert json.loads(json.dumps(result)) == result
    for tried in result["sets"]:
        assert 0 < tried["log_loss"] < 1
        assert 0.5 < tried["macro_f1"] <= 1
        assert tried["macro_f1"] == pytest.approx(np.mean(list(tried["f1"].values())), abs=1e-4)
        assert 0.5 < tried["macro_average_precision"] <= 1


def test_the_shipped_set_does_not_differ_from_itself(result):
    (shipped,) = (tried for tried in result["sets"] if tried["shipped"])
    assert set(shipped["against_shipped"].values()) == {0.0}
    others = [tried for tried in result["sets"] if not tried["shipped"]]
    for tried in others:
        difference = tried["log_loss"] - shipped["log_loss"]
        assert tried["against_shipped"]["log_loss"] == pytest.approx(difference, abs=2e-5)


def test_the_tables_have_a_line_for_each_set_and_each_calibration(result):
    lines = study.markdown(result, AREAS).splitlines()
    assert len(lines) == 2 + len(study.SETS) + 1 + 2 + 2 * len(CALIBRATORS)
    assert all(len({line.count("|") for line in part}) == 1 for part in (lines[: 2 + len(study.SETS)], lines[-10:]))


def test_f1_is_that_of_the_best_threshold():
    log_odds = np.array([[3.0], [2.0], [1.0], [0.0]])
    targets = np.array([[1], [1], [0], [0]], dtype=np.float32)
    assert study.f1_scores(log_odds, targets) == [1.0]
    assert study.f1_scores(-log_odds, targets) == [pytest.approx(2 / 3)]


def test_log_odds_that_are_right_are_best_left_alone_and_others_are_mended():
    generator = np.random.default_rng(0)
    right = generator.normal(size=(4000, 1)) * 2
    targets = (generator.random((4000, 1)) < expit(right)).astype(np.float32)
    as_they_are, too_bold = compare_calibrators(right, targets), compare_calibrators(3 * right + 1, targets)
    assert set(as_they_are) == {"none", "Platt", "isotonic", "beta"}
    for kind in ("Platt", "isotonic", "beta"):
        assert as_they_are[kind]["log_loss"] == pytest.approx(as_they_are["none"]["log_loss"], abs=0.01)
        assert too_bold[kind]["log_loss"] < too_bold["none"]["log_loss"] - 0.05
        assert too_bold[kind]["calibration_error"] < 0.03 < too_bold["none"]["calibration_error"]
        gain = too_bold[kind]["log_loss"] - too_bold["none"]["log_loss"]
        assert too_bold[kind]["against_none"] == pytest.approx(gain)
        assert 0 < too_bold[kind]["error"] < -gain


def test_beta_calibration_bends_where_a_line_cannot():
    generator = np.random.default_rng(1)
    probabilities = generator.uniform(0.02, 0.98, (6000, 1))
    a, b = 3.0, 0.3
    bent = a * np.log(probabilities) - b * np.log1p(-probabilities) + 0.5
    targets = (generator.random((6000, 1)) < expit(bent)).astype(np.float32)
    results = compare_calibrators(logit(probabilities), targets)
    assert results["beta"]["log_loss"] < results["Platt"]["log_loss"] - 0.001
    assert results["beta"]["calibration_error"] < results["none"]["calibration_error"]


def test_outputs_too_rare_to_compare_on_are_left_out():
    targets = np.zeros((50, 1), dtype=np.float32)
    targets[:3] = 1
    assert compare_calibrators(np.zeros((50, 1)), targets) == {}


def test_the_learning_curve_has_a_point_for_each_size_up_to_all_texts(problem, curve):
    assert [(tuple(point["classifiers"]), point["labels"]) for point in curve["points"]] == [
        (chosen, size) for chosen in learning_curve.SETS for size in (40, 80)
    ]
    assert all(len(point[name]) == 2 for point in curve["points"] for name in learning_curve.METRICS)
    linear = [np.mean(point["macro_f1"]) for point in curve["points"][:2]]
    assert linear[-1] >= linear[0]
    assert sum(curve["judged"]) < len(problem)


def test_networks_join_the_curve_from_the_size_at_which_they_are_tried(problem, monkeypatch):
    monkeypatch.setattr(learning_curve, "NETWORK_MIN_TEXTS", 60)
    curve = learning_curve.learning_curve(problem, sizes=(30,), repeats=1)
    sizes = {len(point["classifiers"]): [] for point in curve["points"]}
    for point in curve["points"]:
        sizes[len(point["classifiers"])].append(point["labels"])
    assert sizes == {1: [30, 80], 2: [80]}


def test_the_table_of_the_curve_has_a_line_a_point(curve):
    assert len(learning_curve.markdown(curve).splitlines()) == 2 + len(curve["points"])


def test_the_curve_is_plotted(curve, tmp_path):
    pytest.importorskip("matplotlib")
    learning_curve.plot(curve, tmp_path / "curve.png")
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
