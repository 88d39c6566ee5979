"""Tags a file with one contender, in a process that does nothing else: ``python -m benchmarks.worker``."""

from __future__ import annotations

import json
import sys
from itertools import islice
from pathlib import Path

from benchmarks.peers import PEERS

BATCH_SIZE = 1000


def main() -> None:
    """Tag JSON Lines as a user of `name` would: in batches, so that memory does not grow with the file."""
    name, directory, source, target = sys.argv[1:]
    predict = PEERS[name].load(Path(directory))
    with open(source, encoding="utf-8") as lines, open(target, "w", encoding="utf-8") as output:
        while batch := [json.loads(line) for line in islice(lines, BATCH_SIZE)]:
            for row, areas in zip(batch, predict([row["abstract"] for row in batch])):
                output.write(json.dumps({"id": row["id"], "areas": areas}) + "\n")


if __name__ == "__main__":
    main()
