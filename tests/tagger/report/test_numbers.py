"""The numbers of a report: intervals, expected counts, combinations, periods."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tagger.report.numbers import area_numbers, combinations, expected_count, over_time, wilson

bool_tables = arrays.arrays(np.bool_, st.tuples(st.integers(0, 40), st.integers(1, 5)))


@pytest.mark.parametrize(
    ("count", "total", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605)],
)
def test_the_interval_of_a_share_is_that_of_the_literature(count, total, low, high):
    found = wilson(count, total)
    assert float(found[0]) == pytest.approx(low, abs=1e-4)
    assert float(found[1]) == pytest.approx(high, abs=1e-4)


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_an_interval_holds_its_share_and_says_nothing_about_nothing(count, total):
    count = min(count, total)
    low, high = (float(value) for value in wilson(count, total))
    assert 0 <= low <= (count / total if total else 0.5) <= high <= 1
    assert total or (low, high) == (0, 1)


def test_the_interval_of_a_share_covers_it_as_often_as_it_says():
    draws = np.random.default_rng(0).binomial(150, 0.2, 20_000)
    low, high = wilson(draws, 150)
    assert np.mean((low <= 0.2) & (high >= 0.2)) == pytest.approx(0.95, abs=0.01)


def test_the_expected_count_covers_what_is_true_where_probabilities_are_right():
    generator = np.random.default_rng(0)
    probabilities = generator.beta(0.4, 1.2, 400).astype(np.float32)
    mean, low, high = expected_count(probabilities)
    truths = (generator.random((5000, 400)) < probabilities).sum(axis=1)
    assert np.mean((low <= truths) & (truths <= high)) == pytest.approx(0.95, abs=0.015)
    assert truths.mean() == pytest.approx(mean, rel=0.01)


def test_the_expected_count_of_sure_abstracts_has_no_spread():
    assert expected_count(np.array([1, 1, 0], np.float32)) == (2, 2, 2)
    assert expected_count(np.empty(0, np.float32)) == (0, 0, 0)


def test_the_numbers_of_an_area_are_counts_of_its_column():
    tagged = np.array([[1, 0], [1, 1], [0, 0], [1, 0]], np.bool_)
    central, unsure = np.roll(tagged, 1, axis=0) & tagged, ~tagged
    first, second = area_numbers(("a", "b"), tagged.astype(np.float32), tagged, central, unsure)
    assert (first.area, first.tagged, first.share, first.unsure, first.expected) == ("a", 3, 0.75, 1, 3)
    assert (first.central, second.central) == (2, 0)
    assert (second.tagged, second.share, second.unsure) == (1, 0.25, 3)


@given(bool_tables)
def test_every_abstract_is_in_one_combination_and_areas_add_up(tagged):
    areas = tuple("abcde"[: tagged.shape[1]])
    found = combinations(areas, tagged)
    assert sum(one.count for one in found) == len(tagged)
    assert len({one.areas for one in found}) == len(found)
    for k, area in enumerate(areas):
        assert sum(one.count for one in found if area in one.areas) == tagged[:, k].sum()
    assert [one.count for one in found] == sorted((one.count for one in found), reverse=True)


dates = st.one_of(
    st.just(""), st.integers(1950, 2030).map(str), st.tuples(st.integers(2020, 2026), st.integers(1, 12)).map(
        lambda parts: f"{parts[0]}-{parts[1]:02}"
    ), st.just("2024-02-29"),
)  # fmt: skip


@given(st.data())
def test_periods_follow_each_other_and_count_each_date_once(data):
    tagged = data.draw(bool_tables)
    given_ = data.draw(st.lists(dates, min_size=len(tagged), max_size=len(tagged)))
    periods = over_time(given_, tagged)
    assert len(periods) != 1
    assert [one.name for one in periods] == sorted({one.name for one in periods})
    dated = sum(bool(date) for date in given_)
    assert not periods or 0.94 * dated <= sum(one.total for one in periods) <= dated
    assert all(0 <= count <= one.total for one in periods for count in one.tagged)


def test_periods_are_months_then_quarters_then_years():
    def names(*given_):
        times = 300  # so that there are many in each period
        return [one.name for one in over_time(given_ * times, np.ones((len(given_) * times, 1), np.bool_))]

    assert names("2024-11", "2025-01-31") == ["2024-11", "2024-12", "2025-01"]
    assert names("2021-12", "2024-07") == [f"{y} Q{q}" for y in range(2021, 2025) for q in range(1, 5)][3:-1]
    assert names("1999-05", "2006-01") == [str(year) for year in range(1999, 2007)]
    assert names("2024", "2025-01") == ["2024", "2025"]
    assert names("2024-03", "2024-03", "") == names("", "") == []


def test_a_handful_in_each_month_is_shown_by_quarter_or_year():
    def names(n, *given_):
        return [one.name for one in over_time(given_ * n, np.ones((len(given_) * n, 1), np.bool_))]

    months = [f"2025-{month:02}" for month in range(1, 7)]
    assert names(10, *months) == months
    assert names(9, *months) == ["2025 Q1", "2025 Q2"]
    assert names(1, *months) == ["2025 Q1", "2025 Q2"]
    assert names(1, "2024-12", "2025-01") == ["2024", "2025"]
    assert names(2, "2025-01", "2025-02") == ["2025-01", "2025-02"]


def test_a_few_outliers_do_not_hide_the_months():
    periods = over_time(["1998-01"] + ["2025-01", "2025-02"] * 50, np.ones((101, 1), np.bool_))
    assert [(one.name, one.total, one.tagged) for one in periods] == [("2025-01", 50, (50,)), ("2025-02", 50, (50,))]


def test_a_period_counts_its_own_abstracts():
    tagged = np.array([[1, 0], [0, 1], [1, 1], [1, 0]], np.bool_)
    first, second = over_time(["2020", "2021", "2020", ""], tagged)
    assert (first.total, first.tagged) == (2, (2, 1))
    assert (second.total, second.tagged) == (1, (0, 1))
