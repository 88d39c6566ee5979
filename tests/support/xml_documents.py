"""XML as arXiv and others publish it, about papers that nobody wrote."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from abstracts import long_abstract


@dataclass(frozen=True)
class Paper:
    """What each kind of document says of a paper."""

    id: str
    title: str
    abstract: str
    authors: tuple[str, ...] = ("Ada Baker", "Bo Cook")
    categories: tuple[str, ...] = ("cs.LG", "stat.ML")


PAPERS = (
    Paper("2505.01234", "Bread & butter: how ovens learn", long_abstract(0)),
    Paper(
        "hep-th/9901001",
        "On comets whose orbits are longer than the survey that found them, and on dust",
        long_abstract(1),
    ),
    Paper("2505.01236", "Soup für alle", "If $a < b$ & $c > d$, soup is clear <em>at once</em>. " + long_abstract(2)),
    Paper("0704.0001", "A quartic bound", long_abstract(3), ("Zoë van der Star, Jr", "Ng")),
)
"""Papers with old and new ids, a title that wraps, entities, inequalities and letters outside ASCII."""


BLANK = " "
"""Which arXiv leaves at the end of a line."""


def _wrapped(text: str) -> str:
    """`text` as arXiv wraps it: lines after the first are indented by two blanks."""
    return "\n  ".join(textwrap.wrap(text, 75, break_long_words=False, break_on_hyphens=False)) or text


def api_feed(papers: Sequence[Paper] = PAPERS) -> str:
    """An Atom feed as the query API answers."""
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <link href="http://arxiv.org/api/query?search_query%3Dall%3Abread" rel="self" type="application/atom+xml"/>
  <title type="html">ArXiv Query: search_query=all:bread&amp;id_list=&amp;start=0&amp;max_results=10</title>
  <id>http://arxiv.org/api/cHxbiOdZaP56ODnBPIenZhzg5f8</id>
  <updated>2025-05-06T00:00:00-04:00</updated>
  <opensearch:totalResults xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">4</opensearch:totalResults>
  <opensearch:startIndex xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">0</opensearch:startIndex>
  <opensearch:itemsPerPage xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">10</opensearch:itemsPerPage>
{"".join(map(_api_entry, papers))}</feed>
"""


def _api_entry(paper: Paper) -> str:
    authors = "".join(
        f"""    <author>
      <name>{escape(name)}</name>
      <arxiv:affiliation xmlns:arxiv="http://arxiv.org/schemas/atom">Oven Institute</arxiv:affiliation>
    </author>
"""
        for name in paper.authors
    )
    categories = "".join(
        f'    <category term="{name}" scheme="http://arxiv.org/schemas/atom"/>\n' for name in paper.categories
    )
    return f"""  <entry>
    <id>http://arxiv.org/abs/{paper.id}v2</id>
    <updated>2025-05-05T17:59:59Z</updated>
    <published>2025-05-02T09:12:44Z</published>
    <title>{escape(_wrapped(paper.title))}</title>
    <summary>  {escape(_wrapped(paper.abstract))}
</summary>
{authors}    <arxiv:doi xmlns:arxiv="http://arxiv.org/schemas/atom">10.5555/oven.{len(paper.title)}</arxiv:doi>
    <link title="doi" href="http://dx.doi.org/10.5555/oven.{len(paper.title)}" rel="related"/>
    <arxiv:comment xmlns:arxiv="http://arxiv.org/schemas/atom">12 pages, 3 figures;
  a longer version is in print</arxiv:comment>
    <arxiv:journal_ref xmlns:arxiv="http://arxiv.org/schemas/atom">J. Ovens 3 (2025) 1-12</arxiv:journal_ref>
    <link href="http://arxiv.org/abs/{paper.id}v2" rel="alternate" type="text/html"/>
    <link title="pdf" href="http://arxiv.org/pdf/{paper.id}v2" rel="related" type="application/pdf"/>
    <arxiv:primary_category xmlns:arxiv="http://arxiv.org/schemas/atom" term="{paper.categories[0]}" scheme="http://arxiv.org/schemas/atom"/>
{categories}  </entry>
"""


API_ERROR = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>http://arxiv.org/api/sWUBRFMHBNMTUGlyXbVWJvVOJsg</id>
  <opensearch:totalResults xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">1</opensearch:totalResults>
  <entry>
    <id>http://arxiv.org/api/errors#incorrect_id_format_for_2505</id>
    <title>Error</title>
    <summary>incorrect id format for 2505</summary>
    <updated>2025-05-06T00:00:00-04:00</updated>
    <link href="http://arxiv.org/api/errors#incorrect_id_format_for_2505" rel="alternate" type="text/html"/>
    <author><name>arXiv api core</name></author>
  </entry>
</feed>
"""


def rss_list(papers: Sequence[Paper] = PAPERS) -> str:
    """A daily list in RSS 2.0."""
    items = "".join(
        f"""    <item>
      <title>{escape(paper.title)}</title>
      <link>https://arxiv.org/abs/{paper.id}</link>
      <description>arXiv:{paper.id}v1 Announce Type: new{BLANK}
Abstract: {escape(paper.abstract)}</description>
      <guid isPermaLink="false">oai:arXiv.org:{paper.id}v1</guid>
{"".join(f"      <category>{name}</category>{chr(10)}" for name in paper.categories)}\
      <pubDate>Tue, 06 May 2025 00:00:00 -0400</pubDate>
      <arxiv:announce_type>new</arxiv:announce_type>
      <dc:rights>http://creativecommons.org/licenses/by/4.0/</dc:rights>
      <arxiv:DOI>10.5555/oven.1</arxiv:DOI>
      <arxiv:journal_reference>J. Ovens 3 (2025) 1-12</arxiv:journal_reference>
      <dc:creator>Ada Baker, Bo Cook (Oven Institute, Oslo) and Cy Dough</dc:creator>
    </item>
"""
        for paper in papers
    )
    return f"""<?xml version='1.0' encoding='UTF-8'?>
<rss xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns:dc="http://purl.org/dc/elements/1.1/" \
xmlns:atom="http://www.w3.org/2005/Atom" xmlns:content="http://purl.org/rss/1.0/modules/content/" version="2.0">
  <channel>
    <title>cs.LG updates on arXiv.org</title>
    <link>http://rss.arxiv.org/rss/cs.LG</link>
    <description>cs.LG updates on the arXiv.org e-print archive.</description>
    <atom:link href="http://rss.arxiv.org/rss/cs.LG" rel="self" type="application/rss+xml"/>
    <skipDays>
      <day>Saturday</day>
      <day>Sunday</day>
    </skipDays>
{items}  </channel>
</rss>
"""


def atom_list(papers: Sequence[Paper] = PAPERS) -> str:
    """A daily list in Atom."""
    entries = "".join(
        f"""  <entry>
    <id>oai:arXiv.org:{paper.id}v1</id>
    <title>{escape(paper.title)}</title>
    <updated>2025-05-06T04:00:05.000000+00:00</updated>
    <link href="https://arxiv.org/abs/{paper.id}" rel="alternate" type="text/html"/>
    <summary>arXiv:{paper.id}v1 Announce Type: replace-cross{BLANK}
Abstract: {escape(paper.abstract)}</summary>
{"".join(f"    <category term={chr(34)}{name}{chr(34)}/>{chr(10)}" for name in paper.categories)}\
    <published>2025-05-06T00:00:00-04:00</published>
    <arxiv:announce_type>replace-cross</arxiv:announce_type>
    <dc:rights>http://arxiv.org/licenses/nonexclusive-distrib/1.0/</dc:rights>
    <dc:creator>Ada Baker, Bo Cook</dc:creator>
  </entry>
"""
        for paper in papers
    )
    return f"""<?xml version='1.0' encoding='UTF-8'?>
<feed xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns:dc="http://purl.org/dc/elements/1.1/" \
xmlns="http://www.w3.org/2005/Atom" xml:lang="en-us">
  <id>http://rss.arxiv.org/atom/cs.LG</id>
  <title>cs.LG updates on arXiv.org</title>
  <updated>2025-05-06T04:00:05.000000+00:00</updated>
  <link href="http://rss.arxiv.org/atom/cs.LG" rel="self" type="application/atom+xml"/>
  <subtitle>cs.LG updates on the arXiv.org e-print archive.</subtitle>
{entries}</feed>
"""


def old_rss_list(papers: Sequence[Paper] = PAPERS) -> str:
    """A daily list in RSS 1.0, as they were until 2024: HTML in descriptions and links in creators."""
    items = "".join(
        f"""<item rdf:about="http://arxiv.org/abs/{paper.id}">
<title>{escape(paper.title)}. (arXiv:{paper.id}v3 [{paper.categories[0]}] UPDATED)</title>
<link>http://arxiv.org/abs/{paper.id}</link>
<description rdf:parseType="Literal">&lt;p&gt;{escape(escape(paper.abstract, quote=False), quote=False)}
&lt;/p&gt;
</description>
<dc:creator> &lt;a href="http://arxiv.org/a/baker_a_1"&gt;Ada Baker&lt;/a&gt;, \
&lt;a href="http://arxiv.org/a/cook_b_1"&gt;Bo Cook&lt;/a&gt;</dc:creator>
</item>
"""
        for paper in papers
    )
    sequence = "".join(f'<rdf:li rdf:resource="http://arxiv.org/abs/{paper.id}"/>\n' for paper in papers)
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<rdf:RDF
 xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns="http://purl.org/rss/1.0/"
 xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel rdf:about="http://export.arxiv.org/rss/cs.LG">
<title>cs.LG updates on arXiv.org</title>
<items><rdf:Seq>
{sequence}</rdf:Seq></items>
</channel>
<image rdf:about="http://arxiv.org/icons/sfx.gif"><title>arXiv.org</title></image>
{items}</rdf:RDF>
"""


def _arxiv(paper: Paper) -> str:
    authors = "".join(
        f"<author><keyname>{escape(keyname)}</keyname><forenames>{escape(forenames)}</forenames></author>"
        for forenames, _, keyname in (name.partition(" ") for name in paper.authors)
    )
    return f""" <arXiv xmlns="http://arxiv.org/OAI/arXiv/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
xsi:schemaLocation="http://arxiv.org/OAI/arXiv/ http://arxiv.org/OAI/arXiv.xsd">
 <id>{paper.id}</id><created>2025-05-02</created><updated>2025-05-05</updated><authors>{authors}</authors>\
<title>{escape(_wrapped(paper.title))}</title><categories>{" ".join(paper.categories)}</categories>\
<comments>12 pages</comments><report-no>OVEN-25-1</report-no><journal-ref>J. Ovens 3 (2025) 1-12</journal-ref>\
<doi>10.5555/oven.1</doi><license>http://arxiv.org/licenses/nonexclusive-distrib/1.0/</license>\
<abstract>  {escape(_wrapped(paper.abstract))}
</abstract></arXiv>"""


def _arxiv_raw(paper: Paper) -> str:
    return f""" <arXivRaw xmlns="http://arxiv.org/OAI/arXivRaw/">
 <id>{paper.id}</id><submitter>Ada Baker</submitter>\
<version version="v1"><date>Fri, 2 May 2025 09:12:44 GMT</date><size>120kb</size><source_type>D</source_type></version>\
<version version="v2"><date>Mon, 5 May 2025 17:59:59 GMT</date><size>130kb</size></version>\
<title>{escape(_wrapped(paper.title))}</title><authors>Ada Baker and Bo Cook</authors>\
<categories>{" ".join(paper.categories)}</categories><comments>12 pages</comments>\
<license>http://arxiv.org/licenses/nonexclusive-distrib/1.0/</license>\
<abstract>  {escape(_wrapped(paper.abstract))}
</abstract></arXivRaw>"""


def _dublin_core(paper: Paper) -> str:
    return f""" <oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" \
xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
 <dc:title>{escape(_wrapped(paper.title))}</dc:title>
 <dc:creator>Baker, Ada</dc:creator>
 <dc:creator>Cook, Bo</dc:creator>
 <dc:subject>Computer Science - Machine Learning</dc:subject>
 <dc:description>  {escape(_wrapped(paper.abstract))}
</dc:description>
 <dc:description>Comment: 12 pages</dc:description>
 <dc:date>2025-05-02</dc:date>
 <dc:date>2025-05-05</dc:date>
 <dc:type>text</dc:type>
 <dc:identifier>http://arxiv.org/abs/{paper.id}</dc:identifier>
 <dc:identifier>doi:10.5555/oven.1</dc:identifier>
 </oai_dc:dc>"""


METADATA: dict[str, Callable[[Paper], str]] = {"arXiv": _arxiv, "arXivRaw": _arxiv_raw, "oai_dc": _dublin_core}
"""The metadata of a paper in each of arXiv's formats for OAI-PMH."""


def oai_record(paper: Paper, prefix: str = "arXiv") -> str:
    """A record of OAI-PMH."""
    return f"""<record>
<header>
 <identifier>oai:arXiv.org:{paper.id}</identifier>
 <datestamp>2025-05-06</datestamp>
 <setSpec>cs</setSpec>
</header>
<metadata>
{METADATA[prefix](paper)}
</metadata>
</record>
"""


DELETED = """<record>
<header status="deleted">
 <identifier>oai:arXiv.org:2505.09999</identifier>
 <datestamp>2025-05-06</datestamp>
</header>
</record>
"""


def oai(records: str, verb: str = "ListRecords", token: str = "") -> str:
    """An answer of an OAI-PMH repository with `records` in it."""
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/ http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd">
<responseDate>2025-05-06T07:00:00Z</responseDate>
<request verb="{verb}" metadataPrefix="arXiv" from="2025-05-06">http://export.arxiv.org/oai2</request>
<{verb}>
{records}{token}</{verb}>
</OAI-PMH>
"""


def oai_list(papers: Sequence[Paper] = PAPERS, prefix: str = "arXiv") -> str:
    """An answer to ListRecords that has more to come."""
    token = '<resumptionToken cursor="0" completeListSize="9000">6511260|1001</resumptionToken>\n'
    return oai("".join(oai_record(paper, prefix) for paper in papers), token=token)


KINDS: dict[str, Callable[[Sequence[Paper]], str]] = {
    "api feed": api_feed,
    "RSS list": rss_list,
    "Atom list": atom_list,
    "RSS list until 2024": old_rss_list,
    "arXiv": oai_list,
    "arXivRaw": lambda papers: oai_list(papers, "arXivRaw"),
    "oai_dc": lambda papers: oai_list(papers, "oai_dc"),
}
"""A document about papers, by what it is."""
