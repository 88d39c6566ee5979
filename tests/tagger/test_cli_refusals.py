"""Bad input gives one line that says what is wrong and what to do, exit code 2, and nothing written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from abstracts import ASTRONOMY, long_abstract
from command import environment, in_new_process

STARS = " ".join(ASTRONOMY)


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    """The working directory, with a good list and files of every bad kind in it."""
    directory = tmp_path / "here"
    directory.mkdir()
    monkeypatch.chdir(directory)
    files = {
        "good.txt": STARS,
        "empty.txt": "",
        "empty.csv": "",
        "empty.jsonl": "",
        "headings.txt": "Papers\n\n# Only headings\n",
        "no_text.csv": "number,colour\n1,red\n",
        "no_text.jsonl": '{"colour": "red"}\n',
        "unknown.csv": 'abstract,astrology\n"We look.",1\n',
        "unknown_in_list.jsonl": json.dumps({"abstract": "We look.", "areas": ["astronomy"]})
        + "\n"
        + json.dumps({"abstract": "We bake.", "areas": ["cookery"]})
        + "\n",
        "odd_label.csv": 'abstract,astronomy,cooking\n"We look.",1,0\n"We bake.",0,3\n',
        "no_areas.csv": 'id,abstract\n1,"We look."\n',
        "blank.csv": 'abstract,astronomy\n"We look.",1\n,0\n',
    }
    for name, content in files.items():
        (directory / name).write_text(content)
    (directory / "paper.pdf").write_bytes(b"%PDF-1.7\n\0\0")
    (directory / "noise.txt").write_bytes(b"\x00\x01\x02")
    (directory / "folder").mkdir()
    return directory


def assert_refused(done, *expected: str) -> None:
    assert done.code == 2
    assert done.out == ""
    assert len(done.err.splitlines()) == 1
    assert done.err.startswith("tagger")
    assert len(done.err) < 400
    for part in expected:
        assert part in done.err


BAD_FILES = {
    "empty.txt": "holds no abstracts",
    "empty.csv": "holds no abstracts",
    "empty.jsonl": "holds no abstracts",
    "headings.txt": "holds no abstracts",
    "folder": "is a directory",
    "missing.txt": "no such file",
    "good.txt/inside": "cannot be read",
    "no_text.csv": "--text-field",
    "paper.pdf": "unknown format (a PDF)",
    "noise.txt": "unknown format",
}


@pytest.mark.parametrize(("name", "complaint"), BAD_FILES.items())
@pytest.mark.parametrize("first", [[], ["good.txt"]])
def test_a_bad_file_is_refused_before_anything_is_written(run, here, model_directory, name, complaint, first):
    before = sorted(here.iterdir())
    for output in ([], ["-o", "out.jsonl"], ["-o", "out.csv"], ["--jobs", 2]):
        assert_refused(run("tag", "--model", model_directory, *first, name, *output), name, complaint)
    assert sorted(here.iterdir()) == before


@pytest.mark.parametrize("stdin", [b"", b"\n \n", b"%PDF-1.7", b"number,colour\n1,red\n"[:0]])
def test_bad_standard_input_is_refused(run, model_directory, stdin):
    assert_refused(run("tag", "--model", model_directory, "-", stdin=stdin), "standard input")


BAD_OPTIONS = {
    "--jobs 0": "--jobs 0",
    "--jobs -2": "--jobs -2",
    "--jobs many": "many",
    "--format xml": "xml",
    "--from docx": "docx",
    "-o out.xlsx": "unknown output format",
    "-o out": "--format",
    "-o folder --format csv": "is a directory",
    "-o nowhere/out.csv": "cannot be written",
    "-o good.txt/out.csv": "cannot be written",
    "--colour": "--colour",
    "--model": "--model",
    "--text-field words --from csv": "words",
    "--text-field words --from jsonl": "words",
}


@pytest.mark.parametrize(("options", "complaint"), BAD_OPTIONS.items())
def test_a_bad_option_is_refused(run, here, model_directory, options, complaint):
    if "--from jsonl" in options:
        (here / "good.txt").write_text(json.dumps({"abstract": STARS}) + "\n")
    before = sorted(here.iterdir())
    assert_refused(run("tag", "--model", model_directory, "good.txt", *options.split()), complaint)
    assert sorted(here.iterdir()) == before


@pytest.mark.parametrize(
    "arguments", [[], ["tag"], ["bake"], ["--colour"], ["info", "extra"], ["train", "--jobs", "x"]]
)
def test_a_command_that_is_none_is_refused(run, arguments):
    assert_refused(run(*arguments), "--help")


def truncated(directory: Path) -> str:
    file = directory / "arrays.npz"
    file.write_bytes(file.read_bytes()[:1000])
    return "arrays.npz"


def edited(directory: Path) -> str:
    file = directory / "manifest.json"
    file.write_text(file.read_text().replace("astronomy", "astrology"))
    return "manifest.json"


def without_arrays(directory: Path) -> str:
    (directory / "arrays.npz").unlink()
    return "arrays.npz"


def emptied(directory: Path) -> str:
    for file in directory.iterdir():
        file.unlink()
    return "not a model"


@pytest.mark.parametrize("damage", [truncated, edited, without_arrays, emptied])
@pytest.mark.parametrize("command", [["tag", "good.txt", "-o", "out.jsonl"], ["info"], ["evaluate", "odd_label.csv"]])
def test_a_damaged_model_is_refused(run, here, model_directory, damage, command):
    complaint = damage(model_directory)
    before = sorted(here.iterdir())
    assert_refused(run(*command, "--model", model_directory), str(model_directory), complaint)
    assert sorted(here.iterdir()) == before


def test_a_missing_model_is_refused(run, here):
    assert_refused(run("tag", "good.txt", "--model", "nowhere"), "nowhere: no such model")


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("unknown.csv", "astrology"),
        ("unknown_in_list.jsonl", "cookery"),
        ("odd_label.csv", "label '3' for cooking"),
        ("no_areas.csv", "no areas"),
        ("no_text.csv", "no text column"),
        ("blank.csv", "line 3"),
        ("empty.csv", "holds no abstracts"),
        ("missing.csv", "no such file"),
        ("folder", "is a directory"),
        ("paper.pdf", "paper.pdf"),
        ("noise.txt", "noise.txt"),
    ],
)
def test_a_labelled_file_that_is_bad_or_names_an_unknown_area_is_refused(run, here, model_directory, name, complaint):
    assert_refused(run("evaluate", name, "--model", model_directory), name, complaint)


def test_data_that_is_missing_or_lacks_the_split_is_refused(run, here, repository):
    assert_refused(run("train", "--data", "folder", "--out", "new"), "folder", "no label files")
    assert_refused(run("evaluate", "--data", "folder"), "folder")
    assert_refused(run("evaluate", "--data", repository / "data", "--split", "test"), "'test'", "dev")
    assert not (here / "new").exists()


# From here on in a process of its own, where standard input and output are real.


def test_no_traceback_where_the_reader_of_the_output_has_gone(tmp_path, model_directory):
    (tmp_path / "long.txt").write_text("\n\n".join(long_abstract(number) for number in range(2000)))
    for name in ("long.txt", "good.txt"):
        (tmp_path / "good.txt").write_text(STARS)
        reading, writing = os.pipe()
        os.close(reading)
        done = in_new_process(
            "tag", "--model", model_directory, tmp_path / name, stdout=writing, stderr=subprocess.PIPE
        )
        os.close(writing)
        assert (done.stderr, done.returncode) == (b"", 0)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_one_line(tmp_path, model_directory):
    (tmp_path / "long.txt").write_text("\n\n".join(long_abstract(number) for number in range(300)))
    arguments = ("tag", "--model", model_directory, tmp_path / "long.txt")
    with open("/dev/full", "w") as full:
        on_stdout = in_new_process(*arguments, stdout=full, stderr=subprocess.PIPE)
    assert on_stdout.returncode == 2
    (complaint,) = on_stdout.stderr.decode().splitlines()
    assert "No space left on device" in complaint


def test_standard_input_twice_or_closed_is_one_line(model_directory):
    twice = in_new_process("tag", "--model", model_directory, "-", "-", input=STARS.encode(), capture_output=True)
    assert twice.returncode == 2
    assert len(twice.stderr.splitlines()) == 1
    command = f"{sys.executable} -m tagger.cli tag --model {model_directory} - <&-"
    closed = subprocess.run(["sh", "-c", command], capture_output=True, env=environment())
    assert (closed.returncode, closed.stdout) == (2, b"")
    assert len(closed.stderr.splitlines()) == 1


def test_output_that_cannot_hold_a_character_is_no_reason_to_stop(tmp_path, model_directory):
    (tmp_path / "in.jsonl").write_text(json.dumps({"id": "é \ud800", "abstract": STARS}) + "\n")
    for encoding in ("ascii", "latin-1", "utf-8"):
        done = in_new_process(
            "tag", "--model", model_directory, tmp_path / "in.jsonl",
            capture_output=True, env=environment(PYTHONIOENCODING=encoding),
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, b"")
        assert json.loads(done.stdout.decode(encoding))["areas"] == ["astronomy"]
