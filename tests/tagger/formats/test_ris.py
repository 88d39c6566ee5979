"""RIS: a record for every reference, whatever wrote it; written back, every line but keywords and note is as it was."""

from __future__ import annotations

import io
import tracemalloc

import pytest
import rispy
from bibliographies import (
    DIRECTORY,
    LAYOUT,
    OTHER_TAGS,
    converted,
    fields_of,
    holds_in_order,
    joined,
    retagged,
    ris_garbage,
    text_of,
    written,
)
from bibliographies import read as read_format
from hypothesis import given
from hypothesis import strategies as st
from strategies import texts

from tagger import Record, Tagged, Tags
from tagger.formats import ris
from tagger.formats.fields import Fields
from tagger.formats.latex import one_line

FILES = sorted(path.name for path in DIRECTORY.glob("*.ris"))
NO_ABSTRACT = "the record has no abstract (AB or N2); add one, or name the tag that holds it with --text-field"
NOTE = "tagger areas 1a2b3c4d5e6f: cooking 0.98 central, salt & pepper, ground 0.61 unsure, not astronomy 0.02"
NOTE += "; marks: too short"
ADDED = f"KW  - cooking\nKW  - salt & pepper, ground\nN1  - {NOTE}\n"


def read(text: str, **fields: str) -> list[Record]:
    return read_format("ris", text, "papers/list.ris", **fields)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "zotero.ris",
            [
                ("10.5555/ovens_12", "Warm ovens, cold dough", "We bake faster. It is warm.", None),
                ("http://arxiv.org/abs/2501.00042", "Preprint", "A preprint says so.", None),
            ],
        ),
        (
            "endnote.ris",
            [
                (
                    "17",
                    "Neural ovens",
                    "Bread was baked in 12 ovens - one of them neural - and tasted by 40 bakers. All of them lived.",
                    None,
                ),
                ("18", "Lost", "The second paper has lost its end.", None),
                ("19", "Thesis", "A thesis follows.", None),
            ],
        ),
        (
            "scopus.ris",
            [
                (
                    "10.5555/978-3-16-1",
                    "Federated ovens: A survey",
                    "Ovens in many kitchens learn together; no dough leaves its kitchen. © 2023, The Bakers.",
                    None,
                ),
                ("list.ris:2", "A note without abstract", "", NO_ABSTRACT),
            ],
        ),
        (
            "webofscience.ris",
            [("list.ris:1", "Ovens that explain themselves", "The oven says why it is hot.", None)],
        ),
    ],
)
def test_a_file_of_a_known_producer_has_a_record_for_each_reference_in_order(name, expected):
    records = read(text_of(name))
    assert [(record.id, record.title, record.abstract, record.error) for record in records] == expected
    assert joined(records) == text_of(name)


def test_fields_are_by_tag_and_those_that_can_come_again_are_lists():
    first, _ = read(text_of("zotero.ris"))
    assert first.fields["AU"] == ["Bakker, Åsa", "von der Oven, Jan"]
    assert first.fields["KW"] == ["Computer Science - Machine Learning", "dough"]
    assert (first.fields["TY"], first.fields["DA"]) == ("JOUR", "2024/05/17/")
    assert first.fields["AB"] == "We bake faster. It is warm."
    assert read(text_of("endnote.ris"))[0].fields["KW"] == ["deep baking", "flour", "neural ovens"]
    (twice,) = read("TY  - JOUR\nAB  - one\nAB  - two\nER  - \n")
    assert (twice.fields["AB"], twice.abstract) == (["one", "two"], "one two")


@pytest.mark.parametrize(
    "text",
    [
        "TY  - JOUR\nID  - k\nTI  - Bread\nAB  - We bake.\nER  - \n",
        "TY  - JOUR\nID  - k\nT1  - Bread\nN2  - We\nbake.\nER  -\n",
        "ty  - jour\nid  - k\nti  - Bread\nab  - We bake.\ner  - \n",
        "TY - JOUR\nID - k\nTI - Bread\nAB - We bake.\nER -\n",
        "TY - JOUR\nID - k\nTI - Bread\nAB - We\nbake.\nER\n",
        "TY  -JOUR\nID  -k\nTI  -Bread\nAB  -We bake.\nER",
        "TY  - JOUR\nID  - k\nTI  - Bread\nAB  - We bake.",
        "TY  - JOUR\nID  - k\nTI  - Bread\nAB  - We bake.\n\n\n",
        "\ufeffTY  - JOUR\nID  - k\n\nTI  - Bread\n\nAB  - \n  We\n\n  bake.\nER  - \n",
        "From a database\nCount: 1\n\nTY  - JOUR\nID  - k\nTI  - Bread\nAB  - We bake.\nER  - \nEF  - \n",
        "KW  - lost\nTY  - JOUR\nID  - k\nTI  - Bread\nAB  - We bake.\nER  - \n",
        "ID  - k\nTI  - Bread\nAB  - We bake.\nER  - \n",
        "TY  - \nID  - k\nTI  - Bread\nAB  - We bake.\nER  - \n",
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_any_style_of_a_record_is_read(text, line_end):
    text = text.replace("\n", line_end)
    (record,) = read(text)
    assert (record.id, record.title, record.abstract, record.error) == ("k", "Bread", "We bake.", None)
    assert record.entry.text == text


def test_prose_that_looks_like_a_tag_is_prose():
    (record,) = read("TY  - JOUR\nAB  - Baking with\nAI - it is slow -\nIS - we find - good.\nER  - \n")
    assert record.abstract == "Baking with AI - it is slow - IS - we find - good."


def test_a_record_that_lost_its_end_ends_where_the_next_begins():
    records = read("TY  - JOUR\nAB  - a\nTY  - CONF\nAB  - b\n\nTY  - BOOK\nER  - \nTY  - JOUR\nAB  - c")
    assert [(record.abstract, record.error) for record in records] == [
        ("a", None),
        ("b", None),
        ("", NO_ABSTRACT),
        ("c", None),
    ]
    assert [record.position for record in records] == ["line 1", "line 3", "line 6", "line 8"]


@pytest.mark.parametrize(
    ("tags", "id_"),
    [
        ("ID  - 1\nAN  - 2\nDO  - 3", "1"),
        ("AN  - 2\nDO  - 3\nUR  - 4", "2"),
        ("DO  - 3\nUR  - 4", "3"),
        ("UR  - 4\nUR  - 5", "4"),
        ("ID  - \nPY  - 2020", "list.ris:1"),
    ],
)
def test_an_id_is_found_among_several_tags(tags, id_):
    assert read(f"TY  - JOUR\n{tags}\nAB  - a\nER  - \n")[0].id == id_


def test_named_tags_are_used_in_any_case():
    text = "TY  - JOUR\nID  - 1\nDO  - 10.1/x\nN1  - We bake.\nN1  - Slowly.\nST  - Bread\nAB  - no\nER  - \n"
    (record,) = read(text, abstract="n1", id="do", title="ST")
    assert (record.id, record.title, record.abstract) == ("10.1/x", "Bread", "We bake. Slowly.")
    (record,) = read(text, abstract="C7")
    assert "C7" in record.error


def test_a_file_without_records_gives_none():
    assert read("") == read("\n\nno tag\n") == read("AB  - lost\n") == []


@given(ris_garbage)
def test_any_text_is_read_and_written_back_with_everything_that_was_in_it(text):
    records = read(text)
    assert not records or joined(records) == text
    tagged = written("ris", records)
    assert holds_in_order(tagged, joined(records)) or "N1  - tagger" in text
    again = read(tagged)
    assert [(r.abstract, r.error) for r in again] == [(r.abstract, r.error) for r in records]
    assert written("ris", again) == tagged
    assert converted("ris", records) == joined(records)


def test_memory_does_not_grow_with_the_file():
    class Lines(io.StringIO):
        def __iter__(self):
            return (line for _ in range(300) for line in ("TY  - JOUR\n", f"AB  - {'We bake. ' * 500}\n", "ER  - \n"))

    tracemalloc.start()
    count = sum(1 for _ in ris.read(Lines(), "list.ris", Fields()))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 300
    assert peak < 400_000


@pytest.mark.parametrize("name", FILES)
def test_a_file_keeps_every_line_beside_keywords_and_note(name):
    text = text_of(name)
    tagged = retagged("ris", text)
    assert holds_in_order(tagged, text)
    assert converted("ris", read(text)) == text
    assert retagged("ris", tagged) == tagged
    assert retagged("ris", tagged, OTHER_TAGS) == retagged("ris", text, OTHER_TAGS)
    for before, after in zip(read(text), read(tagged), strict=True):
        assert fields_of(after, "KW", "N1") == fields_of(before, "KW", "N1")
        if before.error:
            assert after.fields == before.fields
        else:
            assert after.fields["KW"] == [*before.fields.get("KW", []), "cooking", "salt & pepper, ground"]
            assert after.fields["N1"] == [*before.fields.get("N1", []), NOTE]


@pytest.mark.parametrize("name", ["zotero.ris", "scopus.ris"])
def test_rispy_finds_the_same_in_a_file_with_tags(name):
    def parsed(text: str) -> list[dict]:
        text = text.removeprefix("\ufeff").replace("\r\n", "\n")
        return [
            {key: value for key, value in reference.items() if key not in ("keywords", "notes")}
            for reference in rispy.loads(text)
        ]

    text = text_of(name)
    assert parsed(retagged("ris", text)) == parsed(text) != []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("TY  - JOUR\nAB  - a\nER  - \n", f"TY  - JOUR\nAB  - a\n{ADDED}ER  - \n"),
        (
            "TY  - JOUR\nKW  - oven\nAB  - a\nER  - \n",
            f"TY  - JOUR\nKW  - oven\nKW  - cooking\nKW  - salt & pepper, ground\nAB  - a\nN1  - {NOTE}\nER  - \n",
        ),
        ("TY  - JOUR\nAB  - a\n\n", f"TY  - JOUR\nAB  - a\n{ADDED}\n"),
        ("TY  - JOUR\nAB  - a", f"TY  - JOUR\nAB  - a\n{ADDED[:-1]}"),
        ("TY  - JOUR\r\nAB  - a\r\nER  - ", f"TY  - JOUR\nAB  - a\n{ADDED}ER  - ".replace("\n", "\r\n")),
        ("TY - JOUR\nAB - a\nER -\n", f"TY - JOUR\nAB - a\n{ADDED}ER -\n".replace("  -", " -")),
    ],
)  # fmt: skip
def test_tags_are_lines_in_the_style_of_the_record(text, expected):
    assert retagged("ris", text) == expected
    assert retagged("ris", expected) == expected


@pytest.mark.parametrize("keywords", ["KW  - Cooking\n", "KW  - oven; cooking\n", "KW  - oven\ncooking\n"])
def test_a_tag_that_is_there_is_not_added_again_nor_ever_taken_out(keywords):
    tagged = retagged("ris", f"TY  - JOUR\n{keywords}AB  - a\nER  - \n")
    assert tagged.lower().count("cooking") == 2  # once more in the note
    assert "cooking 0.98 central (own keyword)" in tagged
    assert keywords in retagged("ris", tagged, OTHER_TAGS)


def test_a_note_of_ones_own_stays():
    text = "TY  - JOUR\nAB  - a\nN1  - tagger was here: yes\nER  - \n"
    assert "N1  - tagger was here: yes\nKW" in retagged("ris", text)


def test_a_record_that_could_not_be_tagged_is_written_unchanged():
    (record,) = read("TY  - JOUR\nAB  - a\nER  - \n")
    stream = io.StringIO()
    ris.Writer(stream, LAYOUT).write(Tagged(record, Tags(error="no text")))
    assert stream.getvalue() == record.entry.text


PAPER = Record(
    "p1",
    "We say\nso.",
    "On bread",
    fields={
        "author": "Ada Baker and Ludwig van Oven and Loaf Team",
        "date": "2025-05-17",
        "journal": "J. Bread",
        "volume": 3,
        "pages": "1--10",
        "doi": "10.5555/a_b",
        "keywords": "flour; cooking",
    },
)


def test_a_record_of_another_format_becomes_a_reference():
    assert written("ris", [PAPER, PAPER]).split("\n\n")[0] + "\n" == (
        "TY  - JOUR\nID  - p1\nTI  - On bread\nAU  - Baker, Ada\nAU  - van Oven, Ludwig\nAU  - Loaf Team\n"
        "T2  - J. Bread\nVL  - 3\nSP  - 1\nEP  - 10\nPY  - 2025\nDA  - 2025/05/17\nDO  - 10.5555/a_b\n"
        "AB  - We say so.\nKW  - flour\nKW  - cooking\nKW  - salt & pepper, ground\n"
        f"N1  - {NOTE.replace('central', 'central (own keyword)')}\n"
        "ER  - \n"
    )  # fmt: skip
    assert "N1" not in converted("ris", [PAPER])


def test_a_record_without_abstract_becomes_a_reference_that_says_why():
    (record,) = read(written("ris", [Record("p1", error="not JSON")]))
    assert (record.id, record.fields["N1"]) == ("p1", ["tagger areas 1a2b3c4d5e6f: error: not JSON"])


def test_files_one_after_the_other_do_not_run_together():
    first = read_format("ris", "TY  - JOUR\nAB  - a", "one.ris")
    second = read_format("ris", "TY  - JOUR\nAB  - b", "two.ris")
    text = converted("ris", [*first, *second, Record("m", "c")])
    assert text == "TY  - JOUR\nAB  - a\nTY  - JOUR\nAB  - b\n\nTY  - GEN\nID  - m\nAB  - c\nER  - \n"


@given(st.lists(st.tuples(texts, texts, texts, texts), max_size=4), st.booleans())
def test_records_of_other_formats_read_back_the_same(rows, with_tags):
    records = [
        Record(id_, abstract, title or None, fields={"author": author, "keywords": [author]})
        for abstract, title, author, id_ in rows
    ]
    again = read(written("ris", records) if with_tags else converted("ris", records))
    assert len(again) == len(records)
    for before, after in zip(records, again):
        assert after.abstract == one_line(before.abstract).strip()
        assert (after.title or "") == one_line(before.title or "").strip()
        if before.id.strip():
            assert after.id == one_line(before.id).strip()
