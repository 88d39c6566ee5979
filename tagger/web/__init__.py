"""What the pages share: style sheets and scripts without a build step, and how they go into a page that is strict.

A page may link to the files or hold them. Held in a page they are allowed by their hashes, so that its policy forbids
every other script and style. Text from outside reaches a page as JSON in an element that is no script.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from importlib import resources
from typing import Any

STYLES = ("colours.css", "theme.css", "collection.css")
"""Style sheets of a page with a collection, in the order in which they go in."""
SCRIPTS = (
    "dom.js",
    "evidence.js",
    "rows.js",
    "controls.js",
    "cells.js",
    "detail.js",
    "keys.js",
    "paper.js",
    "collection.js",
)
"""Scripts of a page with a collection, in the order in which they go in."""

_TELLING = re.compile("[<>&\u2028\u2029]")
"""What could end the element."""
_HALF = re.compile("[\ud800-\udfff]")
"""Half a character, which no file can hold; two halves would become one, and places after it would be off by one."""


def asset(name: str) -> str:
    """The text of a file of this package."""
    return resources.files(__name__).joinpath(name).read_text(encoding="utf-8")


def style_element(css: str) -> str:
    """`css` as a ``style`` element.

    Raises
    ------
    ValueError
        If it would end the element.
    """
    if "</" in css or "<!" in css:
        raise ValueError("the style sheet has a tag in it")
    return f"<style>{css}</style>\n"


def script_element(script: str) -> str:
    """`script` as a ``script`` element.

    Raises
    ------
    ValueError
        If it would end the element.
    """
    if re.search(r"</script|<script|<!--", script, re.IGNORECASE):
        raise ValueError("the script has a tag in it")
    return f"<script>{script}</script>\n"


def data_element(id_: str, data: Any) -> str:
    """`data` as JSON in an element that scripts read and browsers do not run; `id_` is one of our own.

    Half a surrogate pair becomes U+FFFD.
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    safe = _TELLING.sub(lambda match: f"\\u{ord(match[0]):04x}", _HALF.sub("\ufffd", text))
    return f'<script type="application/json" id="{id_}">{safe}</script>\n'


def policy(styles: tuple[str, ...], scripts: tuple[str, ...]) -> str:
    """The Content-Security-Policy of a page that holds these style sheets and scripts, and needs nothing else."""
    allowed = [" ".join(f"'{_digest(text)}'" for text in texts) or "'none'" for texts in (styles, scripts)]
    return f"default-src 'none'; style-src {allowed[0]}; script-src {allowed[1]}; base-uri 'none'; form-action 'none'"


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
