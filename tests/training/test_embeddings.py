"""Words that keep the same company have near vectors; the file that ships them is checked."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tagger import InputError
from tagger.text import TEXT_VERSION
from training.embeddings import MIN_COUNT, Embeddings, learn_embeddings, read_embeddings, write_embeddings

TOPICS = (
    ("telescope", "galaxy", "comet", "orbit"),
    ("dough", "soup", "butter", "oven"),
    ("violin", "sonata", "choir", "tempo"),
    ("river", "delta", "flood", "dam"),
    ("court", "judge", "verdict", "appeal"),
)
SMALL_WORDS = ("the", "of", "and")


def toy_corpus(seed: int = 0, n: int = 300) -> list[str]:
    """Texts on one topic each, with the same small words between its own."""
    generator = random.Random(seed)
    return [
        " ".join(f"{generator.choice(SMALL_WORDS)} {generator.choice(TOPICS[k % len(TOPICS)])}" for _ in range(12))
        for k in range(n)
    ]


@pytest.fixture(scope="module")
def learned() -> Embeddings:
    return learn_embeddings(toy_corpus())


def test_related_words_are_nearer_than_unrelated_ones(learned):
    topic_of = {word: topic for topic, own in enumerate(TOPICS) for word in own}
    likeness = learned.vectors.astype(float) @ learned.vectors.T.astype(float)
    for word, topic in topic_of.items():
        by_topic = {True: [], False: []}
        for other, other_topic in topic_of.items():
            if other != word:
                by_topic[topic == other_topic].append(likeness[learned.index[word], learned.index[other]])
        assert min(by_topic[True]) > max(by_topic[False]) + 0.2


def test_vectors_have_length_one_and_a_row_a_word(learned):
    assert set(learned.words) == {*SMALL_WORDS, *(word for own in TOPICS for word in own)}
    assert len(learned.vectors) == len(learned.words) == len(learned.index)
    assert all(learned.words[row] == word for word, row in learned.index.items())
    assert learned.vectors.dtype == np.float32
    lengths = [0 if word in SMALL_WORDS else 1 for word in learned.words]  # these go with all others alike
    assert np.linalg.norm(learned.vectors, axis=1) == pytest.approx(lengths, abs=1e-5)


def test_learning_again_gives_the_same_bytes(learned):
    again = learn_embeddings(toy_corpus())
    assert again.words == learned.words
    assert again.vectors.tobytes() == learned.vectors.tobytes()


def test_the_company_of_a_word_ends_with_its_text(learned):
    """The order of the texts, and so what stands beside their borders, changes nothing."""
    texts = toy_corpus()
    by_topic = learn_embeddings(sorted(texts, key=lambda text: texts.index(text) % len(TOPICS)))
    order = [by_topic.index[word] for word in learned.words]
    likeness, again = (vectors @ vectors.T for vectors in (learned.vectors, by_topic.vectors[order]))
    assert again == pytest.approx(likeness, abs=1e-3)


def test_rare_words_have_no_vector(learned):
    texts = toy_corpus()
    frequent = learn_embeddings([*texts, *["zenith comet"] * MIN_COUNT])
    rare = learn_embeddings([*texts, *["zenith comet"] * (MIN_COUNT - 1)])
    assert "zenith" in frequent.words
    assert "zenith" not in rare.words


@pytest.mark.parametrize("texts", [[], ["a few words"], ["soup"] * 50, ["soup of dough"] * 3])
def test_too_few_words_are_refused(texts):
    with pytest.raises(InputError, match=r"words occur \d+ times; give more abstracts"):
        learn_embeddings(texts)


def test_a_file_gives_back_what_was_written_in_half_precision(learned, tmp_path):
    write_embeddings(tmp_path / "e.npz", learned)
    back = read_embeddings(tmp_path / "e.npz")
    assert back.words == learned.words
    assert back.vectors.dtype == np.float32
    assert np.array_equal(back.vectors, learned.vectors.astype(np.float16).astype(np.float32))
    write_embeddings(tmp_path / "again.npz", back)
    assert (tmp_path / "again.npz").read_bytes() == (tmp_path / "e.npz").read_bytes()


def test_a_file_that_is_there_is_not_rewritten(learned, tmp_path):
    (tmp_path / "e.npz").write_bytes(b"mine")
    with pytest.raises(FileExistsError):
        write_embeddings(tmp_path / "e.npz", learned)
    assert (tmp_path / "e.npz").read_bytes() == b"mine"


def good_arrays() -> dict[str, np.ndarray]:
    return {
        "text_version": np.array(TEXT_VERSION, dtype=np.int32),
        "words": np.frombuffer(b"soup\nstar", dtype=np.uint8),
        "vectors": np.eye(2, 3, dtype=np.float16),
    }


def test_the_arrays_of_the_next_test_are_good_before_they_are_damaged(tmp_path):
    np.savez(tmp_path / "e.npz", **good_arrays())
    assert read_embeddings(tmp_path / "e.npz").words == ("soup", "star")


@pytest.mark.parametrize(
    "damage",
    [
        {"words": None},
        {"vectors": None},
        {"text_version": None},
        {"words": np.frombuffer(b"soup", dtype=np.uint8)},
        {"words": np.frombuffer(b"\xff\nx", dtype=np.uint8)},
        {"words": np.frombuffer(b"soup\nsoup", dtype=np.uint8)},
        {"vectors": np.eye(3, dtype=np.float16)},
        {"vectors": np.zeros(2, dtype=np.float16)},
        {"vectors": np.full((2, 3), np.nan, dtype=np.float16)},
        {"vectors": np.array([["a"], ["b"]])},
    ],
    ids=lambda damage: "-".join(f"{k} {'absent' if v is None else v.shape}" for k, v in damage.items()),
)
def test_a_damaged_file_is_refused_by_name(tmp_path, damage):
    arrays = {name: array for name, array in (good_arrays() | damage).items() if array is not None}
    np.savez(tmp_path / "e.npz", **arrays)
    with pytest.raises(InputError, match=r"e\.npz: not a file of word embeddings"):
        read_embeddings(tmp_path / "e.npz")


@pytest.mark.parametrize("content", [None, b"", b"no archive", b"PK\x03\x04 no more"])
def test_a_file_that_is_no_archive_is_refused_by_name(tmp_path, content):
    if content is not None:
        (tmp_path / "e.npz").write_bytes(content)
    with pytest.raises(InputError, match=r"e\.npz: not a file of word embeddings"):
        read_embeddings(tmp_path / "e.npz")


def test_another_text_definition_is_refused(tmp_path):
    np.savez(tmp_path / "e.npz", **good_arrays() | {"text_version": np.array(TEXT_VERSION + 1)})
    with pytest.raises(InputError, match=rf"text definition {TEXT_VERSION + 1}, not {TEXT_VERSION}"):
        read_embeddings(tmp_path / "e.npz")


def test_the_shipped_embeddings_know_the_field(repository):
    shipped = read_embeddings(repository / "data" / "embeddings.npz")
    assert np.linalg.norm(shipped.vectors, axis=1) == pytest.approx(np.ones(len(shipped.words)), abs=0.01)

    def likeness(first: str, second: str) -> float:
        return float(shipped.vectors[shipped.index[first]] @ shipped.vectors[shipped.index[second]])

    assert likeness("image", "video") > likeness("image", "regret") + 0.2
    assert likeness("regret", "bounds") > likeness("regret", "video") + 0.2
