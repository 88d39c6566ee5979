"""What is said of the records that failed."""

from __future__ import annotations

import json

from tagger import Record
from tagger.failures import MOST_KINDS, Failures, place_of

FIRST = Record("p3", source="in.csv", position="row 3")


def test_the_summary_says_how_many_why_and_where_the_first_is():
    failures = Failures()
    failures.add(FIRST, "the abstract is empty")
    for reason in ("not JSON (line 1)", "not JSON (line 2)", "no field 'a' among b, c; name it", "line 9: not CSV (x)"):
        failures.add(Record("p4"), reason)
    assert failures.summary(1_000, "tagged") == (
        "5 of 1,000 records could not be tagged: not JSON (2), the abstract is empty (1), no field 'a' (1), "
        "other reasons (1); the first is in.csv, row 3 (id p3); their rows say why"
    )


def test_counting_goes_on_from_a_saved_state():
    one, two = Failures(), Failures()
    for failures in (one, two):
        failures.add(FIRST, "a")
    two = Failures(json.loads(json.dumps(two.state)))
    for failures in (one, two):
        failures.add(Record("p4"), "b")
    assert one.state == two.state
    assert one.summary(2, "read") == two.summary(2, "read")


def test_reasons_without_number_take_no_memory_without_end():
    failures = Failures()
    for k in range(10 * MOST_KINDS):
        failures.add(FIRST, f"reason {k}")
    assert len(failures.state["kinds"]) == MOST_KINDS + 1
    assert "other reasons (" in failures.summary(1000, "tagged")


def test_nothing_in_a_record_drives_the_terminal_or_fills_it():
    hostile = Record("\x1b[31m" + "x" * 5000, source="a\nb", position="row 1")
    failures = Failures()
    failures.add(hostile, "\x1b]0;title\x07 is bad")
    line = failures.summary(1, "tagged")
    assert line.isprintable()
    assert len(line) < 600


def test_a_place_is_named_as_far_as_it_is_known():
    assert place_of(FIRST) == "in.csv, row 3 (id p3)"
    assert place_of(Record("p1", source="in.csv")) == "in.csv (id p1)"
    assert place_of(Record("p1")) == "p1"
