"""The date of a record is that of its fields, or the month of its arXiv id."""

from __future__ import annotations

import pytest

from tagger.records import Record
from tagger.report.dates import date_of


@pytest.mark.parametrize(
    ("id_", "fields", "date"),
    [
        ("a", {"date": "2024-05-17"}, "2024-05-17"),
        ("a", {"year": 2019}, "2019"),
        ("a", {"Year": "2019", "Month": "mar"}, "2019-03"),
        ("2403.01234", {}, "2024-03"),
        ("2403.01234", {"year": "2025"}, "2025"),
        ("arXiv:0704.0001v2", {}, "2007-04"),
        ("2413.01234", {}, ""),
        ("0601.01234", {}, ""),
        ("papers.txt:2403", {}, ""),
        ("nips2018:11989", {}, ""),
        ("a", {"date": "soon"}, ""),
    ],
)
def test_the_date_of_a_record(id_, fields, date):
    assert date_of(Record(id_, "An abstract.", fields=fields)) == date
