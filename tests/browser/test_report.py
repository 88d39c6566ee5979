"""The page of a report in a browser: 5,000 abstracts, keys only, light and dark, narrow and wide, printed, hostile."""

from __future__ import annotations

from dataclasses import replace

import pytest
from browser import DESKTOP, PHONE, axe_violations, page_of
from hostile import PAYLOADS
from invented import AREAS, invented

from tagger import load
from tagger.evidence.phrases import Phrase
from tagger.records import Record, Tagged
from tagger.report.dates import date_of
from tagger.report.explaining import AreaPhrases, TypicalPhrase
from tagger.report.gathering import gather
from tagger.report.page import Report, page

N = 5000
FILTER = """async (filters) => {
  const start = performance.now();
  tagger.report.show(filters);
  document.body.offsetHeight;
  return performance.now() - start;
}"""


def write(path, tagged, areas=AREAS):
    """A page of these records; the evidence of each is its first word, twice."""
    gathered = gather(iter(tagged), areas, date_of, N)
    evidence = {}
    for one in gathered.kept:
        record, tags = one.tagged.record, one.tagged.tags
        if not tags.error and len(record.abstract) > 20:
            start = len(record.title) + 1 if record.title else 0
            phrases = (Phrase("", ((start, start + 5), (start + 8, start + 12)), 1.2), Phrase("", ((0, 3),), -0.3))
            evidence[one.number] = [AreaPhrases(areas.index(area), 2.0, -1.0, phrases) for area in tags.areas]
    typical = [[TypicalPhrase("tree search", 12, 3.0), TypicalPhrase("latency", 3, 1.0)] for _ in areas]
    report = Report("Areas in a list", "2026-01-02", "0.1", "areas", load().model, gathered, evidence, typical)
    path.write_text("".join(page(report)), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="session")
def large(tmp_path_factory):
    return write(tmp_path_factory.mktemp("report") / "large.html", invented(N))


@pytest.fixture(scope="session")
def small(tmp_path_factory):
    return write(tmp_path_factory.mktemp("report") / "small.html", invented(20))


@pytest.fixture
def opened(browser, large):
    """The page of 5,000 abstracts on a desk; whatever happens to it, it must stay silent and within itself."""
    with page_of(browser) as shown:
        shown.goto(large)
        yield shown
        assert shown.seen.errors == []
        assert shown.seen.requests == [large]


def status(shown):
    return shown.locator(".status").inner_text()


def ids(shown):
    return [text.strip() for text in shown.locator("tbody .cell-id").all_inner_texts()]


def test_5000_abstracts_open_and_filter_in_a_moment(opened):
    assert status(opened) == "5,000 abstracts, 1 to 50 shown"
    opened.evaluate("tagger.report.data.all.forEach((item) => tagger.report.data.prepare(item))")
    for filters in (
        {"query": "proof kernel"},
        {"query": '"tree search" naive', "areas": {"theory": "not", "efficiency": "unsure"}},
        {"areas": {"reasoning": "tagged", "theory": "tagged"}},
        {"sort": "title"},
        {"sort": 2, "state": "unsure"},
        {},
    ):
        # What a machine shared with others needs at best is what the page needs.
        assert min(opened.evaluate(FILTER, filters) for _ in range(4)) < 100, filters


def test_the_search_finds_words_phrases_accents_titles_and_ids(opened):
    search = opened.get_by_label("Search titles, abstracts and ids")
    search.fill("list:77 ")
    assert ids(opened)[0] == "list:77"
    tagged = invented(N)
    text = [f"{one.record.id} {one.record.title or ''} {one.record.abstract}".lower() for one in tagged]
    for query, wanted in (
        ("proof  SPEECH", lambda t: "proof" in t and "speech" in t),
        ('"naive latency bandits"', lambda t: "naïve latency bandits" in t),
        ("zebra", lambda t: False),
    ):
        search.fill(query)
        n = sum(map(wanted, text))
        assert status(opened).startswith(f"{n:,} of 5,000" if n else "None of 5,000")
    opened.keyboard.press("Escape")
    assert status(opened).startswith("5,000 abstracts")


@pytest.mark.parametrize(
    ("kind", "holds"),
    [
        ("tagged", lambda tags: "theory" in tags.areas),
        ("not", lambda tags: not tags.error and "theory" not in tags.areas),
        ("unsure", lambda tags: "theory" in tags.unsure),
        ("central", lambda tags: "theory" in tags.central),
    ],
)
def test_a_filter_leaves_what_it_says(opened, kind, holds):
    n = sum(holds(one.tags) for one in invented(N))
    opened.get_by_label("theory", exact=True).select_option(kind)
    assert status(opened).startswith(f"{n:,} of 5,000 abstracts")
    assert f"({n:,})" in opened.get_by_label("theory", exact=True).locator(f'option[value="{kind}"]').inner_text()


def test_errors_and_abstracts_without_area_can_be_shown(opened):
    tagged = [one.tags for one in invented(N)]
    for state, n in (("error", 50), ("none", sum(not t.areas and not t.error for t in tagged)), ("marked", 100)):
        opened.get_by_label("Show", exact=True).select_option(state)
        assert status(opened).startswith(f"{n:,} of 5,000 abstracts")
    opened.get_by_role("button", name="Clear").click()
    assert status(opened).startswith("5,000 abstracts")


def test_columns_sort_both_ways(opened):
    tagged = [one for one in invented(N) if not one.tags.error]
    by_theory = sorted(tagged, key=lambda one: -one.tags.probabilities["theory"])
    head = opened.locator("table.rows thead")
    head.get_by_role("button", name="theory").click()
    assert ids(opened)[:5] == [one.record.id for one in by_theory[:5]]
    assert head.get_by_role("columnheader", name="theory").get_attribute("aria-sort") == "descending"
    head.get_by_role("button", name="theory").click()
    assert ids(opened)[0] not in {one.record.id for one in by_theory[:50]}
    head.get_by_role("button", name="id", exact=True).click()
    assert ids(opened)[:3] == ["list:1", "list:2", "list:3"]
    head.get_by_role("button", name="id", exact=True).click()
    assert ids(opened)[0] == "list:5000"
    opened.get_by_label("Sort by").select_option("doubt")
    thresholds = load().model.thresholds
    doubts = {o.record.id: min(abs(p - t) for p, t in zip(o.tags.probabilities.values(), thresholds)) for o in tagged}
    # The page has three decimals.
    assert max(doubts[id_] for id_ in ids(opened)) < sorted(doubts.values())[50] + 0.001


def test_everything_can_be_done_with_keys(opened):
    keys = opened.keyboard
    keys.press("/")
    keys.type("proof")
    assert opened.locator(".status").inner_text().endswith("1 to 50 shown")
    keys.press("ArrowDown")
    keys.press("ArrowDown")
    keys.press("Enter")
    detail = opened.locator("tr.detail")
    detail.locator("mark").first.wait_for()
    assert opened.locator("tr.row").nth(1).get_attribute("class") == "row open"
    keys.press("Escape")
    assert detail.count() == 0
    keys.press("End")
    keys.press("ArrowDown")
    assert "51 to 100 shown" in status(opened)
    keys.press("ArrowUp")
    assert "1 to 50 shown" in status(opened)
    assert opened.evaluate("document.activeElement.closest('tr').rowIndex") == 50
    keys.press("PageDown")
    keys.press("PageDown")
    assert "101 to 150 shown" in status(opened)
    keys.press("Tab")
    keys.press("Shift+Tab")
    assert opened.evaluate("document.activeElement.className") == "plain row-button"


def test_a_row_opens_its_abstract_with_marked_evidence(opened):
    one = next(one for one in invented(N) if one.record.title and one.tags.areas)
    opened.get_by_label("Search titles, abstracts and ids").fill(f'"{one.record.title}"')
    opened.locator(".row-button").click()
    detail = opened.locator("tr.detail")
    assert detail.locator(".abstract-title").inner_text() == one.record.title
    assert detail.locator(".abstract").inner_text() == one.record.abstract
    assert detail.locator(".abstract mark").first.inner_text() == one.record.abstract[:5].strip()
    assert detail.locator(".side.for .number").first.inner_text() == "+1.20"
    assert one.record.position in detail.inner_text()
    for button in detail.locator(".toggle").all():
        button.click()
    assert detail.locator("mark").count() == 0


def test_figures_and_phrases_show_their_abstracts_in_the_table(opened):
    tagged = [one.tags for one in invented(N)]
    opened.locator(".figures button").nth(1).click()
    assert status(opened).startswith(f"{sum(bool(tags.areas) for tags in tagged):,} of 5,000")
    opened.locator("table.upset tbody button").first.click()
    n = sum(not tags.areas and not tags.error for tags in tagged)
    assert status(opened).startswith(f"{n:,} of 5,000")
    opened.locator(".phrases button").first.click()
    n = sum("tree search" in f"{o.record.title or ''}\n{o.record.abstract}".lower() for o in invented(N))
    assert status(opened).startswith(f"{n:,} of 5,000")
    example = opened.locator(".examples button").nth(7)
    words = example.inner_text()
    example.click()
    assert opened.evaluate("document.activeElement.textContent").startswith(words[:40])
    assert opened.locator("tr.detail").count() == 1


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_window(browser, small, size, dark):
    with page_of(browser, size, dark) as shown:
        shown.goto(small)
        shown.locator(".row-button").nth(1).click()
        shown.locator("summary").click()
        shown.locator("tr.detail mark").first.wait_for()
        # Colours of both schemes are tested for themselves, so axe looks at two of the four.
        if dark == (size == DESKTOP):
            assert axe_violations(shown) == []
        assert shown.evaluate("document.documentElement.scrollWidth") <= size[0]
        background = shown.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, background[4:-1].split(","))) < 150) == dark
        assert shown.seen.errors == []


def test_many_areas_have_room_and_no_violation(browser, tmp_path):
    areas = tuple(f"area number {k}" for k in range(12))
    tagged = invented(20, areas=areas)
    address = write_with_areas(tmp_path / "many.html", tagged, areas)
    for size in (PHONE, DESKTOP):
        with page_of(browser, size) as shown:
            shown.goto(address)
            shown.locator(".row-button").first.click()
            assert shown.evaluate("document.documentElement.scrollWidth") <= size[0]
            if size == PHONE:
                assert axe_violations(shown) == []
            shown.get_by_label("area number 11", exact=True).select_option("tagged")
            n = sum("area number 11" in one.tags.areas for one in tagged)
            assert status(shown).startswith(f"{n} of 20")


def write_with_areas(path, tagged, areas):
    model = load().model

    class Other:
        about, thresholds = model.about, model.thresholds[:1].repeat(len(areas))

    report = Report("Many", "now", "0", "m", Other(), gather(iter(tagged), areas, date_of, N), {}, [])
    path.write_text("".join(page(report)), encoding="utf-8")
    return path.as_uri()


def test_it_prints_with_its_text(browser, small, tmp_path):
    with page_of(browser, dark=True) as shown:
        shown.goto(small)
        printed = shown.pdf(path=tmp_path / "report.pdf")
        assert printed.startswith(b"%PDF")
        assert b"/Font" in printed
        assert 1 < printed.count(b"/Type /Page\n") < 12
        shown.emulate_media(media="print")
        assert not shown.locator(".controls").is_visible()
        assert shown.locator("tr.row").count() == 20
        assert shown.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_paper_has_every_abstract_that_passes_and_says_which_they_are(opened, tmp_path):
    n = sum("theory" in one.tags.unsure for one in invented(N))
    opened.get_by_label("theory", exact=True).select_option("unsure")
    opened.get_by_label("Sort by").select_option("title")
    opened.get_by_role("button", name="Next").click()
    opened.locator(".row-button").nth(2).click()
    shown, on_screen = ids(opened), status(opened)
    look = """addEventListener("beforeprint", () => {
      globalThis.printed = {
        ids: [...document.querySelectorAll("tbody .cell-id")].map((one) => one.textContent),
        status: document.querySelector(".status").textContent,
        head: document.querySelector("table.rows thead").textContent,
        buttons: document.querySelectorAll("table.rows thead button").length,
        details: document.querySelectorAll("tr.detail").length,
      };
    })"""
    opened.evaluate(look)
    opened.pdf(path=tmp_path / "report.pdf")
    printed = opened.evaluate("printed")
    assert len(set(printed["ids"])) == len(printed["ids"]) == n > 100
    assert printed["ids"][50:100] == shown
    assert printed["status"] == f"{n:,} of 5,000 abstracts: theory unsure; by title"
    assert "theory" in printed["head"]
    assert (printed["buttons"], printed["details"]) == (0, 1)  # a head with buttons is not repeated on each page
    assert (ids(opened), status(opened)) == (shown, on_screen)
    assert opened.locator("tr.detail").count() == 1
    opened.locator("table.rows thead").get_by_role("button", name="theory").click()
    assert "1 to 50 shown" in status(opened)


def test_hostile_abstracts_stay_text(browser, tmp_path):
    good = [one for one in invented(len(PAYLOADS) + 5) if not one.tags.error]
    tagged = [
        Tagged(Record(bad, bad, bad, source=bad, position=bad, fields={"date": bad}), replace(one.tags, marks=(bad,)))
        for bad, one in zip(PAYLOADS.values(), good)
    ]
    tagged.append(Tagged(Record("x", error=PAYLOADS["script"]), replace(tagged[0].tags, error=PAYLOADS["script"])))
    address = write(tmp_path / "hostile.html", tagged)
    with page_of(browser) as shown:
        shown.goto(address)
        names = "[...new Set([...document.querySelectorAll('body *')].map((one) => one.localName))].sort().join()"
        before = shown.evaluate(names)
        for button in shown.locator(".row-button").all():
            button.click(force=True)
        shown.wait_for_timeout(100)
        after = set(shown.evaluate(names).split(","))
        assert after - set(before.split(",")) <= {"mark", "ul", "li", "section", "h4"}
        assert not {"img", "iframe", "form", "base", "meta", "style", "math"} & after
        assert shown.locator("body script").count() == 2
        handlers = "[...document.querySelectorAll('*')].flatMap((one) => one.getAttributeNames())"
        assert not [name for name in shown.evaluate(handlers) if name.startswith("on")]
        assert shown.locator("tr.detail .abstract").first.inner_text() == PAYLOADS["script"]
        text = shown.evaluate("document.body.innerText")
        assert not set(text) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
        assert shown.seen.errors == []
        assert shown.seen.requests == [address]
