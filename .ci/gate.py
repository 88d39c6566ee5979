"""Fail unless the shipped model reaches its bars on the `dev` split that the project carries."""

import sys

import tagger
from training import load_dataset
from training.train import evaluate_counts

MACRO_BARS = {"f1": 0.865, "average_precision": 0.940}


def main() -> int:
    """Compare each metric with its bar; returns the exit code."""
    result = evaluate_counts(tagger.load().model, load_dataset("data").split("dev"))
    failed = False
    for name, bar in MACRO_BARS.items():
        value = result.macro[name][0]
        failed |= value < bar
        print(f"{'FAIL' if value < bar else 'ok':4} macro {name} {value:.4f}, at least {bar}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
