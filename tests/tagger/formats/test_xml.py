"""XML feeds and OAI-PMH records: as many results as records, in order, and one line for what is wrong."""

from __future__ import annotations

import io
import re
from html import escape

import hypothesis.strategies as st
import pytest
from hypothesis import given
from xml_documents import (
    API_ERROR,
    DELETED,
    KINDS,
    METADATA,
    PAPERS,
    Paper,
    api_feed,
    oai,
    oai_list,
    oai_record,
    rss_list,
)

from tagger import InputError, MissingExtraError, Record, TaggerError
from tagger.formats import xml
from tagger.formats.elements import short_id
from tagger.formats.fields import Fields

NAMES = {"api feed": "entry", "Atom list": "entry", "RSS list": "item", "RSS list until 2024": "item"}
ABSTRACT = PAPERS[0].abstract
NEWLINE = b"\n"


def read(document: str | bytes, **fields: str) -> list[Record]:
    data = document.encode() if isinstance(document, str) else document
    return list(xml.read(io.BytesIO(data), "dir/in.xml", Fields(**fields)))


def only_record(document: str, **fields: str) -> Record:
    (record,) = read(document, **fields)
    return record


def atom(entry: str) -> str:
    return f'<feed xmlns="http://www.w3.org/2005/Atom"><entry>{entry}</entry></feed>'


def rss(item: str) -> str:
    return f'<rss version="2.0"><channel><title>News</title><item>{item}</item></channel></rss>'


@pytest.mark.parametrize("kind", KINDS)
def test_each_record_of_a_document_is_read_in_order_without_wraps_and_entities(kind):
    records = read(KINDS[kind](PAPERS))
    assert [(r.id, r.title, r.abstract, r.error) for r in records] == [
        (paper.id, paper.title, paper.abstract, None) for paper in PAPERS
    ]
    name = NAMES.get(kind, "record")
    assert [record.position for record in records] == [f"{name} {number}" for number in range(1, len(PAPERS) + 1)]
    assert {record.source for record in records} == {"dir/in.xml"}
    assert all(record.fields["abstract"] == record.abstract for record in records)


def test_a_paper_of_the_api_has_its_fields():
    fields = read(api_feed())[3].fields
    del fields["abstract"], fields["title"]
    assert fields == {
        "id": "http://arxiv.org/abs/0704.0001v2",
        "updated": "2025-05-05T17:59:59Z",
        "published": "2025-05-02T09:12:44Z",
        "authors": ["Zoë van der Star, Jr", "Ng"],
        "affiliations": ["Oven Institute", "Oven Institute"],
        "doi": "10.5555/oven.15",
        "comment": "12 pages, 3 figures; a longer version is in print",
        "journal_ref": "J. Ovens 3 (2025) 1-12",
        "link": "http://arxiv.org/abs/0704.0001v2",
        "pdf": "http://arxiv.org/pdf/0704.0001v2",
        "primary_category": "cs.LG",
        "categories": ["cs.LG", "stat.ML"],
    }


def test_an_item_of_a_daily_list_has_its_fields():
    fields = read(rss_list())[0].fields
    del fields["abstract"], fields["title"]
    assert fields == {
        "id": "oai:arXiv.org:2505.01234v1",
        "link": "https://arxiv.org/abs/2505.01234",
        "categories": ["cs.LG", "stat.ML"],
        "published": "Tue, 06 May 2025 00:00:00 -0400",
        "announce_type": "new",
        "rights": "http://creativecommons.org/licenses/by/4.0/",
        "doi": "10.5555/oven.1",
        "journal_ref": "J. Ovens 3 (2025) 1-12",
        "authors": ["Ada Baker", "Bo Cook (Oven Institute, Oslo)", "Cy Dough"],
    }


def test_a_list_until_2024_has_its_authors_and_category():
    fields = read(KINDS["RSS list until 2024"](PAPERS))[0].fields
    assert fields["authors"] == ["Ada Baker", "Bo Cook"]
    assert fields["categories"] == ["cs.LG"]


def test_records_of_arxiv_have_the_names_of_their_elements():
    fields = read(oai_list())[0].fields
    del fields["abstract"], fields["title"]
    assert fields == {
        "id": "2505.01234",
        "datestamp": "2025-05-06",
        "setSpec": ["cs"],
        "created": "2025-05-02",
        "updated": "2025-05-05",
        "authors": ["Ada Baker", "Bo Cook"],
        "categories": ["cs.LG", "stat.ML"],
        "comments": "12 pages",
        "report-no": "OVEN-25-1",
        "journal-ref": "J. Ovens 3 (2025) 1-12",
        "doi": "10.5555/oven.1",
        "license": "http://arxiv.org/licenses/nonexclusive-distrib/1.0/",
    }


def test_raw_records_have_their_versions():
    fields = read(oai_list(prefix="arXivRaw"))[0].fields
    assert fields["authors"] == "Ada Baker and Bo Cook"
    assert fields["versions"] == [
        {"version": "v1", "date": "Fri, 2 May 2025 09:12:44 GMT", "size": "120kb", "source_type": "D"},
        {"version": "v2", "date": "Mon, 5 May 2025 17:59:59 GMT", "size": "130kb"},
    ]


def test_elements_of_dublin_core_that_may_be_repeated_are_lists():
    fields = read(oai_list(PAPERS[:1], "oai_dc"))[0].fields
    assert fields["id"] == "oai:arXiv.org:2505.01234"
    assert fields["creator"] == ["Baker, Ada", "Cook, Bo"]
    assert fields["subject"] == ["Computer Science - Machine Learning"]
    assert fields["date"] == ["2025-05-02", "2025-05-05"]
    assert fields["identifier"] == ["http://arxiv.org/abs/2505.01234", "doi:10.5555/oven.1"]
    assert fields["description"] == [PAPERS[0].abstract, "Comment: 12 pages"]
    assert fields["type"] == "text"


@pytest.mark.parametrize(
    ("descriptions", "abstract"),
    [
        ('<dc:description>We bake.</dc:description><dc:description>Comment: 12 pages</dc:description>', "We bake."),
        ('<dc:description>Comment: 12 pages</dc:description><dc:description>We bake.</dc:description>', "We bake."),
        ('<dc:description>Comment: 12 pages</dc:description>', "Comment: 12 pages"),
        ('<dc:description>A thesis.</dc:description><dc:description>' + ABSTRACT + '</dc:description>', ABSTRACT),
        (f'<dc:description>{ABSTRACT}</dc:description><dc:description>{ABSTRACT} Note.</dc:description>', ABSTRACT),
        ('<dc:description xml:lang="fr-FR">Nous cuisons le pain.</dc:description>'
         '<dc:description xml:lang="en-GB">We bake.</dc:description>', "We bake."),
        ('<dc:description>&lt;p&gt;We &lt;i&gt;bake&lt;/i&gt;.&lt;/p&gt;</dc:description>', "We bake."),
        ('<dc:description>Note.</dc:description><dcterms:abstract>We bake.</dcterms:abstract>', "We bake."),
    ],
)  # fmt: skip
def test_the_abstract_is_found_among_descriptions(descriptions, abstract):
    names = 'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"'
    record = only_record(f"<dc {names}><dc:title>Bread</dc:title><dc:title>Pain</dc:title>{descriptions}</dc>")
    assert (record.abstract, record.title, record.error) == (abstract, "Bread", None)


def test_a_deleted_record_is_an_error_in_its_place():
    first, deleted, last = read(oai(oai_record(PAPERS[0]) + DELETED + oai_record(PAPERS[1])))
    assert (first.error, last.error) == (None, None)
    assert (deleted.id, deleted.position, deleted.abstract) == ("2505.09999", "record 2", "")
    assert "deleted" in deleted.error


def test_one_record_is_read_from_get_record():
    record = only_record(oai(oai_record(PAPERS[0]), verb="GetRecord"))
    assert (record.id, record.abstract) == (PAPERS[0].id, PAPERS[0].abstract)


@pytest.mark.parametrize("prefix", METADATA)
@pytest.mark.parametrize(
    "around", ["<records>{}</records>", "<ListRecords>{}</ListRecords>", "{}", "<x><OAI-PMH>{}</OAI-PMH></x>"]
)
@pytest.mark.parametrize("with_header", [True, False])
def test_bare_records_are_read_with_any_root_or_none(prefix, around, with_header):
    if with_header:
        document = around.format("\n".join(oai_record(paper, prefix) for paper in PAPERS))
    else:
        document = around.format("\n".join(METADATA[prefix](paper) for paper in PAPERS))
    records = read(document)
    assert [(r.id, r.title, r.abstract) for r in records] == [(p.id, p.title, p.abstract) for p in PAPERS]


def test_a_record_of_plain_elements_is_read():
    record = only_record(
        "<records><record><id>7</id><title>Bread</title><abstract>We bake.</abstract></record></records>"
    )
    assert (record.id, record.title, record.abstract) == ("7", "Bread", "We bake.")


def test_a_repository_that_answers_with_an_error_is_an_error():
    document = (
        '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><error code="noRecordsMatch">None.</error></OAI-PMH>'
    )
    record = only_record(document)
    assert "noRecordsMatch: None." in record.error
    assert record.id == "in.xml:1"


def test_an_api_that_answers_with_an_error_is_an_error():
    record = only_record(API_ERROR)
    assert "incorrect id format for 2505" in record.error
    assert record.id == "in.xml:1"


def test_a_paper_titled_error_is_a_paper():
    record = only_record(api_feed([Paper("2505.01234", "Error", ABSTRACT)]))
    assert (record.title, record.error) == ("Error", None)


@pytest.mark.parametrize(
    "document", [oai_record(PAPERS[0]), api_feed(PAPERS[:1]), rss_list(PAPERS[:1]).replace("\n", "\r\n")]
)
def test_documents_joined_into_one_file_are_all_read(document):
    records = read(document + "\n" + document + "\ufeff" + document + "\n\n")
    assert [(record.id, record.error) for record in records] == [(PAPERS[0].id, None)] * 3
    assert records[2].position.endswith(" 3")


def test_joined_documents_are_read_across_the_chunks_of_the_stream():
    document = oai_list() + "<!-- " + "x" * 70_000 + " -->"
    assert [record.id for record in read(document * 40)] == [paper.id for paper in PAPERS] * 40


def test_what_follows_a_document_and_is_none_is_an_error_of_one_more_record():
    *records, last = read(api_feed() + "\nRate exceeded.\n")
    assert [record.error for record in records] == [None] * len(PAPERS)
    lines = api_feed().count("\n")
    assert f"line {lines + 2}, column 1: not well-formed XML" in last.error


@pytest.mark.parametrize("tail", ["<html><body/></html>", '<!DOCTYPE a [<!ENTITY b "c">]><a/>', "<mods/>"])
def test_another_document_after_one_that_was_read_is_an_error_of_one_more_record(tail):
    *records, last = read(api_feed() + tail)
    assert len(records) == len(PAPERS)
    assert last.error
    assert last.position == f"record {len(PAPERS) + 1}"


ENTRIES = [
    ("<title>Bread</title><summary>We bake.</summary>", "Bread", "We bake."),
    ("<title type='html'>Salt &amp;amp; bread</title><summary>a</summary>", "Salt & bread", "a"),
    ("<title>T</title><summary type='html'>&lt;p&gt;We&amp;nbsp;bake.&lt;/p&gt;</summary>", "T", "We bake."),
    ("<title>T</title><summary><![CDATA[If a < b & c, we bake.]]></summary>", "T", "If a < b & c, we bake."),
    ("<title>T</title><summary>Slow<!-- or not --> ovens &#38; &#x3b1;<?x y?>.</summary>", "T", "Slow ovens & α."),
    (
        "<title>T</title><summary type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'><p>H<sub>2</sub>O</p><p>boils.</p>"
        "</div></summary>",
        "T",
        "H2O boils.",
    ),
    ("<title>T</title><content>Long text.</content><summary>Abstract.</summary>", "T", "Abstract."),
    ("<title>T</title><content>Long text.</content>", "T", "Long text."),
    ("<title>  </title><summary/>", None, ""),
    ("<summary>We\t\n  bake.\r\n  </summary>", None, "We bake."),
]  # fmt: skip


@pytest.mark.parametrize(("entry", "title", "abstract"), ENTRIES)
def test_the_text_of_an_atom_entry_is_plain(entry, title, abstract):
    record = only_record(atom(entry))
    assert (record.title, record.abstract, record.error) == (title, abstract, None)


@pytest.mark.parametrize(
    ("description", "abstract"),
    [
        ("&lt;p&gt;We bake.&lt;/p&gt;&lt;p&gt;Salt &amp;amp; water.&lt;/p&gt;", "We bake. Salt & water."),
        ("<![CDATA[<p>We <b>bake</b>.<br/>Twice.</p>]]>", "We bake. Twice."),
        ("If a &lt; b and c &gt; d, we bake.", "If a < b and c > d, we bake."),
        ("$a&lt;p&lt;b$ is &lt;em&gt;so&lt;/em&gt;", "$a<p<b$ is <em>so</em>"),
    ],
)
def test_html_in_a_description_goes_and_inequalities_stay(description, abstract):
    assert only_record(rss(f"<description>{description}</description>")).abstract == abstract


def test_an_item_of_another_publisher_keeps_its_id():
    guid = "<description>a</description><guid>tag:ovens.example,2025:7</guid><link>https://ovens.example/7</link>"
    assert only_record(rss(guid)).id == "tag:ovens.example,2025:7"
    assert only_record(rss(guid.replace("guid", "x"))).id == "https://ovens.example/7"
    assert only_record(rss("<description>a</description>")).id == "in.xml:1"


def test_a_record_without_an_abstract_is_an_error_with_its_id_and_title():
    bad, good = read(
        atom("<id>http://arxiv.org/abs/2505.00001v1</id><title>Bread</title></entry><entry><summary>a</summary>")
    )
    assert (bad.id, bad.title, good.abstract) == ("2505.00001", "Bread", "a")
    assert "'abstract'" in bad.error


def test_named_fields_are_used():
    record = read(oai_list(), abstract="comments", id="doi", title="report-no")[0]
    assert (record.abstract, record.id, record.title) == ("12 pages", "10.5555/oven.1", "OVEN-25-1")
    with pytest.raises(InputError, match=r"in\.xml: no field 'body'"):
        read(oai_list(), abstract="body")


@pytest.mark.parametrize(
    ("text", "id_"),
    [
        ("http://arxiv.org/abs/2505.01234v1", "2505.01234"),
        ("https://arxiv.org/abs/2505.01234", "2505.01234"),
        ("https://export.arxiv.org/pdf/2505.01234v12.pdf", "2505.01234"),
        ("oai:arXiv.org:math.GT/0309136", "math.GT/0309136"),
        ("http://arxiv.org/abs/cond-mat/9901001v3", "cond-mat/9901001"),
        ("arXiv:0704.0001", "0704.0001"),
        ("0704.0001v2", "0704.0001"),
        ("https://ovens.example/abs/2505.01234v1", "https://ovens.example/abs/2505.01234v1"),
        ("oai:ovens.example:2505.01234", "oai:ovens.example:2505.01234"),
        ("10.5555/oven.1", "10.5555/oven.1"),
        ("", ""),
    ],
)
def test_an_arxiv_id_is_shown_without_prefix_and_version(text, id_):
    assert short_id(text) == id_


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1", "windows-1252"])
def test_the_declared_encoding_is_used(kind, encoding):
    document = KINDS[kind](PAPERS)
    name = encoding.removesuffix("-sig")
    document = re.sub(r"encoding=(['\"])UTF-8\1", f'encoding="{name}"', document)
    assert name in document.splitlines()[0]
    records = read(document.encode(encoding))
    assert [(record.title, record.error) for record in records] == [(paper.title, None) for paper in PAPERS]


def test_blank_lines_before_the_declaration_do_no_harm():
    assert len(read("\n \r\n" + api_feed())) == len(PAPERS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_document_that_breaks_off_gives_the_records_before_and_says_where(kind):
    document = KINDS[kind](PAPERS).encode()
    whole = read(document)
    end_of = [match.end() for match in re.finditer(rb"</(?:entry|item|record)>", document)]
    root_begins = re.search(rb"<(?:feed|rss|rdf:RDF|OAI-PMH)\b[^>]*>", document).end()
    for cut in range(200, len(document) - 1, 200):
        if cut < root_begins:
            with pytest.raises(InputError, match="is not XML"):
                read(document[:cut])
            continue
        *before, last = read(document[:cut])
        expected = sum(end <= cut for end in end_of)
        assert before == whole[:expected]
        assert f"breaks off at line {document[:cut].count(NEWLINE) + 1}," in last.error
        assert last.position == f"record {expected + 1}"


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        (("</summary>", "</sumary>"), "mismatched tag"),
        (("&amp;", "&"), "not well-formed"),
        (("&amp;", "&nbsp;"), "undefined entity"),
        (("ovens", "ov\x01ns"), "not well-formed"),
        (("<title>Bread", '<title a="1" a="2">Bread'), "duplicate attribute"),
        (("<title>Bread", "<q:title>Bread"), "unbound prefix"),
    ],
)
def test_what_is_not_well_formed_is_one_error_that_says_where(damage, complaint):
    document = api_feed([PAPERS[3], PAPERS[0], PAPERS[1]])
    place = document.index("<title>Bread")
    document = document[:place] + document[place:].replace(*damage, 1)
    good, bad = read(document)
    assert good.id == PAPERS[3].id
    assert complaint in bad.error
    assert re.match(r"line \d+, column \d+: ", bad.error)
    assert "\n" not in bad.error
    assert (bad.id, bad.position) == ("in.xml:2", "record 2")


def test_bytes_that_are_not_in_the_declared_encoding_are_an_error_that_says_where():
    document = api_feed().encode().replace("für".encode(), b"f\xfcr")
    records = read(document)
    assert [record.error is None for record in records] == [True, True, False]
    assert "line" in records[2].error


BOMB = '<!DOCTYPE feed [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>' + atom("<summary>&b;</summary>")
EXTERNAL = '<!DOCTYPE feed [<!ENTITY a SYSTEM "file:///etc/hostname">]>' + atom("<summary>&a;</summary>")
PARAMETER = '<!DOCTYPE feed [<!ENTITY % a SYSTEM "http://127.0.0.1:9/a.dtd"> %a;]>' + atom("<summary>b</summary>")
UNPARSED = '<!DOCTYPE feed [<!NOTATION n SYSTEM "n"><!ENTITY a SYSTEM "b" NDATA n>]>' + atom("<summary>b</summary>")


@pytest.mark.parametrize("document", [BOMB, EXTERNAL, PARAMETER, UNPARSED])
def test_entities_that_a_document_declares_are_refused(document):
    with pytest.raises(InputError, match=r"^dir/in\.xml: declares the entity 'a'.*DOCTYPE[^\n]*$"):
        read(document)


def test_a_document_type_by_itself_is_not_fetched_and_does_no_harm():
    document = '<!DOCTYPE rss PUBLIC "-//X//DTD RSS//EN" "http://127.0.0.1:9/rss.dtd">' + rss(
        "<description>a</description>"
    )
    assert only_record(document).abstract == "a"


@pytest.mark.parametrize(
    ("document", "kind"),
    [
        ("<html><head><title>Rate exceeded</title></head></html>", "an HTML page"),
        ("<!DOCTYPE html><HTML><body/></HTML>", "an HTML page"),
        ("<PubmedArticleSet><PubmedArticle/></PubmedArticleSet>", "<PubmedArticleSet>"),
        ("<modsCollection xmlns='http://www.loc.gov/mods/v3'>text</modsCollection>", "<modsCollection>"),
        (f"<{'a' * 500}/>", f"<{'a' * 40}>"),
    ],
)
def test_xml_of_another_kind_is_refused_with_what_is_read(document, kind):
    with pytest.raises(InputError, match=rf"^dir/in\.xml: is .*{kind}; give an Atom or RSS feed, or OAI-PMH records"):
        read(document)


@pytest.mark.parametrize(
    "document", ["Rate exceeded.", "{}", "<", "<feed", "\0\0", "<?xml version='1.0' encoding='utf-16'?><feed/>"]
)
def test_what_is_not_xml_is_refused(document):
    with pytest.raises(InputError, match=r"^dir/in\.xml: is not XML \(.*line 1, column \d+.*--from$"):
        read(document)


@pytest.mark.parametrize("encoding", ["no-such-encoding", "gb2312"])
def test_an_encoding_that_is_not_read_is_refused(encoding):
    with pytest.raises(InputError, match=r"convert it to UTF-8"):
        read(f"<?xml version='1.0' encoding='{encoding}'?>" + atom("<summary>a</summary>"))


@pytest.mark.parametrize("document", ["", " \n", rss_list([]), oai(""), "<feed/>"])
def test_a_document_without_records_gives_none(document):
    assert read(document) == []


def test_elements_nested_very_deep_do_not_exhaust_the_stack():
    deep = "<summary>We " + "<i>" * 50_000 + "bake" + "</i>" * 50_000 + ".</summary>"
    assert [record.abstract for record in read(atom(deep + "</entry><entry><summary>b</summary>"))] == ["We bake.", "b"]


def test_a_very_long_abstract_is_read():
    text = "We bake. " * 400_000
    assert only_record(atom(f"<summary>{text}</summary>")).abstract == text.strip()


class Endless(io.RawIOBase):
    """An OAI-PMH answer of a given number of records, made while it is read."""

    def __init__(self, records: int) -> None:
        self._parts = iter(["<ListRecords>", *[""] * records, "</ListRecords>"])
        self._record = oai_record(PAPERS[0])
        self._rest = b""

    def read(self, size: int = -1) -> bytes:
        while len(self._rest) < size and (part := next(self._parts, None)) is not None:
            self._rest += (part or self._record).encode()
        data, self._rest = self._rest[:size], self._rest[size:]
        return data


def test_memory_does_not_grow_with_the_number_of_records():
    import tracemalloc

    def peak(records: int) -> int:
        tracemalloc.start()
        assert sum(1 for _ in xml.read(Endless(records), "in.xml", Fields())) == records
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return peak

    peak(10)
    assert peak(1200) < 1.3 * peak(300)


def test_without_defusedxml_one_line_says_what_to_install(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "defusedxml", None)
    monkeypatch.delitem(sys.modules, "defusedxml.ElementTree", raising=False)
    with pytest.raises(
        MissingExtraError, match=r"^reading XML needs defusedxml, .*pip install 'area-tagger\[formats\]'$"
    ):
        read(api_feed())


_text = st.text(
    st.one_of(
        st.sampled_from("ab <>&'\"\n\t;p/"),
        st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff"),
    ),
    max_size=60,
)


@given(st.lists(st.tuples(_text, _text), min_size=1, max_size=5), st.sampled_from(["utf-8", "utf-16"]))
def test_any_text_comes_out_of_a_feed_as_it_went_in(texts, encoding):
    entries = "</entry><entry>".join(
        f"<title>{escape(title)}</title><summary>{escape(abstract)}</summary>" for title, abstract in texts
    )
    records = read(("<?xml version='1.0'?>" + atom(entries)).encode(encoding))
    assert len(records) == len(texts)
    for record, (title, abstract) in zip(records, texts):
        if "<p" not in abstract.lower():
            assert record.abstract == " ".join(abstract.split())
        if "<p" not in title.lower():
            assert (record.title or "") == " ".join(title.split())
        assert record.error is None


@given(st.binary(max_size=300))
def test_any_bytes_give_records_or_one_line(data):
    for document in (data, b"<feed><entry><summary>a</summary>" + data):
        problems = []
        try:
            problems = [record.error or "" for record in read(document)]
        except TaggerError as error:
            problems = [str(error)]
        assert not any("\n" in problem for problem in problems)
