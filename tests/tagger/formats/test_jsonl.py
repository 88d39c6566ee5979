"""JSON: lines, lists and answers of APIs; what is wrong with a value is an error of its record alone."""

from __future__ import annotations

import io
import json

import hypothesis.strategies as st
import pytest
from broken_rows import json_object
from hypothesis import given, settings

from tagger import InputError, Record
from tagger.formats import jsonl
from tagger.formats.fields import Fields


def read(text: str, **fields: str) -> list[Record]:
    return list(jsonl.read(io.StringIO(text, newline=""), "in.jsonl", Fields(**fields)))


def lines(*rows: object) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_an_object_with_usual_names_is_a_record():
    (record,) = read(lines({"id": "p1", "title": "Bread", "abstract": "We bake.", "year": 2024}))
    assert (record.id, record.title, record.abstract, record.error) == ("p1", "Bread", "We bake.", None)


def test_named_fields_are_used():
    row = {"key": "k", "id": "i", "abstract": "no", "body text": "We bake.", "headline": "Bread"}
    (record,) = read(lines(row), abstract="body text", id="key", title="headline")
    assert (record.id, record.title, record.abstract) == ("k", "Bread", "We bake.")


def test_a_line_that_is_a_string_is_an_abstract():
    assert [record.abstract for record in read(lines("We bake.", "We look."))] == ["We bake.", "We look."]


def test_a_record_without_id_is_named_after_file_and_number():
    records = read("\n" + lines({"abstract": "a"}, {"id": "", "abstract": "b"}, {"id": None, "abstract": "c"}))
    assert [record.id for record in records] == ["in.jsonl:1", "in.jsonl:2", "in.jsonl:3"]


def test_a_number_can_be_an_id():
    assert [record.id for record in read(lines({"id": 7, "abstract": "a"}))] == ["7"]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{", "not JSON"),
        ("plain text", "not JSON"),
        ("[1]", "a list"),
        ("7", "a number"),
        ("null", "null"),
        ("true", "a boolean"),
        ("[" * 100_000, "JSON"),
        ('{"abstract": 7}', "a number"),
        ('{"abstract": null}', "null"),
        ('{"abstract": ["a"]}', "a list"),
        ('{"abstract": {"text": "a"}}', "an object"),
        ('{"colour": "red"}', "no field 'abstract' among colour"),
        ("{}", "nothing"),
    ],
)
def test_what_is_wrong_with_a_line_is_an_error_of_that_record_alone(line, complaint):
    first, bad, last = read(lines({"abstract": "We bake."}) + line + "\n" + lines({"abstract": "We look."}))
    assert (first.abstract, first.error, last.abstract, last.error) == ("We bake.", None, "We look.", None)
    assert complaint in bad.error
    assert "\n" not in bad.error
    assert len(bad.error) < 300
    assert bad.id == "in.jsonl:2"


def test_a_bad_record_keeps_its_id_and_title():
    (record,) = read(lines({"id": "p1", "title": "Bread", "abstract": None}))
    assert (record.id, record.title) == ("p1", "Bread")
    assert record.error


def test_a_named_field_that_the_first_line_lacks_is_refused():
    with pytest.raises(InputError, match="body"):
        read(lines({"abstract": "We bake."}), abstract="body")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (7, "7"),
        (7.0, "7"),
        (2505.01234, "2505.01234"),
        (-1, "-1"),
        (True, "in.jsonl:1"),
        (float("nan"), "in.jsonl:1"),
        ([1], "in.jsonl:1"),
    ],
)
def test_ids_are_texts_and_numbers(value, expected):
    assert [record.id for record in read(lines({"id": value, "abstract": "a"}))] == [expected]


def test_every_field_is_kept_as_it_was_read():
    row = {"id": 7, "title": " T ", "abstract": "  We bake.\n", "year": 2024, "authors": ["A", {"b": None}], "x": 1.5}
    (record,) = read(lines(row))
    assert record.fields == row
    assert (record.abstract, record.title, record.position) == ("  We bake.\n", " T ", "line 1")


def test_not_a_number_is_a_value_like_others():
    (record, bad) = read('{"abstract": "We bake.", "year": NaN}\n{"abstract": NaN}\n')
    assert (record.abstract, bad.error) == ("We bake.", "expected 'abstract' to be a string, got a number")


def test_a_tab_in_a_string_does_no_harm():
    assert [record.abstract for record in read('{"abstract": "We\tbake."}\n{"abstract": "We look."}\n')] == [
        "We\tbake.",
        "We look.",
    ]


def test_objects_need_no_line_of_their_own():
    text = '{"abstract": "a"}{"abstract": "b"} {"abstract": "c"},{"abstract": "d"},\n"e" "f"\n'
    assert [record.abstract for record in read(text)] == list("abcdef")
    spread = '{\n  "abstract": "a"\n}\n{"abstract":\n"b"}\n\n{\n  "abstract": "c"\n}'
    assert [(record.abstract, record.position) for record in read(spread)] == [
        ("a", "line 1"), ("b", "line 4"), ("c", "line 7"),
    ]  # fmt: skip


def test_what_follows_a_value_on_its_line_makes_it_an_error():
    good, bad, last = read('{"abstract": "a"}\n{"abstract": "b"} and more\n{"abstract": "c"}\n')
    assert (good.abstract, bad.error, last.abstract) == ("a", "not JSON (there is something else behind it)", "c")


LISTS = [
    json.dumps,
    lambda rows: json.dumps(rows, indent=2),
    lambda rows: json.dumps(rows).replace("}, {", "},\n{"),
    lambda rows: json.dumps(rows)[:-1] + ",]\n",
    lambda rows: json.dumps({"notes": rows}),
    lambda rows: json.dumps({"notes": rows, "count": len(rows)}, indent=1),
    lambda rows: json.dumps({"total": 3, "next": None, "data": rows}),
    lambda rows: json.dumps({"meta": {"count": 3, "items": [1]}, "results": rows, "group_by": []}),
    lambda rows: json.dumps(
        {"status": "ok", "message": {"total": 3, "items": rows, "query": {"a": []}}, "version": "1"}
    ),
    lambda rows: json.dumps({"papers": rows[:1], "results": rows[1:]}),
    lambda rows: "".join(json.dumps({"notes": [row], "count": 1}) + "\n" for row in rows),
    lambda rows: "".join(json.dumps([row]) for row in rows),
]


@pytest.mark.parametrize("form", range(len(LISTS)))
def test_lists_and_answers_of_apis_give_what_lines_give(form):
    rows = [json_object(number) for number in range(5)]
    records, expected = read(LISTS[form](rows)), read(lines(*rows))
    assert [(r.id, r.title, r.abstract, r.fields) for r in records] == [
        (r.id, r.title, r.abstract, r.fields) for r in expected
    ]


def test_a_list_may_hold_texts_and_what_is_none():
    records = read('["We bake.", {"abstract": "We look."}, 7, null, ["x"]]')
    assert [record.abstract for record in records] == ["We bake.", "We look.", "", "", ""]
    assert [record.error for record in records][2:] == [
        f"expected a JSON object, got {kind}" for kind in ("a number", "null", "a list")
    ]


def test_an_object_with_an_abstract_is_a_record_whatever_lists_it_has():
    row = {"data": [{"abstract": "no"}], "items": [], "id": "p1", "abstract": "We bake."}
    assert [(record.id, record.abstract) for record in read(lines(row, row))] == [("p1", "We bake.")] * 2


def test_the_place_of_an_element_is_told_by_its_line_or_its_number_on_it():
    text = '[{"abstract": "a"}, {"abstract": "b"},\n{"abstract": "c"}, {"abstract": "d"}]'
    assert [record.position for record in read(text)] == ["line 1", "line 1, item 2", "line 2", "line 2, item 2"]


def test_notes_of_openreview_are_read_in_both_versions():
    old = {"id": "n1", "forum": "f", "content": {"title": "Bread", "abstract": "We bake.", "keywords": ["a"]}}
    new = {"id": "n2", "version": 2, "content": {name: {"value": value} for name, value in old["content"].items()}}
    first, second = read(json.dumps({"notes": [old, new], "count": 2}))
    assert (first.id, first.title, first.abstract) == ("n1", "Bread", "We bake.")
    assert (second.id, second.title, second.abstract) == ("n2", "Bread", "We bake.")
    assert first.fields == {"id": "n1", "forum": "f", "title": "Bread", "abstract": "We bake.", "keywords": ["a"]}
    assert second.fields == {"id": "n2", "version": 2, "title": "Bread", "abstract": "We bake.", "keywords": ["a"]}


def test_a_note_without_abstract_is_an_error_that_names_what_it_has():
    (record,) = read(json.dumps({"notes": [{"id": "n1", "content": {"review": {"value": "Good."}}}]}))
    assert record.error == "no field 'abstract' among id, review; name the field with --text-field"


def test_the_snapshot_of_arxiv_is_read():
    row = {
        "id": "0704.0001",
        "title": "On the baking of\n  bread",
        "abstract": "  We bake bread\nslowly.\n",
        "categories": "cs.LG",
    }
    (record,) = read(lines(row))
    assert (record.id, record.abstract) == ("0704.0001", row["abstract"])


def test_csl_json_is_read():
    items = [
        {
            "id": "http://zotero.org/items/1",
            "type": "article-journal",
            "title": "Bread",
            "abstract": "We bake.",
            "DOI": "10.1/a",
        }
    ]
    (record,) = read(json.dumps(items, indent="\t"))
    assert (record.id, record.title, record.abstract) == (items[0]["id"], "Bread", "We bake.")
    assert record.fields == items[0]


def test_fields_inside_fields_can_be_named():
    row = {"meta": {"key": 5}, "paper": {"head": "Bread", "body": {"en": "We bake."}}}
    records = read(lines(row, row, {"paper": 7}), abstract="paper.body.en", id="meta.key", title="paper.head")
    assert [(record.id, record.title, record.abstract) for record in records][:2] == [("5", "Bread", "We bake.")] * 2
    assert "no field 'paper.body.en'" in records[2].error
    note = {"id": "n1", "content": {"abstract": "We bake.", "tldr": "Bread."}}
    assert [record.abstract for record in read(json.dumps([note]), abstract="content.tldr")] == ["Bread."]


def test_memory_stays_bounded_in_lists_and_lines():
    class Endless(io.StringIO):
        def __init__(self, start: str, piece: str) -> None:
            super().__init__(start)
            self.piece, self.taken = piece, 0

        def read(self, size: int = -1) -> str:
            self.taken += size
            return super().read(size) or self.piece * (size // len(self.piece) + 1)

        readline = read

    for start, piece in (
        ('{"count": 1, "data": [', '{"abstract": "We bake."}, '),
        ("[", '{"abstract": "We bake."},\n'),
        ("", '{"abstract": "We bake."}\n'),
    ):
        stream = Endless(start, piece)
        records = jsonl.read(stream, "in.json", Fields())
        for _ in range(50_000):
            assert next(records).abstract == "We bake."
        assert stream.taken < 3_000_000


class InPieces(io.StringIO):
    """A text that is read a few characters at a time."""

    def __init__(self, text: str, size: int = 7) -> None:
        super().__init__(text, newline="")
        self.size = size

    def read(self, size: int = -1) -> str:
        return super().read(min(size, self.size))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner),
    max_leaves=4,
)
rows = st.dictionaries(st.sampled_from(["id", "abstract", "title", "other"]), json_values) | json_values


@settings(max_examples=200)
@given(st.lists(rows, max_size=8), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_every_line_gives_one_record_in_order(values, line_end, ascii_only):
    values = [{"abstract": "We bake."}, *values]  # a text that begins with a list is that list
    text = "".join(json.dumps(value, ensure_ascii=ascii_only) + line_end for value in values)
    records = read(text)
    assert len(records) == len(values)
    for value, record in zip(values, records):
        if isinstance(value, dict) and isinstance(value.get("abstract"), str):
            assert (record.abstract, record.error) == (value["abstract"], None)
        elif isinstance(value, str):
            assert (record.abstract, record.error) == (value, None)
        else:
            assert record.error


@settings(max_examples=200)
@given(st.lists(rows, max_size=8), st.sampled_from([None, 0, 2]), st.booleans())
def test_a_list_gives_what_its_elements_give_in_lines(values, indent, ascii_only):
    values = [{"abstract": "We bake."}, *values]
    in_lines = read("".join(json.dumps(value, ensure_ascii=ascii_only) + "\n" for value in values))
    text = json.dumps(values, indent=indent, ensure_ascii=ascii_only)
    for stream in (io.StringIO(text, newline=""), InPieces(text)):
        in_a_list = list(jsonl.read(stream, "in.jsonl", Fields()))
        assert [(r.id, r.title, r.abstract, r.error, r.fields) for r in in_a_list] == [
            (r.id, r.title, r.abstract, r.error, r.fields) for r in in_lines
        ]


@pytest.mark.parametrize("end", ["", "\n", ":", " x", "]"])
def test_a_number_at_the_end_of_the_text_is_judged_by_what_is_behind_it(end):
    *_, record = read('{"abstract": "a"}\n17' + end)
    assert record.error == (
        "not JSON (there is something else behind it)" if end.strip() else "expected a JSON object, got a number"
    )


pieces_of_json = st.sampled_from(
    [
        *("{", "}", "[", "]", '"', ",", ":", "\n", "\r\n", "\r", "\t", " ", "\\", "1", "-1.5e3", "null", '"abc"'),
        *('"abstract": "b"', '{"id": 1, "abstract": "a"}', '{"notes": [', '{"data": {"items": [{"text": "x"}]}}'),
    ]
)


@settings(max_examples=500)
@given(st.lists(pieces_of_json, max_size=14).map("".join), st.integers(1, 9))
def test_any_text_is_read_to_its_end_in_any_pieces(text, size):
    in_pieces = jsonl.read(InPieces(text, size), "in.jsonl", Fields())
    assert [(r.id, r.abstract, r.error, r.position) for r in in_pieces] == [
        (r.id, r.abstract, r.error, r.position) for r in read(text)
    ]
