"""What the OpenAPI document says of requests and answers."""

from __future__ import annotations

from typing import Any

_TEXT = {"type": "string"}
_NUMBERS = {"type": "object", "additionalProperties": {"type": "number"}}
_NAMES = {"type": "array", "items": _TEXT}
_GRADES = {
    "type": "object",
    "additionalProperties": {"type": "integer", "enum": [0, 1, 2]},
    "description": "What a person said, by area: 2 central, 1 present, 0 absent.",
}
_ABSTRACT = {"abstract": _TEXT | {"description": "The abstract."}, "title": {"type": ["string", "null"]}}


def _object(properties: dict[str, Any], required: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)} | more


ABSTRACT = _object(_ABSTRACT, ("abstract",), additionalProperties=False)
ABSTRACTS = {
    "type": "array",
    "items": {"anyOf": [_TEXT, _object({"id": {}} | _ABSTRACT, ("abstract",))]},
    "description": "Abstracts, each a text, or an object with abstract and, if there is one, title.",
}
EXPLAIN = _object(_ABSTRACT | {"central": {"type": "boolean", "default": False}}, ("abstract",))
PASTE = _object({"text": _TEXT | {"description": "An abstract, or several with a blank line between them."}}, ("text",))
TAGS = _object(
    {
        "areas": _NAMES | {"description": "The areas whose probability reaches the model's threshold."},
        "probabilities": _NUMBERS | {"description": "Calibrated probability of each area."},
        "unsure": _NAMES | {"description": "Areas, tagged or not, that a person should look at."},
        "central": _NAMES | {"description": "Those that the abstract is mainly about, if the model tells that."},
        "central_probabilities": _NUMBERS,
        "marks": _NAMES | {"description": "Why the tags should not be trusted, if there is a reason."},
        "error": _TEXT | {"description": "Why there are no tags; then nothing else is here."},
        "key": _TEXT | {"description": "What corrections know the abstract by."},
        "corrections": _GRADES,
    }
)
RECORD = _object(
    {"number": {"type": "integer"}, "id": _TEXT, "title": {"type": ["string", "null"]}, "abstract": _TEXT}
    | TAGS["properties"]
    | {"source": _TEXT, "position": _TEXT, "date": _TEXT | {"description": "Of the paper, in ISO 8601, if known."}},
    ("number", "id"),
)
EXPLANATION = _object(
    TAGS["properties"]
    | {
        "text": _TEXT | {"description": "What was read: the title if any, a line feed, the abstract."},
        "abstract_start": {"type": "integer"},
        "evidence": {
            "type": "object",
            "description": "By area: probability, log_odds, bias, evidence of n-grams, and phrases. Bias and shares "
            "add up to the log-odds. Spans count the code points of text.",
            "additionalProperties": {"type": "object"},
        },
    }
)
CORRECTION = _object(
    _ABSTRACT
    | {
        "id": {"type": ["string", "null"]},
        "area": _TEXT,
        "grade": {"type": "integer", "enum": [0, 1, 2], "description": "2 central, 1 present, 0 absent."},
    },
    ("abstract", "area", "grade"),
    additionalProperties=False,
)
CORRECTED = _object({"key": _TEXT, "corrections": _GRADES, "count": {"type": "integer"}})
ERROR = _object({"error": _TEXT}, ("error",))
FILE = {
    "file": {"type": "string", "format": "binary", "description": "A list of abstracts in any format that is read."},
    "text": _TEXT | {"description": "A pasted list instead of a file."},
}
UPLOAD = _object(FILE)
DOWNLOAD = _object(
    FILE
    | {
        "format": _TEXT | {"description": "The format to write."},
        "rows": _TEXT | {"description": "Numbers of the records to write, from 0, as 0-99,120; all if missing."},
    },
    ("format",),
)


def taking(schema: dict[str, Any], media_type: str = "application/json") -> dict[str, Any]:
    """What a route adds to the document for the body that it takes."""
    return {"requestBody": {"required": True, "content": {media_type: {"schema": schema}}}}


def giving(schema: dict[str, Any], media_type: str = "application/json") -> dict[int | str, dict[str, Any]]:
    """What a route adds to the document for its answers."""
    error = {"description": "Why not, in one sentence.", "content": {"application/json": {"schema": ERROR}}}
    return {200: {"description": "Done.", "content": {media_type: {"schema": schema}}}, "4XX": error, "5XX": error}
