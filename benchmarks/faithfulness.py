"""Remove the phrases that are said to support an area, and see whether its probability falls.

    python benchmarks/faithfulness.py CORPUS

CORPUS is a directory with ``labelled.parquet`` (columns ``split`` and ``abstract``). For every abstract of a split and
every area that it is tagged with, the three strongest supporting phrases, as ``Tagger.explain`` gives them, are
removed: the characters of each of their places are deleted, and what is left is tagged again. Beside it, as many random
runs of words are removed, one for each of these places and of as many words, anywhere in the text but not overlapping
one another, in several draws. Evidence is faithful for a tag if the phrases lower the probability by more than the
random runs do on average over the draws.

Besides, each word of the text is removed alone, and its share in the log-odds correlated with what that changes.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow.parquet as parquet
from numpy.typing import NDArray

import tagger
from tagger import spans
from tagger.evidence.phrases import Phrase, Span
from tagger.model import Model
from tagger.spans import Word

PHRASES = 3


def without(text: str, removed: Sequence[Span]) -> str:
    """`text` without the characters of some spans, which may overlap."""
    kept = np.ones(len(text), dtype=bool)
    for start, end in removed:
        kept[start:end] = False
    return "".join(character for character, keep in zip(text, kept.tolist()) if keep)


def words_in(words: Sequence[Word], span: Span) -> int:
    """How many words stand in a span."""
    return sum(span[0] <= word.start and word.end <= span[1] for word in words)


def random_runs(words: Sequence[Word], lengths: Sequence[int], generator: np.random.Generator) -> list[Span]:
    """Runs of words of these lengths at random places, apart from one another as far as the text has room."""
    taken = np.zeros(len(words), dtype=bool)
    runs = []
    for length in sorted(lengths, reverse=True):
        starts = np.arange(len(words) - length + 1)
        used = np.concatenate([[0], np.cumsum(taken)])
        free = starts[used[starts + length] == used[starts]]
        start = int(generator.choice(free if free.size else starts))
        taken[start : start + length] = True
        runs.append((words[start].start, words[start + length - 1].end))
    return runs


def probabilities(model: Model, texts: list[str], area: str) -> NDArray[np.float64]:
    """Probability of one area for each text, without rounding to float32: near 1, falls are small."""
    log_odds = model.log_odds(model.vectorizer.transform(texts))[:, model.areas.index(area)]
    return np.asarray(1 / (1 + np.exp(-log_odds)))


def falls(
    model: Model, text: str, area: str, phrases: Sequence[Phrase], draws: int, generator: np.random.Generator
) -> tuple[float, NDArray[np.float64], float]:
    """Fall of an area's probability without `phrases`, without random runs in each draw, and the probability left."""
    words = spans.words(text)
    strong = [span for phrase in phrases for span in phrase.spans]
    lengths = [words_in(words, span) for span in strong]
    texts = [text, without(text, strong)]
    texts += [without(text, random_runs(words, lengths, generator)) for _ in range(draws)]
    found = probabilities(model, texts, area)
    return float(found[0] - found[1]), found[0] - found[2:], float(found[1])


def agreement(model: Model, text: str, explanation: tagger.Explanation, area: str) -> float:
    """Correlation of the shares of words with what the removal of each changes in the log-odds before calibration."""
    words = spans.words(text)
    position = {word.start: k for k, word in enumerate(words)}
    shares = np.zeros(len(words))
    for evidence in explanation.areas[area].evidence:
        for start, _ in evidence.spans:
            first, n_words = position[start], 1 + (" " in evidence.ngram)
            shares[first : first + n_words] += evidence.share / len(evidence.spans) / n_words
    texts = [text, *(without(text, [(word.start, word.end)]) for word in words)]
    margins = model.margins(model.vectorizer.transform(texts))[:, model.areas.index(area)]
    return float(np.corrcoef(shares, margins[0] - margins[1:])[0, 1])


def wilson(successes: int, n: int) -> tuple[float, float]:
    """95 % interval of a proportion (Wilson 1927)."""
    z, share = 1.96, successes / n
    centre, half = share + z * z / (2 * n), z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return (centre - half) / (1 + z * z / n), min((centre + half) / (1 + z * z / n), 1.0)


def main() -> None:
    """Remove phrases from every tagged abstract and print what it does."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--split", default="dev", help="split to judge on (default: dev)")
    parser.add_argument("--draws", type=int, default=20, help="draws of random runs for each tag (default: 20)")
    parser.add_argument("--model", help="a model directory (default: the shipped model)")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    table = parquet.read_table(arguments.corpus / "labelled.parquet", columns=["split", "abstract"])
    texts = [row["abstract"] for row in table.to_pylist() if row["split"] == arguments.split]
    areas = tagger.load(arguments.model)
    generator = np.random.default_rng(arguments.seed)
    areas.explain(texts[0])

    seconds, by_area, abstracts, correlations = [], {area: [] for area in areas.areas}, [], []
    for text in texts:
        start = time.perf_counter()
        explanation = areas.explain(text)
        seconds.append(time.perf_counter() - start)
        outcomes = []
        for area in explanation.tags.areas:
            phrases = [phrase for phrase in explanation.areas[area].phrases if phrase.share > 0][:PHRASES]
            fall, random, left = falls(areas.model, text, area, phrases, arguments.draws, generator)
            threshold = areas.model.thresholds[areas.areas.index(area)]
            by_area[area].append((fall, random.mean(), fall > random.mean(), fall > random.max(), left < threshold))
            outcomes.append(fall > random.mean())
            correlations.append(agreement(areas.model, text, explanation, area))
        if outcomes:
            abstracts.append(all(outcomes))

    print(f"{len(abstracts):,} tagged abstracts of {len(texts):,} in {arguments.split}; {arguments.draws} draws\n")
    print("| | tags | phrases lower more | than in every draw | mean fall | random | tag lost |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    everything = [row for rows in by_area.values() for row in rows]
    for area, rows in [*by_area.items(), ("all", everything)]:
        if rows:
            fall, random, more, most, lost = np.mean(np.array(rows, dtype=float), axis=0)
            print(f"| {area} | {len(rows)} | {more:.1%} | {most:.1%} | {fall:.3f} | {random:.3f} | {lost:.0%} |")
    for name, outcomes in (("tags", [bool(row[2]) for row in everything]), ("abstracts, all their tags", abstracts)):
        low, high = wilson(sum(outcomes), len(outcomes))
        print(f"\n{name}: {np.mean(outcomes):.1%} (95 % interval {low:.1%} to {high:.1%})", end="")
    quartiles = np.quantile(correlations, [0.25, 0.5, 0.75])
    print("\ncorrelation of words' shares with the change when each is removed: ", end="")
    print(f"median {quartiles[1]:.2f}, quartiles {quartiles[0]:.2f} and {quartiles[2]:.2f}")
    median, slowest = np.quantile(seconds, [0.5, 0.99]) * 1e3
    print(f"explain(): median {median:.1f} ms, 99th percentile {slowest:.1f} ms")


if __name__ == "__main__":
    main()
