"""A model and its arrays are the same thing, and arrays that are no model's are refused."""

from __future__ import annotations

from dataclasses import replace

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from random_models import AREAS, log_odds_by_loops, random_counts, random_model, rows_of

from tagger.arrays import from_arrays, to_arrays
from tagger.model import LEVELS, NO_CALIBRATION

seeds = st.integers(0, 10_000)
centrals = st.sampled_from([(), ("b",), ("c", "a"), AREAS])
sizes = st.sampled_from([None, 0, 1, 15, 27])
FULL = random_model(0)
ARRAYS = to_arrays(FULL)


@settings(max_examples=40)
@given(seeds, centrals, sizes, st.booleans())
def test_a_model_comes_back_from_its_arrays(seed, central, n_features, calibrated):
    model = random_model(seed, central, n_features, calibrated)
    back = from_arrays(to_arrays(model), model.areas, model.central, {"x": 1})
    assert (back.areas, back.central, back.about) == (model.areas, central, {"x": 1})
    assert back.vocabulary.ngrams == model.vocabulary.ngrams
    for name in ("coef", "intercept", "thresholds", "unsure"):
        assert np.array_equal(getattr(back, name), getattr(model, name))
        assert getattr(back, name).dtype == getattr(model, name).dtype
    expected = model.calibration if calibrated else np.tile(NO_CALIBRATION, len(model.intercept))
    assert np.array_equal(back.calibration, expected)
    assert (back.network is None) == (model.network is None) == (n_features is None)
    if n_features is not None:
        assert np.array_equal(back.output, model.output)
        for name in ("features", "idf", "embedding", "bias"):
            assert np.array_equal(getattr(back.network, name), getattr(model.network, name))
            assert getattr(back.network, name).dtype == getattr(model.network, name).dtype
    again = to_arrays(back)
    assert {name: array.tobytes() for name, array in again.items()} == {
        name: array.tobytes() for name, array in to_arrays(model).items()
    }


@settings(max_examples=30)
@given(seeds, centrals, sizes, st.booleans())
def test_log_odds_are_those_of_a_plain_loop(seed, central, n_features, calibrated):
    model = random_model(seed, central, n_features, calibrated)
    counts = random_counts(np.random.default_rng(seed + 1), 5, len(model.vocabulary))
    log_odds = model.log_odds(rows_of(counts))
    assert log_odds.dtype == np.float64
    assert log_odds == pytest.approx(log_odds_by_loops(model, counts), abs=1e-4)
    for k in range(5):
        assert model.log_odds(rows_of(counts[[k]])) == pytest.approx(log_odds[[k]], abs=1e-5)


def test_only_ngrams_whose_repetition_counts_are_kept_for_more_than_one_level():
    assert ARRAYS["coef"].shape == FULL.coef.shape[1:]
    assert ARRAYS["repeated"].tolist() == list(range(0, len(FULL.vocabulary), 4))
    assert ARRAYS["repeated_coef"].shape == (LEVELS - 1, len(ARRAYS["repeated"]), 4)
    flat = replace(FULL, coef=np.repeat(FULL.coef[:1], LEVELS, axis=0))
    assert len(to_arrays(flat)["repeated"]) == 0
    assert np.array_equal(from_arrays(to_arrays(flat), AREAS, ("b",), {}).coef, flat.coef)


@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_that_is_missing_or_of_another_shape_or_type_is_refused(name):
    array = ARRAYS[name]
    others = {other: value for other, value in ARRAYS.items() if other != name}
    with pytest.raises((ValueError, KeyError)):
        from_arrays(others, AREAS, ("b",), {})
    wrong_type = np.float64 if array.dtype != np.float64 else np.float32
    for damaged in (array[: len(array) // 2], array[..., np.newaxis], array.astype(wrong_type), array.astype("U9")):
        with pytest.raises((ValueError, KeyError)):
            from_arrays(others | {name: damaged}, AREAS, ("b",), {})


@pytest.mark.parametrize("name", [name for name, array in ARRAYS.items() if array.dtype.kind == "f"])
@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_not_finite_is_refused(name, odd):
    damaged = ARRAYS[name].copy()
    damaged.flat[-1] = odd
    with pytest.raises(ValueError, match=r"finite|positive"):
        from_arrays(ARRAYS | {name: damaged}, AREAS, ("b",), {})


@pytest.mark.parametrize(
    ("name", "position", "value", "complaint"),
    [
        ("repeated", 0, -1, "outside the vocabulary"),
        ("repeated", -1, len(FULL.vocabulary), "outside the vocabulary"),
        ("network_features", 0, -1, "ascend"),
        ("network_features", 1, 0, "ascend"),
        ("network_features", -1, len(FULL.vocabulary), "outside the vocabulary"),
        ("network_idf", 3, 0, "positive"),
        ("calibration", 0, -1, "ranking"),
        ("calibration", 1, -1, "ranking"),
        ("pairs", 0, len(FULL.vocabulary.words), "outside the words"),
    ],
)
def test_numbers_that_point_nowhere_are_refused(name, position, value, complaint):
    damaged = ARRAYS[name].copy()
    damaged[position] = value
    with pytest.raises(ValueError, match=complaint):
        from_arrays(ARRAYS | {name: damaged}, AREAS, ("b",), {})


@pytest.mark.parametrize(
    ("areas", "central"), [(AREAS, ()), (AREAS, ("a", "b")), (AREAS[:2], ("b",)), (AREAS, ("chess",)), ((), ())]
)
def test_names_that_do_not_fit_the_arrays_are_refused(areas, central):
    with pytest.raises(ValueError, match=r"shape|no area"):
        from_arrays(ARRAYS, areas, central, {})
