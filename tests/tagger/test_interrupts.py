"""Signals become exceptions, and wait while something is written."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from tagger.interrupts import Interrupted, Interrupts


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_raises_and_the_handlers_are_as_before_afterwards(number, code):
    before = signal.getsignal(number)
    with pytest.raises(Interrupted) as raised, Interrupts():
        os.kill(os.getpid(), number)
    assert raised.value.code == code
    assert signal.getsignal(number) is before


def test_a_signal_waits_while_something_is_written():
    done = []

    def write() -> None:
        with Interrupts() as interrupts:
            interrupts.held = True
            os.kill(os.getpid(), signal.SIGINT)
            done.append("written")
            interrupts.release()
            done.append("never")

    with pytest.raises(Interrupted):
        write()
    assert done == ["written"]


def test_an_ignored_signal_stays_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with Interrupts():
            os.kill(os.getpid(), signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)


def test_another_thread_does_without():
    failed = []

    def work() -> None:
        try:
            with Interrupts() as interrupts:
                interrupts.release()
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert not failed
