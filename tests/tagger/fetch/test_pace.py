"""One request at a time, with a pause before the next, whatever asks."""

from __future__ import annotations

import multiprocessing
import time
from itertools import pairwise

import pytest

from tagger.fetch.pace import SHORTEST_PAUSE, Pace, pause_of


class Clock:
    """A clock that stands still but for those who wait."""

    def __init__(self) -> None:
        self.time = 1000.0
        self.waited: list[float] = []

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.waited.append(seconds)
        self.time += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.mark.parametrize(
    "host", ["export.arxiv.org", "oaipmh.arxiv.org", "arxiv.org", "arxiv.org.", "api2.openreview.net"]
)
def test_the_services_themselves_are_never_asked_faster_than_they_allow(host):
    assert SHORTEST_PAUSE >= 3
    assert pause_of(host, None) == SHORTEST_PAUSE
    assert pause_of(host, 0.0) == SHORTEST_PAUSE
    assert pause_of(host, 10.0) == 10


def test_a_mirror_may_be_asked_faster_but_only_on_demand():
    assert pause_of("mirror.example.org", None) == SHORTEST_PAUSE
    assert pause_of("mirror.example.org", 0.1) == 0.1
    assert pause_of("notarxiv.org", 0.0) == 0.0


def test_a_turn_waits_for_the_pause_after_the_one_before(clock):
    pace = Pace(None, clock.sleep, clock.now)
    with pace.turn(3):
        clock.time += 10  # a slow answer
    assert not clock.waited
    clock.time += 1
    with pace.turn(3):
        pass
    assert clock.waited == [2]


def test_another_process_waits_too(clock, tmp_path):
    with Pace(tmp_path / "x" / "next", clock.sleep, clock.now).turn(3):
        pass
    with Pace(tmp_path / "x" / "next", clock.sleep, clock.now).turn(3):
        pass
    assert clock.waited == [pytest.approx(3, abs=0.01)]


def test_a_process_that_is_killed_during_its_turn_leaves_its_pause_behind(clock, tmp_path):
    turn = Pace(tmp_path / "next", clock.sleep, clock.now).turn(3)
    turn.__enter__()  # and is killed: the lock is open, the file tells
    assert float((tmp_path / "next").read_text()) == 1003
    turn.__exit__(None, None, None)


def test_holding_makes_everybody_wait_and_never_less(clock, tmp_path):
    pace = Pace(tmp_path / "next", clock.sleep, clock.now)
    with pace.turn(3):
        pace.hold(60)
    pace.hold(5)
    with Pace(tmp_path / "next", clock.sleep, clock.now).turn(3):
        pass
    assert clock.waited == [pytest.approx(60, abs=0.01)]


@pytest.mark.parametrize("content", ["", "nonsense", "nan", "inf", "1e300", "-5"])
def test_a_damaged_file_or_a_clock_set_back_stops_nobody(clock, tmp_path, content):
    (tmp_path / "next").write_text(content)
    with Pace(tmp_path / "next", clock.sleep, clock.now).turn(3):
        pass
    assert not clock.waited


def test_a_place_that_cannot_be_written_leaves_the_pause_within_the_process(clock, tmp_path):
    (tmp_path / "file").write_text("")
    pace = Pace(tmp_path / "file" / "next", clock.sleep, clock.now)
    for _ in range(2):
        with pace.turn(3):
            pass
    assert clock.waited == [3]


def _take_turns(path, times) -> None:
    pace = Pace(path)
    for _ in range(4):
        with pace.turn(0.02):
            began = time.time()
            time.sleep(0.01)
            times.put((began, time.time()))


def test_processes_take_turns(tmp_path):
    context = multiprocessing.get_context("fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn")
    times = context.Queue()
    processes = [context.Process(target=_take_turns, args=(tmp_path / "next", times)) for _ in range(3)]
    for process in processes:
        process.start()
    spans = sorted(times.get(timeout=20) for _ in range(12))
    for process in processes:
        process.join(20)
    for (_, ended), (began, _) in pairwise(spans):
        assert began - ended > 0.015
