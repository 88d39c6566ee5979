"""A table in Markdown: a row a record, whatever is in it, and nothing of it read as markup."""

from __future__ import annotations

import io
import re

import hypothesis.strategies as st
from hypothesis import given
from strategies import texts

from tagger import Record, Tagged, Tags
from tagger.formats.layout import Layout
from tagger.formats.markdown import LONGEST_TEXT, MarkdownWriter, escaped

AREAS = ("astronomy", "cooking")


def table(layout: Layout, *results: Tagged) -> list[str]:
    stream = io.StringIO()
    writer = MarkdownWriter(stream, layout)
    for result in results:
        writer.write(result)
    writer.close()
    return stream.getvalue().split("\n")[:-1]


def test_a_row_says_what_the_table_for_a_terminal_says():
    tags = Tags(("cooking",), {"astronomy": 0.45, "cooking": 0.98}, unsure=("astronomy",), marks=("too short",))
    assert table(Layout(AREAS), Tagged(Record("p1", "We bake.", "Bread"), tags)) == [
        "| id | areas | text |",
        "| --- | --- | --- |",
        "| p1 | (astronomy 0.45?), cooking 0.98, !too short | Bread |",
    ]


def test_the_model_is_named_below_the_table():
    assert table(Layout(AREAS, "small_1 1a2b"))[2:] == ["", "Tagged by the model small\\_1 1a2b."]
    assert len(table(Layout((), "small 1a2b"))) == 2


def test_a_failed_record_has_its_error():
    failed = Tagged(Record("p2", error="not JSON"), Tags(error="not JSON"))
    assert table(Layout(AREAS), failed)[2] == "| p2 | **error** | not JSON |"
    assert table(Layout(), failed)[2] == "| p2 | not JSON |"


def test_a_long_text_is_shortened():
    assert len(escaped("word " * 1000, LONGEST_TEXT)) <= LONGEST_TEXT


def test_markup_is_shown_as_it_is():
    assert escaped("a|b *c* <b>&amp; `d` [e](f) $x_1$ @g #1 \\", 100) == (
        "a\\|b \\*c\\* &lt;b&gt;&amp;amp; \\`d\\` \\[e\\](f) \\$x\\_1\\$ &\\#64;g \\#1 \\\\"
    ).replace("&\\#64;", "&#64;")


@given(st.lists(st.builds(Record, texts, texts, st.none() | texts), max_size=4), st.sampled_from([AREAS, ()]))
def test_every_record_is_one_row_of_as_many_cells_as_the_header(records, areas):
    lines = table(Layout(areas), *(Tagged(record, Tags()) for record in records))
    assert len(lines) == len(records) + 2
    for line in lines:
        assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) == (4 if areas else 3)
        assert line.isprintable() or not re.search(r"[\x00-\x1f\u202e]", line)
