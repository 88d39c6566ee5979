"""Clocks and watchers: work timed in turn, commands timed from a cold process, processes watched while they run."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MOST_SECONDS = 900.0
"""A command that takes longer has hung, and is stopped."""
BETWEEN_LOOKS = 0.2
"""Seconds between two looks at the memory of processes; a look takes about a millisecond of a core."""


@dataclass(frozen=True, slots=True)
class Seconds:
    """How long something took."""

    wall: float
    """By the clock on the wall."""
    cpu: float
    """On a processor, by the process and by those of its children that have ended."""


@dataclass(slots=True)
class Peak:
    """The most memory that a process had, in bytes."""

    role: str
    """``main``, ``worker`` or ``helper``."""
    rss: int = 0
    """Resident set: pages that it shares with others count in full. As the kernel keeps it, so no peak is missed."""
    pss: int = 0
    """Proportional set: a page that n processes share counts as its nth. The most of the looks that were taken."""


def clocked(work: Callable[[], object]) -> Seconds:
    """Do `work` and time it."""
    children, wall, cpu = _of_children(), time.perf_counter(), time.process_time()
    work()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return Seconds(wall, cpu + _of_children() - children)


def _of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def best(times: Sequence[Seconds]) -> Seconds:
    """The least by each clock: what others do on the machine only ever adds."""
    return Seconds(min(seconds.wall for seconds in times), min(seconds.cpu for seconds in times))


def in_turn(tasks: Mapping[str, Callable[[], Seconds]], rounds: int) -> dict[str, Seconds]:
    """Time each task once in each round, so that what else happens meanwhile hits all alike; the best of each."""
    times: dict[str, list[Seconds]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            times[name].append(task())
    return {name: best(taken) for name, taken in times.items()}


def environment() -> dict[str, str]:
    """The environment for a process that finds the packages that this one has."""
    import benchmarks
    import tagger

    roots = dict.fromkeys(str(Path(str(package.__file__)).parent.parent) for package in (tagger, benchmarks))
    paths = [*roots, *filter(None, [os.environ.get("PYTHONPATH")])]
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths)}


def run(command: Sequence[str], watched: list[Peak] | None = None) -> Seconds:
    """Run Python with `command` in a new process and time it.

    Parameters
    ----------
    command : sequence of str
        Arguments of Python.
    watched : list of Peak, optional
        Gets the peak of each process of the run, the first being the command itself; stays empty where there is
        no ``/proc``.

    Raises
    ------
    RuntimeError
        If it fails or hangs.
    """
    with tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env=environment(),
            start_new_session=True,  # so that it can be stopped with its children
        )
        hung = threading.Timer(MOST_SECONDS, os.killpg, (process.pid, signal.SIGKILL))
        hung.start()
        ended = threading.Event()
        watcher = threading.Thread(target=_watch, args=(process.pid, watched, ended))
        try:
            if watched is not None:
                watcher.start()
            _, status, usage = os.wait4(process.pid, 0)
            wall = time.perf_counter() - start
            process.returncode = os.waitstatus_to_exitcode(status)
        finally:
            hung.cancel()
            ended.set()
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            if watched is not None:
                watcher.join()
        if process.returncode:
            errors.seek(0)
            said = errors.read().decode(errors="replace").strip().splitlines()
            raise RuntimeError(f"python {' '.join(command)} failed: {said[-1] if said else process.returncode}")
    return Seconds(wall, usage.ru_utime + usage.ru_stime)


def _watch(root: int, watched: list[Peak], ended: threading.Event) -> None:
    """Look at the memory of a process and its children until it has ended, often at first, since it may end soon."""
    peaks: dict[int, Peak] = {}
    start = time.perf_counter()
    while not ended.wait(min(BETWEEN_LOOKS, 0.02 + (time.perf_counter() - start) / 20)):
        _look(root, peaks)
    watched.extend(peaks.values())


def _look(root: int, peaks: dict[int, Peak]) -> None:
    """Update the peaks of a process and of those that it started."""
    for pid in family(root):
        try:
            status = _fields(pid, "status")
            pss = _fields(pid, "smaps_rollup").get("Pss", 0)
            command = Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
        except (OSError, ValueError):  # it has ended meanwhile
            continue
        role = "main" if pid == root else "helper" if "resource_tracker" in command else "worker"
        peak = peaks.setdefault(pid, Peak(role))
        peak.role = role
        peak.rss, peak.pss = max(peak.rss, status.get("VmHWM", 0)), max(peak.pss, pss)


def family(root: int) -> list[int]:
    """A process and those that it started, and that these started."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((entry / "stat").read_text(errors="replace").rpartition(")")[2].split()[1])
        except (OSError, IndexError, ValueError):
            continue
        children.setdefault(parent, []).append(int(entry.name))
    found = [root]
    for pid in found:  # it grows while it is gone through
        found += children.get(pid, [])
    return found


def _fields(pid: int, file: str) -> dict[str, int]:
    """The sizes in a file of ``/proc``, in bytes."""
    sizes = {}
    for line in Path(f"/proc/{pid}/{file}").read_text(errors="replace").splitlines():
        name, _, value = line.partition(":")
        if value.endswith("kB"):
            sizes[name] = int(value.split()[0]) * 1024
    return sizes


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    import platform

    import numpy as np
    from threadpoolctl import threadpool_info

    processor = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line.partition(":")[2].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line]
        processor = names[0] if names else processor
    kernels = {str(pool["architecture"]) for pool in threadpool_info() if pool.get("user_api") == "blas"}
    return {
        "processor": processor,
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "blas": sorted(kernels),
    }


def load_average() -> float:
    """How many processes want a core now."""
    return os.getloadavg()[0]
