"""The shipped model gives the same probabilities whatever version of scikit-learn is installed.

``TAGGER_OTHER_PYTHONS`` names interpreters of prepared environments, with the separator that ``PATH`` has.
"""

from __future__ import annotations

import json
import os
import subprocess

import numpy as np
import pytest
from abstracts import MARKED_UP, small_abstracts
from command import environment

import tagger
from tagger.errors import InputError
from tagger.formats import read_records

OTHER_PYTHONS = [path for path in os.environ.get("TAGGER_OTHER_PYTHONS", "").split(os.pathsep) if path]

PROGRAM = """
import json, sys
import sklearn
import tagger
from training import count_ngrams
from tagger.model import sigmoid
from training.evaluate import log_odds_of_counts
texts = json.load(sys.stdin)
loaded = tagger.load()
json.dump({
    "version": sklearn.__version__,
    "runtime": loaded.predict_proba(texts).tolist(),
    "training": sigmoid(log_odds_of_counts(loaded.model, count_ngrams(texts)))[:, : len(loaded.areas)].tolist(),
}, sys.stdout)
"""


@pytest.fixture(scope="module")
def texts(repository) -> list[str]:
    """The example abstracts that the project ships, and those of the tests."""
    found = [*MARKED_UP, *small_abstracts(10)[0]]
    for path in sorted((repository / "data" / "examples").iterdir()):
        try:
            found += [record.abstract for record in read_records(str(path)) if not record.error]
        except InputError:  # a format that is not read, or no list of abstracts
            continue
    return found


@pytest.mark.skipif(
    not OTHER_PYTHONS, reason="TAGGER_OTHER_PYTHONS names no interpreters with other versions of scikit-learn"
)
@pytest.mark.parametrize("python", OTHER_PYTHONS)
def test_the_shipped_model_gives_the_same_probabilities_under_another_scikit_learn(python, texts):
    done = subprocess.run(
        [python, "-c", PROGRAM], input=json.dumps(texts), capture_output=True, text=True, env=environment(), timeout=120
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    expected = tagger.load().predict_proba(texts)
    for way in ("runtime", "training"):
        assert np.allclose(found[way], expected, atol=1e-6, rtol=0), f"{way} under scikit-learn {found['version']}"
