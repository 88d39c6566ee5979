"""A stream of items gives a stream of tags: one for each, in order, whatever the items are."""

from __future__ import annotations

import os
import random
import signal
import time
from itertools import count, islice

import hypothesis.strategies as st
import pytest
from abstracts import small_abstracts
from hypothesis import given
from kills import processes_of

from tagger import Record, TaggerError, Tags, load
from tagger.batch import BATCH_SIZE, TASK_SIZE

ABSTRACTS = small_abstracts(30, seed=5)[0]

good_texts = st.sampled_from(ABSTRACTS)
good = st.one_of(
    good_texts,
    good_texts.map(lambda text: Record("id", text)),
    good_texts.map(lambda text: Record("id", text, title="A title")),
    good_texts.map(lambda text: {"abstract": text}),
    good_texts.map(lambda text: {"id": 3, "abstract": text, "title": None}),
)
bad = st.sampled_from(
    [
        None,
        7,
        b"bytes",
        "",
        " \n",
        ["list"],
        {},
        {"abstract": None},
        {"abstract": 5},
        {"text": "misnamed"},
        float("nan"),
    ]
) | st.sampled_from([Record("id", ""), Record("id", error="could not be read"), Record("id", "text", error="no")])


def assert_same(result: Tags, expected: Tags) -> None:
    assert (result.areas, result.unsure, result.error) == (expected.areas, expected.unsure, expected.error)
    assert dict(result.probabilities) == pytest.approx(dict(expected.probabilities), abs=1e-6)


@given(st.lists(st.one_of(good, bad), max_size=25))
def test_every_item_gives_its_own_result_in_its_place(tagger_, items):
    results = list(tagger_.tag_many(items))
    assert len(results) == len(items)
    for item, result in zip(items, results):
        assert_same(result, next(tagger_.tag_many([item])))


@given(bad)
def test_a_bad_item_gives_an_error_and_no_areas(tagger_, item):
    (result,) = tagger_.tag_many([item])
    assert result.error
    assert "\n" not in result.error
    assert (result.areas, dict(result.probabilities), result.unsure) == ((), {}, ())


@given(good)
def test_a_good_item_gives_a_probability_for_every_area_and_no_error(tagger_, item):
    (result,) = tagger_.tag_many([item])
    assert result.error is None
    assert tuple(result.probabilities) == tagger_.areas


def test_the_error_of_a_record_is_passed_on(tagger_):
    (result,) = tagger_.tag_many([Record("id", error="line 3: not JSON")])
    assert result.error == "line 3: not JSON"


def test_an_empty_stream_gives_an_empty_stream(tagger_):
    assert list(tagger_.tag_many([])) == []
    assert list(tagger_.tag_many(iter(()), n_jobs=2)) == []


@pytest.mark.parametrize("n", [BATCH_SIZE - 1, BATCH_SIZE, BATCH_SIZE + 1, 2 * BATCH_SIZE])
def test_nothing_is_lost_at_the_edges_of_batches(tagger_, n):
    items = [None if k % 7 == 3 else ABSTRACTS[k % 30] for k in range(n)]
    results = list(tagger_.tag_many(items))
    assert [result.error is not None for result in results] == [k % 7 == 3 for k in range(n)]


def test_an_endless_stream_is_read_as_it_is_needed(tagger_):
    read = []
    results = tagger_.tag_many(read.append(k) or ABSTRACTS[k % 30] for k in count())
    assert len(list(islice(results, 10))) == 10
    assert len(read) <= 2 * BATCH_SIZE


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_results_do_not_wait_for_a_slow_source(tagger_, monkeypatch, n_jobs):
    monkeypatch.setattr("tagger.batch.PATIENCE", 0.02)
    read = []

    def slow():
        for k in range(40):
            time.sleep(0.05)
            yield read.append(k) or ABSTRACTS[k % 30]

    seen = [len(read) for _ in tagger_.tag_many(slow(), n_jobs=n_jobs)]
    assert len(seen) == 40
    ahead = [so_far - k for k, so_far in enumerate(seen, 1)]
    assert ahead[0] <= (1 if n_jobs == 1 else 35)  # processes take their time to begin
    assert max(ahead[-3:]) <= (1 if n_jobs == 1 else 5)


def test_two_processes_give_what_one_gives_in_the_same_order(tagger_):
    items = [None if k % 100 == 50 else {"abstract": f"{ABSTRACTS[k % 30]} {k}"} for k in range(3 * BATCH_SIZE + 5)]
    assert list(tagger_.tag_many(iter(items), n_jobs=2)) == list(tagger_.tag_many(items, n_jobs=1))


def test_a_process_that_is_killed_ends_the_stream_with_an_error(tagger_):
    others = set(processes_of(os.getpid()))
    results = tagger_.tag_many((ABSTRACTS[k % 30] for k in count()), n_jobs=2)
    next(results)
    os.kill(next(process for process in processes_of(os.getpid()) if process not in others), signal.SIGKILL)
    with pytest.raises(TaggerError, match="a process that tagged was killed"):
        for _ in results:
            pass


def test_errors_among_the_texts_change_no_bit_of_the_others_in_several_processes():
    """What is written must not depend on how many processes shared the work."""
    generator = random.Random(1)
    words = sorted({word for text in ABSTRACTS for word in text.split()})
    texts = [" ".join(generator.choices(words, k=generator.randint(2, 400))) for _ in range(2 * TASK_SIZE + 100)]
    items = [None if k % 13 == 5 else text for k, text in enumerate(texts)]
    shipped = load()
    one = list(shipped.tag_many(items))
    assert list(shipped.tag_many(items, n_jobs=2)) == one
    assert list(shipped.tag_many(items[TASK_SIZE:])) == one[TASK_SIZE:]


def test_processes_that_tag_leave_none_behind_that_disturb_joblib(tagger_):
    """Tagging and training with several processes may follow each other in one program."""
    import joblib

    texts = small_abstracts(20)[0]
    for _ in range(2):
        assert len(list(tagger_.tag_many(texts, n_jobs=2))) == 20
        assert joblib.Parallel(n_jobs=2)(joblib.delayed(len)(text) for text in texts) == [len(text) for text in texts]


def test_on_one_core_all_cores_are_this_process(tagger_, monkeypatch):
    monkeypatch.setattr("joblib.effective_n_jobs", lambda n_jobs: 1)
    texts, before = small_abstracts(20)[0], set(processes_of(os.getpid()))
    results = tagger_.tag_many(texts, n_jobs=-1)
    first = next(results)
    assert set(processes_of(os.getpid())) <= before
    assert [first, *results] == list(tagger_.tag_many(texts))
