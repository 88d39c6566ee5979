"""Clocks run in turn, and processes are watched with their children."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.timing import Peak, Seconds, clocked, in_turn, run


def test_tasks_take_turns_and_the_best_of_each_clock_counts():
    calls = []
    times = {"a": iter([Seconds(3, 1), Seconds(2, 2)]), "b": iter([Seconds(5, 5), Seconds(6, 4)])}

    def task(name):
        def work():
            calls.append(name)
            return next(times[name])

        return work

    assert in_turn({name: task(name) for name in times}, 2) == {"a": Seconds(2, 1), "b": Seconds(5, 4)}
    assert calls == ["a", "b", "a", "b"]


def test_work_is_timed_by_both_clocks():
    seconds = clocked(lambda: sum(range(200_000)))
    assert 0 < seconds.cpu <= seconds.wall * 1.5


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="memory is read from /proc")
def test_the_memory_of_a_process_and_of_its_child_is_seen_and_their_time_added():
    child = "import time; kept = b'x' * 60_000_000; time.sleep(0.4)"
    parent = f"import subprocess, sys; kept = b'x' * 30_000_000; subprocess.run([sys.executable, '-c', {child!r}])"
    watched: list[Peak] = []
    seconds = run(["-c", parent], watched)
    assert [peak.role for peak in watched] == ["main", "worker"]
    assert 30e6 < watched[0].rss < 60e6 < watched[1].rss < 100e6
    assert all(0 < peak.pss <= peak.rss for peak in watched)
    assert seconds.wall > 0.4 > seconds.cpu > 0


def test_a_command_that_fails_is_reported_with_its_last_line():
    with pytest.raises(RuntimeError, match=r"failed: ZeroDivisionError: division by zero"):
        run(["-c", "1 / 0"])


def test_a_new_process_finds_the_packages_of_this_one():
    import tagger

    run(["-c", f"import benchmarks, tagger; assert tagger.__file__ == {tagger.__file__!r}"])
    assert sys.executable
