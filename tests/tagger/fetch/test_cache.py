"""Answers are kept whole, for their time, where the platform wants them."""

from __future__ import annotations

import os
import time

from hypothesis import given
from hypothesis import strategies as st

from tagger.fetch.cache import DAY, LONGEST, Cache, cache_directory


@given(key=st.text(st.characters(exclude_categories=("Cs",))), body=st.binary())
def test_what_was_kept_comes_back(tmp_path_factory, key, body):
    directory = tmp_path_factory.mktemp("cache")
    Cache(directory).put(key, body)
    assert Cache(directory).get(key, DAY) == body
    assert Cache(directory).get(key + "?", DAY) is None


def the_file(directory):
    (file,) = directory.glob("??/*")
    return file


def test_an_answer_that_is_too_old_is_none(tmp_path):
    cache = Cache(tmp_path)
    cache.put("key", b"body")
    then = time.time() - DAY - 5
    os.utime(the_file(tmp_path), (then, then))
    assert cache.get("key", DAY) is None
    assert cache.get("key", 2 * DAY) == b"body"
    assert cache.get("key", 0) is None


def test_an_answer_from_a_clock_that_was_ahead_is_none(tmp_path):
    cache = Cache(tmp_path)
    cache.put("key", b"body")
    then = time.time() + DAY
    os.utime(the_file(tmp_path), (then, then))
    assert cache.get("key", DAY) is None


def test_a_damaged_answer_is_none(tmp_path):
    cache = Cache(tmp_path)
    cache.put("key", b"body" * 100)
    whole = the_file(tmp_path).read_bytes()
    for damaged in (b"", whole[:-1], whole[:20], whole[:-5] + b"xxxxx", b"something else"):
        the_file(tmp_path).write_bytes(damaged)
        assert cache.get("key", DAY) is None


def test_answers_past_their_time_are_removed(tmp_path):
    Cache(tmp_path).put("old", b"body")
    then = time.time() - LONGEST - 5
    os.utime(the_file(tmp_path), (then, then))
    Cache(tmp_path).put("new", b"body")
    assert Cache(tmp_path).get("new", DAY) == b"body"
    assert len(list(tmp_path.glob("??/*"))) == 1


def test_the_directory_is_the_one_that_is_named_or_the_platforms(monkeypatch, tmp_path):
    monkeypatch.setenv("TAGGER_CACHE", str(tmp_path))
    assert cache_directory() == tmp_path
    monkeypatch.delenv("TAGGER_CACHE")
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_directory() == tmp_path / "xdg" / "area-tagger"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_directory() == tmp_path / ".cache" / "area-tagger"
    monkeypatch.setattr("sys.platform", "darwin")
    assert cache_directory() == tmp_path / "Library" / "Caches" / "area-tagger"
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert cache_directory() == tmp_path / "local" / "area-tagger"
