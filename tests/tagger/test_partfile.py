"""A file is whole under its name or not there, and its making can end at any moment and be taken up again."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
import resource
import signal
import stat
import threading
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings

from tagger import InputError, partfile
from tagger.formats import read_records
from tagger.formats.compressed import members_for
from tagger.partfile import PartFile, is_leftover

RUN = {"the model": "small 1a2b", "--keep": False, "the input a.csv": [17, 123]}


@pytest.fixture
def target(tmp_path) -> Path:
    return tmp_path / "out.jsonl"


@pytest.fixture(autouse=True)
def at_every_mark(monkeypatch):
    """Checkpoints are saved at every mark and not now and then."""
    monkeypatch.setattr(partfile, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(partfile, "MOST_TIME_IN_CHECKPOINTS", 1e9)
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # it takes time, and no test can see it


def kill(part: PartFile) -> None:
    """What SIGKILL does: the file is closed by the system, and nothing else happens."""
    part._text.clear()
    os.close(part._descriptor)


def left_by_a_kill(target: Path, text: str = "one\n", after: str = "") -> None:
    """The part of `target` with `text` before its last mark and `after` behind it."""
    part = PartFile(target, force=True)
    stream = part.open(RUN)
    stream.write(text)
    part.mark({"done": len(text)})
    stream.write(after)
    stream.flush()
    kill(part)


def names(target: Path) -> list[str]:
    return sorted(path.name for path in target.parent.iterdir())


def test_a_file_appears_when_all_of_it_has_been_written(target):
    part = PartFile(target)
    part.open(RUN).write("é \ud800\n")
    part.mark({"done": 1})
    assert names(target) == ["out.jsonl.part", "out.jsonl.part.json"]
    part.finish()
    assert names(target) == ["out.jsonl"]
    assert target.read_bytes() == "é \\ud800\n".encode()


def test_a_file_that_is_there_is_replaced_only_by_force_and_only_by_a_whole_one(target):
    target.write_text("old")
    with pytest.raises(InputError, match=r"out.jsonl: exists; --force"):
        PartFile(target)
    part = PartFile(target, force=True)
    part.open(RUN).write("new")
    part.mark({})
    assert target.read_text() == "old"
    part.finish()
    assert target.read_text() == "new"


def test_a_part_that_was_left_is_neither_continued_nor_lost_unasked(target):
    left_by_a_kill(target)
    before = {path.name: path.read_bytes() for path in target.parent.iterdir()}
    with pytest.raises(InputError, match=r"out.jsonl.part: .*--resume continues it, --force starts afresh"):
        PartFile(target)
    assert before == {path.name: path.read_bytes() for path in target.parent.iterdir()}


def test_resuming_goes_on_after_the_last_mark(target):
    left_by_a_kill(target, "one\n", after="two\nthr")
    part = PartFile(target, resume=True)
    stream = part.open(RUN)
    assert part.state == {"done": 4}
    stream.write("2\n")
    part.finish()
    assert target.read_text() == "one\n2\n"
    assert names(target) == ["out.jsonl"]


def test_force_starts_afresh(target):
    left_by_a_kill(target)
    part = PartFile(target, force=True)
    part.open(RUN).write("1\n")
    assert part.state == {}
    part.finish()
    assert target.read_text() == "1\n"


def test_resuming_nothing_just_begins_and_resuming_what_is_whole_says_so(target):
    part = PartFile(target, resume=True)
    part.open(RUN).write("1\n")
    assert not part.is_complete
    part.finish()
    assert PartFile(target, resume=True).is_complete
    assert target.read_text() == "1\n"


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"the model": "small 3c4d"}, "the model was small 1a2b and is small 3c4d"),
        ({"--keep": True}, "--keep was False and is True"),
        ({"the input a.csv": [18, 124]}, "the input a.csv has changed"),
        ({"the input b.csv": [18, 124]}, "the input b.csv has changed"),
    ],
)
def test_a_run_with_another_fingerprint_is_told_what_changed_and_nothing_is_touched(target, change, complaint):
    left_by_a_kill(target, after="two")
    before = {path.name: path.read_bytes() for path in target.parent.iterdir()}
    with pytest.raises(InputError, match=rf"out.jsonl.part: cannot be continued, since {complaint}; --force"):
        PartFile(target, resume=True).open(RUN | change)
    assert before == {path.name: path.read_bytes() for path in target.parent.iterdir()}
    part = PartFile(target, resume=True, force=True)
    part.open(RUN | change)
    assert part.state == {}
    part.discard()
    assert names(target) == []


@pytest.mark.parametrize(
    "checkpoint", [None, "", "{}", "[1]", '{"state": {}, "bytes": 99, "replaces": false, "fingerprint": {}}']
)
def test_a_part_without_a_checkpoint_that_fits_is_not_touched(target, checkpoint):
    left_by_a_kill(target)
    path = target.with_name("out.jsonl.part.json")
    path.unlink() if checkpoint is None else path.write_text(checkpoint)
    with pytest.raises(InputError, match=r"out.jsonl.part: .*--force starts afresh"):
        PartFile(target, resume=True).open(RUN)
    assert target.with_name("out.jsonl.part").read_text() == "one\n"


def test_a_kill_before_the_first_checkpoint_leaves_nothing_in_the_way(target):
    target.with_name("out.jsonl.part").touch()
    part = PartFile(target, resume=True)
    part.open(RUN).write("1\n")
    part.finish()
    assert target.read_text() == "1\n"


texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
steps = st.lists(
    st.tuples(texts, st.booleans(), st.sampled_from(["go on"] * 3 + ["kill", "keep", "flush and kill"])), max_size=12
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps, st.sampled_from(["", ".gz", ".bz2", ".xz", ".zst"]))
def test_whatever_ends_the_runs_the_file_is_that_of_one_that_nothing_ended(tmp_path, steps, suffix):
    """Each step writes a text, may set a mark, and may end the run, which is then resumed."""
    if suffix == ".zst":
        pytest.importorskip("zstandard")

    def run(target: Path, ends: bool) -> bytes:
        number, endings = 0, {number for number, step in enumerate(steps, 1) if step[2] != "go on" and ends}
        while True:
            part = PartFile(target, resume=True)
            stream = part.open(RUN, members_for(target))
            number = int(part.state.get("done", 0))
            for text, marked, how in steps[number:]:
                stream.write(text)
                number += 1
                if marked:
                    part.mark({"done": number})
                if number in endings:
                    endings.discard(number)
                    if how == "keep":
                        part.keep()
                    else:
                        if how.startswith("flush"):
                            stream.flush()
                        kill(part)
                    break
            else:
                part.finish()
                return target.read_bytes()

    whole = run(tmp_path / f"whole{suffix}", ends=False)
    assert run(tmp_path / f"ended{suffix}", ends=True) == whole
    for path in tmp_path.iterdir():
        path.unlink()
    if suffix in ("", ".gz", ".bz2", ".xz"):
        content = {"": bytes, ".gz": gzip.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress}[suffix](whole)
        assert content.decode() == "".join(text for text, _, _ in steps)


@pytest.mark.parametrize("suffix", [".gz", ".xz"])
def test_a_compressed_part_that_is_kept_can_be_read(tmp_path, suffix):
    part = PartFile(tmp_path / f"a{suffix}")
    stream = part.open(RUN, members_for(part.path))
    stream.write("one\n")
    part.mark({})
    stream.write("two\n")
    part.keep()
    assert {".gz": gzip, ".xz": lzma}[suffix].decompress(part.part.read_bytes()) == b"one\ntwo\n"


def test_two_runs_do_not_write_one_file(target):
    part = PartFile(target)
    part.open(RUN)
    for options in ({}, {"resume": True}, {"force": True}):
        with pytest.raises(InputError, match="another run is writing it"):
            PartFile(target, **options)
    part.finish()
    PartFile(target, force=True)


def test_a_file_that_appears_meanwhile_is_not_replaced(target):
    part = PartFile(target)
    part.open(RUN).write("ours")
    target.write_text("theirs")
    with pytest.raises(InputError, match=r"has appeared meanwhile; the result is .*out.jsonl.part"):
        part.finish()
    assert target.read_text() == "theirs"
    assert part.part.read_text() == "ours"


def test_a_forced_run_that_is_resumed_may_still_replace(target):
    target.write_text("old")
    left_by_a_kill(target)
    part = PartFile(target, resume=True)
    part.open(RUN)
    part.finish()
    assert target.read_text() == "one\n"


def test_a_format_that_cannot_grow_is_made_at_the_end(target):
    part = PartFile(target)
    part.open(RUN).write("one\n")
    part.finish(lambda lines, whole: whole.write_text(f"<{lines.read_text()}>"))
    assert target.read_text() == "<one\n>"
    assert names(target) == ["out.jsonl"]


def test_when_making_fails_what_is_done_is_kept(target):
    def fail(lines: Path, whole: Path) -> None:
        whole.write_text("half")
        raise OSError(28, "No space left on device")

    part = PartFile(target)
    part.open(RUN).write("one\n")
    part.mark({"done": 1})
    with pytest.raises(OSError, match="No space"):
        part.finish(fail)
    assert names(target) == ["out.jsonl.part", "out.jsonl.part.json"]
    part = PartFile(target, resume=True)
    part.open(RUN)
    assert part.state == {"done": 1}
    part.finish()
    assert target.read_text() == "one\n"


def test_a_full_disk_leaves_the_file_as_it_was_at_the_last_mark(target):
    part = PartFile(target)
    stream = part.open(RUN)
    stream.write("one\n")
    part.mark({"done": 1})
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        stream.write("x" * 5000)
        with pytest.raises(OSError, match="too large"):
            part.mark({"done": 2})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    assert part.part.stat().st_size > 4
    part.cut()
    part.keep()
    assert part.part.read_text() == "one\n"
    part = PartFile(target, resume=True)
    part.open(RUN)
    assert part.state == {"done": 1}
    part.discard()


def test_a_new_file_has_the_permissions_that_any_new_file_has_and_another_keeps_its_own(target):
    part = PartFile(target)
    part.open(RUN)
    part.finish()
    (target.parent / "other").touch()
    assert target.stat().st_mode == (target.parent / "other").stat().st_mode
    target.chmod(0o640)
    part = PartFile(target, force=True)
    part.open(RUN)
    part.finish()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_still_points_to_the_file_which_has_the_new_content(tmp_path, exists):
    (tmp_path / "folder").mkdir()
    if exists:
        (tmp_path / "folder" / "real.jsonl").write_text("old")
    (tmp_path / "link.jsonl").symlink_to("folder/real.jsonl")
    part = PartFile(tmp_path / "link.jsonl", force=True)
    part.open(RUN).write("new")
    assert part.part == tmp_path / "folder" / "real.jsonl.part"
    part.finish()
    assert (tmp_path / "link.jsonl").is_symlink()
    assert (tmp_path / "folder" / "real.jsonl").read_text() == "new"


@pytest.mark.parametrize(
    ("name", "complaint"), [(".", "is a directory"), ("nowhere/out.jsonl", "no directory"), ("n" * 250, "too long")]
)
def test_a_place_that_cannot_be_written_is_refused(tmp_path, name, complaint):
    with pytest.raises(InputError, match=complaint):
        PartFile(tmp_path / name).open(RUN)
    assert not list(tmp_path.iterdir())


def test_what_is_skipped_is_not_written(target):
    part = PartFile(target)
    stream = part.open(RUN)
    part.skip(True)
    stream.write("no")
    part.skip(False)
    stream.write("yes")
    part.finish()
    assert target.read_text() == "yes"


def test_checkpoints_take_little_of_the_time(target, monkeypatch):
    monkeypatch.undo()
    part = PartFile(target)
    stream = part.open(RUN)
    for k in range(100):
        stream.write("x")
        part.mark({"done": k})
    assert json.loads(target.with_name("out.jsonl.part.json").read_text())["state"] == {}
    part.discard()
    assert threading.active_count() < 50


def test_whatever_a_run_leaves_is_known_and_is_no_list_of_its_directory(target, monkeypatch):
    """A run may be killed before any of its steps, and its directory read afterwards."""
    (target.parent / "in.jsonl").write_text('{"id": "p1", "abstract": "We bake."}\n')
    lists, left = {str(target.parent / "in.jsonl"), str(target)}, set()

    def noted(step):
        def noting(*arguments, **options):
            left.update(path.name for path in target.parent.iterdir() if str(path) not in lists)
            for scanned in (target.parent, target.parent / "*"):
                assert {record.source for record in read_records(scanned)} <= lists
            return step(*arguments, **options)

        return noting

    monkeypatch.setattr(os, "replace", noted(os.replace))
    monkeypatch.setattr(Path, "unlink", noted(Path.unlink))
    part = PartFile(target)
    part.open(RUN).write('{"id": "p1", "abstract": "We bake."}\n')
    part.mark({"done": 1})
    part.finish(lambda lines, whole: whole.write_text(lines.read_text()))
    assert left == {f"out.jsonl.{end}" for end in ("part", "part.json", "part.json.new", "part.whole")}
    for name in left - {"out.jsonl.part.json"}:
        (target.parent / name).write_text('{"abstract": "We bake."}\n')
        assert is_leftover(str(target.parent / name))
    assert len(list(read_records(target.parent / "*.part"))) == 1


def test_a_list_that_is_called_like_a_checkpoint_is_a_list(tmp_path):
    (tmp_path / "first.part.json").write_text('[{"abstract": "We bake."}]')
    assert not is_leftover(str(tmp_path / "first.part.json"))
