"""``python -m benchmarks`` on invented abstracts, with this library and scikit-learn: that it does not rot."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pyarrow as pa
import pytest
from abstracts import AREAS, MARKED_UP, small_abstracts
from pyarrow import parquet

from benchmarks import __main__ as command
from benchmarks.__main__ import main
from benchmarks.stages import STAGES

PARTS = "accuracy,disk,speed,latency,stages"


@pytest.fixture(scope="module")
def invented(tmp_path_factory):
    """A corpus of invented abstracts, in the files that the command reads."""
    directory = tmp_path_factory.mktemp("corpus")
    texts, grades = small_abstracts(90)
    columns = {"abstract": texts, "split": ["train"] * 60 + ["dev"] * 30}
    columns |= dict(zip(AREAS, np.asarray(grades).T.tolist()))
    parquet.write_table(pa.table(columns), directory / "labelled.parquet")
    parquet.write_table(pa.table({"abstract": list(MARKED_UP)}), directory / "unlabelled.parquet")
    return directory


@pytest.fixture
def benchmark(invented, model_directory, tmp_path):
    """Runs the command in small, keeping what it makes in a folder of the test."""

    def run(*arguments):
        kept = ["--folder", str(tmp_path / "kept"), "--model", str(model_directory)]
        return main([str(invented), "--quick", "--peers", "tagger,scikit-learn", *kept, *map(str, arguments)])

    return run


def test_a_quick_run_measures_both_and_brings_the_page_up_to_date(benchmark, repository, tmp_path, capsys):
    shutil.copy(repository / "docs" / "benchmarks.md", tmp_path)
    assert benchmark("--only", PARTS, "--write", tmp_path) == 0
    results = json.loads((tmp_path / "benchmarks.json").read_text())
    for part in (results["accuracy"]["macro_f1"], results["disk"], results["speed"]["seconds"], results["latency"]):
        assert list(part) == ["tagger", "scikit-learn"]
    assert min(results["accuracy"]["macro_f1"].values()) > 0.8  # invented areas are easy to tell
    assert list(results["stages"]["stages"]) == list(STAGES)
    page = (tmp_path / "benchmarks.md").read_text()
    assert "so that the figures say little" in page
    assert "one core: times as fast as the scikit-learn pipeline" in page
    assert (tmp_path / "benchmarks.png").read_bytes().startswith(b"\x89PNG")
    out, err = capsys.readouterr()
    assert "Where the time goes" in out
    assert "-- latency" in err


def test_every_stage_is_found_in_the_code_that_tags(benchmark, tmp_path):
    benchmark("--only", "stages")
    results = json.loads((tmp_path / "kept" / "quick" / "benchmarks.json").read_text())
    assert [stage for stage, seconds in results["stages"]["stages"].items() if seconds <= 0] == []
    assert [floor for floor, seconds in results["stages"]["floor"].items() if seconds <= 0] == []


def test_parts_that_are_not_measured_again_stay_as_they_were(benchmark, tmp_path, capsys):
    benchmark("--only", "disk")
    before = json.loads((tmp_path / "kept" / "quick" / "benchmarks.json").read_text())
    benchmark("--only", "accuracy")
    after = json.loads((tmp_path / "kept" / "quick" / "benchmarks.json").read_text())
    assert after["disk"] == before["disk"]
    assert "accuracy" not in before
    assert "accuracy" in after
    capsys.readouterr()
    benchmark("--only", "")
    out, err = capsys.readouterr()
    assert "macro-F1" in out
    assert err == ""


def test_an_unknown_part_is_refused_with_the_known_ones(benchmark, capsys):
    with pytest.raises(SystemExit):
        benchmark("--only", "colour")
    assert "'colour' is none of accuracy, disk" in capsys.readouterr().err


def test_a_page_that_is_not_there_is_refused_before_anything_is_measured(benchmark, tmp_path, capsys):
    with pytest.raises(SystemExit):
        benchmark("--write", tmp_path / "nowhere")
    assert capsys.readouterr().err.endswith("benchmarks.md: no such file\n")
    assert not (tmp_path / "kept").exists()


def test_a_part_that_fails_does_not_keep_the_others_from_being_measured(benchmark, monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(command.PARTS, "disk", lambda setting: 1 / 0)
    assert benchmark("--only", "disk,accuracy") == 1
    results = json.loads((tmp_path / "kept" / "quick" / "benchmarks.json").read_text())
    assert "accuracy" in results
    assert "disk" not in results
    assert capsys.readouterr().err.endswith("failed: disk; to go on, --only disk\n")
