"""Texts whose tags should not be trusted are marked, and English abstracts are not."""

from __future__ import annotations

import time

import hypothesis.strategies as st
import numpy as np
import pytest
from abstracts import MARKED_UP, long_abstract, small_abstracts
from hypothesis import given
from no_english import LANGUAGES, NO_PROSE, PYTHON
from strategies import batches, texts

from tagger import InputError, Record, marks
from tagger.batch import BATCH_SIZE
from tagger.vectorize import find_words, word_keys


def flags(*some: str) -> list[int]:
    words = find_words(some)
    return marks.flags_of(some, words, word_keys(words)).tolist()


def marks_of(text: str) -> tuple[str, ...]:
    return marks.names(flags(text)[0])


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_text_in_another_language_is_marked(language):
    assert marks_of(LANGUAGES[language]) == ("language",)


@pytest.mark.parametrize("kind", NO_PROSE)
def test_a_text_that_is_no_prose_is_marked(kind):
    assert marks_of(NO_PROSE[kind]) == ("not prose",)


@pytest.mark.parametrize(
    "text",
    [
        *(long_abstract(number) for number in range(6)),
        "\n".join("  " + line for line in long_abstract(1).split(". ")),
        long_abstract(1).replace("The", "**The**").replace("orbit", "<i>orbit</i>"),
        long_abstract(2) + r" It takes $O(\sqrt{T \log n})$ steps, $\Delta_{\min}$ being the gap, and \emph{no} oven.",
        long_abstract(3) + "\n\nCode: https://example.org/ovens?list=1&sort=heat#top",
        long_abstract(1) + " 要旨。我们研究面包。",
        LANGUAGES["Chinese"] + " " + 2 * long_abstract(2),
    ],
)
def test_an_english_abstract_is_not_marked(text):
    assert marks_of(text) == ()


def test_an_abstract_of_keywords_and_names_with_few_function_words_is_not_marked_if_it_has_sentences():
    text = (
        "Stone ovens bake rye bread faster. Clay ovens keep heat longer. Gas ovens need less care while baking. "
        "How much does each cost? Four bakers tried twelve flours with each oven for three weeks, then tasted each."
    )
    assert marks_of(text) == ()


@pytest.mark.parametrize(
    "text", ["We bake bread.", "Oven", "!", "12", "x = 3;", "Stone ovens, rye bread, comets and telescopes.", "\x00"]
)
def test_a_text_of_few_words_is_too_short_and_nothing_else(text):
    assert marks_of(text) == ("too short",)


def test_the_shortest_text_that_is_long_enough_has_twenty_words():
    text = "The bread is baked in an oven of stone that we have built for the study of bread and ovens."
    assert len(text.split()) == marks.FEWEST_WORDS
    assert marks_of(text) == ()
    assert marks_of(text.removeprefix("The ")) == ("too short",)


@pytest.mark.parametrize(
    "text", ["Wir backen ein Brot in der Nacht und es ist gut.", "Мы печём хлеб.", "我们烤面包。", "パンを焼く。"]
)
def test_a_short_text_in_another_language_has_both_marks(text):
    assert marks_of(text) == ("language", "too short")


@given(batches)
def test_the_marks_of_a_text_do_not_depend_on_the_texts_beside_it(batch):
    assert flags(*batch) == [flags(text)[0] for text in batch] if batch else flags() == []


@given(texts)
def test_any_text_has_marks_of_the_known_names(text):
    assert set(marks_of(text)) <= set(marks.NAMES.values())


def test_marks_reach_the_tags_in_every_way_of_tagging(tagger_):
    items = [long_abstract(1), PYTHON, Record("", LANGUAGES["German"]), {"abstract": "Soup."}, "", LANGUAGES["Korean"]]
    expected = [(), ("not prose",), ("language",), ("too short",), (), ("language",)]
    assert [tags.marks for tags in tagger_.tag_many(items)] == expected
    assert [tags.marks for tags in tagger_.tag_many(items, n_jobs=2)] == expected
    assert tagger_.tag(PYTHON).marks == ("not prose",)
    assert tagger_.tag(PYTHON).probabilities.keys() == {"astronomy", "cooking"}


def test_a_title_counts_as_text(tagger_):
    title, text = "How the bread is baked in an oven of stone", "We have built the oven, and the bread is good in it."
    assert tagger_.tag(text).marks == ("too short",)
    assert tagger_.tag(text, title).marks == ()


def test_of_a_text_that_is_too_long_the_beginning_is_read(tagger_):
    beginning = (long_abstract(1) + " ") * 500
    beginning = beginning[: marks.MOST_CHARACTERS]
    assert len(beginning) == marks.MOST_CHARACTERS
    whole = tagger_.tag(beginning)
    assert whole.marks == ()
    for rest in ("x", " soup" * 1000):
        tags = tagger_.tag(beginning + rest)
        assert tags.marks == ("too long",)
        assert tags.probabilities == whole.probabilities
    assert tagger_.tag(PYTHON * 1000).marks == ("not prose", "too long")
    many = [beginning + "x", *small_abstracts(2 * BATCH_SIZE)[0]]
    assert [tags.marks for tags in tagger_.tag_many(many, n_jobs=2)].index(("too long",)) == 0
    assert np.array_equal(tagger_.predict_proba([beginning + " soup" * 9]), tagger_.predict_proba([beginning]))


def test_a_text_of_fifty_megabytes_costs_little(tagger_):
    text = "soup and stars " * 3_500_000
    start = time.perf_counter()
    assert "too long" in tagger_.tag(text).marks
    tagger_.predict_proba([text])
    assert next(tagger_.tag_many([text], n_jobs=2)).marks == tagger_.tag(text).marks
    assert time.perf_counter() - start < 10


def test_an_empty_abstract_stays_an_error(tagger_):
    for text in ("", " \n" * 100_000):
        with pytest.raises(InputError, match="empty"):
            tagger_.tag(text)


def test_marked_up_abstracts_get_the_marks_that_they_deserve():
    assert [marks_of(text) for text in MARKED_UP] == [
        ("too short",), ("too short",), ("too short",), ("language", "too short"), ("too short",),
    ]  # fmt: skip


def test_fewer_than_one_in_two_thousand_real_abstracts_is_marked(real_abstracts):
    marked = 0
    for start in range(0, len(real_abstracts), 512):
        marked += np.count_nonzero(flags(*real_abstracts[start : start + 512]))
    assert marked < len(real_abstracts) / 2000


@given(st.sampled_from(sorted(NO_PROSE)), st.integers(0, 3))
def test_a_mark_does_not_hang_on_blank_lines_around_the_text(kind, blanks):
    assert marks_of("\n" * blanks + NO_PROSE[kind] + " \n" * blanks) == ("not prose",)
