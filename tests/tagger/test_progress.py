"""Progress: on a terminal only, out of the way of everything else, and next to free."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable

import pytest

from tagger.progress import Bar, Silent, Voice, progress_of


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Half:
    total, read = 1000, 500


@pytest.fixture
def in_terminal(monkeypatch) -> Callable[[], Terminal]:
    """Makes standard error a terminal; called in the test, since between fixtures and tests pytest exchanges it."""

    def begin() -> Terminal:
        stream = Terminal()
        monkeypatch.setattr(sys, "stderr", stream)
        return stream

    return begin


def test_a_terminal_shows_records_share_and_time_left_and_nothing_remains(in_terminal):
    terminal = in_terminal()
    bar = progress_of("tagging", Half(), to_file=True)
    assert isinstance(bar, Bar)
    time.sleep(0.6)
    bar.at(12_345)
    shown = terminal.getvalue()
    assert "tagging 12,345" in shown
    assert " 50% " in shown
    assert "left" in shown
    bar.close()
    assert terminal.getvalue().split("\r")[-2].strip() == ""


def test_without_the_size_of_the_input_there_is_no_share(in_terminal):
    terminal = in_terminal()
    bar = progress_of("tagging", None, to_file=True)
    time.sleep(0.6)
    bar.at(640)
    bar.close()
    assert "tagging 640" in terminal.getvalue()
    assert "%" not in terminal.getvalue()


def test_a_short_run_shows_nothing(in_terminal):
    terminal = in_terminal()
    bar = progress_of("tagging", Half(), to_file=True)
    bar.at(64)
    bar.close()
    assert terminal.getvalue() == ""


def test_what_comes_up_is_said_on_a_line_of_its_own(in_terminal):
    terminal = in_terminal()
    voice = Voice()
    voice.progress = progress_of("tagging", Half(), to_file=True)
    time.sleep(0.6)
    voice.progress.at(64)
    voice("in.csv: is not UTF-8")
    voice.progress.close()
    assert "tagger: in.csv: is not UTF-8\n" in terminal.getvalue()


def test_there_is_none_without_a_terminal_or_if_the_results_go_to_it(in_terminal, monkeypatch):
    in_terminal()
    assert isinstance(progress_of("tagging", None, to_file=False), Silent)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert isinstance(progress_of("tagging", None, to_file=True), Silent)
    monkeypatch.setattr(sys, "stderr", None)
    assert isinstance(progress_of("tagging", None, to_file=True), Silent)


def test_without_tqdm_a_run_is_silent(in_terminal, monkeypatch):
    in_terminal()
    monkeypatch.setitem(sys.modules, "tqdm", None)
    assert isinstance(progress_of("tagging", None, to_file=True), Silent)


def test_showing_it_takes_next_to_no_time(in_terminal):
    in_terminal()
    bar = progress_of("tagging", Half(), to_file=True)
    started = time.process_time()
    for k in range(2_000):  # 128,000 records
        bar.at(64 * k)
    assert time.process_time() - started < 0.2
    bar.close()
