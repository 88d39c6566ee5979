"""Plain text: which lines are an abstract, which a heading."""

from __future__ import annotations

import io

import hypothesis.strategies as st
import pytest
from abstracts import long_abstract
from hypothesis import given

from tagger.formats import paragraphs, read_records
from tagger.formats.fields import Fields

FIRST, SECOND, THIRD = (long_abstract(number) for number in range(3))


def read(text: str) -> list[str]:
    """The abstracts in a text."""
    records = list(paragraphs.read(io.StringIO(text, newline=""), "list.txt", Fields()))
    assert all(record.error is None for record in records)
    return [record.abstract for record in records]


def test_a_paragraph_is_an_abstract():
    assert read(f"{FIRST}\n\n{SECOND}\n\n\n\n{THIRD}") == [FIRST, SECOND, THIRD]


def test_ids_count_the_abstracts_of_the_file():
    records = list(paragraphs.read(io.StringIO(f"Papers\n\n{FIRST}\n\n{SECOND}\n"), "some/list.txt", Fields()))
    assert [record.id for record in records] == ["list.txt:1", "list.txt:2"]
    assert [record.source for record in records] == ["some/list.txt"] * 2


def test_the_position_is_the_line_that_an_abstract_begins_on():
    wrapped = FIRST.replace(". ", ".\n")
    text = f"Papers\n\n{wrapped}\n\n# More\n{SECOND}\n{THIRD}\n"
    records = list(paragraphs.read(io.StringIO(text, newline=""), "list.txt", Fields()))
    lines = text.split("\n")
    assert [record.position for record in records] == [
        "line 3", f"line {lines.index(SECOND) + 1}", f"line {lines.index(THIRD) + 1}",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "heading",
    [
        "ICML 2025 Papers",
        "# Papers",
        "### Papers that end in a full stop.",
        "Session 3: learning to cook",
        "1. Introduction",
        "=====",
        "---",
        "***",
        "Oven: A Slow Method for Baking Bread",
        "会議論文",
    ],
)
def test_a_heading_is_not_an_abstract(heading):
    assert read(f"{heading}\n\n{FIRST}\n\n{heading}\n\n{SECOND}\n") == [FIRST, SECOND]


def test_a_marked_heading_or_a_rule_needs_no_blank_line():
    assert read(f"# Papers\n{FIRST}\n---\n{SECOND}\n## More\n{THIRD}") == [FIRST, SECOND, THIRD]


def test_a_short_sentence_is_an_abstract():
    assert read("We bake bread.\n\nDoes it taste?") == ["We bake bread.", "Does it taste?"]
    assert read("We **bake** (slowly.)\n\nIt is *good.*\n\n我们烤面包。") == [
        "We **bake** (slowly.)", "It is *good.*", "我们烤面包。",
    ]  # fmt: skip


def test_a_long_paragraph_without_a_full_stop_is_an_abstract():
    cut = FIRST.rstrip(".")
    assert read(f"{cut}\n\n{SECOND}") == [cut, SECOND]


def test_a_wrapped_paragraph_is_one_abstract():
    words = FIRST.split()
    wrapped = "\n".join(" ".join(words[start : start + 9]) for start in range(0, len(words), 9))
    assert read(f"Papers\n\n{wrapped}\n\n{wrapped}\n") == [FIRST, FIRST]


def test_a_paragraph_wrapped_after_sentences_is_one_abstract():
    wrapped = FIRST.replace(". ", ".\n")
    assert read(wrapped) == [FIRST]


def test_indented_lines_are_read_without_the_indent():
    assert read(f"    {FIRST}\n\n\t{SECOND}\n") == [FIRST, SECOND]


def test_a_list_of_one_abstract_a_line_has_as_many_as_lines():
    assert read(f"{FIRST}\n{SECOND}\n{THIRD}\n") == [FIRST, SECOND, THIRD]


def test_a_heading_straight_above_a_list_of_one_abstract_a_line_is_still_a_heading():
    assert read(f"ICML 2025 Papers\n{FIRST}\n{SECOND}\n{THIRD}\n") == [FIRST, SECOND, THIRD]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_any_line_end_is_read(line_end):
    assert read(f"Papers\n\n{FIRST}\n\n{SECOND}\n".replace("\n", line_end)) == [FIRST, SECOND]


@pytest.mark.parametrize("blank", ["", "   ", "\t", "\u3000"])
def test_a_line_of_spaces_is_blank(blank):
    assert read(f"{FIRST}\n{blank}\n{SECOND}") == [FIRST, SECOND]


def test_a_text_without_abstracts_gives_none():
    assert read("") == read("\n \n") == read("Papers\n\n# Only headings\n") == []


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=8), st.sampled_from(["\n", "\r\n"]), st.data())
def test_a_list_gives_one_record_for_each_abstract_in_order(numbers, line_end, data):
    written = [long_abstract(number) for number in numbers]
    blocks = []
    for abstract in written:
        blocks += data.draw(st.lists(st.sampled_from(["Papers of a day", "## Talks", "-----"]), max_size=2))
        words = abstract.split()
        if data.draw(st.booleans()):
            width = data.draw(st.integers(5, 14))
            abstract = line_end.join(" ".join(words[k : k + width]) for k in range(0, len(words), width))
        blocks.append(abstract)
    assert read((2 * line_end).join(blocks)) == written


@pytest.mark.parametrize(
    ("name", "n"),
    [
        ("000_d433500b05d51f4a", 19),
        ("001_71ef28c0afc8dc76", 19),
        ("003_9a52b1263fe1b0da", 19),
        ("004_751693da2ecbd00e", 18),
    ],
)
def test_a_real_list_gives_exactly_its_abstracts_in_order(seeds, name, n):
    path = seeds / f"{name}.txt"
    records = list(read_records(str(path)))
    assert len(records) == n
    content = path.read_text()
    positions = [content.index(record.abstract[:80]) for record in records]
    assert positions == sorted(set(positions))
    assert all(len(record.abstract) > 200 for record in records)
