"""Time an abstract takes, from raw string to tags, beside what a user would pick instead, in one run on one core.

    python benchmarks/speed.py CORPUS

CORPUS is a directory with ``labelled.parquet`` (columns ``split``, ``abstract`` and an area each). The peers are a
scikit-learn pipeline and, if it is installed, fastText; both are trained on the `train` split here.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow.parquet as parquet
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_limits

import tagger

Predict = Callable[[list[str]], NDArray[np.bool_]]
REPEATS = 3


def this_library() -> tuple[tuple[str, ...], Predict]:
    """The shipped model."""
    model = tagger.load()

    def predict(texts: list[str]) -> NDArray[np.bool_]:
        return np.array([[area in tags.areas for area in model.areas] for tags in model.tag_many(texts)])

    return model.areas, predict


def scikit_learn(texts: list[str], labels: NDArray[np.bool_]) -> Predict:
    """TF-IDF of words and pairs of words, and a balanced logistic regression an area."""
    vectorizer = TfidfVectorizer(ngram_range=(1, 2), min_df=3, sublinear_tf=True)
    logistic = LogisticRegression(C=4, class_weight="balanced", solver="liblinear")
    pipeline = make_pipeline(vectorizer, OneVsRestClassifier(logistic)).fit(texts, labels.astype(int))
    return lambda some: np.asarray(pipeline.predict(some)) > 0


def fast_text(texts: list[str], labels: NDArray[np.bool_]) -> Predict | None:
    """FastText with one binary logistic loss an area and pairs of words, tokenised in Python; None without it."""
    try:
        import fasttext
    except ImportError:
        return None
    word = re.compile(r"\w+")

    def tokenised(text: str) -> str:
        return " ".join(word.findall(text.lower()))

    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "train.txt"
        with path.open("w", encoding="utf-8") as file:
            for text, row in zip(texts, labels):
                names = "".join(f"__label__{area} " for area in np.flatnonzero(row)) or "__label__none "
                file.write(names + tokenised(text) + "\n")
        model = fasttext.train_supervised(
            str(path),
            loss="ova",
            wordNgrams=2,
            epoch=25,
            lr=0.5,
            dim=50,
            minCount=3,
            bucket=200_000,
            thread=1,
            verbose=0,
        )

    def predict(some: list[str]) -> NDArray[np.bool_]:
        decided = np.zeros((len(some), labels.shape[1]), dtype=bool)
        names, _ = model.predict([tokenised(text) for text in some], k=-1, threshold=0.5)
        for row, found in zip(decided, names):
            for name in found:
                if name != "__label__none":
                    row[int(name.removeprefix("__label__"))] = True
        return decided

    return predict


def seconds_of(command: list[str]) -> float:
    """The shortest of some runs of a command in a process of its own."""
    times = []
    for _ in range(2 * REPEATS):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return min(times)


@threadpool_limits.wrap(limits=1)
def main() -> None:
    """Train the peers, then time all of them in turn, several times over, and print Markdown tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--abstracts", type=int, default=5000, help="how many are tagged (default: 5000)")
    arguments = parser.parse_args()
    areas, ours = this_library()
    rows = parquet.read_table(arguments.corpus / "labelled.parquet").to_pylist()
    split = {
        name: (
            [row["abstract"] for row in rows if row["split"] == name],
            np.array([[row[area] > 0 for area in areas] for row in rows if row["split"] == name]),
        )
        for name in ("train", "dev")
    }
    contenders: dict[str, Predict | None] = {
        "tagger": ours,
        "scikit-learn": scikit_learn(*split["train"]),
        "fastText": fast_text(*split["train"]),
    }
    texts = [row["abstract"] for row in rows][: arguments.abstracts]
    best = {name: float("inf") for name, predict in contenders.items() if predict}
    for _ in range(REPEATS):
        for name in best:
            predict = contenders[name]
            assert predict is not None
            start = time.perf_counter()
            predict(texts)
            best[name] = min(best[name], (time.perf_counter() - start) / len(texts))
    print(f"{len(texts):,} abstracts, one core, best of {REPEATS} rounds\n")
    print("| | microseconds an abstract | times as long as tagger | macro-F1 on dev |\n| --- | ---: | ---: | ---: |")
    for name, seconds in best.items():
        predict = contenders[name]
        assert predict is not None
        f1 = f1_score(split["dev"][1], predict(split["dev"][0]), average="macro", zero_division=0)
        print(f"| {name} | {seconds * 1e6:.0f} | {seconds / best['tagger']:.1f} | {f1:.3f} |")

    single = []
    model = tagger.load()
    for text in texts[:1000]:
        start = time.perf_counter()
        model.tag(text)
        single.append(time.perf_counter() - start)
    print(f"\none call of tag(): median {np.median(single) * 1e3:.2f} ms, 99th percentile", end=" ")
    print(f"{np.quantile(single, 0.99) * 1e3:.2f} ms")
    imports = seconds_of([sys.executable, "-c", "import sklearn.linear_model, lightgbm"])
    command = [sys.executable, "-m", "tagger.cli"]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(texts[0])
        file.flush()
        tag = seconds_of([*command, "tag", file.name])
    print(
        f"from a cold process, as a share of importing scikit-learn and LightGBM: tagger tag {tag / imports:.2f}",
        end="",
    )
    print(f", tagger --help {seconds_of([*command, '--help']) / imports:.2f}")


if __name__ == "__main__":
    main()
