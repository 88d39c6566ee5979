"""Thresholds for a wanted precision or recall come from points that cross-validation measured."""

from __future__ import annotations

import dataclasses
import json
from urllib.request import urlopen

import numpy as np
import pytest
import server

from tagger import InputError, Tagger, load
from training.calibration import operating_points

POINTS = [[0.1, 0.4, 1.0], [0.3, 0.7, 0.9], [0.6, 0.9, 0.6], [0.9, 1.0, 0.2]]


@pytest.fixture
def with_points(model) -> Tagger:
    about = {"operating_points": dict.fromkeys(model.areas, POINTS)}
    return Tagger(dataclasses.replace(model, about=about))


def test_a_wanted_precision_takes_the_lowest_threshold_that_reaches_it(with_points):
    thresholds = with_points.at(precision=0.7).model.thresholds
    n_areas = len(with_points.areas)
    assert (thresholds[:n_areas] == 0.3).all()
    assert (thresholds[n_areas:] == with_points.model.thresholds[n_areas:]).all()


def test_a_wanted_recall_takes_the_highest_threshold_that_reaches_it(with_points):
    assert (with_points.at(recall=0.6).model.thresholds[: len(with_points.areas)] == 0.6).all()


def test_what_was_not_reached_is_refused_by_name(with_points):
    about = {"operating_points": dict.fromkeys(with_points.areas, POINTS[:2])}
    low = Tagger(dataclasses.replace(with_points.model, about=about))
    with pytest.raises(InputError, match=r"precision 0\.95 was not reached for .*highest is 0\.700"):
        low.at(precision=0.95)


@pytest.mark.parametrize("wanted", [{}, {"precision": 0.9, "recall": 0.9}, {"precision": 0}, {"recall": 1.5}])
def test_a_wish_must_be_one_share(with_points, wanted):
    with pytest.raises(InputError):
        with_points.at(**wanted)


def test_a_model_that_knows_no_points_says_so(tagger_):
    with pytest.raises(InputError, match="nothing is known of it"):
        tagger_.at(precision=0.9)


@pytest.mark.parametrize("wanted", [["--precision", "0.97"], ["--recall", "0.99"]], ids=lambda wanted: wanted[0][2:])
def test_every_command_that_shows_tags_takes_the_wish_and_gives_the_same_tags(run, repository, tmp_path, wanted):
    papers = repository / "data" / "examples" / "papers.jsonl"

    def rows(*command):
        return [json.loads(line) for line in run(*command, papers).out.splitlines()]

    tagged, explained = rows("tag", *wanted), rows("explain", "--format", "json", *wanted)
    assert [row["areas"] for row in tagged] != [row["areas"] for row in rows("tag")]
    assert [(row["areas"], row["unsure"]) for row in explained] == [(row["areas"], row["unsure"]) for row in tagged]
    assert run("report", *wanted, "--no-evidence", papers, "-o", tmp_path / "report.html").code == 0
    n = sum("reasoning" in row["areas"] for row in tagged)
    assert f'data-label="tagged">{n} <' in (tmp_path / "report.html").read_text()
    with server.running(*wanted, database=tmp_path / "corrections.sqlite") as (url, _):
        thresholds = json.load(urlopen(f"{url}api/model"))["thresholds"]
    assert list(thresholds.values()) != load().model.thresholds[: len(thresholds)].tolist()


@pytest.mark.parametrize("command", ["tag", "explain", "report", "serve"])
def test_a_wish_that_is_no_share_is_refused_by_what_was_given(run, repository, tmp_path, command):
    given = {"serve": ["--port", 0, "--database", tmp_path / "c"], "report": ["-o", tmp_path / "report.html"]}
    papers = [repository / "data" / "examples" / "papers.txt"] if command != "serve" else []
    done = run(command, *papers, *given.get(command, []), "--precision", "2")
    assert (done.code, done.out) == (2, "")
    assert done.err == "tagger: precision 2: give a share above 0 and at most 1\n"


def test_the_points_are_what_tagging_at_their_thresholds_gives():
    generator = np.random.default_rng(0)
    present = generator.random(2000) < 0.3
    probabilities = np.clip(generator.normal(0.3 + 0.3 * present, 0.2), 0, 1)
    points = operating_points(probabilities, present)
    assert [point[0] for point in points] == sorted(point[0] for point in points)
    for threshold, precision, recall in points:
        decided = probabilities >= threshold
        assert precision == pytest.approx(present[decided].mean(), abs=1e-4)
        assert recall == pytest.approx(decided[present].mean(), abs=1e-4)
    assert operating_points(probabilities, np.zeros(2000, dtype=bool)) == []
