"""Runs that write a file: what is there while they go, what is left when they end, and how they go on."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from abstracts import ASTRONOMY, COOKING, long_abstract
from command import environment
from kills import processes_of, start, wait_until

from tagger import MissingExtraError
from tagger.batch import TASK_SIZE
from tagger.parallel import TASKS_AHEAD

STARS, SOUP = " ".join(ASTRONOMY), " ".join(COOKING)


@pytest.fixture
def tag(run, model_directory, tmp_path, monkeypatch):
    """Runs `tagger tag` with the small model, in an empty directory."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return lambda *arguments, **options: run("tag", "--model", model_directory, *arguments, **options)


def records(n: int, **fields: object) -> str:
    return "".join(json.dumps({"id": f"p{k}", "abstract": long_abstract(k), **fields}) + "\n" for k in range(n))


def names() -> list[str]:
    return sorted(path.name for path in Path().iterdir())


def ended_by(number: int, model: Path, text: str, *arguments: object) -> subprocess.CompletedProcess:
    """A run that gets `text` on standard input, and then no more but a signal."""
    process = start(["tag", "--model", model, "-", *arguments], stdin=subprocess.PIPE)
    process.stdin.write(text.encode())
    process.stdin.flush()
    part = Path(f"{arguments[1]}.part")
    wait_until(lambda: part.exists() and part.stat().st_size)
    process.send_signal(number)
    _, complaints = process.communicate(timeout=30)
    return subprocess.CompletedProcess(process.args, process.returncode, None, complaints)


@pytest.mark.parametrize(
    ("number", "code", "what"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
)
@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupted_run_leaves_a_valid_file_and_is_resumed(tag, model_directory, number, code, what, jobs):
    text = records((jobs * TASKS_AHEAD + 4) * TASK_SIZE)
    whole = tag("-", stdin=text.encode()).out
    ended = ended_by(number, model_directory, text[: len(text) - 100], "-o", "out.jsonl", "--jobs", jobs)
    assert ended.returncode == code
    left = Path("out.jsonl.part").read_text()
    assert whole.startswith(left)
    n = left.count("\n")
    assert n >= TASK_SIZE
    assert ended.stderr.decode() == (
        f"tagger: {what}; {n:,} records are done and kept in out.jsonl.part, --resume continues from there\n"
    )
    assert names() == ["out.jsonl.part", "out.jsonl.part.json"]
    done = tag("-", "-o", "out.jsonl", "--resume", "--jobs", 3 - jobs, stdin=text.encode())
    assert (done.code, done.err) == (0, "")
    assert names() == ["out.jsonl"]
    assert Path("out.jsonl").read_text() == whole


@pytest.mark.parametrize("format", ["csv", "tsv", "json", "markdown", "jsonl.gz", "csv.xz"])
def test_every_format_is_resumed(tag, model_directory, format, monkeypatch):
    monkeypatch.setattr("tagger.commands.writing.TASKS_IN_A_MEMBER", 2)
    text = records(3 * TASK_SIZE, title="Of | pipes, and = signs")
    name = "out.md" if format == "markdown" else f"out.{format}"
    tag("-", "-o", name, stdin=text.encode())
    whole = Path(name).read_bytes()
    Path(name).unlink()
    interrupting = InterruptedAfter(text.encode(), len(text) * 9 // 10)
    assert tag("-", "-o", name, stdin=interrupting).code == 130
    if format == "json":
        assert len(json.loads(Path(f"{name}.part").read_text())) > TASK_SIZE
    assert json.loads(Path(f"{name}.part.json").read_text())["state"]["done"] == 2 * TASK_SIZE
    assert tag("-", "-o", name, "--resume", stdin=text.encode()).code == 0
    assert Path(name).read_bytes() == whole


class InterruptedAfter(io.BytesIO):
    """Standard input at which Ctrl-C is pressed when so many bytes have been read."""

    def __init__(self, content: bytes, n: int) -> None:
        super().__init__(content)
        self._n = n

    def read(self, size: int | None = -1, /) -> bytes:
        if self.tell() > self._n:
            os.kill(os.getpid(), signal.SIGINT)
        return super().read(min(size or 10_000, 10_000))


def test_an_interrupt_before_the_first_record_is_done_leaves_nothing(tag):
    for read in (-1, 5_000):
        done = tag("-", "-o", "out.jsonl", stdin=InterruptedAfter(records(60).encode(), read))
        assert (done.code, done.err) == (130, "tagger: interrupted\n")
        assert names() == []


def test_an_interrupted_run_to_standard_output_says_how_many_it_has_written(tag):
    done = tag("-", stdin=InterruptedAfter(records(600).encode(), 100_000))
    assert done.code == 130
    assert done.err == f"tagger: interrupted after {done.out.count(chr(10)):,} records\n"


def test_a_resumed_run_must_be_given_the_same_input(tag):
    text = records(2 * TASK_SIZE)
    assert tag("-", "-o", "out.jsonl", stdin=InterruptedAfter(text.encode(), len(text) * 3 // 4)).code == 130
    before = {name: Path(name).read_bytes() for name in names()}
    for other, complaint in (
        (records(100), f"had done {TASK_SIZE} records: it has 100 records"),
        (records(2 * TASK_SIZE).replace('"p', '"q'), f"its record {TASK_SIZE} is 'q{TASK_SIZE - 1}'"),
    ):
        done = tag("-", "-o", "out.jsonl", "--resume", stdin=other.encode())
        assert done.code == 2
        assert complaint in done.err
        assert len(done.err.splitlines()) == 1
        assert json.loads(before["out.jsonl.part.json"]) == json.loads(Path("out.jsonl.part.json").read_text())
    assert tag("-", "-o", "out.jsonl", "--resume", stdin=text.encode()).code == 0
    assert Path("out.jsonl").read_text() == tag("-", stdin=text.encode()).out


def test_what_a_format_needs_is_known_before_the_work(tag, monkeypatch):
    def write_rows(rows, path, layout) -> None:
        raise MissingExtraError("writing Parquet needs pyarrow")

    monkeypatch.setitem(sys.modules, "tagger.formats.arrow", SimpleNamespace(write_parquet=write_rows))
    done = tag("-", "-o", "out.parquet", stdin=records(1).encode())
    assert (done.code, done.err) == (2, "tagger: writing Parquet needs pyarrow\n")
    assert names() == []


def test_a_format_that_is_made_at_the_end_is_made_of_all_rows_also_when_resumed(tag, monkeypatch):
    def write_rows(rows, path, layout) -> None:
        content = json.dumps([row["id"] for row in rows])
        path.write(content.encode()) if hasattr(path, "write") else path.write_text(content)

    monkeypatch.setitem(sys.modules, "tagger.formats.arrow", SimpleNamespace(write_parquet=write_rows))
    text = records(4 * TASK_SIZE)
    assert tag("-", "-o", "out.parquet", stdin=InterruptedAfter(text.encode(), len(text) * 3 // 4)).code == 130
    assert len(Path("out.parquet.part").read_text().splitlines()) > TASK_SIZE
    assert tag("-", "-o", "out.parquet", "--resume", stdin=text.encode()).code == 0
    assert json.loads(Path("out.parquet").read_text()) == [f"p{k}" for k in range(4 * TASK_SIZE)]
    assert names() == ["out.parquet"]


@pytest.fixture
def interrupted(tag, monkeypatch):
    """The part of out.csv, of a run over in.jsonl that was interrupted."""
    Path("in.jsonl").write_text(records(2 * TASK_SIZE))
    written = 0

    def interrupt(self, tagged) -> None:
        nonlocal written
        written += 1
        if written > TASK_SIZE + 10:
            os.kill(os.getpid(), signal.SIGINT)
        write(self, tagged)

    from tagger.formats.csv_rows import CsvWriter

    write = CsvWriter.write
    with monkeypatch.context() as patch:
        patch.setattr(CsvWriter, "write", interrupt)
        assert tag("in.jsonl", "-o", "out.csv").code == 130
    return tag


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--keep"], "--keep was False and is True"),
        (["--format", "tsv"], "the format was csv and is tsv"),
        (["--recall", "0.5"], "--recall has changed"),
        (["--text-field", "abstract"], "--text-field has changed"),
    ],
)
def test_other_options_are_refused_by_name_and_nothing_is_touched(interrupted, options, complaint, monkeypatch):
    monkeypatch.setattr("tagger.tagging.Tagger.at", lambda self, *_: self)
    before = {name: Path(name).read_bytes() for name in names()}
    done = interrupted("in.jsonl", "-o", "out.csv", "--resume", *options)
    assert done.code == 2
    assert complaint in done.err
    assert len(done.err.splitlines()) == 1
    assert before == {name: Path(name).read_bytes() for name in names()}
    assert interrupted("in.jsonl", "-o", "out.csv", "--resume", "--force", *options).code == 0
    assert names() == ["in.jsonl", "out.csv"]


def test_a_changed_input_or_model_is_refused_by_name(interrupted, run, model_directory):
    Path("other.jsonl").write_text(records(2 * TASK_SIZE))
    done = interrupted("other.jsonl", "-o", "out.csv", "--resume")
    assert (done.code, "the list of inputs has changed" in done.err) == (2, True)
    done = run("tag", "in.jsonl", "-o", "out.csv", "--resume")
    assert done.code == 2
    assert "the model was model " in done.err
    assert " and is areas " in done.err
    with open("in.jsonl", "a") as file:
        file.write("\n")
    done = interrupted("in.jsonl", "-o", "out.csv", "--resume")
    assert (done.code, "the input in.jsonl has changed" in done.err) == (2, True)


def test_a_part_that_was_left_needs_a_word(interrupted):
    done = interrupted("in.jsonl", "-o", "out.csv")
    assert done.code == 2
    assert done.err == (
        "tagger: out.csv.part: an interrupted run left this; --resume continues it, --force starts afresh\n"
    )
    assert interrupted("in.jsonl", "-o", "out.csv", "--resume").code == 0
    whole = Path("out.csv").read_text()
    assert interrupted("in.jsonl", "-o", "out.csv").err == "tagger: out.csv: exists; --force replaces it\n"
    done = interrupted("in.jsonl", "-o", "out.csv", "--resume")
    assert (done.code, done.err.startswith("tagger: out.csv is complete")) == (0, True)
    assert interrupted("in.jsonl", "-o", "out.csv", "--force").code == 0
    assert Path("out.csv").read_text() == whole


def test_a_strict_run_stops_at_the_first_error_and_keeps_what_came_before(tag):
    Path("in.jsonl").write_text(records(3) + '{"id": "p3"}\n' + records(3))
    done = tag("in.jsonl", "-o", "out.jsonl", "--strict")
    assert done.code == 1
    assert done.err == (
        "tagger: in.jsonl, line 4 (id p3): no field 'abstract' among id; name the field with --text-field; "
        "3 records are done and kept in out.jsonl.part, --resume continues from there\n"
    )
    assert Path("out.jsonl.part").read_text().count("\n") == 3
    assert tag("in.jsonl", "-o", "out.jsonl", "--resume").code == 1
    assert Path("out.jsonl").read_text().count("\n") == 7


def test_a_strict_run_to_standard_output_writes_what_came_before(tag):
    done = tag("-", "--strict", stdin=(records(2) + "not JSON\n").encode())
    assert (done.code, done.out.count("\n")) == (1, 2)
    assert done.err.startswith("tagger: standard input, line 3 (id stdin:3): not JSON")
    assert len(done.err.splitlines()) == 1
    assert tag("-", "--strict", stdin=records(2).encode()).code == 0


def test_the_errors_of_an_interrupted_run_are_counted_as_well(tag):
    text = '{"id": "b"}\n' + records(2 * TASK_SIZE) + '{"id": "c"}\n'
    Path("in.jsonl").write_text(text)
    whole = tag("in.jsonl")
    assert tag("-", "-o", "out.jsonl", stdin=InterruptedAfter(text.encode(), len(text) * 3 // 4)).code == 130
    done = tag("-", "-o", "out.jsonl", "--resume", stdin=text.encode())
    assert done.code == 1
    assert done.err == whole.err.replace("in.jsonl", "standard input")


def test_a_file_that_is_read_is_not_written(tag):
    Path("in.jsonl").write_text(records(2))
    Path("link.jsonl").symlink_to("in.jsonl")
    Path("out.jsonl.part").write_text(records(2))
    for input_, output in (("in.jsonl", "in.jsonl"), ("in.jsonl", "link.jsonl"), ("out.jsonl.part", "out.jsonl")):
        done = tag(input_, "-o", output, "--force")
        assert done.code == 2
        assert "is read and would be written" in done.err
    assert Path("in.jsonl").read_text() == Path("out.jsonl.part").read_text() == records(2)


def test_standard_output_that_goes_to_the_input_is_refused(model_directory, tmp_path):
    (tmp_path / "in.jsonl").write_text(records(2))
    with (tmp_path / "in.jsonl").open("a") as out:
        process = start(["tag", "--model", model_directory, tmp_path / "in.jsonl"], stdout=out)
        _, complaints = process.communicate(timeout=30)
    assert (process.returncode, b"is read and would be written" in complaints) == (2, True)
    assert (tmp_path / "in.jsonl").read_text() == records(2)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--resume"], "--resume needs -o"),
        (["--force"], "--force needs -o"),
        (["--keep", "--format", "table"], "--keep: table has no room"),
        (["--keep", "-o", "out.md"], "--keep: markdown has no room"),
        (["-o", "pipe", "--format", "jsonl", "--resume"], "is no plain file"),
        (["-o", "pipe.gz", "--format", "jsonl"], "is no plain file"),
        (["--format", "parquet"], "Parquet needs a file"),
        (["-o", "pipe", "--format", "parquet"], "Parquet needs a file"),
        (["-o", "out.parquet.gz"], "is compressed in itself"),
    ],
)
def test_what_cannot_be_is_refused_before_any_work(tag, options, complaint):
    os.mkfifo("pipe")
    os.mkfifo("pipe.gz")
    done = tag("-", *options, stdin=records(1).encode())
    assert (done.code, done.out) == (2, "")
    assert complaint in done.err
    assert len(done.err.splitlines()) == 1
    assert names() == ["pipe", "pipe.gz"]


def test_a_pipe_is_written_to_as_it_is(tag, model_directory):
    os.mkfifo("pipe.jsonl")
    # Open before the command begins and without waiting for it: one that fails at once never opens the other end.
    reading = os.open("pipe.jsonl", os.O_RDONLY | os.O_NONBLOCK)
    try:
        process = start(["tag", "--model", model_directory, "-", "-o", "pipe.jsonl"], stdin=subprocess.PIPE)
        _, complaints = process.communicate(records(3).encode(), timeout=30)
        assert (process.returncode, complaints) == (0, b"")
        assert os.read(reading, 2**16).count(b"\n") == 3
    finally:
        os.close(reading)
    assert names() == ["pipe.jsonl"]


@pytest.mark.parametrize(("form", "jobs"), [("jsonl", 1), ("jsonl", 2), ("jsonl.gz", 1), ("json", 1), ("xml", 1)])
def test_results_come_while_their_source_is_still_at_work(model_directory, form, jobs):
    command = ["tag", "--model", model_directory, "-", "--jobs", jobs, "--format", "jsonl"]
    process = start(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    begin, record, pack = {
        "jsonl": ("", '{{"id": "p{k}", "abstract": "{text}"}}\n', bytes),
        "jsonl.gz": ("", '{{"id": "p{k}", "abstract": "{text}"}}\n', gzip.compress),
        "json": ("[\n", '{{"id": "p{k}", "abstract": "{text}"}},\n', bytes),
        "xml": ("<feed>", "<entry><id>p{k}</id><summary>{text}</summary></entry>\n", bytes),
    }[form]
    sent = 0
    read: list[bytes] = []
    reading = threading.Thread(target=lambda: read.extend(process.stdout), daemon=True)
    reading.start()
    try:
        while len(read) < 20:
            assert sent < 600, "nothing is given back"
            text = record.format(k=sent, text=long_abstract(sent))
            process.stdin.write(pack((text if sent else begin + text).encode()))
            process.stdin.flush()
            sent += 1
            time.sleep(0.03)
        assert [json.loads(line)["id"] for line in read[:20]] == [f"p{k}" for k in range(20)]
    finally:
        process.kill()
        reading.join(30)
        process.communicate()


def test_closed_standard_streams_are_no_traceback(model_directory, tmp_path):
    (tmp_path / "in.jsonl").write_text(records(2) + "not JSON\n")
    command = f"{sys.executable} -m tagger.cli tag --model {model_directory} {tmp_path}/in.jsonl"

    def shell(line: str) -> subprocess.CompletedProcess:
        return subprocess.run(["sh", "-c", line], capture_output=True, env=environment(), text=True, timeout=60)

    done = shell(f"{command} >&-")
    assert (done.returncode, done.stderr) == (2, "tagger: standard output is closed; name a file with -o\n")
    done = shell(f"{command} -o {tmp_path}/out.jsonl >&-")
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    done = shell(f"{command} 2>&-")
    assert (done.returncode, done.stdout.count("\n")) == (1, 3)
    assert (tmp_path / "out.jsonl").read_text() == done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_device_is_one_line(tag):
    done = tag("-", "-o", "/dev/full", "--format", "jsonl", stdin=records(300).encode())
    assert done.code == 2
    assert done.err == "tagger: /dev/full: No space left on device; check the files and the space for them\n"


def test_a_full_disk_keeps_what_was_done(tag, model_directory):
    Path("in.jsonl").write_text(records(5 * TASK_SIZE))
    whole = tag("in.jsonl").out
    limit = len(whole) // 2
    process = start(
        ["tag", "--model", model_directory, "in.jsonl", "-o", "out.jsonl"],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    _, complaints = process.communicate(timeout=30)
    assert process.returncode == 2
    left = Path("out.jsonl.part").read_text()
    n = left.count("\n")
    assert complaints.decode() == (
        "tagger: out.jsonl: File too large; check the files and the space for them; "
        f"{n:,} records are done and kept in out.jsonl.part, --resume continues from there\n"
    )
    assert n == 2 * TASK_SIZE
    assert whole.startswith(left)
    assert tag("in.jsonl", "-o", "out.jsonl", "--resume").code == 0
    assert Path("out.jsonl").read_text() == whole


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_directory_that_cannot_be_written_is_refused(tag):
    Path("locked").mkdir(mode=0o500)
    assert "not writable" in tag("-", "-o", "locked/out.csv", stdin=records(1).encode()).err


@pytest.mark.parametrize("name", ["推理 é.jsonl", "a b'\".jsonl", "-.jsonl", os.fsdecode(b"caf\xe9.jsonl")])
def test_files_may_have_any_name(tag, name):
    Path(f"in {name}").write_text(records(1))
    done = tag(f"in {name}", "-o", f"./out {name}")
    assert (done.code, done.err) == (0, "")
    row = json.loads(Path(f"out {name}").read_text())
    assert row["source"] == f"in {name}"


def test_rows_name_the_model_and_where_they_come_from(tag, model_directory):
    checksum = json.loads((model_directory / "manifest.json").read_text())["checksum"]
    (row,) = map(json.loads, tag("-", stdin=records(1).encode()).out.splitlines())
    assert (row["source"], row["position"], row["model"]) == ("standard input", "line 1", f"model {checksum[:12]}")


def test_other_fields_pass_through(tag):
    rows = [
        {"id": "p1", "abstract": STARS, "year": 2024, "error": "no", "tags": {"a": ["b"]}},
        {"id": "p2", "abstract": SOUP},
    ]
    text = "".join(map(json.dumps, rows)).replace("}{", "}\n{")
    first, second = map(json.loads, tag("-", "--keep", stdin=text.encode()).out.splitlines())
    assert (first["year"], first["input_error"], first["tags"]) == (2024, "no", {"a": ["b"]})
    assert first["abstract"] == STARS
    assert "year" not in second
    first, second = csv.DictReader(io.StringIO(tag("-", "--keep", "--format", "csv", stdin=text.encode()).out))
    assert (first["year"], first["input_error"], first["tags"]) == ("2024", "no", '{"a": ["b"]}')
    assert (second["year"], second["abstract"]) == ("", SOUP)
    assert "other" not in first


def test_fields_that_come_late_are_in_the_last_column(tag):
    text = records(1001, year=1) + '{"id": "late", "abstract": "We look.", "pages": "3", "year": 2}\n'
    last = list(csv.DictReader(io.StringIO(tag("-", "--keep", "--format", "csv", stdin=text.encode()).out)))[-1]
    assert (last["year"], last["other"]) == ("2", '{"pages": "3"}')


def test_no_process_and_no_file_outlives_a_run_that_was_killed(model_directory, tmp_path):
    (tmp_path / "temporary").mkdir()
    process = start(
        ["tag", "--model", model_directory, "-", "--jobs", 3, "-o", tmp_path / "out.jsonl"],
        stdin=subprocess.PIPE,
        env=environment(TMPDIR=str(tmp_path / "temporary")),
    )
    try:
        process.stdin.write(records((3 * TASKS_AHEAD + 3) * TASK_SIZE).encode())
        process.stdin.flush()
        part = tmp_path / "out.jsonl.part"
        wait_until(lambda: part.exists() and part.stat().st_size)
        workers = processes_of(process.pid)
    finally:
        process.kill()
        process.communicate()
    assert len(workers) == 2
    wait_until(lambda: not any(Path(f"/proc/{worker}/cmdline").exists() for worker in workers))
    wait_until(lambda: not list((tmp_path / "temporary").glob("tagger-*")))
