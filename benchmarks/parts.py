"""What is measured, part by part: each gives plain values that can be kept as JSON."""

from __future__ import annotations

import compileall
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.corpus import Corpus, write_jsonl
from benchmarks.peers import OURS, PEERS, Predict
from benchmarks.timing import Peak, Seconds, clocked, in_turn, run

if TYPE_CHECKING:
    from tagger import Tagger

IMPORTS = "import sklearn.linear_model, lightgbm"
"""What the time of a cold start is compared with."""
AT_ONCE = "two runs at once"
"""What two cores of the machine can do at best: two runs that have nothing to do with each other."""
TASK_SIZE = 256
"""Abstracts that a process of two is given at once."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured."""

    labels: int = 10**9
    """Labelled abstracts that the peers learn from at most."""
    embedded: int = 4096
    """Those that the slow ones learn from at most."""
    judged: int = 10**9
    abstracts: int = 5000
    """Abstracts that each tags in a round at most."""
    seconds: float = 3.0
    """About what a round may take; a slow contender tags fewer abstracts."""
    rounds: int = 5
    calls: int = 1000
    """Calls with a single abstract at most."""
    starts: int = 7
    """Cold starts of each command."""
    growth: tuple[int, ...] = (1_000, 10_000, 100_000, 1_000_000)
    """Abstracts in a file."""
    peer_growth: float = 60.0
    """Seconds beyond which a peer is not given a larger file."""
    parallel: int = 100_000
    """Abstracts on which two workers are compared with one."""
    parallel_rounds: int = 3


FULL = Sizes()
QUICK = Sizes(
    labels=1000,
    embedded=48,
    judged=64,
    abstracts=500,
    seconds=0.5,
    rounds=2,
    calls=50,
    starts=1,
    growth=(50, 500),
    peer_growth=3.0,
    parallel=2_000,
    parallel_rounds=1,
)


@dataclass(frozen=True, slots=True)
class Setting:
    """What all parts share."""

    corpus: Corpus
    directories: dict[str, Path]
    """Where each contender is loaded from, by name, this library first."""
    sizes: Sizes
    folder: Path
    """For files that are too large to keep."""
    progress: Callable[[str], None]

    def load(self) -> dict[str, Predict]:
        """All contenders, loaded into this process."""
        return {name: PEERS[name].load(directory) for name, directory in self.directories.items()}

    def command(self, name: str, source: Path, target: Path, jobs: int = 1) -> list[str]:
        """Arguments of Python that tag a file of JSON Lines with a contender, in a process of its own."""
        directory = str(self.directories[name])
        if name == OURS:
            options = ["--jobs", str(jobs), "-o", str(target), "--force", "--model", directory]
            return ["-m", "tagger.cli", "tag", str(source), *options]
        return ["-m", "benchmarks.worker", name, directory, str(source), str(target)]

    def fitting(self, name: str, predict: Predict, most: int) -> list[str]:
        """As many abstracts, at most `most`, as a round is long enough for."""
        some = self.corpus.sample(min(most, 12))
        predict(some[:1])
        each = clocked(lambda: predict(some)).wall / len(some)
        return self.corpus.sample(max(len(some), min(most, int(self.sizes.seconds / each))))


def accuracy(setting: Setting) -> dict[str, Any]:
    """Macro-F1 on `dev`, and on how many labels each learnt."""
    from sklearn.metrics import f1_score

    dev = setting.corpus.dev.first(setting.sizes.judged)
    result: dict[str, Any] = {"abstracts": len(dev.texts), "macro_f1": {}}
    for name, predict in setting.load().items():
        setting.progress(f"{name} tags {len(dev.texts)} abstracts of dev")
        found = predict(dev.texts)
        decided = np.array([[area in areas for area in setting.corpus.areas] for areas in found])
        result["macro_f1"][name] = float(f1_score(dev.present, decided, average="macro", zero_division=0))
    return result


def speed(setting: Setting) -> dict[str, Any]:
    """Seconds an abstract in one process on one thread."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        tasks: dict[str, Callable[[], Seconds]] = {}
        numbers = {}
        for name, predict in setting.load().items():
            texts = setting.fitting(name, predict, setting.sizes.abstracts)
            numbers[name] = len(texts)
            tasks[name] = partial(clocked, partial(predict, texts))
        setting.progress(f"{setting.sizes.rounds} rounds of {_listed(numbers)} abstracts on one core")
        times = in_turn(tasks, setting.sizes.rounds)
    return {"abstracts": numbers, "seconds": {name: _each(times[name], numbers[name]) for name in times}}


def cores(setting: Setting) -> dict[str, Any]:
    """Seconds an abstract in two processes that have the contender loaded, by the clock on the wall."""
    from joblib import Parallel

    most = 4 * setting.sizes.abstracts  # so that handing out the work does not weigh more than the work

    tasks: dict[str, Callable[[], Seconds]] = {}
    numbers = {}
    with Parallel(n_jobs=2) as pool:
        for name, directory in setting.directories.items():
            texts = setting.fitting(name, PEERS[name].load(directory), most)
            size = max(1, min(TASK_SIZE, len(texts) // 8))
            parts = [texts[start : start + size] for start in range(0, len(texts), size)]
            numbers[name] = len(texts)

            tasks[name] = partial(clocked, partial(_predict_in, pool, name, directory, parts))
            tasks[name]()  # both processes load it
        setting.progress(f"{setting.sizes.rounds} rounds of {_listed(numbers)} abstracts on two cores")
        times = in_turn(tasks, setting.sizes.rounds)
    return {"abstracts": numbers, "seconds": {name: _each(times[name], numbers[name]) for name in times}}


def _predict_in(pool: Any, name: str, directory: Path, parts: list[list[str]]) -> None:
    from joblib import delayed

    pool(delayed(_predict_there)(name, directory, part) for part in parts)


@cache
def _loaded(name: str, directory: Path) -> Predict:
    return PEERS[name].load(directory)


def _predict_there(name: str, directory: Path, texts: list[str]) -> list[tuple[str, ...]]:
    return _loaded(name, directory)(texts)


def latency(setting: Setting) -> dict[str, Any]:
    """Seconds that a call with one abstract takes: median and 99th percentile."""
    from threadpoolctl import threadpool_limits

    result = {}
    with threadpool_limits(limits=1):
        for name, predict in setting.load().items():
            texts = setting.fitting(name, predict, setting.sizes.calls)
            setting.progress(f"{len(texts)} calls of {name} with one abstract")
            calls = [clocked(partial(predict, [text])) for text in texts]
            result[name] = {"calls": len(calls)} | {
                clock: [float(np.quantile([getattr(call, clock) for call in calls], share)) for share in (0.5, 0.99)]
                for clock in ("wall", "cpu")
            }
    return result


def start(setting: Setting) -> dict[str, Any]:
    """Seconds until a new process has given its first answer, and what importing scikit-learn and LightGBM takes."""
    import benchmarks
    import tagger

    with _scratch(setting) as folder:
        text, lines = folder / "one.txt", folder / "one.jsonl"
        (abstract,) = setting.corpus.sample(1)
        text.write_text(" ".join(abstract.split()), encoding="utf-8")
        for package in (tagger, benchmarks):  # as pip does with what it installs; a checkout may not have been
            compileall.compile_dir(os.path.dirname(str(package.__file__)), quiet=2)
        write_jsonl(lines, [abstract], 1)
        model = str(setting.directories[OURS])
        commands = {
            IMPORTS: ["-c", IMPORTS],
            "import numpy": ["-c", "import numpy"],
            "tagger --help": ["-m", "tagger.cli", "--help"],
            "tagger tag one.txt": ["-m", "tagger.cli", "tag", str(text), "--model", model],
        }
        for name in setting.directories:
            if name != OURS:
                commands[name] = setting.command(name, lines, folder / "out.jsonl")
        setting.progress(f"{setting.sizes.starts} cold starts of {len(commands)} commands")
        tasks = {name: partial(run, command) for name, command in commands.items()}
        return {name: asdict(seconds) for name, seconds in in_turn(tasks, setting.sizes.starts).items()}


def growth(setting: Setting) -> list[dict[str, Any]]:
    """Time and memory of tagging larger and larger files: this library with one process and two, each peer with one."""
    results = []
    runs = [(OURS, 1), (OURS, 2), *((name, 1) for name in setting.directories if name != OURS)]
    too_slow: set[str] = set()
    took: dict[str, tuple[float, int]] = {}
    with _scratch(setting) as folder:
        for number in setting.sizes.growth:
            lines = folder / "in.jsonl"
            write_jsonl(lines, setting.corpus.texts, number)
            for name, jobs in runs:
                if name != OURS and name in took and _expected(*took[name], number) > setting.sizes.peer_growth:
                    too_slow.add(name)
                if name in too_slow:
                    continue
                setting.progress(
                    f"{name} tags a file of {number:,} abstracts with {jobs} process{'es'[: 2 * jobs - 2]}"
                )
                watched: list[Peak] = []
                seconds = run(setting.command(name, lines, folder / "out.jsonl", jobs), watched)
                took[name] = (seconds.wall, number)
                peaks = [asdict(peak) for peak in watched]
                results.append({"name": name, "jobs": jobs, "abstracts": number, **asdict(seconds), "peaks": peaks})
            lines.unlink()
    return results


def _expected(seconds: float, abstracts: int, number: int) -> float:
    """Seconds for `number` abstracts if most of the time that `abstracts` took was spent on them."""
    return seconds * number / abstracts


def parallel(setting: Setting) -> dict[str, Any]:
    """Two workers against one: the command on a file, and ``tag_many`` on a list; starting the workers included."""
    import tagger

    number = setting.sizes.parallel
    model = tagger.load(setting.directories[OURS])
    texts = (setting.corpus.texts * (number // len(setting.corpus.texts) + 1))[:number]
    with _scratch(setting) as folder:
        lines, target = folder / "in.jsonl", folder / "out.jsonl"
        write_jsonl(lines, texts, number)
        tasks: dict[str, Callable[[], Seconds]] = {
            "tagger tag --jobs 1": partial(run, setting.command(OURS, lines, target, 1)),
            "tagger tag --jobs 2": partial(run, setting.command(OURS, lines, target, 2)),
            AT_ONCE: partial(_at_once, [setting.command(OURS, lines, folder / f"{k}.jsonl", 1) for k in range(2)]),
            "tag_many(n_jobs=1)": partial(clocked, partial(_tag_many, model, texts, 1)),
            "tag_many(n_jobs=2)": partial(clocked, partial(_tag_many, model, texts, 2)),
        }
        setting.progress(f"{setting.sizes.parallel_rounds} rounds of {number:,} abstracts with one worker and two")
        times = in_turn(tasks, setting.sizes.parallel_rounds)
    return {"abstracts": number, "seconds": {name: asdict(seconds) for name, seconds in times.items()}}


def _at_once(commands: list[list[str]]) -> Seconds:
    """The seconds of several commands that run at the same time, a command's share of them."""
    with ThreadPoolExecutor(len(commands)) as threads:
        start = time.perf_counter()
        taken = list(threads.map(run, commands))
        wall = time.perf_counter() - start
    return Seconds(wall / len(commands), sum(seconds.cpu for seconds in taken) / len(commands))


def _tag_many(model: Tagger, texts: list[str], n_jobs: int) -> None:
    for _ in model.tag_many(texts, n_jobs):
        pass


def disk(setting: Setting) -> dict[str, Any]:
    """Bytes on disk: of what each contender loads, and of the libraries that it needs."""
    return {
        name: {"model": PEERS[name].model_bytes(directory), "libraries": PEERS[name].bytes_of_libraries}
        for name, directory in setting.directories.items()
    }


def stages(setting: Setting) -> dict[str, Any]:
    """Where the time goes, beside the least that it could take."""
    import tagger
    from benchmarks.stages import counts_of, floor_of, stages_of

    model = tagger.load(setting.directories[OURS]).model
    texts = setting.corpus.sample(setting.sizes.abstracts)
    setting.progress(f"{setting.sizes.rounds} rounds of {len(texts):,} abstracts, stage by stage")
    return {
        "abstracts": len(texts),
        "counts": counts_of(model, texts),
        "stages": stages_of(model, texts, setting.sizes.rounds),
        "floor": floor_of(model, texts, setting.sizes.rounds),
    }


PARTS: dict[str, Callable[[Setting], Any]] = {
    "accuracy": accuracy,
    "disk": disk,
    "speed": speed,
    "latency": latency,
    "stages": stages,
    "cores": cores,
    "start": start,
    "parallel": parallel,
    "growth": growth,
}


def _each(seconds: Seconds, number: int) -> dict[str, float]:
    return {"wall": seconds.wall / number, "cpu": seconds.cpu / number}


def _listed(numbers: dict[str, int]) -> str:
    return ", ".join(f"{number:,}" for number in numbers.values())


@contextmanager
def _scratch(setting: Setting) -> Iterator[Path]:
    os.makedirs(setting.folder, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=setting.folder) as directory:
        yield Path(directory)
