"""Tag abstracts of machine-learning papers by research area: ``tagger.load().tag(text).areas``.

What the names below need is imported when one of them is first used, so that a command that tags nothing starts at
once.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tagger.errors import FetchError, InputError, MissingExtraError, ModelError, TaggerError

if TYPE_CHECKING:
    from tagger.evidence.explanation import AreaEvidence, Evidence, Explanation
    from tagger.evidence.phrases import Phrase
    from tagger.records import Record, Tagged, Tags
    from tagger.tagging import Tagger, load

__version__ = "0.1.0"

__all__ = [
    "AreaEvidence",
    "Evidence",
    "Explanation",
    "FetchError",
    "InputError",
    "MissingExtraError",
    "ModelError",
    "Phrase",
    "Record",
    "Tagged",
    "Tagger",
    "TaggerError",
    "Tags",
    "load",
]

_MODULES = {
    "AreaEvidence": "tagger.evidence.explanation",
    "Evidence": "tagger.evidence.explanation",
    "Explanation": "tagger.evidence.explanation",
    "Phrase": "tagger.evidence.phrases",
    "Record": "tagger.records",
    "Tagged": "tagger.records",
    "Tagger": "tagger.tagging",
    "Tags": "tagger.records",
    "load": "tagger.tagging",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
