"""Runs of the command that are killed at random moments and resumed each time."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from abstracts import ASTRONOMY, COOKING, NEUTRAL
from command import environment

_BROKEN = ('{"id": "b"}', '{"abstract": null}', "not JSON", '{"abstract": " "}', "[]")
_SECONDS = 600
"""Longest that a run may take."""


def write_records(path: Path, n: int, share_broken: float = 0.01) -> None:
    """Write `n` records as JSON Lines, of lengths between two sentences and forty, some of them broken."""
    generator = random.Random(n)
    sentences = (*ASTRONOMY, *COOKING, *NEUTRAL)
    with path.open("w", encoding="utf-8") as file:
        for k in range(n):
            if generator.random() < share_broken:
                file.write(generator.choice(_BROKEN) + "\n")
                continue
            text = " ".join(generator.choices(sentences, k=generator.randint(2, 40)))
            file.write(json.dumps({"id": f"p{k}", "title": f"On {k}", "abstract": text, "year": k % 30}) + "\n")


def start(arguments: Sequence[object], checkpoint_seconds: float | None = None, **options) -> subprocess.Popen:
    """Start `tagger ARGUMENTS` in a process of its own, with checkpoints as often as wanted."""
    every = "" if checkpoint_seconds is None else f"partfile.CHECKPOINT_SECONDS = {checkpoint_seconds};"
    code = f"import sys; from tagger import cli, partfile; {every} sys.exit(cli.main())"
    options = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "env": environment()} | options
    return subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)], **options)


def killed_and_resumed(
    arguments: Sequence[object],
    output: Path,
    bytes_expected: int,
    kills: int,
    seed: int,
    latest: float = 0.98,
    **options,
) -> tuple[int, bytes, list[float]]:
    """Run `tagger ARGUMENTS -o OUTPUT`, kill it at `kills` random moments and resume it each time, then to its end.

    The last kill comes at the latest when the output has `latest` of its size, a share that leaves time for it.

    Returns the exit code and standard error of the last run, and the shares of the output that were there at the kills.
    """
    generator = random.Random(seed)
    part = output.with_name(f"{output.name}.part")
    # A kill before the processes that tag have begun leaves the model that they share; not in everybody's directory.
    options |= {"env": environment(TMPDIR=str(output.parent))}
    # Not at the very end: a run that is killed when its output has its name has nothing to resume.
    moments = sorted(generator.uniform(0, latest * bytes_expected) for _ in range(kills))
    shares = []
    for moment in moments:
        process = start([*arguments, "-o", output, "--resume"], **options)
        ends = time.monotonic() + _SECONDS
        while process.poll() is None and time.monotonic() < ends:
            if part.exists() and part.stat().st_size >= moment:
                break
            time.sleep(0.002)
        time.sleep(generator.uniform(0, 0.05))
        process.send_signal(signal.SIGKILL)
        _, complaints = process.communicate()
        if process.returncode != -signal.SIGKILL:  # it had come to its end
            return process.returncode, complaints, shares
        shares.append(part.stat().st_size / bytes_expected if part.exists() else 1.0)
    process = start([*arguments, "-o", output, "--resume"], **options)
    _, complaints = process.communicate(timeout=_SECONDS)
    return process.returncode, complaints, shares


def processes_of(pid: int) -> list[int]:
    """The processes that tag for the process `pid`."""
    command = ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(pid)]
    listed = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
    return [int(line.split()[0]) for line in listed if "LokyProcess" in line]


def wait_until(happened: Callable[[], object], seconds: float = 30) -> None:
    """Wait until something has happened."""
    ends = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < ends, "waited in vain"
        time.sleep(0.01)
