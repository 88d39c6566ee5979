"""The format of a file: by its content where that tells, else by its name."""

from __future__ import annotations

import json
from itertools import product

import pytest
from abstracts import long_abstract

from tagger import InputError
from tagger.formats import read_records, xml
from tagger.formats.detect import by_name, detect, is_named_like_a_list
from tagger.formats.fields import Fields
from tagger.formats.registry import FORMATS, Format

TEXT = long_abstract(1)
OTHERS = ("bibtex", "ris", "xml", "parquet", "arrow")


@pytest.fixture(autouse=True)
def _every_format_is_known(monkeypatch):
    suffixes = {"bibtex": (".bib",), "ris": (".ris",), "xml": (".xml",), "parquet": (".parquet",), "arrow": (".arrow",)}
    for name in OTHERS:
        if name not in FORMATS:
            monkeypatch.setitem(FORMATS, name, Format(name, suffixes[name], "tagger.formats.nowhere"))


def found(content: str | bytes, name: str = "in") -> str:
    return detect(content.encode() if isinstance(content, str) else content, name, name)


OBJECT = json.dumps({"id": "p1", "abstract": TEXT})
BY_CONTENT = {
    "jsonl": [
        OBJECT,
        f"{OBJECT}\n{OBJECT}\n",
        f"  \n{OBJECT}",
        f"[{OBJECT}]",
        f"[\n  {OBJECT},\n",
        json.dumps({"notes": [{"id": "n"}]}, indent=2),
        "{}",
        "[]\n",
        json.dumps([TEXT, TEXT]),
        '["",\n"a"]',
    ],
    "csv": [
        f"id,abstract\np1,{TEXT}",
        f'"Paper ID";"Abstract"\r\n"p1";"{TEXT}"\r\n',
        f"sep=;\r\nid;abstract\r\np1;{TEXT}",
        f"id|abstract\np1|{TEXT}\n",
        '\nid,abstract,bibtex\np1,"Short.","\n@article{key,\n title={T}}"\n',
    ],
    "tsv": [f"id\tabstract\np1\t{TEXT}", f"sep=\t\nid\tabstract\np1\t{TEXT}"],
    "bibtex": [
        "@article{smith2020,\n  title = {Bread},\n}",
        "% Encoding: UTF-8\n\n@InProceedings{smith, title={Bread}}",
        "Made by a program.\n\nIt says so.\n\n@misc{a:b/c_2,\n title={Bread}}",
        '@string{jmlr = "Journal"}\n@article{a, title={Bread}}',
        "@comment{jabref-meta: databaseType:bibtex;}",
        '@preamble{"\\newcommand{\\x}{y}"}',
        "@article(smith2020,\n  title = {Bread})",
        "@article{,\n  title={Bread}}",
    ],
    "ris": [
        "TY  - JOUR\nTI  - Bread\nER  - \n",
        "Provider: Somebody\n\nTY  - CONF\r\nAB  - Bread.\r\n",
        "\ufeffTY  - JOUR\n",
    ],
    "xml": [
        '<?xml version="1.0"?>\n<feed xmlns="http://www.w3.org/2005/Atom"/>',
        "<feed xmlns='a'>",
        "<rss version='2.0'>",
        "<OAI-PMH>",
        "<rdf:RDF xmlns='a'>",
        "<record>",
        "<!-- made by hand -->\n<feed>",
    ],
    "text": [
        TEXT,
        "{\\em Oven} is slow. " + TEXT,
        "{Ovens} are slow.",
        "@baker asks: how slow is an oven? " + TEXT,
        "@ovens{are} slow, and so on.",
        "<b>Ovens</b> are slow. " + TEXT,
        "<p>Ovens are slow.</p>",
        "<records of ovens> are slow. " + TEXT,
        "<!-- A list. -->\n" + TEXT,
        "[1] We prove that ovens are slow.",
        '["Slow" ovens] are slow.',
        '"Slow" is what ovens are.',
        "Title, Abstract",
        "We bake, and we look, slowly.\nWe bake, and we look.",
        "abstract\nWe bake.\n",
        f"{TEXT}\n\n@article{{smith2020, title={{Bread}}}}",
        "| id | abstract |\n|---|---|\n| p1 | We bake. |",
        "",
        "\n",
        "Naïve \x00 ovens are slow. " + TEXT,
    ],
    "parquet": [b"PAR1\x15\x04\x15"],
    "arrow": [b"ARROW1\0\0\xff\xff\xff\xff", b"\xff\xff\xff\xff\x78\x01\x00\x00\x10\x00\x00\x00", b"FEA1\0\0"],
}


@pytest.mark.parametrize(
    ("format", "content"), [(name, one) for name, several in BY_CONTENT.items() for one in several]
)
def test_the_content_tells_the_format(format, content):
    assert found(content) == format
    assert found(content, "list.txt") == format


@pytest.mark.parametrize(
    "content", ["We bake.", '{"id": "p1", "abs', "abstract\nWe bake.\n", '"We bake."\n"We look."\n']
)
@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("list.txt", "text"),
        ("list.MD", "text"),
        ("list.jsonl", "jsonl"),
        ("list.ndjson", "jsonl"),
        ("list.json", "json"),
        ("list.csv", "csv"),
        ("a.b/List.CSV", "csv"),
        ("list.tsv", "tsv"),
        ("list.tab", "tsv"),
        ("list.csv.gz", "csv"),
        ("list.csv.ZST", "csv"),
        ("list.jsonl.bz2", "jsonl"),
        ("list.bib", "bibtex"),
        ("list.ris.xz", "ris"),
    ],
)
def test_the_name_tells_where_the_content_does_not(name, format, content):
    if content.startswith("{"):
        format = "jsonl"
    assert found(content, name) == format


BEFORE_ROOTS = [
    "",
    "<?xml version='1.0'?>\n",
    "<!-- made by hand -->\n<!-- twice -->\n",
    "\ufeff",
    "<?xml-stylesheet href='a.css'?>\n<!-- <html> -->",
    "<!DOCTYPE x>\n",
    "<!DOCTYPE rss PUBLIC '-//X//DTD RSS//EN' 'http://127.0.0.1:9/rss.dtd'>\n",
]


@pytest.mark.parametrize("name", sorted(xml.RECORDS | xml.ROOTS))
def test_every_root_that_is_read_is_found_whatever_is_before_and_in_it(name):
    for before, prefix in product(BEFORE_ROOTS, ("", "oai_dc:", "ns0:")):
        for after in (" xmlns='a'>", ">", "\n  a='b'>", "/>"):
            assert found(f"{before}<{prefix}{name}{after}", "list.txt") == "xml"


@pytest.mark.parametrize("name", sorted(xml.RECORDS | xml.ROOTS))
def test_an_abstract_in_every_root_that_is_found_is_read(tmp_path, name):
    for before, prefix in product(BEFORE_ROOTS, ("", "p:")):
        root, field = f"{prefix}{name}", f"{prefix}{'abstract' if name == 'record' else 'description'}"
        abstract = f"<{field}>{TEXT}</{field}>"
        if name in xml.ROOTS:
            abstract = f"<{prefix}item>{abstract}</{prefix}item>"
        (tmp_path / "list").write_text(f"{before}<{root} xmlns:p='urn:p'>{abstract}</{root}>", encoding="utf-8")
        assert [record.abstract for record in read_records(tmp_path / "list")] == [TEXT]


def test_a_header_may_have_the_field_that_a_user_named():
    head = b"nr;words\n1;We bake.\n"
    assert detect(head, "in", "in", Fields(abstract="words")) == "csv"
    assert detect(head, "in", "in") == "text"


FOREIGN = {
    b"%PDF-1.7 ...": "a PDF",
    b"PK\x03\x04....": "ZIP archive or an Office document",
    b"\xd0\xcf\x11\xe0\xa1\xb1": "an Office document",
    b"{\\rtf1\\ansi We bake.}": "RTF",
    b"\x89PNG\r\n\x1a\n": "a picture",
    b"\xff\xd8\xff\xe0": "a picture",
    b"GIF89a": "a picture",
    b"<!DOCTYPE html>\n<html>": "an HTML page",
    b"\n<html lang=en>": "an HTML page",
    b'<?xml version="1.0"?>\n<!DOCTYPE html>': "an HTML page",
    b"some\0bytes": "binary",
    b"\x7fELF\x02\x01\x01" + bytes(9): "binary",
    bytes(range(256)) * 4: "binary",
    b"SQLite format 3\0": "a database",
    b"\x93NUMPY\x01\0": "arrays",
    b"a.txt" + bytes(252) + b"ustar\x00": "an archive",
}


@pytest.mark.parametrize("content", FOREIGN)
def test_a_file_that_is_no_list_is_refused_by_what_it_is(content):
    with pytest.raises(InputError, match=f"^list.txt: unknown format .*{FOREIGN[content]}.*--from") as refused:
        found(content, "list.txt")
    assert len(str(refused.value).splitlines()) == 1


@pytest.mark.parametrize("name", ["page.html", "paper.docx", "paper.pdf", "papers.zip.gz"])
def test_a_file_that_is_named_like_no_list_is_refused(name):
    with pytest.raises(InputError, match="unknown format"):
        found(TEXT, name)


def test_a_format_that_this_version_does_not_have_is_refused(monkeypatch):
    monkeypatch.delitem(FORMATS, "bibtex")
    with pytest.raises(InputError, match=r"in: unknown format \(bibtex\)"):
        found("@article{smith2020,\n title={Bread}}")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-8-sig", "utf-32"])
def test_the_format_is_found_in_other_encodings(encoding):
    assert found(f"id\tabstract\r\np1\t{TEXT}\r\n".encode(encoding)) == "tsv"


def test_names_of_lists():
    assert by_name("x/list.json.gz") == "json"
    assert by_name("list.tex") is None
    assert is_named_like_a_list("papers")
    assert is_named_like_a_list("papers.TXT.gz")
    assert not is_named_like_a_list("setup.py")
    assert not is_named_like_a_list("papers/README.md")
    assert not is_named_like_a_list("LICENSE")
