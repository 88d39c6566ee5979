"""Explanations as text: marked in colour on a terminal and in brackets elsewhere, whatever the text holds."""

from __future__ import annotations

import io
import re
import unicodedata

import pytest
from abstracts import ASTRONOMY, COOKING
from hostile import PAYLOADS, hostile_text
from hypothesis import HealthCheck, given, settings
from strategies import texts

from tagger import AreaEvidence, Explanation, Phrase, Tags
from tagger.evidence.terminal import WIDEST, TextWriter

SGR = re.compile(r"\x1b\[[\d;]*m")
BOTH = f"{COOKING[0]} {ASTRONOMY[0]} {COOKING[1]} {ASTRONOMY[1]}"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("COLUMNS", "110")


def written(explanation: Explanation, stream=None, id_="p1", areas=None, **options) -> str:
    stream = stream or io.StringIO()
    writer = TextWriter(stream, areas or tuple(explanation.areas), **options)
    writer.write(id_, explanation)
    writer.close()
    return stream.getvalue()


def explained(text: str, start: int = 0, unsure: tuple[str, ...] = (), **phrases: list[Phrase]) -> Explanation:
    tags = Tags(tuple(phrases), dict.fromkeys(phrases, 0.9), unsure=unsure)
    areas = {
        area: AreaEvidence(0.9, -1.0 + sum(phrase.share for phrase in some), -1.0, (), tuple(some))
        for area, some in phrases.items()
    }
    return Explanation(text, start, tags, areas)


def columns(line: str) -> int:
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in line)
    return len(line) + wide - sum(map(bool, map(unicodedata.combining, line)))


SOUP = Phrase("soup", ((2, 6),), 1.5)
STAR = Phrase("star", ((10, 14), (16, 20)), 0.3)
DULL = Phrase("or", ((7, 9),), -0.4)


def test_elsewhere_phrases_stand_in_brackets_with_their_area_if_there_are_several():
    assert "  a [soup] or star, star\n" in written(explained("a soup or star, star", a=[SOUP, DULL]))
    several = written(explained("a soup or star, star", a=[SOUP, DULL], b=[STAR]))
    assert "  a [soup]{a} or [star]{b}, [star]{b}\n" in several


def test_on_a_terminal_they_have_the_colour_of_the_area_and_the_style_of_their_strength():
    text = written(explained("a soup or star, star", a=[SOUP, DULL], b=[STAR]), Terminal())
    assert "  a \x1b[1;4;36msoup\x1b[0m or \x1b[33mstar\x1b[0m, \x1b[33mstar\x1b[0m\n" in text
    assert "\x1b[36ma 0.90\x1b[0m" in text
    assert "[soup]" not in text


def test_a_phrase_of_several_words_has_its_style_without_gaps():
    text = written(explained("slow soup", a=[Phrase("slow soup", ((0, 9),), 0.5)]), Terminal())
    assert SGR.sub("", text.split("\n")[2]) == "  slow soup"
    assert "\x1b[1;36m \x1b[0m" in text


def test_no_color_is_respected(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    text = written(explained("a soup", a=[SOUP]), Terminal())
    assert "\x1b" not in text
    assert "[soup]" in text


def test_it_begins_with_the_id_and_the_areas_and_ends_with_what_adds_up():
    lines = written(explained("a soup or star, star", unsure=("b",), a=[SOUP, DULL], b=[STAR])).splitlines()
    assert lines[0] == "p1  a 0.90  b 0.90?"
    place = lines.index("  a 0.90  log-odds +0.10 = bias -1.00, for +1.50, against -0.40, other words +0.00")
    assert lines[place + 1].split() == ["+1.50", "soup", "-0.40", "or"]
    assert lines[-1].split() == ["+0.30", "star", "×2"]


def test_in_a_narrow_terminal_what_is_against_stands_below(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    lines = written(explained("a soup or star, star", a=[SOUP, DULL])).splitlines()
    assert [line.split() for line in lines[-2:]] == [["+1.50", "soup"], ["-0.40", "or"]]


def test_the_title_is_a_paragraph_of_its_own():
    assert written(explained("A soup\nWe bake.", 7, a=[SOUP])).splitlines()[1:5] == [
        "", "  A [soup]", "", "  We bake.",
    ]  # fmt: skip


def test_as_many_phrases_are_listed_as_asked_for(tagger_):
    explanation = tagger_.explain(" ".join(COOKING))
    n_phrases = len([phrase for phrase in explanation.areas["cooking"].phrases if phrase.share > 0])
    assert n_phrases > 5
    for top, n_lines in ((None, 5), (2, 2), (0, 0), (100, n_phrases)):
        lines = written(explanation, chosen=("cooking",), top=top).splitlines()
        assert sum(bool(re.match(r"    \+\d", line)) for line in lines) == n_lines


def test_chosen_areas_are_shown_whether_tagged_or_not(tagger_):
    text = written(tagger_.explain(" ".join(COOKING)), chosen=("astronomy",))
    assert re.search(r"^  \(?astronomy 0\.\d\d\??\)?  log-odds", text, re.MULTILINE)
    assert "cooking 0.99  log-odds" not in text


def test_without_an_area_the_most_probable_one_is_explained():
    explanation = explained("a soup", a=[SOUP])
    text = written(Explanation("a soup", 0, Tags((), {"a": 0.2}), explanation.areas))
    assert text.startswith("p1  no area\n")
    assert "  (a 0.20)  log-odds" in text


@pytest.mark.parametrize("width", [1, 20, 47, 80, 300])
def test_lines_fit_the_terminal_and_no_word_is_lost(monkeypatch, tagger_, width):
    monkeypatch.setenv("COLUMNS", str(width))
    explanation = tagger_.explain(f"{BOTH} 大模型 naïve", "Soup")
    text = SGR.sub("", written(explanation, Terminal()))
    paragraph = text.split("\n\n")[2]
    assert paragraph.split() == explanation.text[5:].split()
    if width >= 20:
        assert max(map(columns, paragraph.splitlines())) <= min(width, WIDEST)
    if width >= 47:
        assert max(map(columns, text.splitlines())) <= min(width, WIDEST)


def test_records_are_set_apart_and_an_error_is_a_line(tagger_):
    stream = io.StringIO()
    writer = TextWriter(stream, tagger_.areas)
    writer.write_error("p1", "the abstract\nis empty")
    writer.write("p2", tagger_.explain("We bake soup."))
    writer.close()
    lines = stream.getvalue().splitlines()
    assert lines[:2] == ["p1  error: the abstract is empty", ""]
    assert lines[2].startswith("p2  ")


def assert_harmless(text: str) -> None:
    for character in SGR.sub("", text).replace("\n", ""):
        assert unicodedata.category(character) not in ("Cc", "Cs", "Zl", "Zp")
        assert character not in "\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\ufeff"


@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS)
@pytest.mark.parametrize("stream", [io.StringIO, Terminal])
def test_hostile_texts_titles_ids_and_areas_do_not_drive_the_terminal(tagger_, payload, stream):
    text = written(tagger_.explain(hostile_text(payload), payload), stream(), id_=payload)
    assert_harmless(text)
    assert SGR.sub("", text).count("\x1b") == 0
    named = explained("a soup", **{payload: [SOUP], "b": [STAR]})
    assert_harmless(written(named, stream()))


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts)
def test_brackets_of_any_text_are_closed(tagger_, any_text):
    kept = re.sub(r"[\[\]{}]", "", any_text)
    explanation = tagger_.explain(f"{BOTH} {kept} {BOTH}")
    text = written(explanation, chosen=tagger_.areas).partition("  log-odds")[0]
    assert_harmless(text)
    assert text.count("[") == text.count("]{")
