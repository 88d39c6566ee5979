"""Tag abstracts of machine-learning papers by research area: ``tagger.load().tag(text).areas``."""

from tagger.errors import InputError, MissingExtraError, ModelError, TaggerError
from tagger.records import Record, Tagged, Tags
from tagger.tagging import Tagger, load

__version__ = "0.1.0"

__all__ = [
    "InputError",
    "MissingExtraError",
    "ModelError",
    "Record",
    "Tagged",
    "Tagger",
    "TaggerError",
    "Tags",
    "load",
]
