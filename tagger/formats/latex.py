"""LaTeX in bibliographies <-> plain text: accents, escapes, protecting braces; formulas stay as they are."""

from __future__ import annotations

import re
import unicodedata

_ACCENTS = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", "=": "\u0304", "u": "\u0306", ".": "\u0307",
    '"': "\u0308", "r": "\u030a", "H": "\u030b", "v": "\u030c", "d": "\u0323", "c": "\u0327", "k": "\u0328",
    "b": "\u0331",
}  # fmt: skip

_SYMBOLS = {
    "ss": "ß", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å", "AA": "Å",
    "i": "ı", "j": "ȷ", "dh": "ð", "DH": "Ð", "dj": "đ", "DJ": "Đ", "th": "þ", "TH": "Þ", "ng": "ŋ", "NG": "Ŋ",
    "S": "§", "P": "¶", "copyright": "©", "pounds": "£", "euro": "€", "dag": "†", "ddag": "‡", "ldots": "…",
    "dots": "…", "slash": "/", "LaTeX": "LaTeX", "TeX": "TeX", "BibTeX": "BibTeX", "newline": " ", "par": " ",
    "quad": " ", "qquad": " ", "guillemotleft": "«", "guillemotright": "»",
    "textbackslash": "\\", "textbraceleft": "{", "textbraceright": "}", "textasciitilde": "~",
    "textasciicircum": "^", "textunderscore": "_", "textbar": "|", "textless": "<", "textgreater": ">",
    "textdollar": "$", "textquotedbl": '"', "textquotesingle": "'", "textquoteleft": "‘", "textquoteright": "’",
    "textquotedblleft": "“", "textquotedblright": "”", "textendash": "–", "textemdash": "—", "textellipsis": "…",
    "textbullet": "•", "textperiodcentered": "·", "textregistered": "®", "texttrademark": "™", "textdegree": "°",
    "textmu": "µ", "textcent": "¢", "textsterling": "£", "textyen": "¥", "texteuro": "€", "textsection": "§",
    "textexclamdown": "¡", "textquestiondown": "¿", "textasciigrave": "`", "textminus": "−", "texttimes": "×",
    "textcopyright": "©", "textdagger": "†", "textdaggerdbl": "‡", "textparagraph": "¶", "textonehalf": "½",
    "textonequarter": "¼", "textthreequarters": "¾", "textonesuperior": "¹", "texttwosuperior": "²",
    "textthreesuperior": "³", "textordfeminine": "ª", "textordmasculine": "º", "textplusminus": "±", "textdiv": "÷",
}  # fmt: skip

_LOOKS = "emph textbf textit texttt textsc textsf textrm textup textmd textsl textnormal text underline uline mbox hbox"
_LOOKS += " ensuremath url nolinkurl textsuperscript textsubscript NoCaseChange MakeUppercase enquote"
_SWITCHES = "em bf it tt sc rm sf sl bfseries itshape ttfamily scshape rmfamily sffamily slshape upshape normalfont"

_REST_OF_FORMULA = r"\$[^$]+(?<!\\)\$\$|[^$]*(?<!\\)\$"

# It begins with a class of characters since the engine skips to those, ten times as fast as it tries alternatives.
_LATEX = re.compile(
    rf"""
    [\\$~{{}}`'-](?:
      (?<=\\)(?:
          (?P<accent>[`'^"~=.]|[cvHukrbd](?=\s*\{{|\s\\?[A-Za-z])\s?)
          (?:\s*\{{\s*\\?(?P<braced>[^\W\d_])\s*\}}|\\(?P<dotless>[ij])(?![A-Za-z])\s?|(?P<bare>[^\W\d_]))
        | (?P<symbol>{"|".join(sorted(_SYMBOLS, key=len, reverse=True))})(?![A-Za-z])(?:\{{\}}|\s+)?
        | (?P<escaped>[&%$\#_{{}}])
        | (?P<literal>[~^])\{{\}}
        | (?P<space>[,;:\s]|\\(?:\*?\[[^\[\]{{}}]*\])?)
        | (?P<nothing>(?:{"|".join(_LOOKS.split())})\s*(?=\{{)|(?:{"|".join(_SWITCHES.split())})(?![A-Za-z])\s*|[-!/@]
          |v?phantom\{{\\[{{}}]\}})  # Zotero gives each brace a partner that is not seen
        | (?P<formula>\((?:(?!\\[()]).)*+\\\)|\[(?:(?!\\[\[\]]).)*+\\\])
        | (?P<command>[A-Za-z]+\*?(?:\[[^\[\]{{}}]*\])?(?:\{{(?:[^{{}}]|\{{[^{{}}]*\}})*+\}})*)
      )
    | (?<=[{{}}])(?P<brace>)
    | (?<=\$)(?P<math>{_REST_OF_FORMULA})
    | (?<=\S~)(?=\S)(?P<tie>)
    | (?P<typed>(?<=-)--?|(?<=`)`|(?<=')')
    )
    """,
    re.VERBOSE | re.DOTALL,
)
_IS_LATEX = re.compile(r"[\\{}~]|--|``|''")

_TYPED = {"--": "–", "---": "—", "``": "“", "''": "”"}

_SPECIAL = re.compile(rf"(?P<math>\$(?:{_REST_OF_FORMULA}))|(?P<capitals>[^\W_]+)|[\\{{}}$&%#_~^]|-(?=-)|`(?=`)|'(?=')")
_ESCAPES = {character: "\\" + character for character in "$&%#_"} | {
    "\\": r"{\textbackslash}",
    "{": r"{\textbraceleft}",
    "}": r"{\textbraceright}",
    "~": r"{\textasciitilde}",
    "^": r"{\textasciicircum}",
    "-": "-{}",
    "`": "`{}",
    "'": "'{}",
}
_ESCAPE_OR_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_ESCAPED = re.compile(r"\\([&%$#_{}])|\\~(?:\{\})?|\\textasciitilde(?:\{\})?|[{}]")
_SPACES = re.compile(r"[ \t\r\n\f\v]+")


def decode(text: str) -> str:
    """LaTeX as people read it: accents and symbols as characters, without protecting braces, on one line.

    Formulas and commands that are not known stay as they are.
    """
    if _IS_LATEX.search(text):
        text = _LATEX.sub(_decoded, text)
    return one_line(text)


def encode(text: str, protect_capitals: bool = False) -> str:
    r"""LaTeX, on one line, that :func:`decode` turns into `text`; its braces are balanced.

    Parameters
    ----------
    text : str
        Plain text; a formula in it (``$x^2$``) stays as it is if its braces are balanced.
    protect_capitals : bool
        Put words with a capital after their first letter in braces, so that no style makes it a small one.
    """

    def encoded(match: re.Match[str]) -> str:
        found = match[0]
        if match["capitals"]:
            return f"{{{found}}}" if protect_capitals and any(map(str.isupper, found[1:])) else found
        if match["math"]:
            return found if found != "$$" and is_balanced(found) else escaped_formula(found)
        return _ESCAPES[found]

    def escaped_formula(formula: str) -> str:
        return r"\$" + _SPECIAL.sub(encoded, formula[1:])

    return _SPECIAL.sub(encoded, one_line(text))


def unescape(text: str) -> str:
    """An identifier or an address as it is, without the escapes and braces that LaTeX needs."""
    return _ESCAPED.sub(lambda match: match[1] or ("~" if "~" in match[0] or "tilde" in match[0] else ""), text)


def one_line(text: str) -> str:
    """`text` with each run of blanks and line ends as a single space, and none around it."""
    return _SPACES.sub(" ", text).strip(" ")


def is_balanced(text: str) -> bool:
    """Whether each brace of `text` has its partner, both for readers that skip escaped braces and for others."""
    return _closes([match[0] for match in _ESCAPE_OR_BRACE.finditer(text)]) and _closes(re.findall("[{}]", text))


def _closes(marks: list[str]) -> bool:
    depth = 0
    for mark in marks:
        depth += (mark == "{") - (mark == "}")
        if depth < 0:
            return False
    return depth == 0


def _decoded(match: re.Match[str]) -> str:
    kind = match.lastgroup
    if kind in ("braced", "dotless", "bare"):
        accent = _ACCENTS[match["accent"].strip()]
        letter = unicodedata.normalize("NFC", (match["braced"] or match["dotless"] or match["bare"]) + accent)
        # No letter has this accent: more likely a quotation mark that some exporter escaped, as in \"best\".
        return match[0] if kind == "bare" and len(letter) > 1 else letter
    if kind == "symbol":
        return _SYMBOLS[match["symbol"]]
    if kind in ("escaped", "literal"):
        return match[kind]
    if kind == "typed":
        return _TYPED[match[0]]
    return {"space": " ", "tie": " ", "nothing": "", "brace": ""}.get(kind or "", match[0])
