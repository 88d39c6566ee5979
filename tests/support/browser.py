"""A browser for tests: Chromium, launched once, and pages that tell what went wrong in them.

Without a browser these tests are skipped, except in CI, where they fail.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
PHONE, DESKTOP = (390, 844), (1280, 900)


def path_of_browser() -> str:
    """The Chromium to use: what CHROMIUM names, or the one of the system; skips or fails if there is none."""
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        path = None
    if path:
        return path
    reason = "the browser tests need the package playwright and Chromium (or its path in CHROMIUM)"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@contextmanager
def launched() -> Iterator[Any]:
    """A browser of Playwright."""
    path = path_of_browser()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"])
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Seen:
    """What a page did besides being shown."""

    errors: list[str] = field(default_factory=list)
    """Exceptions, messages of level error (a breach of the policy is one), and dialogs."""
    requests: list[str] = field(default_factory=list)
    """Addresses that it asked for, its own among them."""


@contextmanager
def page_of(browser: Any, size: tuple[int, int] = DESKTOP, dark: bool = False, **options: Any) -> Iterator[Any]:
    """A fresh page; `page.seen` tells what it did."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme="dark" if dark else "light", **options
    )
    try:
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.seen = watched(page)
        yield page
    finally:
        context.close()


def watched(page: Any) -> Seen:
    """Collect what `page` does from now on."""
    seen = Seen()

    def dismiss(dialog: Any) -> None:
        seen.errors.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    page.on("console", lambda message: seen.errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: seen.errors.append(str(error)))
    page.on("dialog", dismiss)
    page.on("request", lambda request: seen.requests.append(request.url))
    return seen


def axe_violations(page: Any) -> list[str]:
    """What axe holds against the page, in a line each."""
    from axe_playwright_python.sync_playwright import Axe

    # The page's own policy forbids the script that axe is; it is let in as a tool of the browser, not of the page.
    violations = Axe().run(page).response["violations"]
    return [f"{one['id']}: {node['html'][:200]}" for one in violations for node in one["nodes"]]
