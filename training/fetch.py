"""The texts of the labelled abstracts, had again by id: ``python -m training.fetch -o texts.jsonl``.

A curator sees each text beside its labels, and whether it is still the one that was labelled: its n-gram counts are
compared with those that the project carries.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tagger.errors import FetchError, TaggerError
from tagger.fetch import arxiv, openreview
from tagger.fetch.client import Client
from tagger.fetch.output import Output
from tagger.fetch.paging import Row
from tagger.fetch.run import Run
from tagger.text import ngrams
from training.dataset import Dataset, load_dataset
from training.shards import LARGEST_COUNT, Shard, read_shard

OPENREVIEW_VENUES = {
    "alt2025": "algorithmiclearningtheory.org/ALT/2025/Conference",
    "colm2024": "colmweb.org/COLM/2024/Conference",
    "colm2025": "colmweb.org/COLM/2025/Conference",
}
"""What stands before the colon of an id whose rest is that of a paper at OpenReview, and the venue it is of."""

_ARXIV_ID = re.compile(r"\d{4}\.\d{4,5}|[a-z-]+/\d{7}")


@dataclass(frozen=True)
class Counts:
    """The n-gram counts of labelled abstracts, as the shards hold them, to compare texts with."""

    rows: dict[str, tuple[int, int]]
    """Shard and row of each id; of the last shard that has it."""
    shards: tuple[Shard, ...]
    positions: tuple[dict[str, int], ...]
    """Position of each n-gram in the vocabulary of each shard."""

    @classmethod
    def read(cls, directory: Path) -> Counts:
        """Read the shards of a data directory."""
        shards = tuple(read_shard(path) for path in sorted((directory / "labelled").glob("*.npz")))
        rows = {id_: (number, row) for number, shard in enumerate(shards) for row, id_ in enumerate(shard.ids)}
        return cls(rows, shards, tuple(shard.abstracts.vocabulary.index for shard in shards))

    def similarity(self, id_: str, text: str) -> float:
        """How much of a labelled abstract is in `text`: 1 if its counts are the same, else less.

        Every word of an abstract was counted, and those pairs of words that its shard knows. The similarity is the
        sum of the smaller counts over the sum of the larger ones (Ruzicka 1958).
        """
        number, row = self.rows[id_]
        matrix, positions = self.shards[number].abstracts.matrix, self.positions[number]
        span = slice(matrix.indptr[row], matrix.indptr[row + 1])
        counted = dict(zip(matrix.indices[span].tolist(), matrix.data[span].tolist()))
        smaller = larger = 0
        for ngram, count in ngrams(text).items():
            position = positions.get(ngram)
            if position is not None or " " not in ngram:
                before = counted.pop(position, 0) if position is not None else 0
                smaller += min(before, count, LARGEST_COUNT)
                larger += max(before, min(count, LARGEST_COUNT))
        larger += sum(counted.values())
        return smaller / larger if larger else 1.0


def rows_of(
    dataset: Dataset, counts: Counts, at_arxiv: Client, at_openreview: Client, bases: Bases, n_there: int
) -> Iterator[Row]:
    """Yield a row for each labelled abstract but the first `n_there`: text, labels, whether the text is the same."""
    arxiv_ids = [id_ for id_ in dataset.ids if _ARXIV_ID.fullmatch(id_)]
    n_arxiv = sum(_ARXIV_ID.fullmatch(id_) is not None for id_ in dataset.ids[:n_there])
    from_arxiv = arxiv.papers_by_id(at_arxiv, bases.arxiv, arxiv_ids, n_arxiv)
    venues: dict[str, dict[str, Row] | str] = {}
    for position in range(n_there, len(dataset)):
        id_ = dataset.ids[position]
        venue, colon, rest = id_.partition(":")
        if _ARXIV_ID.fullmatch(id_):
            found = next(from_arxiv)
        elif venue in OPENREVIEW_VENUES:
            if venue not in venues:
                venues[venue] = _papers_of_venue(at_openreview, bases.openreview, OPENREVIEW_VENUES[venue])
            found = _paper_of_venue(at_openreview, bases.openreview, venues[venue], rest)
        elif colon:
            found = {"error": f"the papers of {venue} cannot be had through an interface; look at the venue's site"}
        else:
            found = {"error": "neither an id at arXiv nor one of a venue"}
        yield _row(dataset, position, found, counts)


@dataclass(frozen=True, slots=True)
class Bases:
    """Where the services are."""

    arxiv: arxiv.Bases
    openreview: openreview.Bases


def _papers_of_venue(client: Client, bases: openreview.Bases, venue: str) -> dict[str, Row] | str:
    """The papers of a venue by id, or why they cannot be had."""
    try:
        return {row["id"]: row for row in openreview.papers_of_venue(client, bases, venue, everything=True)}
    except openreview.NoVenueError:
        return {}  # then each paper is looked for by its id
    except openreview.AccountError as error:
        return str(error)


def _paper_of_venue(client: Client, bases: openreview.Bases, papers: dict[str, Row] | str, id_: str) -> Row:
    if isinstance(papers, str):
        return {"error": papers}
    return papers[id_] if id_ in papers else next(openreview.papers_by_id(client, bases, [id_]))


def _row(dataset: Dataset, position: int, found: Row, counts: Counts) -> Row:
    id_ = dataset.ids[position]
    row: Row = {"id": id_, "split": str(dataset.provenance["split"][position])}
    grades = zip(dataset.areas, dataset.grades[position].tolist())
    row |= {area: grade if grade >= 0 else None for area, grade in grades}
    if "error" in found:
        return row | {"error": found["error"]}
    similarity = counts.similarity(id_, found["abstract"])
    row |= {name: found[name] for name in ("title", "abstract", "url") if name in found}
    return row | {"unchanged": similarity == 1.0, "similarity": round(similarity, 4)}


def report(path: Path) -> str:
    """What a whole file of rows says about the texts, in a few lines."""
    with path.open(encoding="utf-8") as file:
        rows: Sequence[dict[str, Any]] = [json.loads(line) for line in file]
    there = [row for row in rows if "error" not in row]
    changed = sorted((row for row in there if not row["unchanged"]), key=lambda row: row["similarity"])
    lines = [f"{len(there) - len(changed):,} of {len(there):,} texts are the ones that were labelled"]
    lines += [f"  {row['id']}  {row['similarity']:.2f}" for row in changed[:20]]
    if len(changed) > 20:
        lines.append(f"  ... and {len(changed) - 20:,} more, less changed; their rows say `unchanged: false`")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m training.fetch", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("data"), help="labels and counts (default: data)")
    parser.add_argument("--split", help="only the abstracts of this split: train or dev")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the texts, as JSON Lines")
    parser.add_argument("--resume", action="store_true", help="go on with the output of a run that was stopped")
    parser.add_argument("--force", action="store_true", help="replace the output if it is there")
    parser.add_argument("--no-cache", action="store_true", help="ask again for what was answered before")
    options = parser.parse_args(arguments)
    try:
        return _fetch(options)
    except TaggerError as error:
        print(f"training.fetch: {error}", file=sys.stderr)
        return 2


def _fetch(options: argparse.Namespace) -> int:
    dataset = load_dataset(options.data)
    if options.split:
        dataset = dataset.split(options.split)
    if not len(dataset):
        raise FetchError(f"{options.data}: no abstracts in the split {options.split!r}; use train or dev")
    bases = Bases(
        arxiv.Bases.from_text(os.environ.get("TAGGER_ARXIV_URL", "")),
        openreview.Bases.from_text(os.environ.get("TAGGER_OPENREVIEW_URL", "")),
    )
    output = Output(options.output, options.resume, options.force)
    labels = "\n".join(dataset.ids).encode() + dataset.grades.tobytes()
    asked = {"the set of labels": hashlib.sha256(labels).hexdigest(), "--split": options.split}
    run = Run(output, asked, not options.no_cache)

    def rows() -> Iterator[Row]:
        run.counted(len(dataset))
        at_arxiv, at_openreview = run.client("arxiv"), run.client("openreview")
        openreview.use_account(at_openreview, bases.openreview)
        counts = Counts.read(options.data)
        return rows_of(dataset, counts, at_arxiv, at_openreview, bases, len(output.ids))

    code = run.fetch(rows, "the labels")
    if code in (0, 1):
        print(report(Path(options.output)))
    return code


if __name__ == "__main__":
    sys.exit(main())
