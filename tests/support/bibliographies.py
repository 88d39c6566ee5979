"""Files of bibliographies as their best-known producers write them, and what the tests do with them."""

from __future__ import annotations

import io
from importlib import import_module
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from strategies import texts

from tagger import Record, Tagged, Tags
from tagger.formats.fields import Fields
from tagger.formats.layout import Layout

DIRECTORY = Path(__file__).parents[1] / "data" / "bibliographies"

AREAS = ("astronomy", "cooking", "salt & pepper, ground")
LAYOUT = Layout(AREAS, "areas 1a2b3c4d5e6f")
TAGS = Tags(
    ("cooking", "salt & pepper, ground"),
    {"astronomy": 0.0234567, "cooking": 0.98, "salt & pepper, ground": 0.61},
    central=("cooking",),
    unsure=("salt & pepper, ground",),
    marks=("too short",),
)
OTHER_TAGS = Tags(("astronomy",), {"astronomy": 0.9, "cooking": 0.1, "salt & pepper, ground": 0.2})


def text_of(name: str) -> str:
    """The text of one of the files, line ends as they are."""
    return (DIRECTORY / name).read_bytes().decode()


def read(format: str, text: str, source: str = "papers/list", **fields: str) -> list[Record]:
    """The records in a text."""
    reader = import_module(f"tagger.formats.{format}")
    return list(reader.read(io.StringIO(text, newline=""), source, Fields(**fields)))


def written(format: str, records: list[Record], tags: Tags = TAGS, layout: Layout = LAYOUT) -> str:
    """What the writer makes of records that all have the same tags, or the error of their own."""
    stream = io.StringIO(newline="")
    writer = import_module(f"tagger.formats.{format}").Writer(stream, layout)
    for record in records:
        writer.write(Tagged(record, Tags(error=record.error) if record.error else tags))
    writer.close()
    return stream.getvalue()


def converted(format: str, records: list[Record]) -> str:
    """What the writer makes of records without tags."""
    return written(format, records, Tags(), Layout())


def retagged(format: str, text: str, tags: Tags = TAGS) -> str:
    """The text of a file, read and written back with tags."""
    return written(format, read(format, text), tags)


def joined(records: list[Record]) -> str:
    """The texts of the records' entries, one after the other."""
    return "".join(record.entry.text for record in records if record.entry)


def holds_in_order(text: str, part: str) -> bool:
    """Whether all of `part` is in `text` in the same order, so that taking something out of `text` gives `part`."""
    characters = iter(text)
    return all(character in characters for character in part)


def fields_of(record: Record, *without: str) -> dict[str, Any]:
    """The fields of a record without some."""
    return {name: value for name, value in record.fields.items() if name not in without}


_BIBTEX = (
    "@article{", "@misc(", "@string{", "@comment{", "key,", " title", "=", "{", "}", "(", ")", '"', ",", "#", "\n",
    "\r", "\r\n", "@", "\\", "\\\\", "abstract = {x},", "kw = {y}", "}\n", " ", "%", "jan", "@{", "keywords = ",
    "{a; b}", "@a{b, abstract={c}}", "@a{b, abstract={c}, keywords=", "@a{b,\n abstract={c},", "x-tagger={a: b 0.98}",
)  # fmt: skip
bibtex_garbage = st.lists(st.sampled_from(_BIBTEX) | texts, max_size=20).map("".join)
"""Text that is nearly BibTeX, or nothing like it."""

_RIS = (
    "TY  - JOUR\n", "ER  - \n", "AB  - x\n", "TI  - y\r\n", "KW  - cooking\n", "word\n", "\n", "ER\n", "TY - CONF\n",
    "AB - z\n", "N1  - tagger a: b 0.98\n", "ab  - c\r", "TY  - ", "AB  -", "ER  -", "ER  - x\n", "N2  - w",
)  # fmt: skip
ris_garbage = st.lists(st.sampled_from(_RIS) | texts, max_size=12).map("".join)
"""Text that is nearly RIS, or nothing like it."""
