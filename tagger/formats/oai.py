"""Records of OAI-PMH, in arXiv's formats and in Dublin Core, as fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tagger.formats.elements import add, fields_of, local_name, plain_html, short_id, text_of

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

ARXIV_FORMATS = frozenset({"arXiv", "arXivRaw", "arXivOld"})
DUBLIN_CORE = frozenset({"dc", "qualifieddc"})

_LISTS = frozenset({"contributor", "coverage", "creator", "date", "description", "identifier", "relation", "subject"})
"""Elements of Dublin Core that are lists even where there is one."""

_HEADER_LISTS = frozenset({"setSpec"})

LONG_AS_AN_ABSTRACT = 200
"""Characters from which a description is taken for the abstract, even if a longer one follows."""

DELETED = "deleted: its header says that the repository withdrew this record; there is nothing to tag"


def record_fields(record: Element) -> dict[str, Any]:
    """The fields of a ``record`` of OAI-PMH, or of its metadata where that stands alone.

    Those of the header (`id`, `datestamp`, `setSpec`) and those of the metadata by the names of their elements:
    `authors`, `categories` and `versions` of arXiv's formats are lists, as are the elements of Dublin Core that are
    repeated. `abstract` is the one among the descriptions of Dublin Core that is an abstract.
    """
    if local_name(record.tag) != "record":
        return _with_id(_metadata_fields(record))
    parts = {local_name(child.tag): child for child in record}
    if "header" not in parts and "metadata" not in parts:
        return fields_of(record)
    fields = fields_of(parts["header"], _HEADER_LISTS) if "header" in parts else {}
    if "identifier" in fields:
        fields = {"id": fields.pop("identifier"), **fields}
    for metadata in parts.get("metadata", ()):
        fields |= _metadata_fields(metadata)
    return fields


def is_deleted(record: Element) -> bool:
    """Whether the header of a record says that it was deleted."""
    headers = (child for child in record if local_name(child.tag) == "header")
    return any(header.get("status") == "deleted" for header in headers)


def protocol_error(element: Element) -> str:
    """What an ``error`` of OAI-PMH says."""
    code, text = element.get("code", "error"), text_of(element)
    return f"the OAI-PMH repository answered with an error ({code}{': ' if text else ''}{text}); ask it again"


def _metadata_fields(metadata: Element) -> dict[str, Any]:
    name = local_name(metadata.tag)
    if name in ARXIV_FORMATS:
        return _arxiv_fields(metadata)
    if name in DUBLIN_CORE:
        return _dublin_core_fields(metadata)
    return fields_of(metadata)


def _arxiv_fields(metadata: Element) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for child in metadata:
        name = local_name(child.tag)
        if name == "authors" and len(child):
            fields[name] = [_full_name(author) for author in child]
        elif name == "categories":
            fields[name] = text_of(child).split()
        elif name == "version":
            add(fields, "versions", {name: child.get("version", ""), **fields_of(child)}, frozenset({"versions"}))
        else:
            add(fields, name, text_of(child))
    return fields


def _full_name(author: Element) -> str:
    parts = fields_of(author)
    return " ".join(str(parts[name]) for name in ("forenames", "keyname", "suffix") if parts.get(name))


def _dublin_core_fields(metadata: Element) -> dict[str, Any]:
    fields = fields_of(metadata, _LISTS)
    if isinstance(fields.get("title"), list):
        fields["title"] = fields["title"][0]
    if "abstract" not in fields and "description" in fields:
        fields["abstract"] = _abstract(metadata)
    return fields


def _with_id(fields: dict[str, Any]) -> dict[str, Any]:
    """`fields` of Dublin Core without a header, with the one of its identifiers that is arXiv's, or the first."""
    identifiers = fields.get("identifier")
    if "id" in fields or not isinstance(identifiers, list):
        return fields
    return {"id": next((text for text in identifiers if short_id(text) != text), identifiers[0]), **fields}


def _abstract(metadata: Element) -> str:
    """The abstract among the descriptions: the first as long as one, of those in English if some are said to be.

    arXiv's comment is a description too, and other repositories have notes and translations among theirs.
    """
    elements = [child for child in metadata if local_name(child.tag) == "description"]
    english = [
        child
        for child in elements
        if any(local_name(name) == "lang" and value.lower().startswith("en") for name, value in child.attrib.items())
    ]
    texts = [plain_html(text_of(child)) for child in english or elements]
    texts = [text for text in texts if not text.startswith("Comment:")] or texts
    return next((text for text in texts if len(text) >= LONG_AS_AN_ABSTRACT), max(texts, key=len))
