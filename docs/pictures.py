"""Make the pictures of the documentation from the real thing; needs Playwright, Chromium and Pillow.

Run ``python docs/pictures.py`` in a checkout.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image

REPOSITORY = Path(__file__).resolve().parents[1]
DOCS = REPOSITORY / "docs"
EXAMPLES = REPOSITORY / "data" / "examples"
REPORT, SERVE = (1100, 1000), (1280, 932)


def main() -> None:
    """Make all pictures."""
    sys.path[:0] = [str(REPOSITORY / "tests" / "support"), str(REPOSITORY / "benchmarks")]
    import browser as browsers

    with browsers.launched() as browser:
        with browsers.page_of(browser, REPORT) as page:
            report(page)
        with browsers.page_of(browser, SERVE) as page:
            serve(page)


def report(page: Any) -> None:
    """The report of the labelled examples."""
    with tempfile.TemporaryDirectory() as directory:
        written = Path(directory) / "report.html"
        command = ["report", EXAMPLES / "labelled.jsonl", "-o", written, "--title", "Areas in labelled.jsonl"]
        subprocess.run([sys.executable, "-m", "tagger.cli", *map(str, command)], check=True)
        page.goto(written.as_uri())
        keep(page, "report.png")


def serve(page: Any) -> None:
    """The page of `tagger serve` with the first abstract of the examples."""
    from load import abstracts, server

    with server() as (url, _):
        page.goto(url)
        page.wait_for_selector("#areas span")
        page.fill("#text", abstracts()[0])
        page.wait_for_selector("#one mark")
        page.evaluate("document.activeElement.blur()")
        page.evaluate("document.querySelector('#text').scrollTop = 0")
        keep(page, "serve.png")


def keep(page: Any, name: str) -> None:
    """Write what a page shows, in few colours."""
    with tempfile.TemporaryDirectory() as directory:
        picture = Path(directory) / name
        page.screenshot(path=picture)
        with Image.open(picture) as image:
            few = image.convert("RGB").quantize(256, Image.Quantize.MEDIANCUT, kmeans=2, dither=Image.Dither.NONE)
            few.save(DOCS / name, optimize=True)


if __name__ == "__main__":
    main()
