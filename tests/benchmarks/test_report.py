"""What was measured becomes tables and the generated parts of a page."""

from __future__ import annotations

import pytest

from benchmarks import report, tables
from benchmarks.bars import bars
from benchmarks.parts import IMPORTS


def seconds(wall, cpu=None):
    return {"wall": wall, "cpu": wall if cpu is None else cpu}


def file_run(name, jobs, abstracts, wall, *memory):
    peaks = [{"role": role, "rss": int(rss * 1e6), "pss": int(pss * 1e6)} for role, rss, pss in memory]
    return {"name": name, "jobs": jobs, "abstracts": abstracts, **seconds(wall), "peaks": peaks}


@pytest.fixture
def results():
    """Round figures for every part, of two contenders."""
    return {
        "about": {
            "is_quick": False,
            "processor": "Abacus",
            "cores": 2,
            "system": "Linux",
            "python": "3.11",
            "numpy": "2.0",
            "blas": ["Haswell"],
            "labels": {"fastText": 1200},
            "parts": {"speed": {"load": 0.5}, "start": {"load": 1.25}},
        },
        "accuracy": {"macro_f1": {"tagger": 0.9, "fastText": 0.8}},
        "disk": {"tagger": {"model": 11e6, "libraries": 57e6}, "fastText": {"model": 4e6, "libraries": 75e6}},
        "speed": {"seconds": {"tagger": seconds(40e-6, 25e-6), "fastText": seconds(80e-6, 75e-6)}},
        "cores": {"seconds": {"tagger": seconds(20e-6), "fastText": seconds(50e-6)}},
        "latency": {"tagger": {"wall": [0.0002, 0.0007]}, "fastText": {"wall": [0.0001, 0.0003]}},
        "start": {
            IMPORTS: seconds(2.0),
            "tagger --help": seconds(0.1),
            "tagger tag one.txt": seconds(0.5),
            "fastText": seconds(0.3),
        },
        "parallel": {
            "abstracts": 100_000,
            "seconds": {"tag_many(n_jobs=1)": seconds(9.0, 8.5), "tag_many(n_jobs=2)": seconds(5.0, 9.9)},
        },
        "growth": [
            file_run("tagger", 1, 1000, 0.5, ("main", 80, 70)),
            file_run("fastText", 1, 1000, 0.4, ("main", 90, 85)),
            file_run("tagger", 2, 1000, 1.0, ("main", 90, 70), ("worker", 70, 50), ("worker", 75, 55)),
            file_run("tagger", 2, 10_000, 8.0, ("main", 108, 90), ("worker", 72, 52), ("worker", 77, 57)),
        ],
        "stages": {
            "counts": {"bytes": 1300.0, "words": 190.0, "n-grams": 234.0, "vectors": 150.0},
            "stages": {"find words": 6e-6, "tags": 14e-6},
            "floor": {"bytes": 1e-6, "n-grams": 1e-6, "weights": 3e-6},
        },
    }


def rows(table):
    """The cells of a table's rows by their first cell."""
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line[:1] == "|"]
    return {first: others for first, *others in cells[2:]}


def test_a_table_lines_up_and_is_markdown():
    text = tables.table(["name", "n"], [["one", "1"], ["twelve", "12"]])
    assert text.splitlines() == ["| name   |   n |", "| ------ | --: |", "| one    |   1 |", "| twelve |  12 |"]


def test_ratios_on_one_core_are_of_processor_time_and_on_two_by_the_clock(results):
    found = rows(tables.speed(results))
    assert found["**tagger**"] == ["0.900", "25.0 µs", "1.0", "40.0 µs", "20.0 µs", "1.0"]
    (peer,) = (cells for name, cells in found.items() if name.startswith("fastText"))
    assert peer == ["0.800", "75.0 µs", "3.0", "80.0 µs", "50.0 µs", "2.5"]


def test_costs_are_in_units_that_can_be_read(results):
    found = rows(tables.cost(results))
    assert found["tagger"] == ["0.50 s", "0.25", "0.20 ms", "0.70 ms", "80 MB", "11 MB", "57 MB"]
    assert found["fastText"] == ["0.30 s", "0.15", "0.10 ms", "0.30 ms", "90 MB", "4.0 MB", "75 MB"]


def test_a_file_that_a_peer_was_not_given_is_a_dash(results):
    found = rows(tables.growth(results))
    assert found["tagger, 2 processes"] == ["1.0 s, 90 MB", "8.0 s, 108 MB"]
    assert found["fastText, 1 process"] == ["0.4 s, 90 MB", tables.NOTHING]


def test_each_process_has_its_row_largest_first(results):
    found = rows(tables.processes(results))
    assert found == {
        "main": ["90 MB / 70 MB", "108 MB / 90 MB"],
        "worker 1": ["75 MB / 55 MB", "77 MB / 57 MB"],
        "worker 2": ["70 MB / 50 MB", "72 MB / 52 MB"],
    }


def test_two_workers_stand_beside_one(results):
    assert rows(tables.parallel(results)) == {"`tag_many(n_jobs=N)`": ["9.00 s", "5.00 s", "1.80", "8.50 s", "9.90 s"]}


def test_stages_stand_beside_the_floor(results):
    text = tables.stages(results)
    assert rows(text)["tags"] == ["14.00 µs", "70%"]
    assert "10 times its floor of 2.00 µs, and 4 times the floor together" in text


def test_bars_say_which_hold(results):
    found = rows(bars(results))
    assert found["one core: times as fast as fastText"] == ["at least 1.5", "3", "yes"]
    assert found["`tagger tag one.txt`, share of the imports' time"] == ["at most 0.2", "0.25", "**no**"]
    assert found["memory at the largest file, times that at the one before"] == ["at most 1.05", "1.2", "**no**"]
    assert found["processor time for an abstract at the largest file, times that at the one before"][1] == "0.8"
    assert not any("scikit-learn" in name for name in found)  # it was not there to be compared with


def test_what_was_not_measured_has_no_table():
    assert report.terminal({}) == ""
    only_speed = report.terminal({"speed": {"seconds": {"tagger": seconds(1e-6)}}})
    assert tables.NOTHING in only_speed  # accuracy
    assert "First answer" not in only_speed


def test_a_page_keeps_all_text_but_what_stands_between_the_marks(results):
    marks = "".join(f"Before {name}.\n<!-- begin {name} -->\nold\n<!-- end {name} -->\n" for name in report.BLOCKS)
    page = report.filled(marks, {"speed": results["speed"]})
    assert page.count("Before ") == len(report.BLOCKS)
    assert page.count("\nold\n") == len(report.BLOCKS) - 2  # a bar or two came with the speed
    assert tables.speed({"speed": results["speed"]}) in page
    assert report.filled(page, {"speed": results["speed"]}) == page


def test_a_page_without_a_mark_is_refused_by_its_name(results):
    with pytest.raises(ValueError, match="'about'"):
        report.filled("no marks", results)


def test_the_page_of_the_project_has_every_mark(repository, results):
    page = (repository / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    filled = report.filled(page, results)
    assert "Measured on Abacus, 2 cores" in filled
