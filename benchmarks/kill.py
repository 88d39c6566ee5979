"""Kill a long run at random moments, resume it each time, and compare with a run that nothing disturbed.

    python benchmarks/kill.py [--records 200000] [--kills 10] [--model DIR]

Invented records, one in a hundred broken, are tagged into JSON Lines and CSV, by one process and by two.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from kills import killed_and_resumed, start, write_records


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=200_000)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--model")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        write_records(directory / "in.jsonl", options.records)
        print(f"{options.records:,} records, {(directory / 'in.jsonl').stat().st_size / 1e6:.0f} MB")
        for format_, jobs in (("jsonl", 1), ("jsonl", 2), ("csv", 1), ("csv", 2)):
            arguments = ["tag", directory / "in.jsonl", "--keep", "--jobs", jobs]
            arguments += ["--model", options.model] if options.model else []
            whole, ended = directory / f"whole.{format_}", directory / f"ended.{format_}"
            started = time.monotonic()
            process = start([*arguments, "-o", whole, "--force"])
            _, complaints = process.communicate()
            seconds = time.monotonic() - started
            started = time.monotonic()
            expected = whole.read_bytes()
            code, said, shares = killed_and_resumed(arguments, ended, len(expected), options.kills, options.seed + jobs)
            same = ended.read_bytes() == expected and (code, said) == (process.returncode, complaints)
            failed += not same
            print(
                f"{format_}, --jobs {jobs}: {'the same' if same else 'DIFFERENT'}, {len(expected) / 1e6:.0f} MB; "
                f"undisturbed {seconds:.1f} s, killed and resumed {time.monotonic() - started:.1f} s; "
                f"killed at {', '.join(f'{share:.0%}' for share in shares)}"
            )
            print(f"  {said.decode().strip()}")
            ended.unlink()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
