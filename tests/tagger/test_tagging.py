"""The front door: `tagger.load()`, `Tagger` and what importing them costs."""

from __future__ import annotations

import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from abstracts import small_abstracts
from command import environment

import tagger
from tagger import InputError, Tags, load

TEXTS = small_abstracts(8, seed=6)[0]


def test_the_package_exports_its_public_names():
    assert {"load", "Tagger", "Tags", "TaggerError", "InputError", "ModelError"} <= set(tagger.__all__)
    assert all(hasattr(tagger, name) for name in tagger.__all__)
    assert issubclass(InputError, tagger.TaggerError)
    assert issubclass(tagger.ModelError, tagger.TaggerError)


def test_load_without_a_path_gives_the_shipped_model():
    assert tagger.load().areas == ("reasoning", "efficiency", "multimodal", "theory")


def test_the_shipped_model_reads_an_abstract_as_a_person_would():
    abstract = (
        "We quantize the weights of a vision-language model to 4 bits, which answers questions on images with half the "
        "memory and 2.1x faster. Accuracy on three image captioning benchmarks stays the same."
    )
    assert tagger.load().tag(abstract).areas == ("efficiency", "multimodal")


def test_load_with_a_path_gives_the_model_there(model_directory, tagger_):
    loaded = tagger.load(model_directory)
    assert loaded.areas == ("astronomy", "cooking")
    assert np.array_equal(loaded.predict_proba(TEXTS), tagger_.predict_proba(TEXTS))
    assert tagger.load(str(model_directory)).areas == loaded.areas


def test_tag_gives_the_tags_of_one_text(tagger_):
    tags = tagger_.tag(TEXTS[0])
    assert isinstance(tags, Tags)
    assert isinstance(tags.areas, tuple)
    assert isinstance(tags.unsure, tuple)
    assert tags == next(tagger_.tag_many([TEXTS[0]]))
    assert all(type(value) is float for value in tags.probabilities.values())


def test_a_title_is_read_as_part_of_the_text(tagger_):
    title, text = "Galaxies and comets behind a telescope", "The dough rests overnight."
    assert tagger_.tag(text, title) == tagger_.tag(text, title=title) == tagger_.tag(f"{title}\n{text}")
    assert tagger_.tag(text, title) != tagger_.tag(text)
    assert tagger_.tag(text, title="") == tagger_.tag(text, title=None) == tagger_.tag(text)


@pytest.mark.parametrize("text", ["", "  \n\t", None, 3, b"bytes", ["a text in a list"]])
def test_tag_refuses_what_is_no_text(tagger_, text):
    with pytest.raises(InputError):
        tagger_.tag(text)


def test_predict_proba_has_a_row_a_text_and_a_column_an_area(tagger_):
    probabilities = tagger_.predict_proba(TEXTS)
    assert probabilities.shape == (len(TEXTS), 2)
    assert probabilities.dtype == np.float32
    for text, row in zip(TEXTS, probabilities):
        assert list(tagger_.tag(text).probabilities.values()) == pytest.approx(row.tolist(), abs=1e-6)


def test_predict_proba_takes_no_text_and_more_than_a_batch(tagger_):
    assert tagger_.predict_proba([]).shape == (0, 2)
    assert tagger_.predict_proba([]).dtype == np.float32
    many = tagger_.predict_proba(TEXTS * 100)
    assert np.allclose(many, np.tile(tagger_.predict_proba(TEXTS), (100, 1)), atol=1e-6)


def test_predict_proba_takes_tuples_and_arrays_of_texts(tagger_):
    expected = tagger_.predict_proba(TEXTS)
    assert np.array_equal(tagger_.predict_proba(tuple(TEXTS)), expected)
    assert np.array_equal(tagger_.predict_proba(np.array(TEXTS)), expected)


@pytest.mark.parametrize(("texts", "complaint"), [("one text", "list"), (["a", None], "text 1"), ([b"a"], "text 0")])
def test_predict_proba_refuses_what_are_no_texts(tagger_, texts, complaint):
    with pytest.raises(InputError, match=complaint):
        tagger_.predict_proba(texts)


def test_the_representation_of_a_tagger_names_its_areas(tagger_):
    assert "('astronomy', 'cooking')" in repr(tagger_)


def test_loading_and_tagging_import_numpy_and_nothing_heavier(tmp_path):
    program = (
        "import sys, tagger\n"
        "tagger.load().tag('We prove a lower bound on regret.')\n"
        "heavy = {'sklearn', 'scipy', 'pandas', 'lightgbm', 'joblib', 'pyarrow', 'training'}\n"
        "print(sorted(heavy & {name.partition('.')[0] for name in sys.modules}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, env=environment(), cwd=tmp_path
    )
    assert (done.stdout, done.stderr, done.returncode) == ("[]\n", "", 0)


def test_a_tagger_that_was_sent_elsewhere_tags_as_before(tagger_):
    """As what shares work between machines sends it."""
    texts = small_abstracts(20)[0]
    assert list(pickle.loads(pickle.dumps(tagger_)).tag_many(texts)) == list(tagger_.tag_many(texts))


def test_threads_that_share_a_tagger_from_the_start_do_not_disturb_each_other(model_directory):
    texts, expected = small_abstracts(200)[0], list(load(model_directory).tag_many(small_abstracts(200)[0]))
    for _ in range(3):
        shared = load(model_directory)
        with ThreadPoolExecutor(8) as threads:
            found = [threads.submit(lambda tagger_=shared: list(tagger_.tag_many(texts))) for _ in range(8)]
        assert all(future.result() == expected for future in found)
