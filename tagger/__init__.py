"""Tag abstracts of machine-learning papers by research area: ``tagger.load().tag(text).areas``."""

from tagger.errors import InputError, MissingExtraError, ModelError, TaggerError
from tagger.evidence.explanation import AreaEvidence, Evidence, Explanation
from tagger.evidence.phrases import Phrase
from tagger.records import Record, Tagged, Tags
from tagger.tagging import Tagger, load

__version__ = "0.1.0"

__all__ = [
    "AreaEvidence",
    "Evidence",
    "Explanation",
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
