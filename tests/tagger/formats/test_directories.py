"""Directories and patterns: their lists are read, and what is none is left out and reported."""

from __future__ import annotations

import gzip
import io
import json

import pytest
from abstracts import long_abstract

from tagger import InputError
from tagger.errors import MissingExtraError
from tagger.formats import FORMATS, read_records
from tagger.formats.registry import Format
from tagger.formats.sources import Bytes

TEXTS = [long_abstract(number) for number in range(3)]
AS_TEXT = "\n\n".join(["Papers", *TEXTS])
AS_JSONL = "".join(json.dumps({"id": f"p{k}", "abstract": text}) + "\n" for k, text in enumerate(TEXTS))
AS_CSV = "id,abstract\n" + "".join(f'p{k},"{text}"\n' for k, text in enumerate(TEXTS))


@pytest.fixture
def papers(tmp_path, monkeypatch):
    """A working directory with a directory of lists and of other things in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "papers" / "old").mkdir(parents=True)
    contents = {
        "b.txt": AS_TEXT.encode(),
        "a.csv": AS_CSV.encode(),
        "old/c.jsonl.gz": gzip.compress(AS_JSONL.encode()),
        "figure.png": b"\x89PNG\r\n\x1a\n",
        "paper.pdf": b"%PDF-1.7",
        "empty.txt": b"",
        "numbers.csv": b"number,colour\n1,red\n",
        "make.py": b"print('We bake.')\n",
        "old/torn.txt.gz": gzip.compress(AS_TEXT.encode())[:9],
    }
    for name, content in contents.items():
        (tmp_path / "papers" / name).write_bytes(content)
    return tmp_path / "papers"


NO_LISTS = {
    "pom.xml": b"<project><modelVersion>4.0.0</modelVersion></project>",
    "page.xml": b"<?xml version='1.0'?><html><body/></html>",
    "picture.xml": b"<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'><path d=''/></svg>",
    "plain.xml": b"We bake.",
    "begun.xml": b"<?xml version='1.0'?>",
    "empty.xml": b"",
    "empty.parquet": b"",
    "empty.arrow": b"",
    "no-items.atom": b"<feed/>",
    "numbers.jsonl.gz": gzip.compress(b""),
}


def tables(format: str) -> dict[str, bytes]:
    """Tables of Parquet or Arrow in which there are no abstracts."""
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import feather, parquet

    write = {"parquet": parquet.write_table, "arrow": feather.write_feather}[format]
    columns = {
        "numbers": {"number": [1, 2]},
        "names": {"name": ["bread", "soup"]},
        "codes": {"abstract": [1, 2]},
        "rowless": {"abstract": arrow.array([], arrow.string())},
    }
    found = {}
    for name, table in columns.items():
        stream = io.BytesIO()
        write(arrow.table(table), stream)
        found[f"{name}.{format}"] = stream.getvalue()
    return found


@pytest.mark.parametrize("kind", ["text and XML", "parquet", "arrow"])
def test_a_file_that_is_no_list_is_left_out_whatever_its_format_and_refused_where_it_is_named(papers, kind):
    files = NO_LISTS if kind == "text and XML" else tables(kind)
    for name, content in files.items():
        (papers / name).write_bytes(content)
    reports: list[str] = []
    records = list(read_records(["papers/*"], report=reports.append))
    assert {record.source for record in records} == {"papers/a.csv", "papers/b.txt", "papers/old/c.jsonl.gz"} | {
        "papers/old/torn.txt.gz"
    }
    for name in files:
        with pytest.raises(InputError, match=rf"^papers/{name}: .*; (give|name|check) ") as refused:
            read_records(f"papers/{name}")
        assert len(str(refused.value).splitlines()) == 1


BROKEN = {
    "entity.xml": b'<!DOCTYPE feed [<!ENTITY a "b">]><feed/>',
    "encoding.xml": b"<?xml version='1.0' encoding='no-such'?><feed/>",
    "cut.parquet": b"PAR1" + bytes(100),
    "cut.arrow": b"ARROW1\0\0" + bytes(10),
    "old.feather": b"FEA1" + bytes(100),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_file_that_may_be_a_list_and_cannot_be_read_is_a_record_with_an_error(papers, name):
    (papers / name).write_bytes(BROKEN[name])
    failed = {record.source for record in read_records("papers") if record.error}
    assert failed == {f"papers/{name}", "papers/old/torn.txt.gz"}


def test_a_directory_gives_its_lists_and_reports_the_rest(papers):
    reports: list[str] = []
    records = list(read_records(["papers"], report=reports.append))
    assert [record.abstract for record in records if not record.error] == TEXTS * 3
    assert reports == [
        "papers/empty.txt: holds no abstracts; left out",
        "papers/figure.png: unknown format (a picture); left out",
        "papers/make.py: may be anything; left out",
        "papers/numbers.csv: no text column among number, colour; left out",
        "papers/paper.pdf: unknown format (a PDF); left out",
    ]
    (failed,) = [record for record in records if record.error]
    assert (failed.source, failed.id) == ("papers/old/torn.txt.gz", "torn.txt.gz:1")
    assert "damaged" in failed.error


def test_of_many_files_that_are_no_lists_the_first_are_reported_and_the_others_counted(papers):
    for number in range(20):
        (papers / f"z{number:02}.pdf").write_bytes(b"%PDF-1.7")
    reports: list[str] = []
    assert len(list(read_records("papers", report=reports.append))) == 10
    assert len(reports) == 11
    assert reports[-1] == "15 more files left out, papers/z19.pdf the last of them"


def test_a_pattern_is_as_forgiving_as_a_directory(papers):
    assert [record.abstract for record in read_records("papers/*.[tcp]*")] == TEXTS * 2
    with pytest.raises(InputError, match=r"papers/\*.p\*: holds no abstracts"):
        read_records("papers/*.p*")


def test_a_file_that_vanishes_or_needs_what_is_not_installed_gives_a_record_with_an_error(papers, monkeypatch):
    monkeypatch.setitem(FORMATS, "bibtex", Format("BibTeX", (".bib",), "tagger.formats.nowhere"))
    (papers / "c.bib").write_text("@article{a, title={Bread}}")
    records = read_records("papers")
    (papers / "b.txt").unlink()
    failed = {record.source: record.error for record in records if record.error}
    assert failed["papers/b.txt"] == "no such file; check the name"
    assert failed["papers/c.bib"].startswith("BibTeX needs tagger.formats.nowhere; run: pip install")
    with pytest.raises(MissingExtraError, match="pip install"):
        read_records("papers/c.bib")


def test_progress_counts_the_bytes_of_all_files(papers):
    progress = Bytes()
    records = read_records("papers", progress=progress)
    assert progress.total == sum(file.stat().st_size for file in papers.rglob("*") if file.is_file())
    seen = [progress.read for _ in records]
    assert seen == sorted(seen)
    assert progress.read == progress.total


def test_reading_says_nothing_on_its_own(papers, capfd):
    list(read_records("papers"))
    assert capfd.readouterr() == ("", "")
