"""The errors of tagger: each message is one line that says where, what was found and what to do."""


class TaggerError(Exception):
    """Anything that tagger refuses; the command prints it as one line and exits with 2."""


class InputError(TaggerError):
    """Text or a file that cannot be read as abstracts or labels."""


class ModelError(TaggerError):
    """A model directory that is missing, damaged, edited or made for another version."""


class MissingExtraError(TaggerError):
    """A feature whose optional dependency is not installed."""


class FetchError(TaggerError):
    """A service that does not answer, refuses, or answers what cannot be read."""
