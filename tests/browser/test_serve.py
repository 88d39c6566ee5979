"""The page of `tagger serve` in a browser."""

from __future__ import annotations

import contextlib
import csv
import json
import re
from pathlib import Path

import browser as browsers
import pytest
import server
from abstracts import ASTRONOMY, COOKING, small_abstracts
from browser import DESKTOP, PHONE
from hostile import PAYLOADS, hostile_text

STARS = " ".join((ASTRONOMY[0], ASTRONOMY[2], ASTRONOMY[3]))
BREAD = " ".join((COOKING[0], COOKING[3], COOKING[5]))
N = 2000


@pytest.fixture(scope="module")
def url(saved_model, tmp_path_factory):
    """The address of a server with the small model."""
    database = tmp_path_factory.mktemp("serve") / "corrections.sqlite"
    with server.running("--model", saved_model, database=database) as (address, _):
        yield address


@pytest.fixture
def page(browser, url):
    """The page, which has done nothing wrong when the test ends."""
    with browsers.page_of(browser, accept_downloads=True) as one:
        one.goto(url)
        one.wait_for_selector("#areas span")
        yield one
        assert one.seen.errors == []
        assert [address for address in one.seen.requests if not address.startswith((url, "blob:"))] == []


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A file of 2,000 records, every hundredth of which has no abstract."""
    texts, _ = small_abstracts(N, seed=7)
    rows = [{"id": f"p{k}", "abstract": f"{text} Paper {k}."} for k, text in enumerate(texts)]
    for row in rows[99::100]:
        del row["abstract"]
    path = tmp_path_factory.mktemp("files") / "many.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def choose(page, path):
    page.set_input_files("#file", path)


def lines(download):
    return [json.loads(line) for line in Path(download.value.path()).read_text().splitlines()]


def wait(page, condition):
    """Wait until a condition holds; a function, since the page's policy forbids the text of one."""
    page.wait_for_function(f"() => {condition}")


def status(page):
    return page.inner_text(".collection .status")


def test_tags_and_evidence_come_as_one_types(page):
    page.focus("#text")
    page.keyboard.insert_text(STARS[:60])
    page.wait_for_selector("#one .tag")
    page.keyboard.insert_text(STARS[60:])
    page.wait_for_function("text => document.querySelector('#one .abstract')?.textContent === text", arg=STARS)
    assert page.get_attribute(".tag >> nth=0", "class") == "tag area-0 tagged"
    assert page.locator("#one mark").count() > 0
    assert page.input_value("#text") == STARS
    wait(page, "document.querySelector('#said').textContent.startsWith('astronomy ')")
    page.fill("#text", "")
    page.wait_for_selector("#one", state="hidden")


def test_an_answer_that_comes_late_is_dropped(page):
    held = []
    page.route("**/api/paste", lambda route: held.append(route) if not held else route.continue_())
    page.fill("#text", STARS)
    page.wait_for_timeout(300)
    page.fill("#text", BREAD)
    page.wait_for_selector("#one .abstract")
    assert held
    page.unroute_all(behavior="ignoreErrors")
    with contextlib.suppress(Exception):  # the page has given it up already
        held[0].continue_()
    page.wait_for_timeout(200)
    assert page.inner_text("#one .abstract") == BREAD
    page.seen.errors.clear()  # a request that was given up may be told as failed


def test_a_pasted_list_is_a_table_with_evidence_in_its_rows(page):
    page.fill("#text", f"{STARS}\n\n{BREAD}\n\nA short line")
    page.wait_for_selector("tr.row")
    assert page.locator("tr.row").count() == 2
    page.click("tr.row >> nth=1")
    page.wait_for_selector("tr.detail mark")
    assert page.inner_text("tr.detail .abstract") == BREAD
    page.keyboard.press("Escape")
    page.wait_for_selector("tr.detail", state="detached")


def test_a_file_is_tagged_filtered_and_downloaded(page, many, tmp_path):
    choose(page, many)
    page.wait_for_selector("text=Download 2,000 abstracts")
    assert status(page).startswith("2,000 abstracts")
    assert page.inner_text("#many h2") == "many.jsonl \u00b7 20 could not be tagged"
    wait(page, "document.querySelector('#said').textContent.includes('2,000 abstracts tagged, 20 errors')")
    page.click("thead button >> text=astronomy")
    values = [float(text.split()[0]) for text in page.locator("td.cell-area.area-0 .value").all_inner_texts()[:50]]
    assert values == sorted(values, reverse=True)
    page.click("text=Clear >> visible=true")
    page.fill("input[type=search]", '"paper 7."')
    wait(page, "document.querySelectorAll('tr.row').length === 1")
    assert page.inner_text("tr.row .cell-id") == "p7"
    page.fill("input[type=search]", "")
    page.select_option(".control-line.areas select >> nth=1", "tagged")
    wait(page, "/^[\\d,]+ of 2,000/.test(document.querySelector('.collection .status').textContent)")
    selected = int(status(page).split()[0].replace(",", ""))
    assert 0 < selected < N
    with page.expect_download() as download:
        page.click(".downloads button")
    assert download.value.suggested_filename == "many-tagged.csv"
    with open(download.value.path(), newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == selected
    assert all("cooking" in row["areas"] for row in rows)


def test_a_file_that_is_stopped_shows_and_downloads_what_had_come_and_says_that_it_is_not_all(page, tmp_path):
    path = tmp_path / "long.jsonl"
    n = 60_000
    path.write_text("".join(json.dumps({"id": f"p{k}", "abstract": f"{STARS} {k}"}) + "\n" for k in range(n)))
    choose(page, path)
    page.wait_for_selector("tr.row")
    page.click("text=Stop")
    page.wait_for_selector(".downloads button")
    assert page.inner_text("#many h2") == "long.jsonl \u00b7 stopped, the rest is not tagged"
    had = int(status(page).split()[0].replace(",", ""))
    assert 0 < had < n
    page.select_option(".downloads select", "jsonl")
    with page.expect_download() as download:
        page.click(".downloads button")
    assert [row["id"] for row in lines(download)] == [f"p{k}" for k in range(had)]


def test_the_evidence_says_how_it_adds_up(page):
    page.fill("#text", STARS)
    page.wait_for_selector("#one .sides .sum")
    line = page.inner_text("#one .sides .sum >> nth=0").replace("\u2212", "-")
    total, *parts = map(float, re.findall(r"[+-]\d+\.\d\d", line))
    assert line.startswith(f"Log-odds {total:+.2f} = bias ")
    assert sum(parts) == pytest.approx(total, abs=0.005 * (len(parts) + 1))


def test_a_file_that_is_dropped_is_tagged(page):
    page.evaluate(
        """text => {
          const data = new DataTransfer();
          data.items.add(new File([text], "dropped.txt"));
          const fire = (name) => document.body.dispatchEvent(new DragEvent(name, { dataTransfer: data, bubbles: true,
            cancelable: true }));
          fire("dragenter");
          globalThis.shown = !document.querySelector("#drop").hidden;
          fire("dragover");
          fire("drop");
        }""",
        f"{STARS}\n\n{BREAD}",
    )
    page.wait_for_selector("text=Download 2 abstracts")
    assert page.evaluate("shown") is True
    assert page.is_hidden("#drop")
    assert page.inner_text("#many h2") == "dropped.txt"


def test_a_tag_is_corrected_and_undone_by_keyboard_alone(page):
    abstract = f"{STARS} By keyboard."
    page.fill("#text", abstract)
    page.wait_for_selector("#one .tag")
    page.focus('#one [data-say="1-2"]')
    page.keyboard.press("Enter")
    page.wait_for_selector("#one .undo")
    assert page.evaluate("document.activeElement.dataset.say") == "1-2"
    assert page.get_attribute('#one [data-say="1-2"]', "aria-pressed") == "true"
    assert "correction" in page.inner_text("#kept")
    wait(page, "document.querySelector('#said').textContent === 'cooking: central, kept.'")
    page.reload()
    page.wait_for_selector("#areas span")
    page.fill("#text", abstract)
    page.wait_for_selector("#one .undo")
    page.keyboard.press("Tab")
    page.focus("#one .undo")
    page.keyboard.press("Enter")
    page.wait_for_selector("#one .undo", state="detached")
    assert page.get_attribute('#one [data-say="1-0"]', "aria-pressed") == "true"


def test_corrections_in_a_table_are_downloaded_and_found_again_after_a_restart(browser, saved_model, tmp_path):
    options = {"database": tmp_path / "corrections.sqlite"}
    with browsers.page_of(browser, accept_downloads=True) as page:
        with server.running("--model", saved_model, **options) as (url, process):
            page.goto(url)
            page.fill("#text", f"{STARS}\n\n{BREAD}")
            page.click("tr.row >> nth=0")
            page.click('tr.detail [data-say="1-2"]')
            page.wait_for_selector("tr.detail .correction >> text=undo")
            page.select_option(".downloads select", "jsonl")
            with page.expect_download() as download:
                page.click(".downloads button")
            rows = lines(download)
            assert [row["areas"] for row in rows] == [["astronomy", "cooking"], ["cooking"]]
            with page.expect_download() as export:
                page.click("text=Export")
            (line,) = lines(export)
            assert (line["abstract"], line["cooking"]) == (STARS, 2)
            process.terminate()
            assert process.wait(10) == 0
            page.fill("#text", BREAD)
            page.wait_for_selector("#problem:has-text('The server does not answer')")
        with server.running("--model", saved_model, **options) as (url, _):
            page.goto(url)
            page.wait_for_selector("text=1 correction")
            page.fill("#text", STARS)
            page.wait_for_selector("#one .undo")
            assert page.get_attribute('#one [data-say="1-2"]', "class") == "said"


def test_what_went_wrong_is_said_in_the_page_and_goes_away(page, tmp_path):
    picture = tmp_path / "picture.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n")
    choose(page, picture)
    page.wait_for_selector("#problem:has-text('picture.png: unknown format (a picture)')")
    assert server.is_sentence(page.inner_text("#problem"))
    assert page.is_hidden(".downloads")
    page.click("text=Type or paste instead")
    assert page.inner_text("#problem") == ""
    page.fill("#text", '{"abstract": 12}')
    page.wait_for_selector("#one .error-text")
    assert page.inner_text("#one .error-text") == "Expected 'abstract' to be a string, got a number."
    page.fill("#text", STARS)
    page.wait_for_selector("#one .tag")
    page.seen.errors.clear()  # the browser tells of the answer 422


def test_hostile_abstracts_make_no_element_and_run_nothing(page, tmp_path):
    path = tmp_path / "hostile.jsonl"
    rows = [{"id": payload, "title": payload, "abstract": hostile_text(payload)} for payload in PAYLOADS.values()]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    allowed = page.evaluate("document.querySelectorAll('script, link, style, img, svg, iframe, object, base').length")
    choose(page, path)
    page.wait_for_selector(f"text=Download {len(rows)} abstracts")
    for _ in range(-(-len(rows) // 50)):
        for button in page.locator(".row-button").all():
            button.click()
        wait(
            page,
            "document.querySelectorAll('tr.detail').length === document.querySelectorAll('.detail .toggles').length",
        )
        found = page.evaluate(
            """() => [document.querySelectorAll('script, link, style, img, svg, iframe, object, base').length,
              document.querySelectorAll('main a, main form, main video, main math, main meta').length,
              [...document.querySelectorAll('main *')].flatMap((one) => one.getAttributeNames())
                .filter((name) => name.startsWith('on')).length]"""
        )
        assert found == [allowed, 0, 0]
        page.click(".pager button >> text=Next") if page.is_enabled(".pager button >> text=Next") else None
    page.click("text=Type or paste instead")
    for payload in list(PAYLOADS.values())[::6]:
        page.fill("#text", hostile_text(payload))
        page.wait_for_selector("#one mark")
    assert page.evaluate("document.querySelectorAll('main a, main img, main script, main svg').length") == 0


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_page_is_accessible_and_fits(browser, url, size, dark):
    with browsers.page_of(browser, size, dark) as page:

        def check():
            assert browsers.axe_violations(page) == []
            assert page.evaluate("document.documentElement.scrollWidth") <= size[0]

        page.goto(url)
        page.wait_for_selector("#areas span")
        check()
        page.click("text=Try an example")
        page.wait_for_selector("#one .tag")
        check()
        page.fill("#text", f"{STARS}\n\n{BREAD}")
        page.click("tr.row >> nth=0")
        page.wait_for_selector("tr.detail mark")
        check()
        assert page.seen.errors == []
