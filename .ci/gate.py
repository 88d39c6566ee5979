"""Fail unless the shipped model reaches its bars on the `dev` split that the project carries."""

import sys

import tagger
from training import load_dataset
from training.evaluate import Evaluation
from training.train import evaluate_counts

MACRO_BARS = {"f1": 0.885, "average_precision": 0.95}
CENTRAL_F1_BAR = 0.86
WORST_AREA_F1_BAR = 0.83
CALIBRATION_ERROR_BAR = 0.03
UNSURE_BAR = 0.12


def main() -> int:
    """Compare each metric with its bar, for abstracts with their titles and alone; returns the exit code."""
    model, dev = tagger.load().model, load_dataset("data").split("dev")
    failed = 0
    for titles in (True, False):
        print("with titles" if titles else "abstracts alone")
        failed |= _judge(evaluate_counts(model, dev, titles))
    return failed


def _judge(result: Evaluation) -> int:
    checks = [(f"macro {name}", result.macro[name][0], bar) for name, bar in MACRO_BARS.items()]
    checks.append(("macro f1 of central", result.central_macro["f1"][0], CENTRAL_F1_BAR))
    checks.append(("f1 of the worst area", min(area["f1"] for area in result.areas.values()), WORST_AREA_F1_BAR))
    worst = max(area["calibration_error"] for area in result.areas.values())
    limits = [("calibration error", worst, CALIBRATION_ERROR_BAR), ("unsure", result.decisions["unsure"], UNSURE_BAR)]
    failed = False
    for name, value, bar in checks:
        failed |= value < bar
        print(f"{'FAIL' if value < bar else 'ok':4} {name} {value:.4f}, at least {bar}")
    for name, value, bar in limits:
        failed |= value > bar
        print(f"{'FAIL' if value > bar else 'ok':4} {name} {value:.4f}, at most {bar}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
