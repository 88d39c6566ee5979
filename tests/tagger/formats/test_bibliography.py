"""What a record says about its paper, whichever format its fields came from."""

from __future__ import annotations

import pytest
from bibliographies import read, text_of
from hypothesis import given
from hypothesis import strategies as st
from strategies import texts

from tagger import Record
from tagger.formats.bibliography import Bibliography, bibliography

ATOM = {
    "id": "http://arxiv.org/abs/2301.00001v2",
    "title": "On Schr\\\"odinger's\n  bread",
    "authors": ["Ada Baker", 'Uwe L\\"owe'],
    "published": "2023-01-02T00:00:00Z",
    "updated": "2024-05-17T00:00:00Z",
    "categories": ["cs.LG", "stat.ML"],
    "doi": "10.5555/a.b",
    "journal_ref": "Proc. OVEN 2023",
    "comment": "12 pages",
    "link": "http://arxiv.org/abs/2301.00001v2",
}
SNAPSHOT = {
    "id": "hep-ph/0301001",
    "submitter": "Ada Baker",
    "authors": 'A. Baker, U. L\\"owe and B. Li',
    "title": "Bread",
    "journal-ref": None,
    "doi": None,
    "categories": "hep-ph cs.LG",
    "abstract": "We bake.",
    "versions": [{"version": "v1", "created": "Mon, 2 Apr 2007 19:18:42 GMT"}, {"version": "v2", "created": "x"}],
    "update_date": "2009-11-13",
}
NOTE = {
    "id": "aB3",
    "forum": "aB3",
    "authors": ["Ada Baker", "Bo Li"],
    "venue": "ICLR 2025 Poster",
    "keywords": ["bread", "ovens"],
    "cdate": 1_715_904_000_000,
    "number": 1234,
}
DUBLIN_CORE = {
    "creator": ["Baker, Ada", "Li, Bo"],
    "date": ["2023-01-02", "2024-05-17"],
    "subject": ["Computer Science - Machine Learning"],
    "identifier": ["http://arxiv.org/abs/2301.00001", "doi:10.5555/a.b"],
    "type": "text",
}
CSL = {
    "type": "paper-conference",
    "author": [{"family": "Baker", "given": "Ada"}],
    "issued": {"date-parts": [["2024", 5]]},
    "container-title": "Proceedings of OVEN",
    "DOI": "https://doi.org/10.5555/A.b",
    "URL": "https://example.org/x",
    "keyword": "bread, ovens",
    "page": "1–10",
    "volume": "3",
    "issue": 4,
    "publisher": "Loaf",
}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (
            ATOM,
            Bibliography(
                "On Schrödinger's bread",
                ("Ada Baker", "Uwe Löwe"),
                "2023-01-02",
                "Proc. OVEN 2023",
                "10.5555/a.b",
                "http://arxiv.org/abs/2301.00001v2",
                "2301.00001",
                ("cs.LG", "stat.ML"),
                "inproceedings",
            ),
        ),
        (
            SNAPSHOT,
            Bibliography(
                "Bread",
                ("A. Baker", "U. Löwe", "B. Li"),
                "2007-04-02",
                url="https://arxiv.org/abs/hep-ph/0301001",
                arxiv_id="hep-ph/0301001",
                keywords=("hep-ph", "cs.LG"),
            ),
        ),
        (
            NOTE,
            Bibliography(
                authors=("Ada Baker", "Bo Li"),
                date="2024-05-17",
                venue="ICLR 2025 Poster",
                url="https://openreview.net/forum?id=aB3",
                keywords=("bread", "ovens"),
                kind="inproceedings",
            ),
        ),
        (
            DUBLIN_CORE,
            Bibliography(
                authors=("Baker, Ada", "Li, Bo"),
                date="2023-01-02",
                doi="10.5555/a.b",
                url="http://arxiv.org/abs/2301.00001",
                arxiv_id="2301.00001",
                keywords=("Computer Science - Machine Learning",),
            ),
        ),
        (
            CSL,
            Bibliography(
                authors=("Baker, Ada",),
                date="2024-05",
                venue="Proceedings of OVEN",
                doi="10.5555/A.b",
                url="https://example.org/x",
                keywords=("bread", "ovens"),
                kind="inproceedings",
                volume="3",
                number="4",
                pages="1-10",
                publisher="Loaf",
            ),
        ),
        (
            {"Title": "Bread", "Author(s)": "", "Authors": "Ada Baker; Bo Li", "Year": 2024, "Journal": "J. Bread"},
            Bibliography("Bread", ("Ada Baker", "Bo Li"), "2024", "J. Bread", kind="article"),
        ),
        (
            {"year": "2024", "month": "5", "day": "7", "externalIds": {"ArXiv": "2301.00001", "DOI": "10.5555/x"}},
            Bibliography(
                date="2024-05-07", doi="10.5555/x", url="https://arxiv.org/abs/2301.00001", arxiv_id="2301.00001"
            ),
        ),
        ({}, Bibliography()),
    ],
)
def test_fields_of_any_format_are_understood(fields, expected):
    title = fields.get("title") or fields.get("Title")
    assert bibliography(Record("x", "We bake.", title, fields=fields)) == expected


@pytest.mark.parametrize(
    ("name", "number", "expected"),
    [
        (
            "zotero.bib",
            0,
            Bibliography(
                "Warm ovens, cold dough: Learning to bake with {few loaves",
                ("Bakker, Åsa", "van der Oven, Jan", "The Loaf Collaboration"),
                "2024-05",
                "Journal of Warm Things",
                "10.5555/ovens_12",
                "https://example.org/ovens?id=1&x=2_3",
                "2405.01234",
                ("Computer Science - Machine Learning", "dough"),
                "article",
                "12",
                "3",
            ),
        ),
        (
            "scholar.bib",
            1,
            Bibliography(
                "Slow fermentation of $k$-means clusters",
                ("Dough, Noám", "Müller, Jörg", "Øre, Bjørn"),
                "2021",
                "arXiv preprint arXiv:2101.00002",
                url="https://arxiv.org/abs/2101.00002",
                arxiv_id="2101.00002",
                kind="article",
            ),
        ),
        (
            "acl.bib",
            0,
            Bibliography(
                "Crumbs of BERT: What “Bread” Models Know",
                ("Baker, Ada", "López, Bo"),
                "2023-07",
                "Proceedings of the 61st Annual Meeting of the Association for Computational Baking"
                " (Volume 1: Long Papers)",
                "10.5555/v1/2023.acl-long.1",
                "https://example.org/2023.acl-long.1",
                kind="inproceedings",
                pages="1-15",
                publisher="Association for Computational Baking",
            ),
        ),
        (
            "mendeley.bib",
            0,
            Bibliography(
                "Burning questions",
                ("Baker, Ada", "Löwe, Uwe"),
                "2019-01",
                "Loaf",
                "10.5555/x_1",
                "http://arxiv.org/abs/1901.00005",
                "1901.00005",
                ("burning", "cake"),
                "article",
            ),
        ),
        (
            "biblatex.bib",
            0,
            Bibliography(
                "Streams of Dough",
                ("Baker, Ada", "Løwe, Uwe"),
                "2022-03-04",
                "River",
                url="https://arxiv.org/abs/2203.00011",
                arxiv_id="2203.00011",
                kind="article",
            ),
        ),
        (
            "endnote.ris",
            0,
            Bibliography(
                "Neural ovens",
                ("Baker, Ada", "Loewe, U."),
                "2021-05",
                "Loaf",
                "10.5555/loaf.1",
                keywords=("deep baking", "flour", "neural ovens"),
                kind="article",
                volume="3",
            ),
        ),
        (
            "webofscience.ris",
            0,
            Bibliography(
                "Ovens that explain themselves",
                ("Baker, A", "Lowe, U"),
                "2022-03",
                "Explainable Bread",
                kind="article",
                volume="7",
                pages="100-110",
            ),
        ),
        (
            "zotero.ris",
            1,
            Bibliography(
                "Preprint",
                ("Baker, Ada",),
                "2025-01-02",
                url="http://arxiv.org/abs/2501.00042",
                arxiv_id="2501.00042",
                publisher="arXiv",
            ),
        ),
    ],
)
def test_files_of_known_producers_are_understood(name, number, expected):
    records = read("bibtex" if name.endswith(".bib") else "ris", text_of(name))
    assert bibliography(records[number]) == expected


@pytest.mark.parametrize(
    ("fields", "arxiv_id"),
    [
        ({"id": "2301.00001v12"}, "2301.00001"),
        ({"arxiv_id": "arXiv:2301.00001"}, "2301.00001"),
        ({"id": "oai:arXiv.org:2301.00001"}, "2301.00001"),
        ({"url": "https://arxiv.org/pdf/math.GT/0309136v1.pdf"}, "math.GT/0309136"),
        ({"doi": "10.48550/arXiv.2301.00001"}, "2301.00001"),
        ({"number": "arXiv:2301.00001"}, "2301.00001"),
        ({"number": "2301.00001"}, ""),
        ({"id": "12345.678"}, ""),
        ({"id": "p2301.00001x"}, ""),
        ({}, ""),
    ],
)
def test_arxiv_ids_are_found_where_they_are_meant(fields, arxiv_id):
    assert bibliography(Record("x", fields=fields)).arxiv_id == arxiv_id


def test_the_id_of_the_record_can_be_an_arxiv_id():
    assert bibliography(Record("2301.00001")).arxiv_id == "2301.00001"


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"ENTRYTYPE": "phdthesis"}, "thesis"),
        ({"ENTRYTYPE": "article"}, "article"),
        ({"TY": "CPAPER"}, "inproceedings"),
        ({"TY": "GEN"}, "misc"),
        ({"type": "article"}, "misc"),
        ({"type": "article", "container-title": "J. Bread"}, "article"),
        ({"Item Type": "bookSection"}, "chapter"),
        ({"venue": "NeurIPS"}, "inproceedings"),
        ({"journal": {"name": "J. Bread", "volume": "3"}}, "article"),
    ],
)
def test_the_kind_is_what_the_format_says_or_the_venue_suggests(fields, kind):
    assert bibliography(Record("x", fields=fields)).kind == kind


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["name", "value", "family"]), inner),
    max_leaves=4,
)
names = [
    "id",
    "author",
    "date",
    "year",
    "month",
    "doi",
    "url",
    "type",
    "keywords",
    "categories",
    "ENTRYTYPE",
    "TY",
    "KW",
]


@given(st.dictionaries(st.sampled_from(names) | texts, values, max_size=6))
def test_fields_of_any_content_can_be_asked(fields):
    paper = bibliography(Record("x", "We bake.", "Bread", fields=fields))
    assert paper.title == "Bread"
    assert all(isinstance(name, str) and name for name in paper.authors)


def test_values_nested_deep_are_no_trouble():
    value: list = []
    for _ in range(900):
        value = [value]
    fields = dict.fromkeys(["author", "date", "doi", "url", "keywords", "journal", "type"], value)
    assert bibliography(Record("x", fields=fields)) == Bibliography()
