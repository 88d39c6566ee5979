"""One browser for all tests of this directory."""

from __future__ import annotations

import browser as browsers
import pytest


@pytest.fixture(scope="module")  # not longer: while it is open, nothing else can run an event loop in this thread
def browser():
    """Chromium."""
    with browsers.launched() as launched:
        yield launched
