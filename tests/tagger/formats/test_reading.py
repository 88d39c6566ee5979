"""Files of all kinds, one after another: what is opened when, and what becomes of one that cannot be read."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import os
import random
import subprocess
import sys
import threading

import hypothesis.strategies as st
import pytest
from abstracts import long_abstract
from command import environment
from hypothesis import HealthCheck, given, settings

from tagger import InputError, Record
from tagger.formats import read_records
from tagger.formats.sources import Bytes

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


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le"])
@pytest.mark.parametrize("content", [AS_TEXT, AS_CSV, AS_JSONL, AS_TSV])
def test_unicode_encodings_are_read(tmp_path, encoding, content):
    content = content.replace("study", "étude")
    (tmp_path / "list").write_text(content, encoding=encoding)
    assert abstracts_in(tmp_path / "list") == [text.replace("study", "étude") for text in TEXTS]


def test_bytes_that_are_not_utf8_are_windows_1252_and_reported(tmp_path):
    (tmp_path / "list.txt").write_bytes(TEXTS[0].encode() + b" na\xefve bakers.\n\n" + TEXTS[1].encode())
    reports: list[str] = []
    assert abstracts_in(tmp_path / "list.txt", report=reports.append) == [TEXTS[0] + " naïve bakers.", TEXTS[1]]
    assert reports == [f"{tmp_path / 'list.txt'}: 1 byte is not UTF-8; it is read as Windows-1252"]


def test_the_format_can_be_named(tmp_path):
    (tmp_path / "list.txt").write_text(AS_CSV)
    assert abstracts_in(tmp_path / "list.txt", format="csv") == TEXTS
    assert abstracts_in(tmp_path / "list.txt", format="text")[0].startswith("p0,")
    with pytest.raises(InputError, match="unknown format 'docx'; the formats are text"):
        read_records(tmp_path / "list.txt", "docx")


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


def test_a_missing_file_is_refused_also_behind_others(tmp_path):
    (tmp_path / "list.txt").write_text(AS_TEXT)
    for paths in ([tmp_path / "nowhere.txt"], [tmp_path / "list.txt", tmp_path / "nowhere.txt"]):
        with pytest.raises(InputError, match=r"nowhere.txt: no such file"):
            read_records(paths)


@pytest.mark.parametrize(
    ("content", "kind"), [(b"%PDF-1.7 ...", "PDF"), (b"PK\x03\x04....", "ZIP"), (b"some\0bytes", "binary")]
)
def test_a_file_that_is_no_list_is_refused_by_what_it_is_also_behind_others(tmp_path, content, kind):
    (tmp_path / "good.txt").write_text(AS_TEXT)
    (tmp_path / "list.txt").write_bytes(content)
    for paths in ([tmp_path / "list.txt"], [tmp_path / "good.txt", tmp_path / "list.txt"]):
        with pytest.raises(InputError, match=f"unknown format .*{kind}.*--from"):
            read_records(paths)


def test_files_of_several_formats_are_read_one_after_another(tmp_path):
    (tmp_path / "a.txt").write_text(AS_TEXT)
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(AS_CSV.encode()))
    (tmp_path / "c.jsonl").write_text(AS_JSONL)
    records = list(read_records([tmp_path / name for name in ("c.jsonl", "a.txt", "b.csv.gz")]))
    assert [record.abstract for record in records] == TEXTS * 3
    assert [record.id for record in records][2:4] == ["p2", "a.txt:1"]
    assert [record.position for record in records] == [
        "line 1", "line 2", "line 3", "line 3", "line 5", "line 7", "line 2", "line 3", "line 4",
    ]  # fmt: skip
    assert {record.source for record in records} == {str(tmp_path / name) for name in ("a.txt", "b.csv.gz", "c.jsonl")}


COMPRESS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lambda data: lzma.compress(data, preset=0)}


@pytest.mark.parametrize("codec", COMPRESS)
@pytest.mark.parametrize("name", ["list.csv", "list.csv.packed", "list"])
def test_a_compressed_file_is_known_by_its_content(tmp_path, codec, name):
    (tmp_path / name).write_bytes(COMPRESS[codec](AS_CSV.encode()))
    assert abstracts_in(tmp_path / name) == TEXTS


def as_arrow_stream(texts: list[str]) -> bytes:
    arrow = pytest.importorskip("pyarrow")
    table = arrow.table({"id": [f"p{k}" for k in range(len(texts))], "abstract": texts})
    with io.BytesIO() as stream:
        with arrow.ipc.new_stream(stream, table.schema) as writer:
            writer.write_table(table, max_chunksize=5)
        return stream.getvalue()


PARTS = {
    "list.txt": ("", "{text}\n\n", ""),
    "lines.txt": ("", "{text}\n", ""),
    "list.csv": ("id,abstract\n", 'p{k},"{text}"\n', ""),
    "multiline.csv": ("id,abstract,note\n", 'p{k},"{text}","one\ntwo\nthree"\n', ""),
    "list.tsv": ("id\tabstract\n", "p{k}\t{text}\n", ""),
    "list.jsonl": ("", '{{"id": "p{k}", "abstract": "{text}"}}\n', ""),
    "list.json": ("[", '{{"id": "p{k}", "abstract": "{text}"}},\n', "{}]"),
    "pretty.json": ("[", '{{\n  "id": "p{k}",\n  "abstract": "{text}"\n}},\n', "{}]"),
    "inner.json": ('{{"results": [', '{{"id": "p{k}", "abstract": "{text}"}},\n', "{}]}"),
    "list.bib": ("", "@misc{{p{k},\n  title = {{T}},\n  abstract = {{{text}}},\n}}\n\n", "% The end.\n"),
    "list.ris": ("", "TY  - JOUR\nTI  - T\nAB  - {text}\nER  - \n\n", ""),
    "feed.xml": ("<feed>\n", "<entry><id>p{k}</id><summary>{text}</summary></entry>\n", "</feed>"),
    "list.rss": ("<rss><channel>", "<item><guid>p{k}</guid><description>{text}</description></item>", "</channel>"),
    "oai.xml": ("<ListRecords>", "<record><id>p{k}</id><abstract>{text}</abstract></record>", "</ListRecords>"),
}
"""What a file of each format begins with, a record of it, and its end."""


def whole_file(name: str, texts: list[str]) -> tuple[bytes, list[int]]:
    """A file of `texts`, and where it is known of each of its records that it ends, if not before the line does."""
    begin, record, end = PARTS[name]
    content, ends = begin.replace("{{", "{").encode(), []
    for k, text in enumerate(texts):
        content += record.format(k=k, text=text).encode()
        ends.append(len(content.rstrip(b",-\n ")))
    return content + end.encode(), ends


def packed_up_to(content: bytes, cut: int) -> bytes:
    """`content` in a gzip file that breaks off behind so many of its bytes, which are stored as they are."""
    assert len(content) < 2**15
    return gzip.compress(content, compresslevel=0)[: 15 + cut]


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(sorted(PARTS)), st.data())
def test_wherever_a_file_breaks_off_the_whole_records_are_read_and_one_error_tells_of_it(tmp_path, name, data):
    texts = [long_abstract(number) + " So it is, in the end, for all of them." for number in range(8)]
    content, ends = whole_file(name, texts)
    near = [end + offset for end in ends[1:-1] for offset in (-1, 0, 1, 2, 3, 20)]
    cut = data.draw(st.integers(ends[0] + 3, ends[-1] - 1) | st.sampled_from(near))
    (tmp_path / f"{name}.gz").write_bytes(packed_up_to(content, cut))
    *good, bad = read_records(tmp_path / f"{name}.gz")
    expected = texts[: len(good)]
    assert [(record.abstract, record.error) for record in good] == [(text, None) for text in expected]
    whole = sum(end <= cut for end in ends)
    assert len(good) in (whole, whole - (cut < ends[whole - 1] + len(" -\n\n")))
    assert "gzip-compressed data are damaged" in (bad.error or "")
    assert bad.id == f"{name}.gz:{len(good) + 1}"


COMPRESS |= {"zst": lambda data: pytest.importorskip("zstandard").compress(data)}


@pytest.mark.parametrize("codec", COMPRESS)
@pytest.mark.parametrize("name", [*PARTS, "list.arrow"])
def test_a_damaged_file_gives_the_records_before_the_damage_and_one_that_tells_of_it(tmp_path, name, codec):
    generator = random.Random(1)
    words = [f"{generator.getrandbits(40):x}" for _ in range(3000)]
    texts = [f"We bake {' '.join(generator.choices(words, k=200))}." for _ in range(1200)]
    packed = COMPRESS[codec](as_arrow_stream(texts) if name == "list.arrow" else whole_file(name, texts)[0])
    file = tmp_path / f"{name}.packed"
    file.write_bytes(packed[: len(packed) * 2 // 3])
    *good, bad = read_records([file])
    assert 100 < len(good) < 1000
    assert [record.abstract for record in good] == texts[: len(good)]
    assert [record.error for record in good] == [None] * len(good)
    assert "compressed data are damaged" in (bad.error or "")
    assert bad.id == f"{name}.packed:{len(good) + 1}"


@pytest.mark.parametrize("name", ["list.parquet", "list.arrow"])
def test_of_a_table_that_breaks_off_before_its_first_row_the_damage_is_told(tmp_path, name):
    content = as_arrow_stream(["We bake."]) if name == "list.arrow" else b"PAR1" + bytes(1000)
    (tmp_path / name).write_bytes(packed_up_to(content, 150))
    with pytest.raises(InputError, match=rf"{name}: the gzip-compressed data are damaged"):
        read_records(tmp_path / name)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_opened_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "list.txt").write_text(AS_TEXT)
    writing = threading.Thread(target=(tmp_path / "pipe").write_text, args=[AS_CSV], daemon=True)
    writing.start()
    progress = Bytes()
    records = list(read_records([tmp_path / "list.txt", tmp_path / "pipe"], progress=progress))
    writing.join(30)
    assert [record.abstract for record in records] == TEXTS * 2
    assert progress.total is None
    assert progress.read == len(AS_CSV.encode()) + len(AS_TEXT.encode())


def test_standard_input_among_files_keeps_its_place(tmp_path, monkeypatch):
    (tmp_path / "list.txt").write_text(AS_TEXT)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(AS_JSONL.encode()))))
    records = list(read_records([tmp_path / "list.txt", "-", tmp_path / "list.txt"]))
    assert [record.id for record in records] == [
        "list.txt:1", "list.txt:2", "list.txt:3", "p0", "p1", "p2", "list.txt:1", "list.txt:2", "list.txt:3",
    ]  # fmt: skip


class Dribble(io.RawIOBase):
    """Standard input that brings a few bytes at a time."""

    def __init__(self, data: bytes, size: int) -> None:
        self.stream, self.size = io.BytesIO(data), size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        return self.stream.readinto(memoryview(buffer)[: self.size])


@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize(
    "content", [AS_TEXT, AS_CSV, AS_JSONL, AS_TSV, json.dumps([{"abstract": text} for text in TEXTS])]
)
@pytest.mark.parametrize(
    "pack", [str.encode, lambda text: text.encode("utf-16"), lambda text: gzip.compress(text.encode())]
)
def test_a_slow_pipe_gives_what_a_file_does(monkeypatch, content, size, pack):
    stdin = io.TextIOWrapper(io.BufferedReader(Dribble(pack(content), size)))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert abstracts_in("-") == TEXTS


def test_one_file_is_open_at_a_time(tmp_path):
    resource = pytest.importorskip("resource")
    for number in range(300):
        (tmp_path / f"{number:03}.txt").write_text(long_abstract(number))
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    open_now = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 100
    resource.setrlimit(resource.RLIMIT_NOFILE, (open_now + 20, before[1]))
    try:
        records = list(read_records([tmp_path / f"{number:03}.txt" for number in range(300)]))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert [record.abstract for record in records] == [long_abstract(number) for number in range(300)]


def test_declaring_the_formats_imports_no_reader():
    program = (
        "import sys, tagger.formats\n"
        "tagger.formats.FORMATS\n"
        "print(sorted(name for name in sys.modules if name.startswith('tagger.formats.')))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment())
    assert done.stdout == "['tagger.formats.registry']\n"


names = st.sampled_from(["text", "csv", "jsonl", "json"])
numbers = st.lists(st.integers(0, 500), min_size=1, max_size=6)
packings = st.sampled_from([bytes, gzip.compress, bz2.compress, lambda data: lzma.compress(data, preset=0)])


def written(format: str, texts: list[str]) -> bytes:
    if format == "csv":
        stream = io.StringIO()
        csv.writer(stream).writerows([("id", "abstract"), *((f"i{k}", text) for k, text in enumerate(texts))])
        return stream.getvalue().encode()
    if format == "text":
        return "\n\n".join(texts).encode()
    rows = [{"id": f"i{k}", "abstract": text} for k, text in enumerate(texts)]
    return json.dumps(rows).encode() if format == "json" else "".join(json.dumps(row) + "\n" for row in rows).encode()


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(names, numbers, packings), min_size=1, max_size=4))
def test_any_files_give_their_abstracts_in_order_compressed_or_not(tmp_path, files):
    paths, expected = [], []
    for k, (format, some, pack) in enumerate(files):
        texts = [long_abstract(number) for number in some]
        (tmp_path / str(k)).write_bytes(pack(written(format, texts)))
        paths.append(tmp_path / str(k))
        expected += texts
    records: list[Record] = list(read_records(paths))
    assert [record.abstract for record in records] == expected
    assert not any(record.error for record in records)
