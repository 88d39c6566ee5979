"""Marks on texts whose tags should not be trusted: not English, too short, no prose, too long.

Nearly every English abstract is recognised at once, from what the vectoriser has computed: a share of its words are
function words, and little stands between its words. Only a text that is not is looked at on its own, by its script,
by the function words of other languages, and by how much of it are letters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tagger.vectorize import Words, find_words, word_keys

LANGUAGE, TOO_SHORT, NOT_PROSE, TOO_LONG = 1, 2, 4, 8
"""Flags; a text can have several."""

NAMES = {
    LANGUAGE: "language",
    TOO_SHORT: "too short",
    NOT_PROSE: "not prose",
    TOO_LONG: "too long",
}
"""What each flag is called in :attr:`tagger.Tags.marks`:

``language``
    as far as can be told it is not written in English, which the shipped model has learnt from;
``too short``
    it has fewer than :data:`FEWEST_WORDS` words, title included;
``not prose``
    it has words, but not those of sentences in any language that is known here: a table, code, a list of keywords or
    numbers, noise;
``too long``
    only the first :data:`MOST_CHARACTERS` characters were read.

The text is tagged all the same.
"""

FEWEST_WORDS = 20
"""Of 52,037 abstracts of papers the shortest has 47."""
MOST_CHARACTERS = 100_000
"""Characters of a text that are read; the longest of those abstracts has 2,776."""

_LEAST_SHARE = 0.08
"""Share of function words from which a text is English at first sight; 0.4 % of English abstracts have fewer."""
_MOST_BETWEEN = 1.5
"""Characters between two words on average, from which a text is no prose at first sight; 0.03 % of abstracts have
more, while the indents and brackets of code make it two and more."""

_AT_FIRST_SIGHT = (  # without words that programs are written with, as `for` and `in`, or that other languages have
    "the of to and that we our which are be can have has its their than also between through using based these such it"
)
_TABLE_BITS = 16

_LOOKED_AT = 4000
"""Characters by which a text that is no English at first sight is judged."""
_FEWEST_LETTERS = 0.75
"""Share of letters among what is no blank, below which a text is no prose; of English abstracts 0.1 % have fewer."""
_ENOUGH_ENGLISH = 0.12
"""Share of English function words, of all kinds, from which a text is English at second sight."""
_ENOUGH_FOREIGN = 0.12
"""Share of a language's function words from which a text is in that language."""
_MOST_CODE, _PLAIN_ENGLISH = 0.07, 0.3
"""Share of signs of code and markup from which a text is no prose, unless so many of its words are function words."""
_SHORT_CHARACTERS = {LANGUAGE: 100, NOT_PROSE: 300}
"""Characters from which a text of few words is not short: its language sets no blanks between them, or it has none."""

_ENGLISH = (
    _AT_FIRST_SIGHT + " in for is with as on by an a this from or not at but both may more most while when where how"
    " what whether into over under via if then each all any only however thus were was been will would should could"
    " do does they he she there here other some no so out about after before during without within across against"
)
_FOREIGN = {
    "Catalan": "el la els les de del dels i en un una que per amb no es és són aquest aquesta com més o al als",
    "Croatian": "i u je se na da su za od s sa koji koja koje kao što ili ne iz ovaj ovo te do nije biti",
    "Czech": "a v je se na že z s do pro které který která jako jsou k o od nebo této tato tím by při také pomocí",
    "Danish": "og i at er en et den det til af på for med som de vi har ikke der kan fra ved eller denne dette",
    "Dutch": "de het een en van in is dat op te voor met zijn die wij we niet aan door worden bij als ook om deze dit",
    "Esperanto": "la kaj de en estas ke por ni kun al ne el per sur tiu pri aŭ pli ĉi",
    "Estonian": "ja on ei et see mis kui ka oma või ning selle mida nii me aga meie",
    "Finnish": "ja on ei että se joka tai kun sekä myös ovat tämä niin jotka kuin voidaan me",
    "French": "le la les de des du et en un une est que qui dans pour par sur avec au aux ce cette nous sont pas ou",
    "German": "der die das und in den von zu mit ist des im ein eine für auf dem nicht sich auch als wir dass sind",
    "Hungarian": "a az és egy hogy nem is ez azt meg van de ha csak vagy mint ezt majd által amely",
    "Indonesian": "yang dan di dengan untuk pada dari ini dalam kami adalah tidak itu atau juga lebih akan dapat oleh",
    "Italian": "il la di e che in un una per del della è con non le i dei al nel sono da si questo questa come gli",
    "Latin": "et in est non ad ut cum sed qui quae quod sit per ex si ab nec aut sunt atque dolor ipsum",
    "Latvian": "un ir ar no par ka uz kas lai tas vai kā mēs šo šī arī pie tiek",
    "Lithuanian": "ir yra su iš kad į kaip tai bei šis ši arba mes nuo prie dėl taip jog",
    "Norwegian": "og i det er en et som på til av for med de vi har ikke den kan fra ved eller dette denne",
    "Polish": "i w na z do się że jest nie to o dla oraz od po przez jako są które który tym tego lub ta za",
    "Portuguese": "o a os as de do da dos das e em um uma que para com não por na no é se mais ao como este esta são",
    "Romanian": "și de la în a un o care cu pe este nu pentru din al ale prin sunt mai sau ca această acest se am",
    "Slovak": "a v je sa na že z s do pre ktoré ktorý ktorá ako sú k o od alebo táto tento by pri aj",
    "Slovenian": "in je v na se da za so z s ki pri kot po ne tudi od ali ta to iz smo bi",
    "Spanish": "el la los las de del y en un una que es por para con se no al su lo como más o este esta son",
    "Swahili": "na ya wa kwa ni katika za la hii kama cha kuwa au hiyo pia yetu hili zaidi",
    "Swedish": "och i att en ett är det som på av för med den vi till har inte de kan från om eller detta denna",
    "Tagalog": "ang ng sa na mga ay at ito para hindi isang ng may kung namin upang",
    "Turkish": "ve bir bu için ile de da olarak olan daha çok en gibi kadar göre ise veya değil biz sonra her",
    "Vietnamese": "và của các là được cho trong có này một với không những trên chúng tôi để từ bằng như",
}

_LATIN_LETTER = re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")
_CODE = re.compile(r"[{}()\[\];=<>_#\\|&*+/\"'`~^@$]")
_WORD = re.compile(r"[^\W\d_]+")


def _table() -> NDArray[np.bool_]:
    """For the upper bits of a word's key, whether the word is one that shows English at first sight."""
    keys = word_keys(find_words([_AT_FIRST_SIGHT]))
    table = np.zeros(1 << _TABLE_BITS, dtype=bool)
    table[keys >> np.uint64(64 - _TABLE_BITS)] = True
    return table


_TABLE = _table()
_NAMES_OF = [tuple(name for flag, name in NAMES.items() if flags & flag) for flags in range(16)]


def _languages_of_words() -> dict[str, list[int]]:
    """For each function word, the languages that have it: 0 for English, then those of :data:`_FOREIGN`."""
    languages: dict[str, list[int]] = {}
    for number, words in enumerate([_ENGLISH, *_FOREIGN.values()]):
        for word in set(words.split()):
            languages.setdefault(word, []).append(number)
    return languages


_LANGUAGES_OF_WORDS = _languages_of_words()


def names(flags: int) -> tuple[str, ...]:
    """The marks that `flags` stand for."""
    return _NAMES_OF[flags]


def flags_of(texts: Sequence[str], words: Words, keys: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """The marks of each text, as flags.

    Parameters
    ----------
    texts : sequence of str, length n
        The texts, none longer than :data:`MOST_CHARACTERS`.
    words : Words
        Their words, from :func:`tagger.vectorize.find_words`.
    keys : array of uint64, shape (words,)
        Keys of these, from :func:`tagger.vectorize.word_keys`.

    Returns
    -------
    array of uint8, shape (n,)
    """
    flags = np.zeros(len(texts), dtype=np.uint8)
    if not keys.size:
        return np.array([_second_sight(text, 0) for text in texts], dtype=np.uint8)
    n_words = np.diff(words.indptr)
    shows_english = _TABLE.take((keys >> np.uint64(64 - _TABLE_BITS)).view(np.int64))
    n_english = np.diff(np.searchsorted(np.flatnonzero(shows_english), words.indptr))
    first, last = np.minimum(words.indptr[:-1], len(keys) - 1), np.maximum(words.indptr[1:] - 1, 0)
    span = words.starts[last] + words.lengths[last] - words.starts[first]
    in_words = np.diff(np.append(0, np.cumsum(words.lengths))[words.indptr])
    english = (n_words >= FEWEST_WORDS) & (n_english >= _LEAST_SHARE * n_words)
    english &= span - in_words < _MOST_BETWEEN * n_words
    for row in np.flatnonzero(~english).tolist():
        flags[row] = _second_sight(texts[row], int(n_words[row]))
    return flags


def _second_sight(text: str, n_words: int) -> int:
    """The flags of a text of so many words that is not English at first sight."""
    kind = _kind(text[:_LOOKED_AT])
    if n_words >= FEWEST_WORDS or (kind and len(text) > _SHORT_CHARACTERS[kind]):
        return kind
    return TOO_SHORT | (kind & LANGUAGE)


def _kind(text: str) -> int:
    """Whether a text is in another language (LANGUAGE) or in none (NOT_PROSE); 0 if it is English prose."""
    runs = _WORD.findall(text)
    letters = sum(map(len, runs))
    latin = letters if text.isascii() else len(_LATIN_LETTER.findall(text))
    visible = len("".join(text.split()))
    if letters > 2 * latin and letters > visible / 2:
        return LANGUAGE
    english, foreign = _shares(runs)
    looks_like_code = len(_CODE.findall(text)) > _MOST_CODE * visible and english < _PLAIN_ENGLISH
    if letters < _FEWEST_LETTERS * visible or looks_like_code:
        return NOT_PROSE
    if english >= max(_ENOUGH_ENGLISH, foreign):
        return 0
    return LANGUAGE if foreign >= _ENOUGH_FOREIGN else NOT_PROSE


def _shares(words: Sequence[str]) -> tuple[float, float]:
    """Share of the function words of English among `words`, and the largest of those of another language."""
    counts = [0] * (1 + len(_FOREIGN))
    for word, count in Counter(map(str.lower, words)).items():
        for language in _LANGUAGES_OF_WORDS.get(word, ()):
            counts[language] += count
    n = max(len(words), 1)
    return counts[0] / n, max(counts[1:]) / n
