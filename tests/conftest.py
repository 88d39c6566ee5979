"""Fixtures that several test files share: small models trained on the tests' own texts, and real texts if at hand."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from abstracts import AREAS, small_abstracts
from command import REPOSITORY, in_process
from hypothesis import HealthCheck, settings

from tagger import Tagger, store
from training import AreaClassifier
from training.network import NetworkSettings

settings.register_profile(
    "tagger", max_examples=100, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("tagger")

SMALL_NETWORK = NetworkSettings(
    features=400, min_df=2, hidden=8, epochs=8, min_steps=0, batch_size=16, learning_rate=0.02
)


@pytest.fixture(scope="session")
def classifier() -> AreaClassifier:
    """A classifier of two areas and what is central in them, linear with a network, fitted on 80 small abstracts."""
    texts, grades = small_abstracts()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("training.classifier.CANDIDATES", (("linear", "network"),))
        return AreaClassifier(AREAS, min_df=2, network=SMALL_NETWORK).fit(texts, grades)


@pytest.fixture(scope="session")
def model(classifier):
    """The model of `classifier`."""
    return classifier.model_


@pytest.fixture(scope="session")
def tagger_(model) -> Tagger:
    """A tagger with `model`."""
    return Tagger(model)


@pytest.fixture(scope="session")
def saved_model(model, tmp_path_factory) -> Path:
    directory = tmp_path_factory.mktemp("models") / "saved"
    store.save(model, directory, {"metrics.json": "{}\n"})
    return directory


@pytest.fixture
def model_directory(saved_model, tmp_path) -> Path:
    """A directory with `model` in it, for one test to do with as it likes."""
    return Path(shutil.copytree(saved_model, tmp_path / "model"))


@pytest.fixture
def run(monkeypatch, capsys):
    """Runs the command in this process: `run("tag", file).code`, `.out` and `.err`."""
    return in_process(monkeypatch, capsys)


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the checkout."""
    return REPOSITORY


@pytest.fixture(scope="session")
def corpus(repository) -> Path:
    """The directory with the real abstracts."""
    directory = repository.parent / "shared" / "corpus"
    if not directory.is_dir():
        pytest.skip("the corpus is not here; only a checkout beside it has real texts")
    pytest.importorskip("pyarrow")
    return directory


@pytest.fixture(scope="session")
def real_abstracts(corpus) -> list[str]:
    """Every abstract of the corpus, labelled ones first."""
    from pyarrow import parquet

    files = ("labelled.parquet", "unlabelled.parquet")
    return [
        text
        for file in files
        for text in parquet.read_table(corpus / file, columns=["abstract"])["abstract"].to_pylist()
    ]


@pytest.fixture(scope="session")
def seeds(repository) -> Path:
    """The directory with lists of abstracts as users keep them."""
    directory = repository.parent / "shared" / "seeds"
    if not directory.is_dir():
        pytest.skip("the seed lists are not here; only a checkout beside them has real lists")
    return directory
