"""AreaClassifier with a network beside the linear classifiers: what it says is the blend of what they say."""

from __future__ import annotations

import numpy as np
import pytest
from abstracts import AREAS, small_abstracts
from sklearn.metrics import roc_auc_score

from tagger.arrays import to_arrays
from tagger.model import beta_calibrated
from training import AreaClassifier, count_ngrams
from training.assemble import assemble
from training.blend import RARE
from training.classifier import CANDIDATES
from training.features import OccurrenceFeatures
from training.network import NetworkSettings

TEXTS, GRADES = small_abstracts(80)
NEW_TEXTS, NEW_GRADES = small_abstracts(60, seed=21)
SMALL = NetworkSettings(features=300, min_df=2, hidden=6, epochs=6, min_steps=0, batch_size=16, learning_rate=0.02)
BOTH = ("linear", "network")


def new(**settings) -> AreaClassifier:
    return AreaClassifier(settings.pop("areas", AREAS), **{"min_df": 2, "folds": 3, "network": SMALL} | settings)


def bytes_of(classifier: AreaClassifier) -> dict[str, bytes]:
    arrays = to_arrays(classifier.model_) | {"out of fold": classifier.out_of_fold_}
    return {name: array.tobytes() for name, array in arrays.items()}


@pytest.fixture(params=[1, 1000], ids=["joint", "own margins only"])
def n_joint(request, monkeypatch) -> int:
    monkeypatch.setattr("training.classifier.JOINT_MIN_TEXTS", request.param)
    return request.param


@pytest.mark.parametrize("chosen", [("linear",), ("network",), BOTH])
def test_log_odds_are_the_blend_of_the_margins(monkeypatch, n_joint, chosen):
    seen = {}

    def spy(*args):
        seen.update(zip(("chosen", "whole", "blend", "vocabulary"), args))
        return assemble(*args)

    monkeypatch.setattr("training.classifier.assemble", spy)
    monkeypatch.setattr("training.classifier.CANDIDATES", (chosen,))
    classifier = new().fit(TEXTS, GRADES)
    assert seen["chosen"] == chosen
    assert (classifier.model_.network is not None) == ("network" in chosen)
    assert classifier.model_.coef.any() == ("linear" in chosen)

    counts = count_ngrams(NEW_TEXTS).columns(seen["vocabulary"])
    linear, network = seen["whole"]["linear"], seen["whole"]["network"]
    levels = np.minimum(counts.toarray(), 3)
    margins = {"linear": np.tile(linear.intercept, (60, 1)), "network": network.margins(counts)}
    for level in (1, 2, 3):
        margins["linear"] += (levels == level).astype(float) @ linear.levels()[level - 1]
    expected = seen["blend"].log_odds(np.concatenate([margins[kind] for kind in chosen], axis=1))

    model = classifier.model_
    assert expected.shape == (60, 4)
    rows = model.vectorizer.transform(NEW_TEXTS)
    assert model.margins(rows) == pytest.approx(expected, rel=1e-5, abs=1e-4)
    assert np.array_equal(model.log_odds(rows), beta_calibrated(model.margins(rows), model.calibration))
    assert np.array_equal(classifier.decision_function(NEW_TEXTS), model.log_odds(rows)[:, :2])


def test_linear_margins_are_those_of_each_output_fitted_alone(monkeypatch):
    from training.linear import fit_linear

    monkeypatch.setattr("training.classifier.CANDIDATES", (("linear",),))
    model = new().fit(TEXTS, GRADES).model_
    matrix = count_ngrams(TEXTS).columns(model.vocabulary)
    features = OccurrenceFeatures.of(matrix)
    present = [GRADES[:, 0] > 0, GRADES[:, 1] > 0, GRADES[:, 0] == 2, GRADES[:, 1] == 2]
    for output, truth in enumerate(present):
        fitted = fit_linear(features.matrix(matrix), truth, np.ones(80), 0.1, 1.0)
        levels = features.to_levels(fitted.coef[:, np.newaxis], len(model.vocabulary))[..., 0]
        coef = model.coef[..., output].astype(float)
        factor = np.vdot(coef, levels) / np.vdot(levels, levels)
        assert factor > 0
        assert coef == pytest.approx(factor * levels, abs=1e-5)


def test_the_set_with_the_lowest_log_loss_is_chosen():
    classifier = new().fit(TEXTS, GRADES)
    assert [tuple(tried["classifiers"]) for tried in classifier.tried_] == list(CANDIDATES)
    losses = [tried["log_loss"] for tried in classifier.tried_]
    assert [tried["chosen"] for tried in classifier.tried_] == [k == int(np.argmin(losses)) for k in range(len(losses))]
    assert all(0 < loss < np.log(2) for loss in losses)
    assert classifier.score(NEW_TEXTS, NEW_GRADES) > 0.9


def test_with_few_texts_no_network_is_tried(monkeypatch):
    monkeypatch.setattr("training.classifier.NETWORK_MIN_TEXTS", 81)
    monkeypatch.setattr("training.cross_validation.fit_network", lambda *args: pytest.fail("fitted"))
    classifier = new().fit(TEXTS, GRADES)
    assert [(tried["classifiers"], tried["chosen"]) for tried in classifier.tried_] == [(["linear"], True)]
    assert classifier.model_.network is None


def test_the_same_seed_gives_the_same_bytes_on_any_number_of_cores(monkeypatch):
    """The default network is large enough for linear algebra to share its products among threads."""
    monkeypatch.setattr("training.classifier.CANDIDATES", (BOTH,))
    quick = NetworkSettings(epochs=1, min_steps=20)
    first, again, parallel = (bytes_of(new(network=quick, n_jobs=n).fit(TEXTS, GRADES)) for n in (1, 1, 2))
    assert first == again
    assert first == parallel
    assert bytes_of(new(network=quick, random_state=1).fit(TEXTS, GRADES)) != first


def test_a_label_is_not_seen_by_the_network_that_judges_its_text(monkeypatch):
    monkeypatch.setattr("training.classifier.CANDIDATES", (("network",),))
    generator = np.random.default_rng(0)
    texts = [f"{first}{second} " * 3 for first in "abcdef" for second in "klmnopqrst"]
    present = generator.random(60) < 0.5
    fitted = new(areas=["x"], min_df=1).fit(texts, present.astype(int))
    loss = np.logaddexp(0, np.where(present, -1, 1) * fitted.out_of_fold_[:, 0]).mean()
    assert loss > np.log(2) - 0.05


def test_texts_whose_label_is_unknown_do_not_count_as_texts_without_the_area(monkeypatch, n_joint):
    monkeypatch.setattr("training.classifier.CANDIDATES", (BOTH,))
    grades = GRADES.copy()
    grades[(GRADES[:, 1] > 0) & (np.arange(80) % 3 == 0), 1] = -1
    fitted = new().fit(TEXTS, grades)
    assert np.isfinite(fitted.out_of_fold_).all()
    assert fitted.score(NEW_TEXTS, NEW_GRADES) > 0.9
    assert np.array_equal(fitted.out_of_fold_, new().fit(TEXTS, np.where(grades < 0, np.nan, grades)).out_of_fold_)


def test_what_is_central_is_learned_where_both_grades_are_frequent_enough():
    few = GRADES.copy()
    few[np.flatnonzero(few[:, 1] == 2)[RARE - 1 :], 1] = 1
    classifier = new().fit(TEXTS, few)
    assert classifier.model_.central == ("astronomy",)
    probabilities = classifier.model_.probabilities(NEW_TEXTS)
    assert probabilities.shape == (60, 3)
    graded = NEW_GRADES[:, 0] > 0
    assert roc_auc_score(NEW_GRADES[graded, 0] == 2, probabilities[graded, 2]) > 0.75


RARE_GRADES = {
    "none present": GRADES * [[1, 0]],
    "none absent": np.maximum(GRADES, [[0, 1]]),
    "none known": np.where([[False, True]], -1, GRADES),
    "one known": np.where(np.arange(80)[:, np.newaxis] * [[0, 1]] > 0, -1, GRADES),
    "four present": np.where((np.cumsum(GRADES > 0, axis=0) > RARE - 1) & [[False, True]], 0, GRADES),
    "four absent": np.where((np.cumsum(GRADES == 0, axis=0) > RARE - 1) & [[False, True]], 1, np.maximum(GRADES, 0)),
}


@pytest.mark.parametrize("kind", RARE_GRADES)
@pytest.mark.parametrize("candidate", [("linear",), BOTH], ids="+".join)
def test_an_area_with_few_texts_of_one_kind_is_named_and_always_unsure(monkeypatch, n_joint, kind, candidate):
    monkeypatch.setattr("training.classifier.CANDIDATES", (candidate,))
    grades = RARE_GRADES[kind]
    classifier = new().fit(TEXTS, grades)
    model = classifier.model_
    assert classifier.rare_ == ("cooking",)
    assert model.unsure[1].tolist() == [0, 1]
    assert model.thresholds[1] == 0.5
    assert model.unsure[0, 0] > 0
    for tags in model.tags(model.probabilities(NEW_TEXTS)):
        assert "cooking" in tags.unsure
    predicted = classifier.predict(NEW_TEXTS)
    assert ((predicted[:, 0] > 0) == (NEW_GRADES[:, 0] > 0)).mean() > 0.9
    if "none" in kind and "known" not in kind:
        assert (predicted[:, 1] == (kind == "none absent")).all()


def test_an_area_with_enough_texts_of_both_kinds_is_not_rare(classifier):
    assert classifier.rare_ == ()


def test_texts_none_of_which_is_representative_count_as_if_all_were():
    nothing, everything = (new().fit(TEXTS, GRADES, representative=np.full(80, value)) for value in (False, True))
    assert bytes_of(nothing) == bytes_of(everything)


def test_an_area_judged_only_on_texts_that_are_not_representative_is_always_unsure():
    grades, judged = GRADES.copy(), np.arange(80) < 40
    grades[:40, 1] = -1
    model = new().fit(TEXTS, grades, representative=judged).model_
    assert (model.unsure[1].tolist(), model.thresholds[1]) == ([0, 1], 0.5)
    assert model.unsure[0].tolist() != [0, 1]
