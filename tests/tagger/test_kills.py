"""A run that is killed again and again, and resumed each time, writes what one writes that nothing disturbed."""

from __future__ import annotations

import pytest
from kills import killed_and_resumed, start, write_records

RECORDS = 16_000


@pytest.mark.parametrize(("format", "jobs", "kills"), [("jsonl", 1, 7), ("csv", 2, 3)])
def test_a_run_killed_at_random_moments_gives_the_same_bytes(tmp_path, model_directory, format, jobs, kills):
    write_records(tmp_path / "in.jsonl", RECORDS)
    arguments = ["tag", tmp_path / "in.jsonl", "--model", model_directory, "--keep"]
    undisturbed = start([*arguments, "-o", tmp_path / f"whole.{format}"])
    _, complaints = undisturbed.communicate(timeout=60)
    whole = (tmp_path / f"whole.{format}").read_bytes()
    arguments += ["--jobs", jobs]
    ended = killed_and_resumed(
        arguments, tmp_path / f"ended.{format}", len(whole), kills, seed=jobs, latest=0.8, checkpoint_seconds=0.02
    )
    assert (tmp_path / f"ended.{format}").read_bytes() == whole
    assert ended[:2] == (undisturbed.returncode, complaints)
    assert undisturbed.returncode == 1
    assert b" of 16,000 records could not be tagged" in complaints
    assert {path.name for path in tmp_path.iterdir() if "ended" in path.name} == {f"ended.{format}"}
