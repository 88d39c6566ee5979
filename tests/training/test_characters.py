"""Character n-grams: derived from counts of words, the same as from the words themselves; margins part the texts."""

from __future__ import annotations

import numpy as np
import pytest
from abstracts import small_abstracts
from hypothesis import given
from hypothesis import strategies as st

from tagger.text import words
from training import count_ngrams
from training.characters import STRENGTH, CharacterFeatures, character_ngrams, fit_characters, spell, word_counts
from training.linear import fit_linear

TEXTS, GRADES = small_abstracts(80, seed=5)
COUNTS = count_ngrams(TEXTS)
WORDS = word_counts(COUNTS)
SPELLING, NAMES = spell(COUNTS.vocabulary.words)
TARGETS = (GRADES > 0).astype(np.float32)
WEIGHTS = np.ones(len(TEXTS))


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("a", {"<a>"}),
        ("ai", {"<ai", "ai>", "<ai>"}),
        ("sky", {"<sk", "sky", "ky>", "<sky", "sky>", "<sky>"}),
    ],
)
def test_the_ngrams_of_a_word_have_3_to_5_characters_and_mark_its_ends(word, expected):
    assert character_ngrams(word) == expected


@given(st.text(st.characters(categories=["Ll", "Nd"]), min_size=1, max_size=12))
def test_every_ngram_is_part_of_the_marked_word(word):
    ngrams = character_ngrams(word)
    assert all(ngram in f"<{word}>" and 3 <= len(ngram) <= 5 for ngram in ngrams)
    assert len(ngrams) <= sum(max(len(word) + 3 - length, 0) for length in (3, 4, 5))


def test_a_text_has_the_character_ngrams_of_its_words():
    matrix = CharacterFeatures.of(WORDS, SPELLING, min_df=1).matrix(WORDS).toarray()
    assert set(np.unique(matrix)) <= {0.0, 1.0}
    for text, row in zip(TEXTS[:10], matrix):
        expected = set().union(*(character_ngrams(word) for word in words(text)))
        assert {name for name, has in zip(NAMES, row) if has} == expected


def test_an_ngram_of_too_few_texts_is_no_feature():
    counts = count_ngrams(["bread", "bread", "comet"])
    spelling, names = spell(counts.vocabulary.words)
    features = CharacterFeatures.of(word_counts(counts), spelling, min_df=2)
    assert features.spelling.shape[1] == len(character_ngrams("bread"))
    assert features.spelling.shape[1] < len(names)


def test_texts_with_the_area_have_higher_margins():
    margins = fit_characters(WORDS, SPELLING, TARGETS, WEIGHTS, C=0.1).margins(WORDS)
    assert margins.shape == TARGETS.shape
    for column, truth in zip(margins.T, TARGETS.T > 0):
        assert column[truth].min() > column[~truth].max()


def test_a_word_that_no_text_had_is_known_by_its_parts():
    counts = count_ngrams([*TEXTS, "telescopically", "doughier"])
    spelling, _ = spell(counts.vocabulary.words)
    seen = word_counts(counts)
    margins = fit_characters(seen[: len(TEXTS)], spelling, TARGETS, WEIGHTS, C=0.1).margins(seen[len(TEXTS) :])
    assert margins[0, 0] > margins[1, 0]
    assert margins[1, 1] > margins[0, 1]


def test_unknown_labels_take_no_part():
    targets = TARGETS.copy()
    targets[40:, 1] = np.nan
    fitted = fit_characters(WORDS, SPELLING, targets, WEIGHTS)
    seen = fitted.features.matrix(WORDS)
    alone = fit_linear(seen[:40], TARGETS[:40, 1] > 0, WEIGHTS[:40], STRENGTH, 1.0)
    assert fitted.margins(WORDS)[:, 1].tobytes() == alone.margins(seen).tobytes()


def test_a_fit_repeats_to_the_last_bit():
    first, again = (fit_characters(WORDS, SPELLING, TARGETS, WEIGHTS).margins(WORDS) for _ in range(2))
    assert first.tobytes() == again.tobytes()
