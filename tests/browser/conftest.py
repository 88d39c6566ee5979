"""One browser for all tests of this directory."""

from __future__ import annotations

import browser as browsers
import pytest


@pytest.fixture(scope="session")
def browser():
    """Chromium."""
    with browsers.launched() as launched:
        yield launched
