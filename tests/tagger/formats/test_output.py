"""Results as JSON Lines and CSV, and files that appear whole or not at all."""

from __future__ import annotations

import csv
import io
import json
import os
import stat
import threading
from dataclasses import replace

import hypothesis.strategies as st
import pytest
from hypothesis import given

from tagger import InputError, Record, Tagged, Tags
from tagger.formats.output import WRITERS, format_of_file, row_of, whole_file

AREAS = ("astronomy", "cooking")
TAGGED = Tagged(
    Record("p1", "We bake.", "Bread"),
    Tags(("cooking",), {"astronomy": 0.1234567, "cooking": 0.75}, unsure=("astronomy",)),
)
GRADED = replace(TAGGED, tags=replace(TAGGED.tags, central=("cooking",), central_probabilities={"cooking": 2 / 3}))
FAILED = Tagged(Record("p2", error="not JSON"), Tags(error="not JSON"))


def written(format: str, *results: Tagged) -> str:
    stream = io.StringIO(newline="")
    writer = WRITERS[format](stream, AREAS)
    for result in results:
        writer.write(result)
    return stream.getvalue()


def rows_of(*results: Tagged) -> csv.DictReader:
    return csv.DictReader(io.StringIO(written("csv", *results), newline=""))


def test_a_jsonl_row_has_id_title_areas_probabilities_and_unsure():
    assert json.loads(written("jsonl", TAGGED)) == {
        "id": "p1",
        "title": "Bread",
        "areas": ["cooking"],
        "probabilities": {"astronomy": 0.123457, "cooking": 0.75},
        "unsure": ["astronomy"],
    }


def test_a_jsonl_row_says_what_is_central_if_the_model_knows():
    assert row_of(GRADED) == row_of(TAGGED) | {"central": ["cooking"], "central_probabilities": {"cooking": 0.666667}}
    nothing_central = replace(GRADED, tags=replace(GRADED.tags, central=()))
    assert row_of(nothing_central)["central"] == []


def test_a_failed_record_has_its_error_and_the_same_fields_empty():
    assert row_of(FAILED) == {"id": "p2", "areas": [], "probabilities": {}, "unsure": [], "error": "not JSON"}


def test_a_csv_has_a_column_for_each_area_and_a_row_for_each_record():
    header, first, second, third = csv.reader(io.StringIO(written("csv", TAGGED, FAILED, GRADED)))
    assert header == ["id", "title", "areas", "central", "unsure", "astronomy", "cooking", "error"]
    assert first == ["p1", "Bread", "cooking", "", "astronomy", "0.123457", "0.750000", ""]
    assert second == ["p2", "", "", "", "", "", "", "not JSON"]
    assert third == ["p1", "Bread", "cooking", "cooking", "astronomy", "0.123457", "0.750000", ""]


def test_several_areas_share_a_cell_of_a_csv():
    both = Tagged(Record("p"), Tags(AREAS, dict.fromkeys(AREAS, 0.9)))
    assert list(csv.reader(io.StringIO(written("csv", both))))[1][2] == "astronomy; cooking"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_a_spreadsheet_does_not_run_a_cell_of_a_csv(start):
    hostile = f"{start}cmd('rm')"
    row = next(rows_of(Tagged(Record(hostile, "x", hostile), Tags(error=hostile))))
    assert {row["id"], row["title"], row["error"]} == {"'" + hostile.replace("\r", "\n")}


texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=15)
results = st.builds(
    lambda id_, title, numbers, error: Tagged(
        Record(id_, "text", title), Tags(error=error) if error else Tags((AREAS[0],), dict(zip(AREAS, numbers)))
    ),
    texts, texts, st.tuples(st.floats(0, 1), st.floats(0, 1)), texts,
)  # fmt: skip


@given(st.lists(results, max_size=6))
def test_every_result_is_one_line_of_jsonl_that_says_the_same(tagged):
    lines = written("jsonl", *tagged).split("\n")
    assert lines.pop() == ""
    assert [json.loads(line) for line in lines] == [row_of(result) for result in tagged]


@given(st.lists(results, max_size=6))
def test_every_result_is_one_row_of_csv(tagged):
    rows = list(rows_of(*tagged))
    assert len(rows) == len(tagged)
    for row, result in zip(rows, tagged):
        assert row["id"].removeprefix("'").split() == result.record.id.removeprefix("'").split()
        for area, probability in result.tags.probabilities.items():
            assert float(row[area]) == pytest.approx(probability, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "format"), [("a.jsonl", "jsonl"), ("b/a.JSONL", "jsonl"), ("a.ndjson", "jsonl"), ("a.csv", "csv")]
)
def test_the_ending_of_a_name_chooses_the_format(name, format):
    assert format_of_file(name) == format


@pytest.mark.parametrize("name", ["a.xlsx", "a", "a.txt", ".jsonl", "a.jsonl/b"])
def test_an_ending_that_stands_for_no_format_is_refused(name):
    with pytest.raises(InputError, match=r"unknown output format.*--format"):
        format_of_file(name)


def test_a_file_appears_when_all_of_it_has_been_written(tmp_path):
    target = tmp_path / "out.jsonl"
    with whole_file(str(target)) as stream:
        stream.write("é\n")
        assert not target.exists()
    assert target.read_bytes() == "é\n".encode()
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("interruption", [ValueError, KeyboardInterrupt, SystemExit])
def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, interruption):
    target = tmp_path / "out.jsonl"
    target.write_text("old")

    def write_half() -> None:
        with whole_file(str(target)) as stream:
            stream.write("new")
            raise interruption

    with pytest.raises(interruption):
        write_half()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_new_file_has_the_permissions_that_any_new_file_has(tmp_path):
    with whole_file(str(tmp_path / "out")):
        pass
    (tmp_path / "other").touch()
    assert (tmp_path / "out").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_a_link_still_points_to_the_file_which_has_the_new_content(tmp_path):
    (tmp_path / "real.jsonl").write_text("old")
    (tmp_path / "link.jsonl").symlink_to("real.jsonl")
    with whole_file(str(tmp_path / "link.jsonl")) as stream:
        stream.write("new")
    assert (tmp_path / "link.jsonl").is_symlink()
    assert (tmp_path / "real.jsonl").read_text() == "new"


def test_a_pipe_or_device_is_written_to_and_not_replaced(tmp_path):
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    received: list[str] = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_text()), daemon=True)
    reader.start()
    with whole_file(str(pipe)) as stream:
        stream.write("through")
    reader.join(5)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert received == ["through"]


@pytest.mark.parametrize(("name", "complaint"), [(".", "is a directory"), ("nowhere/out.jsonl", "cannot be written")])
def test_a_place_that_cannot_be_written_is_refused(tmp_path, name, complaint):
    with pytest.raises(InputError, match=complaint), whole_file(str(tmp_path / name)):
        pass
