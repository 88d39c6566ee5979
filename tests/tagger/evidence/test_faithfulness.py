"""Evidence is faithful: without the phrases that support an area its probability falls, more than without others."""

from __future__ import annotations

import importlib.util
from itertools import pairwise

import numpy as np
import pytest
from abstracts import small_abstracts

from tagger import Tagger, load


@pytest.fixture(scope="module")
def faithfulness(repository):
    """The benchmark of that name."""
    pytest.importorskip("pyarrow")
    specification = importlib.util.spec_from_file_location("faithfulness", repository / "benchmarks/faithfulness.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def share_faithful(faithfulness, areas: Tagger, abstracts: list[str]) -> float:
    generator = np.random.default_rng(0)
    outcomes = []
    for abstract in abstracts:
        explanation = areas.explain(abstract)
        for area in explanation.tags.areas:
            phrases = [phrase for phrase in explanation.areas[area].phrases if phrase.share > 0][:3]
            fall, random, _ = faithfulness.falls(areas.model, abstract, area, phrases, 8, generator)
            outcomes.append(fall > random.mean())
    assert len(outcomes) > 20
    return float(np.mean(outcomes))


def test_the_small_model_is_explained_faithfully(faithfulness, tagger_):
    assert share_faithful(faithfulness, tagger_, small_abstracts(40, seed=9)[0]) >= 0.95


def test_the_shipped_model_is_explained_faithfully_on_real_abstracts(faithfulness, real_abstracts):
    assert share_faithful(faithfulness, load(), real_abstracts[::300][:60]) >= 0.95


def test_removing_deletes_the_characters_of_spans_that_may_overlap(faithfulness):
    assert faithfulness.without("a slow soup", [(2, 6), (4, 7)]) == "a soup"
    assert faithfulness.without("a slow soup", []) == "a slow soup"


def test_random_runs_have_the_lengths_asked_for_and_do_not_overlap(faithfulness):
    from tagger import spans

    words = spans.words("one two three four five six seven eight")
    for seed in range(50):
        runs = sorted(faithfulness.random_runs(words, [2, 3, 1], np.random.default_rng(seed)))
        assert sorted(faithfulness.words_in(words, run) for run in runs) == [1, 2, 3]
        assert all(before[1] < after[0] for before, after in pairwise(runs))


def test_where_there_is_no_room_random_runs_may_overlap(faithfulness):
    from tagger import spans

    runs = faithfulness.random_runs(spans.words("one two three"), [2, 2], np.random.default_rng(0))
    assert len(runs) == 2


def test_the_interval_of_a_share_is_wilsons(faithfulness):
    assert faithfulness.wilson(9, 10) == pytest.approx((0.596, 0.982), abs=1e-3)
    assert faithfulness.wilson(10, 10)[1] == 1.0
