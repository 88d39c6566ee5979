"""A model's arithmetic, seen from outside: probabilities of texts and the tags that follow from them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from abstracts import ASTRONOMY, COOKING, MARKED_UP, NEUTRAL, small_abstracts
from hypothesis import given
from hypothesis import strategies as st
from strategies import texts

abstracts = st.one_of(st.sampled_from([*small_abstracts()[0], *MARKED_UP]), texts)


def test_a_text_on_an_area_gets_a_higher_probability_than_one_that_is_not(model):
    about_stars, about_soup, neither = model.probabilities([" ".join(s) for s in (ASTRONOMY, COOKING, NEUTRAL)])
    astronomy, cooking = range(2)
    assert about_stars[astronomy] > 0.5 > max(about_soup[astronomy], neither[astronomy])
    assert about_soup[cooking] > 0.5 > max(about_stars[cooking], neither[cooking])


def test_markup_does_not_change_the_probabilities(model):
    plain = "The dough rests overnight, see the recipes, and naive bakers lose 30% of the butter."
    marked = r"The \textbf{dough} rests *overnight*, see [the]() recipes, and na\"ive {\em bakers} lose "
    marked += r"$30\%$ of the ``butter''."
    assert np.array_equal(model.probabilities([plain]), model.probabilities([marked]))


@given(st.lists(abstracts, max_size=8))
def test_probabilities_are_float32_between_0_and_1_for_any_text(model, batch):
    probabilities = model.probabilities(batch)
    assert probabilities.shape == (len(batch), len(model.areas) + len(model.central))
    assert probabilities.dtype == np.float32
    assert ((probabilities >= 0) & (probabilities <= 1)).all()


@given(st.lists(abstracts, min_size=1, max_size=8), st.data())
def test_the_probabilities_of_a_text_do_not_depend_on_its_neighbours(model, batch, data):
    together = model.probabilities(batch)
    order = data.draw(st.permutations(range(len(batch))))
    assert np.allclose(model.probabilities([batch[i] for i in order]), together[order], atol=1e-6, rtol=0)
    alone = np.concatenate([model.probabilities([text]) for text in batch])
    assert np.allclose(alone, together, atol=1e-6, rtol=0)


@given(st.lists(abstracts, min_size=1, max_size=5))
def test_tags_are_the_areas_whose_probability_reaches_the_threshold(model, batch):
    probabilities = model.probabilities(batch)
    for tags, outputs in zip(model.tags(probabilities), probabilities, strict=True):
        row = outputs[: len(model.areas)]
        assert list(tags.probabilities) == list(model.areas)
        assert list(tags.probabilities.values()) == row.tolist()
        assert tags.areas == tuple(a for a, p, t in zip(model.areas, row, model.thresholds) if p >= t)
        assert tags.unsure == tuple(
            a for a, p, (low, high) in zip(model.areas, row, model.unsure) if low <= p <= high
        )  # fmt: skip
        assert tags.error is None


def test_a_probability_at_the_threshold_is_tagged_and_one_just_below_is_not(model):
    at = model.thresholds.astype(np.float32)
    at[at < model.thresholds] = np.nextafter(at[at < model.thresholds], np.float32(1))
    below = np.nextafter(at, np.float32(0))
    below[below >= model.thresholds] = np.nextafter(below[below >= model.thresholds], np.float32(0))
    tagged, not_tagged = model.tags(np.stack([at, below]))
    assert tagged.areas == model.areas
    assert not_tagged.areas == ()


def test_the_runtime_gives_the_probabilities_of_the_classifier_that_was_trained(classifier, model):
    written = [*small_abstracts(seed=1)[0], *MARKED_UP, ""]
    assert model.probabilities(written)[:, :2] == pytest.approx(classifier.predict_proba(written), abs=1e-6)


@given(st.lists(st.tuples(*[st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0])] * 4), min_size=1, max_size=20))
def test_an_area_is_central_only_where_it_is_tagged_and_both_thresholds_are_reached(model, rows):
    probabilities = np.array(rows, dtype=np.float32)
    assert model.central == model.areas
    for tags, row in zip(model.tags(probabilities), probabilities, strict=True):
        assert set(tags.central) <= set(tags.areas)
        assert tags.central == tuple(
            a for a, p, t in zip(model.central, row[2:], model.thresholds[2:]) if p >= t and a in tags.areas
        )
        assert tags.central_probabilities == dict(zip(model.central, row[2:].tolist()))


def test_a_model_that_was_not_taught_what_is_central_says_nothing_of_it(model):
    by_output = ("coef", "intercept", "thresholds", "output", "calibration")
    plain = replace(model, central=(), **{name: getattr(model, name)[..., :2] for name in by_output})
    texts = small_abstracts(20, seed=4)[0]
    for tags, graded in zip(*(m.tags(m.probabilities(texts)) for m in (plain, model)), strict=True):
        assert (tags.central, tags.central_probabilities) == ((), {})
        assert (tags.areas, tags.unsure) == (graded.areas, graded.unsure)
        assert tags.probabilities == pytest.approx(dict(graded.probabilities), abs=1e-6)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"central": ("astronomy", "chess")}, "'chess', which is no area"),
        ({"central": ("astronomy",)}, "coef has shape"),
        ({"areas": ("astronomy",), "central": ()}, "coef has shape"),
        ({"intercept": np.zeros(3)}, "intercept has shape"),
        ({"thresholds": np.zeros(2)}, "thresholds has shape"),
        ({"unsure": np.zeros((4, 2))}, "unsure has shape"),
        ({"intercept": np.array([0, 0, np.inf, 0])}, "not finite"),
        ({"output": None}, "go together"),
        ({"network": None}, "go together"),
        ({"output": np.zeros((8, 2), dtype=np.float32)}, "output has shape"),
        ({"output": np.full((24, 4), np.nan, dtype=np.float32)}, "output has values that are not finite"),
    ],
)
def test_parts_that_do_not_fit_each_other_are_refused(model, changes, complaint):
    with pytest.raises(ValueError, match=complaint):
        replace(model, **changes)
