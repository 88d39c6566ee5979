"""Opening files: the format, the encoding, and what is no list of abstracts."""

from __future__ import annotations

import json

import pytest
from abstracts import long_abstract

from tagger import InputError
from tagger.formats import read_records

TEXTS = [long_abstract(number) for number in range(3)]
AS_TEXT = "\n\n".join(["Papers", *TEXTS])
AS_JSONL = "".join(json.dumps({"id": f"p{k}", "abstract": text}) + "\n" for k, text in enumerate(TEXTS))
AS_CSV = "id,abstract\n" + "".join(f'p{k},"{text}"\n' for k, text in enumerate(TEXTS))
AS_TSV = AS_CSV.replace(",", "\t", 1).replace(',"', '\t"')


def abstracts_in(path, **options) -> list[str]:
    return [record.abstract for record in read_records(str(path), **options)]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("list.txt", AS_TEXT),
        ("list.md", AS_TEXT),
        ("list", AS_TEXT),
        ("list.jsonl", AS_JSONL),
        ("list", AS_JSONL),
        ("list.txt", AS_JSONL),
        ("list.csv", AS_CSV),
        ("list", AS_CSV),
        ("LIST.CSV", AS_CSV),
        ("list.tsv", AS_TSV),
        ("list", AS_TSV),
        ("list.csv", AS_CSV.replace(",", ";", 1).replace(',"', ';"')),
    ],
)
def test_the_format_is_found_from_content_and_name(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    assert abstracts_in(tmp_path / name) == TEXTS


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("content", [AS_TEXT, AS_CSV, AS_JSONL, AS_TSV])
def test_unicode_encodings_are_read(tmp_path, encoding, content):
    content = content.replace("study", "étude")
    (tmp_path / "list").write_text(content, encoding=encoding)
    assert abstracts_in(tmp_path / "list") == [text.replace("study", "étude") for text in TEXTS]


def test_bytes_that_are_not_utf8_do_not_stop_the_reading(tmp_path):
    (tmp_path / "list.txt").write_bytes(TEXTS[0].encode() + b" na\xefve bakers.\n\n" + TEXTS[1].encode())
    assert abstracts_in(tmp_path / "list.txt") == [TEXTS[0] + " na\ufffdve bakers.", TEXTS[1]]


def test_the_format_can_be_named(tmp_path):
    (tmp_path / "list.txt").write_text(AS_CSV)
    assert abstracts_in(tmp_path / "list.txt", format="csv") == TEXTS


def test_a_list_whose_first_abstract_begins_with_a_brace_is_text(tmp_path):
    texts = ["{\\em Oven} is slow. " + TEXTS[0], TEXTS[1]]
    (tmp_path / "list.txt").write_text("\n\n".join(texts))
    assert abstracts_in(tmp_path / "list.txt") == texts


def test_the_first_record_has_been_read_when_the_call_returns(tmp_path):
    (tmp_path / "list.csv").write_text("number,colour\n1,red\n")
    with pytest.raises(InputError, match="no text column"):
        read_records(str(tmp_path / "list.csv"))


@pytest.mark.parametrize("content", ["", "\n\n", "Papers\n"])
@pytest.mark.parametrize("name", ["list.txt", "list.csv", "list.jsonl"])
def test_a_file_without_abstracts_is_refused(tmp_path, name, content):
    if content.strip() and not name.endswith(".txt"):
        content = ""
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=f"{name}: holds no abstracts"):
        read_records(str(tmp_path / name))


def test_a_table_with_a_header_alone_is_refused(tmp_path):
    (tmp_path / "list.csv").write_text("id,abstract\n")
    with pytest.raises(InputError, match="holds no abstracts"):
        read_records(str(tmp_path / "list.csv"))


def test_a_directory_and_a_missing_file_are_refused(tmp_path):
    with pytest.raises(InputError, match="is a directory"):
        read_records(str(tmp_path))
    with pytest.raises(InputError, match="no such file"):
        read_records(str(tmp_path / "nowhere.txt"))


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"%PDF-1.7 ...", "PDF"),
        (b"PK\x03\x04....", "ZIP"),
        (b"\x1f\x8b\x08....", "gzip"),
        (b"PAR1....", "Parquet"),
        (b"some\0bytes", "binary"),
    ],
)
def test_a_file_that_is_no_text_is_refused_by_what_it_is(tmp_path, content, kind):
    (tmp_path / "list.txt").write_bytes(content)
    with pytest.raises(InputError, match=f"unknown format .*{kind}.*--from"):
        read_records(str(tmp_path / "list.txt"))
