"""A list comes out whole and without repetitions, whatever its pages do."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagger.fetch.paging import Page, all_items

SIZE = 5


class Shown:
    """A list that changes and is shown badly while it is read."""

    def __init__(self, n: int, seed: int, changing: float = 0.0, faulty: float = 0.0) -> None:
        self.items = [f"i{k}" for k in range(n)]
        self.always = set(self.items)
        self.random = random.Random(seed)
        self.changing, self.faulty = changing, faulty
        self.asked = 0

    def ask(self, start: int, refresh: bool) -> Page:
        self.asked += 1
        assert self.asked < 500
        if self.random.random() < self.changing:
            self.change()
        shown, total = self.items[start : start + SIZE], len(self.items)
        if self.random.random() < self.faulty:
            fault = self.random.choice(("empty", "half", "repeat", "first", "more", "fewer"))
            shown = {
                "empty": [],
                "half": shown[: len(shown) // 2],
                "repeat": self.items[max(start - 3, 0) : start] + shown,
                "first": self.items[:SIZE],
            }.get(fault, shown)
            total = {"empty": 0, "more": total + 4, "fewer": total // 2}.get(fault, total)
        return Page(tuple((item, {"id": item}) for item in shown), total)

    def change(self) -> None:
        if self.random.random() < 0.5:
            self.items.insert(0, f"new{self.asked}")
        elif self.items:
            gone = self.items.pop(self.random.randrange(len(self.items)))
            self.always.discard(gone)


def read(shown: Shown) -> tuple[list[str], list[str]]:
    warned: list[str] = []
    ids = [row["id"] for row in all_items(shown.ask, SIZE, lambda total: None, warned.append)]
    return ids, warned


@given(n=st.integers(0, 40))
def test_a_list_that_stands_still_comes_in_its_order_with_few_requests(n):
    shown = Shown(n, 0)
    ids, warned = read(shown)
    assert ids == shown.items
    assert not warned
    assert shown.asked <= max(3, n // (SIZE - 1) + 2)


@given(n=st.integers(0, 40), seed=st.integers(0, 2**32))
def test_what_is_there_all_the_time_comes_once_while_other_items_come_and_go(n, seed):
    shown = Shown(n, seed, changing=0.5)
    ids, _ = read(shown)
    assert len(ids) == len(set(ids))
    assert shown.always <= set(ids)


@given(n=st.integers(0, 40), seed=st.integers(0, 2**32))
def test_pages_that_are_wrong_lose_nothing_without_a_warning(n, seed):
    shown = Shown(n, seed, faulty=0.4)
    ids, warned = read(shown)
    assert len(ids) == len(set(ids))
    assert set(ids) <= set(shown.items)
    assert set(ids) == set(shown.items) or warned or not ids


@given(n=st.integers(0, 40), seed=st.integers(0, 2**32))
def test_pages_that_are_wrong_now_and_then_lose_nothing(n, seed):
    shown = Shown(n, seed, faulty=0.1)
    shown.random = random.Random(seed)
    ids, warned = read(shown)
    assert set(ids) == set(shown.items) or warned or not ids
    assert len(ids) == len(set(ids))


@given(n=st.integers(0, 40), seed=st.integers(0, 2**32))
def test_reading_ends_and_repeats_nothing_when_everything_goes_wrong_at_once(n, seed):
    ids, _ = read(Shown(n, seed, changing=0.6, faulty=0.6))
    assert len(ids) == len(set(ids))


def test_a_total_that_is_never_reached_is_said():
    def ask(start: int, refresh: bool) -> Page:
        shown = [f"i{k}" for k in range(12)][start : start + SIZE]
        return Page(tuple((item, {"id": item}) for item in shown), 20)

    warned: list[str] = []
    assert len(list(all_items(ask, SIZE, lambda total: None, warned.append))) == 12
    assert len(warned) == 1
    assert "20 papers were announced and 12 shown" in warned[0]


def test_a_service_that_shows_its_first_page_for_ever_is_left():
    shown = Shown(SIZE, 0)
    pages = iter(range(200))

    def ask(start: int, refresh: bool) -> Page:
        next(pages)
        return Page(shown.ask(0, refresh).items, 1000)

    warned: list[str] = []
    assert len(list(all_items(ask, SIZE, lambda total: None, warned.append))) == SIZE
    assert warned
    assert next(pages) < 60


def test_an_answer_in_doubt_is_asked_for_anew():
    answers: list[bool] = []

    def ask(start: int, refresh: bool) -> Page:
        answers.append(refresh)
        return Page((), 0) if len(answers) < 3 else Page((("i0", {"id": "i0"}),), 1)

    assert [row["id"] for row in all_items(ask, SIZE, lambda total: None, pytest.fail)] == ["i0"]
    assert answers == [False, True, True]
