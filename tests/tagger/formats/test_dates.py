"""Dates as bibliographies write them become ISO dates, as precise as they are."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import texts

from tagger.formats.dates import iso_date, join_date


@pytest.mark.parametrize(
    ("value", "date"),
    [
        (2025, "2025"),
        (2025.0, "2025"),
        ("2025", "2025"),
        ("2025-05", "2025-05"),
        ("2025-05-17T12:00:00Z", "2025-05-17"),
        ("2025/05/17/", "2025-05-17"),
        ("2025/05//", "2025-05"),
        ("2025///", "2025"),
        ("2025-5-7", "2025-05-07"),
        ("20250517", "2025-05-17"),
        (20250517, "2025-05-17"),
        ("2025-05-17/2025-06-01", "2025-05-17"),
        ("Mon, 2 Apr 2007 19:18:42 GMT", "2007-04-02"),
        ("May 2025", "2025-05"),
        ("17 May 2025", "2025-05-17"),
        ("17th May, 2025", "2025-05-17"),
        ("May 17, 2025", "2025-05-17"),
        ("2025 May 17", "2025-05-17"),
        ("Sept. 2025", "2025-09"),
        ("May-June 2024", "2024-05"),
        ("05/06/2025", "2025"),
        ("c. 2025a", "2025"),
        ("2025-02-31", "2025-02"),
        ("2025-13-01", "2025"),
        (1_715_904_000_000, "2024-05-17"),
        ("1715904000000", "2024-05-17"),
        (1_715_904_000, "2024-05-17"),
        (datetime.date(2025, 5, 17), "2025-05-17"),
        (datetime.datetime(2025, 5, 17, 12), "2025-05-17"),
        ({"date-parts": [[2025, 5, 17]]}, "2025-05-17"),
        ({"date-parts": [["2025", "5"]]}, "2025-05"),
        ({"date-parts": [[2025], [2026]]}, "2025"),
        ({"raw": "May 2025"}, "2025-05"),
        ([{"version": "v1", "created": "Mon, 2 Apr 2007 19:18:42 GMT"}], "2007-04-02"),
        (["", "2024-01-02", "2025-01-01"], "2024-01-02"),
    ],
)
def test_a_date_is_as_precise_as_it_is_written(value, date):
    assert iso_date(value) == date


@pytest.mark.parametrize(
    "value",
    ["", "in press", "May 17", "123456", None, True, {}, [], {"date-parts": []}, {"date-parts": "2025"}, 17, -1],
)
def test_what_is_no_date_gives_none(value):
    assert iso_date(value) == ""


@pytest.mark.parametrize(
    ("parts", "date"),
    [
        (("2025",), "2025"),
        (("2025", "may", "17"), "2025-05-17"),
        (("2025", "May~17"), "2025-05"),
        (("2025", "5", "99"), "2025-05"),
        (("2025", "autumn", "1"), "2025"),
        (("", "5", "17"), ""),
        ((None, None, None), ""),
    ],
)
def test_parts_are_joined_as_far_as_they_make_sense(parts, date):
    assert join_date(*parts) == date


@given(
    st.dates(datetime.date(1500, 1, 1), datetime.date(2199, 12, 31)),
    st.sampled_from(["%Y/%m/%d", "%d %B %Y", "%b %d, %Y"]),
)
def test_any_day_is_read_in_any_style(day, style):
    assert iso_date(day.strftime(style)) == day.isoformat()


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts | st.text("0123456789-/ May", max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["date-parts", "raw"]), inner),
    max_leaves=4,
)


@given(anything)
def test_any_value_gives_a_date_or_none(value):
    date = iso_date(value)
    if date:
        datetime.date.fromisoformat(date + "-01-01"[: 10 - len(date)] if len(date) == 4 else (date + "-01")[:10])
