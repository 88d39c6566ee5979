"""The example files that the project ships are read as their README says."""

from __future__ import annotations

import re

import pytest

from tagger import InputError
from tagger.formats import FORMATS, read_records
from training.labelled import read_labelled


@pytest.fixture(scope="module")
def described(repository) -> dict[str, int]:
    """The files that the README describes, with their numbers of records."""
    readme = (repository / "data" / "examples" / "README.md").read_text(encoding="utf-8")
    return {name: int(n) for name, n in re.findall(r"^\| `([^`]+)` \|.*\| *(\d+) *\|$", readme, re.MULTILINE)}


def test_every_example_is_described(repository, described):
    assert {path.name for path in (repository / "data" / "examples").iterdir()} - {"README.md"} == described.keys()


def test_every_example_has_as_many_abstracts_as_its_description_says(repository, described):
    for name, n in described.items():
        path = repository / "data" / "examples" / name
        if path.suffix == ".bib" and "bibtex" not in FORMATS:
            with pytest.raises(InputError, match="unknown format"):
                read_records(str(path))
            continue
        records = list(read_records(str(path)))
        assert (name, len(records), [record.error for record in records if record.error]) == (name, n, [])
        assert all(len(record.abstract) > 150 for record in records)


def test_the_labelled_examples_are_read_with_their_areas(repository):
    examples = repository / "data" / "examples"
    shipped = ("reasoning", "efficiency", "multimodal", "theory")
    assert set(read_labelled(examples / "labelled.jsonl", shipped).grades.ravel().tolist()) == {0, 1}
    mine = read_labelled(examples / "my_labels.csv")
    assert mine.areas == ("robotics", "healthcare", "fairness")
    assert set(mine.grades.ravel().tolist()) == {-1, 0, 1}
