"""A whole file appears when all of it has been written, and takes the place of another only if that is wanted."""

from __future__ import annotations

import os
import stat
import threading

import pytest

from tagger import InputError
from tagger.wholefile import whole_file


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
        with whole_file(str(target), force=True) as stream:
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
    with whole_file(str(tmp_path / "link.jsonl"), force=True) as stream:
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


def test_a_file_of_that_name_is_replaced_only_by_force(tmp_path):
    target = tmp_path / "out"
    target.write_text("old")
    with pytest.raises(InputError, match=r"out: exists; --force replaces it"), whole_file(str(target)):
        pass
    assert target.read_text() == "old"
    with whole_file(str(target), force=True) as stream:
        stream.write("new")
    assert target.read_text() == "new"
