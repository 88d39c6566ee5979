"""Make the pictures of the documentation from the real thing; needs Playwright, Chromium and Pillow.

Run ``python docs/pictures.py`` in a checkout.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from shutil import which

from PIL import Image
from playwright.sync_api import sync_playwright

DOCS = Path(__file__).resolve().parent
EXAMPLES = DOCS.parent / "data" / "examples"
SIZE = {"width": 1100, "height": 1000}


def main() -> None:
    """Make all pictures."""
    with tempfile.TemporaryDirectory() as directory:
        page = Path(directory) / "report.html"
        command = ["report", EXAMPLES / "labelled.jsonl", "-o", page, "--title", "Areas in labelled.jsonl"]
        subprocess.run([sys.executable, "-m", "tagger.cli", *map(str, command)], check=True)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=which("chromium"), args=["--no-sandbox"])
            shown = browser.new_page(viewport=SIZE, color_scheme="light")
            shown.goto(page.as_uri())
            picture = Path(directory) / "report.png"
            shown.screenshot(path=picture)
            browser.close()
        Image.open(picture).convert("P", palette=Image.Palette.ADAPTIVE, colors=128).save(
            DOCS / "report.png", optimize=True
        )


if __name__ == "__main__":
    main()
