"""A client of the server, with the small model and an empty file of corrections."""

from __future__ import annotations

import pytest
import server


@pytest.fixture
def client(tagger_, tmp_path):
    with server.client(tagger_, tmp_path / "corrections.sqlite") as one:
        yield one
