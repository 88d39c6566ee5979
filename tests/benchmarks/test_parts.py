"""What is measured, with the clock and the contenders replaced."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from benchmarks import parts, peers
from benchmarks.corpus import Corpus, Labelled, write_jsonl
from benchmarks.timing import Seconds


@pytest.fixture
def setting(tmp_path):
    """This library and fastText, with nothing behind their names."""
    labelled = Labelled(["one", "two"], np.array([[True], [False]]))
    corpus = Corpus(("astronomy",), labelled, labelled, ["one", "two", "three"])
    directories = {"tagger": tmp_path, "fastText": tmp_path}
    sizes = replace(parts.FULL, growth=(10, 100, 1000))
    return parts.Setting(corpus, directories, sizes, tmp_path / "scratch", lambda message: None)


def test_a_peer_is_not_given_a_file_that_would_take_it_too_long(setting, monkeypatch):
    each = {"tagger.cli": 0.1, "benchmarks.worker": 0.1}
    given = []

    def run(command, watched):
        source = next(argument for argument in command if argument.endswith("in.jsonl"))
        with open(source) as lines:
            number = sum(1 for _ in lines)
        given.append((command[1], number))
        return Seconds(each[command[1]] * number, 0.0)

    monkeypatch.setattr(parts, "run", run)
    found = parts.growth(setting)
    assert [number for module, number in given if module == "tagger.cli"] == [10, 10, 100, 100, 1000, 1000]
    assert [number for module, number in given if module == "benchmarks.worker"] == [10, 100]
    assert [(entry["name"], entry["jobs"], entry["abstracts"]) for entry in found[:3]] == [
        ("tagger", 1, 10),
        ("tagger", 2, 10),
        ("fastText", 1, 10),
    ]
    assert list(setting.folder.iterdir()) == []


def test_a_file_repeats_the_corpus_under_new_ids(tmp_path):
    write_jsonl(tmp_path / "in.jsonl", ['say "one"', "zwei\n½"], 3)
    rows = [json.loads(line) for line in (tmp_path / "in.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["abstract"] for row in rows] == ['say "one"', "zwei\n½", 'say "one"']
    assert [row["id"] for row in rows] == ["0", "1", "2"]


def test_a_sample_is_drawn_from_all_over_the_corpus(setting):
    corpus = replace(setting.corpus, texts=[str(number) for number in range(100)])
    assert corpus.sample(4) == ["0", "25", "50", "75"]
    assert corpus.sample(1000) == corpus.texts


def test_a_peer_is_trained_once_for_a_number_of_labels(tmp_path):
    trained = []
    peer = replace(peers.PEERS["fastText"], train=lambda labelled, directory, progress: trained.append(directory))
    labelled = Labelled(["one", "two"], np.array([[True], [False]]))
    for some in (labelled, labelled, labelled.first(1)):
        directory = peers.prepare(peer, some, ("astronomy",), tmp_path, lambda message: None)
    assert trained == [directory, directory]
    assert json.loads((directory / peers.AREAS).read_text()) == ["astronomy"]


def test_a_peer_says_which_packages_it_lacks():
    peer = replace(peers.PEERS["fastText"], libraries=("numpy", "no-such-package"), brought=(("nor-this", "file"),))
    assert peer.missing == ["no-such-package", "nor-this"]
