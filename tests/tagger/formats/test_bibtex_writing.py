"""Writing BibTeX: entries keep every byte beside the tags; records of other formats become entries that read back."""

from __future__ import annotations

import io

import bibtexparser
import pytest
from bibliographies import (
    DIRECTORY,
    LAYOUT,
    OTHER_TAGS,
    bibtex_garbage,
    converted,
    fields_of,
    holds_in_order,
    joined,
    read,
    retagged,
    text_of,
    written,
)
from hypothesis import given
from hypothesis import strategies as st
from strategies import texts

from tagger import Record, Tagged, Tags
from tagger.formats.bibtex import Writer
from tagger.formats.latex import is_balanced, one_line

FILES = sorted(path.name for path in DIRECTORY.glob("*.bib"))
NOTE = "areas 1a2b3c4d5e6f: cooking 0.98 central, salt \\& pepper, ground 0.61 unsure, not astronomy 0.02"
NOTE += "; marks: too short"
ADDED = "cooking, {salt \\& pepper, ground}"


CHANGED = ("keywords", "x-tagger")


def parsed(text: str) -> list[tuple[str, str, dict[str, str]]]:
    """What bibtexparser finds in a text, but for what tags change."""
    library = bibtexparser.parse_string(text)
    return [
        (entry.entry_type, entry.key, {f.key: f.value for f in entry.fields if f.key.lower() not in CHANGED})
        for entry in library.entries
    ]


@pytest.mark.parametrize("name", FILES)
def test_a_file_keeps_everything_beside_keywords_and_note(name):
    text = text_of(name)
    tagged = retagged("bibtex", text)
    assert holds_in_order(tagged, text)
    assert parsed(tagged) == parsed(text)
    for before, after in zip(read("bibtex", text), read("bibtex", tagged), strict=True):
        assert (after.id, after.title, after.abstract, after.error) == (
            before.id,
            before.title,
            before.abstract,
            before.error,
        )
        assert fields_of(after, *CHANGED) == fields_of(before, *CHANGED)
        if before.error:
            assert after.fields == before.fields
        else:
            assert after.fields["x-tagger"] == NOTE
            assert after.fields["keywords"].startswith(before.fields.get("keywords", ""))
            assert after.fields["keywords"].endswith("{salt \\& pepper, ground}")


@pytest.mark.parametrize("name", FILES)
def test_a_file_comes_back_byte_for_byte_without_tags(name):
    assert converted("bibtex", read("bibtex", text_of(name))) == text_of(name)


@pytest.mark.parametrize("name", FILES)
def test_a_second_run_replaces_what_the_first_added(name):
    text = text_of(name)
    first = retagged("bibtex", text)
    assert retagged("bibtex", first) == first
    assert retagged("bibtex", first, OTHER_TAGS) == retagged("bibtex", text, OTHER_TAGS)


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("@a{k, abstract = {b}}", f"@a{{k, abstract = {{b}}, keywords = {{{ADDED}}}, x-tagger = {{{NOTE}}}}}"),
        ("@a{k,abstract={b}}", f"@a{{k,abstract={{b}},keywords={{{ADDED}}},x-tagger={{{NOTE}}}}}"),
        ('@a(k, abstract = "b")', f'@a(k, abstract = "b", keywords = "{ADDED}", x-tagger = "{NOTE}")'),
        (
            "@a{k,\n\tabstract = {b},\n}\n",
            f"@a{{k,\n\tabstract = {{b}},\n\tkeywords = {{{ADDED}}},\n\tx-tagger = {{{NOTE}}},\n}}\n",
        ),
        (
            "@a{k,\r\n  Abstract = {b}\r\n}",
            f"@a{{k,\r\n  Abstract = {{b}},\r\n  Keywords = {{{ADDED}}},\r\n  X-tagger = {{{NOTE}}}\r\n}}",
        ),
        (
            "@A{K,\n  ABSTRACT = {b}\n}",
            f"@A{{K,\n  ABSTRACT = {{b}},\n  KEYWORDS = {{{ADDED}}},\n  X-TAGGER = {{{NOTE}}}\n}}",
        ),
        (
            "@a{k,\n  abstract     = {b},\n  year         = 2020\n}",
            "@a{k,\n  abstract     = {b},\n  year         = 2020,\n"
            f"  keywords     = {{{ADDED}}},\n  x-tagger     = {{{NOTE}}}\n}}",
        ),
        (
            "@a{k,\n  abstract =     {b},\n  year =         2020\n}",
            "@a{k,\n  abstract =     {b},\n  year =         2020,\n"
            f"  keywords =     {{{ADDED}}},\n  x-tagger =     {{{NOTE}}}\n}}",
        ),
        (
            "@a{k\n, abstract = {b}\n, year = 2020\n}",
            "@a{k\n, abstract = {b}\n, year = 2020\n"
            f", keywords = {{{ADDED}}}\n, x-tagger = {{{NOTE}}}\n}}",
        ),
    ],
)  # fmt: skip
def test_new_fields_are_written_in_the_style_of_the_entry(entry, expected):
    assert retagged("bibtex", entry) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("{flour}", f"{{flour, {ADDED}}}"),
        ("{flour, bread}", f"{{flour, bread, {ADDED}}}"),
        ("{flour,bread}", "{flour,bread,cooking,{salt \\& pepper, ground}}"),
        ("{flour; bread}", "{flour; bread; cooking; {salt \\& pepper, ground}}"),
        ("{flour;bread}", "{flour;bread;cooking;{salt \\& pepper, ground}}"),
        ('"flour, bread"', f'"flour, bread, {ADDED}"'),
        ("{{flour; bread}}", "{{flour; bread; cooking; {salt \\& pepper, ground}}}"),
        ("{{Flour}}", f"{{{{Flour}}, {ADDED}}}"),
        ("{flour, bread,\n  }", f"{{flour, bread, {ADDED}\n  }}"),
        ("{}", f"{{{ADDED}}}"),
        ("{ }", f"{{{ADDED} }}"),
        ("kw", f"kw # {{, {ADDED}}}"),
        ('kw # ", oven"', f'kw # ", oven, {ADDED}"'),
        ('"oven, " # kw', f'"oven, " # kw # {{, {ADDED}}}'),
        ("{Cooking, oven}", "{Cooking, oven, {salt \\& pepper, ground}}"),
        ("{oven; {salt \\& pepper, ground}; cooking}", "{oven; {salt \\& pepper, ground}; cooking}"),
        ("2020", f"2020 # {{, {ADDED}}}"),
    ],
)
def test_keywords_are_extended_in_their_own_style(value, expected):
    start, end = "@string{kw = {flour, bread}}\n@a{k, keywords = ", ", abstract = {b}}"
    tagged = retagged("bibtex", start + value + end)
    assert tagged.startswith(start + expected + ", abstract = {b}, x-tagger = {")
    assert retagged("bibtex", tagged, OTHER_TAGS) == retagged("bibtex", start + value + end, OTHER_TAGS)


def test_a_tag_that_was_a_keyword_before_is_still_there_when_a_later_run_does_not_give_it():
    text = "@a{k, keywords = {cooking}, abstract = {b}}"
    first = retagged("bibtex", text)
    assert "cooking 0.98 central (own keyword)" in first
    assert "keywords = {cooking, astronomy}" in retagged("bibtex", first, OTHER_TAGS)


def test_what_a_user_adds_after_a_run_stays():
    tagged = retagged("bibtex", "@a{k, abstract = {b}}", OTHER_TAGS)
    edited = tagged.replace("{astronomy}", "{bread, astronomy, oven}")
    assert "keywords = {bread, oven, cooking, {salt" in retagged("bibtex", edited)


def test_an_abstract_without_area_gets_the_note_alone():
    nothing = Tags((), {"astronomy": 0.1, "cooking": 0.2})
    text = retagged("bibtex", "@a{k, abstract = {b}}", nothing)
    assert text == "@a{k, abstract = {b}, x-tagger = {areas 1a2b3c4d5e6f: not astronomy 0.10, not cooking 0.20}}"


def test_an_entry_that_could_not_be_tagged_is_written_unchanged():
    (record,) = read("bibtex", "@a{k, abstract = {}}\n")
    stream = io.StringIO()
    Writer(stream, LAYOUT).write(Tagged(record, Tags(error="the abstract is empty")))
    assert stream.getvalue() == "@a{k, abstract = {}}\n"


@pytest.mark.parametrize(
    ("entry", "field"),
    [
        ("@a{k, x-tagger = {a: b 0.98}}", "x-tagger"),
        ("@a{k, keywords = {cooking}, x-tagger = {a: cooking 0.98}}", "keywords"),
        ("@a{k, keywords = k, x-tagger = {a: cooking 0.98}}", "keywords"),
    ],
)
def test_an_entry_whose_text_is_in_those_fields_is_written_whole(entry, field):
    (record,) = read("bibtex", entry, abstract=field)
    (again,) = read("bibtex", written("bibtex", [record]), abstract=field)
    assert record.error is again.error is None
    assert record.abstract in again.abstract
    assert written("bibtex", [again]) == written("bibtex", [record])


@given(bibtex_garbage)
def test_any_text_is_written_back_with_everything_that_was_in_it(text):
    records = read("bibtex", text)
    tagged = written("bibtex", records)
    assert holds_in_order(tagged, joined(records))
    again = read("bibtex", tagged)
    assert [(r.id, r.abstract, r.error) for r in again] == [(r.id, r.abstract, r.error) for r in records]
    assert written("bibtex", again) == tagged
    assert converted("bibtex", records) == joined(records)


values = st.lists(st.sampled_from([*'ab {},;"#\n', "\\&", "\\{", "\\}"]), max_size=12).map("".join)
values = values.filter(lambda text: is_balanced(text) and text == text.strip("{},; \n"))


@given(
    st.dictionaries(st.sampled_from(["title", "year", "Keywords", "note"]), values, max_size=4),
    st.sampled_from(["\n  ", " ", "\n\t", ""]),
    st.sampled_from([" = ", "=", "  =  "]),
    st.booleans(),
    st.sampled_from(["{}", "()"]),
)  # fmt: skip
def test_entries_of_any_style_keep_their_other_fields(fields, gap, equals, trailing_comma, outer):
    lines = [f"{gap}{name}{equals}{{{value}}}" for name, value in [*fields.items(), ("abstract", "We bake.")]]
    text = f"@misc{outer[0]}key,{','.join(lines)}{',' if trailing_comma else ''}\n{outer[1]}\n"
    (before,) = read("bibtex", text)
    tagged = retagged("bibtex", text)
    (after,) = read("bibtex", tagged)
    assert before.error is after.error is None
    assert holds_in_order(tagged, text)
    assert fields_of(after, *CHANGED) == fields_of(before, *CHANGED)
    assert parsed(tagged) == parsed(text)
    assert retagged("bibtex", tagged) == tagged


PAPER = Record(
    "2301.00001v2",
    "We say {x}: 50% of $\\alpha$.",
    "On GPT-4 & bread",
    fields={
        "id": "2301.00001v2",
        "authors": ["Ada Baker", "Ludwig van Oven", "Loaf Team", "Barnes and Noble"],
        "published": "2025-05-17T00:00:00Z",
        "journal_ref": "Proc. of OVEN 2025",
        "doi": "10.5555/a_b",
        "keywords": ["flour", "cooking"],
    },
)


def test_a_record_of_another_format_becomes_an_entry():
    assert written("bibtex", [PAPER]) == (
        "@inproceedings{2301.00001v2,\n"
        "  title = {On {GPT}-4 \\& bread},\n"
        "  author = {Ada Baker and Ludwig van Oven and {Loaf Team} and {Barnes and Noble}},\n"
        "  booktitle = {Proc. of OVEN 2025},\n"
        "  year = {2025},\n"
        "  month = may,\n"
        "  day = {17},\n"
        "  doi = {10.5555/a_b},\n"
        "  eprint = {2301.00001},\n"
        "  archiveprefix = {arXiv},\n"
        "  url = {https://arxiv.org/abs/2301.00001},\n"
        "  abstract = {We say {\\textbraceleft}x{\\textbraceright}: 50\\% of $\\alpha$.},\n"
        "  keywords = {flour, cooking, {salt \\& pepper, ground}},\n"
        f"  x-tagger = {{{NOTE.replace('central', 'central (own keyword)')}}}\n"
        "}\n"
    )


def test_without_tags_there_is_no_note():
    assert "x-tagger" not in converted("bibtex", [PAPER])


def test_a_record_without_abstract_becomes_an_entry_that_says_why():
    (record,) = read("bibtex", written("bibtex", [Record("p1", error="not JSON")]))
    assert record.id == "p1"
    assert record.fields["x-tagger"] == "areas 1a2b3c4d5e6f: error: not JSON"
    (record,) = read("bibtex", converted("bibtex", [Record("p1", error="not JSON")]))
    assert record.fields["x-tagger"] == "error: not JSON"


def test_keys_are_made_legal_and_unique():
    ids = ["a", "a", "a-2", "b c", "b,c", "", "", "{}", "https://a.org/x?y=1&z", "é", "a\x00b"]
    keys = [record.id for record in read("bibtex", written("bibtex", [Record(id_, "We bake.") for id_ in ids]))]
    assert keys == ["a", "a-2", "a-2-2", "b_c", "b_c-2", "record", "record-2", "_", "https://a.org/x?y_1&z", "é", "a_b"]


def test_files_one_after_the_other_do_not_run_together():
    first = read("bibtex", "@a{k, abstract = {b}}", "one.bib")
    second = read("bibtex", "@a{l, abstract = {b}}", "two.bib")
    assert converted("bibtex", [*first, *second, Record("m", "c")]) == (
        "@a{k, abstract = {b}}\n@a{l, abstract = {b}}\n\n@misc{m,\n  abstract = {c}\n}\n"
    )


@given(st.lists(st.tuples(texts, texts, texts, texts), max_size=4), st.booleans())
def test_records_of_other_formats_read_back_the_same(rows, with_tags):
    records = [
        Record(f"id{k}", abstract, title or None, fields={"author": author, "venue": venue, "keywords": author})
        for k, (abstract, title, author, venue) in enumerate(rows)
    ]
    text = written("bibtex", records) if with_tags else converted("bibtex", records)
    again = read("bibtex", text)
    assert [record.id for record in again] == [record.id for record in records]
    for before, after in zip(records, again):
        assert after.abstract == one_line(before.abstract)
        assert bool(after.error) == (not one_line(before.abstract))
        if (before.title or "").strip():
            assert after.title == one_line(before.title)
        assert ("x-tagger" in after.fields) == with_tags
    library = bibtexparser.parse_string(text)
    assert not library.failed_blocks
    assert len(library.entries) == len(records)
