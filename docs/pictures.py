"""Make the picture of the page of `tagger serve` that the README shows, from the real page.

    python docs/pictures.py

Needs Chromium and the package playwright, as the tests of the page do.
"""

from __future__ import annotations

import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
TARGET = REPOSITORY / "docs" / "serve.png"
SIZE = (1280, 732)
ABSTRACT = 0
"""Which abstract of data/examples/papers.txt is shown."""


def main() -> None:
    """Take the picture."""
    sys.path[:0] = [str(REPOSITORY / "tests" / "support"), str(REPOSITORY / "benchmarks")]
    import browser as browsers
    from load import abstracts, server

    with server() as (url, _), browsers.launched() as browser, browsers.page_of(browser, SIZE) as page:
        page.goto(url)
        page.wait_for_selector("#areas span")
        page.fill("#text", abstracts()[ABSTRACT])
        page.wait_for_selector("#one mark")
        page.evaluate("document.activeElement.blur()")
        page.evaluate("document.querySelector('#text').scrollTop = 0")
        page.screenshot(path=TARGET)
    print(f"{TARGET.relative_to(REPOSITORY)}: {TARGET.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
