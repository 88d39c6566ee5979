"""A collection is taken in whole as numbers, and as records up to a limit."""

from __future__ import annotations

import numpy as np
from invented import AREAS, invented

from tagger.records import Record, Tagged
from tagger.report.dates import date_of
from tagger.report.gathering import gather


def test_numbers_are_those_of_the_records_in_order():
    tagged = invented(250)
    found = gather(iter(tagged), AREAS, date_of, 1000)
    good = [one for one in tagged if not one.tags.error]
    assert (found.total, found.failed) == (250, 3)
    assert found.sources == ["list.jsonl"]
    assert found.marks == {"language": 5}
    assert [one.tagged for one in found.kept] == tagged
    assert found.dates == [date_of(one.record) for one in good]
    np.testing.assert_allclose(found.probabilities, [[one.tags.probabilities[a] for a in AREAS] for one in good])
    for array, name in ((found.tagged, "areas"), (found.central, "central"), (found.unsure, "unsure")):
        assert array.tolist() == [[area in getattr(one.tags, name) for area in AREAS] for one in good]


def test_beyond_the_limit_records_are_drawn_evenly_and_all_are_counted():
    tagged = invented(400)
    times = np.zeros(400)
    for seed in range(300):
        found = gather(iter(tagged), AREAS, date_of, 40, seed)
        numbers = [one.number for one in found.kept]
        assert numbers == sorted(set(numbers))
        assert len(numbers) == 40
        assert len(found.tagged) == 396
        times[numbers] += 1
    # Binomial(300, 0.1): mean 30, deviation 5.2.
    assert times.min() > 5
    assert times.max() < 60
    assert abs(times[:200].sum() - times[200:].sum()) < 600


def test_every_file_is_named_once_even_if_it_has_no_name():
    named = [(name, "") for name in ("b", "", "a", "b", "2024")] + [("2025", "2025")]
    tagged = [
        Tagged(Record("", source=source, fields={"date": date}), one.tags)
        for (source, date), one in zip(named, invented(6))
    ]
    assert gather(iter(tagged), AREAS, date_of, 10).sources == ["b", "", "a", "2024", "2025"]


def test_nothing_is_a_collection_too():
    found = gather(iter([]), AREAS, date_of, 10)
    assert found.tagged.shape == found.probabilities.shape == (0, 4)
    assert found.kept == []
