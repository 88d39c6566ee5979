"""The page of a report: one file that needs nothing, shows text as text, and says what it lacks."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace

import pytest
from hostile import PAYLOADS
from html_text import Reading
from invented import AREAS, invented

from tagger import web
from tagger.evidence.phrases import Phrase
from tagger.records import Record, Tagged
from tagger.report.dates import date_of
from tagger.report.explaining import AreaPhrases, TypicalPhrase
from tagger.report.gathering import gather
from tagger.report.page import Report, names_of, page
from tagger.report.plots import check_library, embedded


@pytest.fixture(scope="module")
def shipped():
    from tagger import load

    return load().model


def report_of(model, tagged, limit=1000, evidence=None, typical=()):
    gathered = gather(iter(tagged), AREAS, date_of, limit)
    return Report("A & B", "2026-01-02", "0.1", "areas", model, gathered, evidence or {}, typical)


def data_of(text):
    found = re.search(r'<script type="application/json" id="collection-data">(.*?)</script>', text, re.DOTALL)
    return json.loads(found[1])


def whole_characters(text):
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def test_the_page_is_well_formed_and_has_every_part(shipped):
    text = "".join(page(report_of(shipped, invented(200))))
    reading = Reading(text)
    assert reading.open == []
    assert reading.other == ["DOCTYPE html"]
    for id_ in ("areas", "overlap", "time", "examples", "abstracts"):
        assert f'<section id="{id_}"' in text
        assert f'<a href="#{id_}">' in text
    assert "A &amp; B" in text
    assert shipped.about["checksum"] in text
    assert "macro-F1" in text


def test_only_its_own_style_and_script_may_run_and_nothing_is_fetched(shipped):
    text = "".join(page(report_of(shipped, invented(60))))
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    reading = Reading(text)
    assert not {"link", "img", "iframe", "object", "form"} & set(reading.tags)
    assert not {"style", "src", "srcset", "onclick"} & reading.attributes
    assert not [value for value in reading.values if value.startswith(("http", "//", "data:", "javascript:"))]


def test_rows_are_those_of_the_collection(shipped):
    tagged = invented(120)
    data = data_of("".join(page(report_of(shipped, tagged))))
    assert data["areas"] == list(AREAS)
    assert len(data["rows"]) == 120
    for number, (row, one) in enumerate(zip(data["rows"], tagged)):
        assert row[:4] == [number, one.record.id, one.record.title or "", one.record.abstract]
        for bits, names in zip(row[4:7], (one.tags.areas, one.tags.central, one.tags.unsure)):
            assert tuple(area for k, area in enumerate(AREAS) if bits >> k & 1) == names
        assert row[7] == [round(1000 * p) for p in one.tags.probabilities.values()]
        assert row[9] == (one.tags.error or "")


def test_text_from_outside_stays_text_wherever_it_stands(shipped):
    payloads = list(PAYLOADS.values())
    tagged = [
        Tagged(replace(one.record, id=bad, title=bad, abstract=bad, source=bad, position=bad), one.tags)
        for bad, one in zip(payloads, invented(len(payloads)))
    ]
    typical = [[TypicalPhrase(bad, 1, 1.0) for bad in payloads]] * 4
    report = replace(report_of(shipped, tagged, typical=typical), title=payloads[0], model_name=payloads[1])
    plain = "".join(
        page(report_of(shipped, invented(len(payloads)), typical=[[TypicalPhrase("a", 1, 1.0)] * len(payloads)] * 4))
    )
    text = "".join(page(report))
    reading = Reading(text)
    assert sorted(set(reading.tags)) == sorted(set(Reading(plain).tags))
    assert reading.attributes == Reading(plain).attributes
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL))
    assert [row[3] for row in data_of(text)["rows"] if not row[9]] == [
        whole_characters(one.record.abstract) for one in tagged if not one.tags.error
    ]
    text.encode("utf-8")


def test_areas_of_a_users_own_are_text_too(shipped):
    areas = tuple(list(PAYLOADS.values())[:12])
    gathered = gather(iter(invented(80, areas=areas)), areas, date_of, 100)
    report = Report("t", "now", "0", "m", OtherAreas(shipped, 12), gathered, {}, ())
    reading = Reading("".join(page(report)))
    assert reading.open == []
    assert not {"img", "iframe", "base", "form"} & set(reading.tags)
    assert "onerror" not in reading.attributes


class OtherAreas:
    """A stand-in for a model of another number of areas."""

    def __init__(self, model, n):
        self.about = model.about
        self.thresholds = model.thresholds[:1].repeat(n)


def test_evidence_is_short_and_names_its_places(shipped):
    phrases = [Phrase("a", ((0, 1), (5, 9)), 1.5), *[Phrase("b", ((2, 4),), 0.3)] * 30, Phrase("c", ((7, 8),), -0.2)]
    report = report_of(shipped, invented(3), evidence={1: [AreaPhrases(2, 1.0, -1.0, tuple(phrases))]})
    ((area, found),) = data_of("".join(page(report)))["evidence"]["1"]
    assert area == 2
    assert found[0] == [150, 0, 1, 5, 4]
    assert found[-1] == [-20, 7, 1]
    assert len(found) == 17


def test_the_page_says_what_it_lacks(shipped):
    tagged = invented(90)
    whole = Reading("".join(page(report_of(shipped, tagged)))).text
    part = Reading("".join(page(report_of(shipped, tagged, limit=30)))).text
    some = Reading("".join(page(report_of(shipped, tagged, evidence={0: []})))).text
    assert "made without evidence" in whole
    assert "drawn at random" not in whole
    assert "30 of the 90 abstracts" in part
    assert "1 of them, drawn at random, have their evidence" in some


def test_a_collection_of_errors_has_a_page(shipped):
    bad = [one for one in invented(300) if one.tags.error]
    text = "".join(page(report_of(shipped, bad)))
    assert Reading(text).open == []
    assert "errors: not tagged" in text
    assert '<section id="overlap"' not in text


def test_abstracts_without_dates_have_no_plot(shipped):
    undated = [Tagged(replace(one.record, fields={}), one.tags) for one in invented(50)]
    assert '<section id="time"' not in "".join(page(report_of(shipped, undated)))


def test_plots_follow_the_schemes_colours_and_have_a_label(shipped):
    text = "".join(page(report_of(shipped, invented(300))))
    plots = re.findall(r"<figure.*?</figure>", text, re.DOTALL)
    assert len(plots) == 4
    for plot, area in zip(plots, AREAS):
        assert f'role="img" aria-label="Share of {area} by period: ' in plot
        assert "var(--area)" in plot
        assert not re.search(r'"#(?!m)[0-9a-f]{3,6}"', plot)
        assert set(re.findall(r'href="#([^"]*)"', plot)) <= set(re.findall(r' id="([^"]*)"', plot))
    ids = re.findall(r' id="([^"]*)"', text)
    assert len(ids) == len(set(ids))


def test_a_label_of_a_plot_stays_a_label():
    svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><text style="fill: #0a0a02">1</text></svg>'
    reading = Reading(embedded(svg, '"><script>alert(1)</script>'))
    assert reading.tags == ["svg", "text"]


def test_without_matplotlib_a_report_says_what_to_install(monkeypatch):
    import sys

    from tagger.errors import MissingExtraError

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'area-tagger\[report\]'"):
        check_library()


def test_data_in_a_page_is_no_markup_and_comes_back_as_it_was():
    value = {"x": [*map(whole_characters, PAYLOADS.values()), "</SCRIPT>", "<!--", 1.5, None]}
    element = web.data_element("d", value)
    assert element.count("<") == 2
    web.data_element("d", list(PAYLOADS.values())).encode("utf-8")
    assert data_of(element.replace('id="d"', 'id="collection-data"')) == value


def test_assets_that_would_end_their_element_are_refused():
    with pytest.raises(ValueError, match="tag"):
        web.script_element("x = '</script>'")
    with pytest.raises(ValueError, match="tag"):
        web.style_element("</style>")


def test_a_record_may_be_all_empty(shipped):
    tagged = [Tagged(Record(""), one.tags) for one in invented(3)]
    assert Reading("".join(page(report_of(shipped, tagged)))).open == []


@pytest.mark.parametrize(
    ("sources", "names"),
    [
        (["/home/me/lists/a.jsonl"], ["a.jsonl"]),
        (["C:\\lists\\a.csv", "C:\\lists\\old\\a.csv"], ["a.csv", "old/a.csv"]),
        (["/x/a/b.bib", "", "/x/ab/b.bib"], ["a/b.bib", "", "ab/b.bib"]),
        (["a.csv", "/x/a.csv"], ["a.csv", "/x/a.csv"]),
        ([""], [""]),
    ],
)
def test_files_are_named_without_the_directories_that_all_are_in(sources, names):
    assert names_of(sources) == names
