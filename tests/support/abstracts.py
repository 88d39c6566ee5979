"""Short abstracts written for the tests, with the two areas that they belong to."""

from __future__ import annotations

import random

import numpy as np
from numpy.typing import NDArray

AREAS = ("astronomy", "cooking")

ASTRONOMY = (
    "The telescope recorded faint galaxies behind the cluster.",
    "We measure the orbit of a comet from nine nights of observation.",
    "Dust around the young star hides two planets from the telescope.",
    "The galaxies rotate faster than their visible stars explain.",
    "A survey of the southern sky finds a comet every other week.",
    "Spectra of distant stars show how much iron they hold.",
)
COOKING = (
    "The dough rests overnight and is baked on hot stone.",
    "We compare five recipes for soup by taste and by cost.",
    "Slow simmering keeps the soup clear and the vegetables firm.",
    "Bakers fold butter into the dough until it forms thin layers.",
    "The recipes call for less salt when lemon is added late.",
    "A blind taste of bread shows that older flour loses flavour.",
)
NEUTRAL = (
    "Our results agree with earlier work.",
    "The study ran for three years at two sites.",
    "We discuss what remains open.",
    "All measurements were repeated by a second team.",
    "Notes and tables are available on request.",
    "Costs are reported in full.",
)

MARKED_UP = (
    r"We present \textbf{Oven}, a \emph{slow} method that bakes in $O(n \log n)$ steps at 30\% of the cost.",
    "**Comet** finds [orbits](https://comets.example.org/list) 2.5x faster, see `the notes`.",
    "<p>Dust &amp; ice</p> hide ``two'' planets; naïve searches miss α-rich stars (see www.example.org).",
    "湯はゆっくり煮る。 Le potage clarifié au citron. Суп варят медленно.",
    "We study 1,204 recipes; 12 of them need $\\alpha_{t} = 0.5$ and Schr\\\"{o}dinger's oven~\\cite{oven2020}.",
)


def small_abstracts(n: int = 80, seed: int = 0) -> tuple[list[str], NDArray[np.int8]]:
    """`n` abstracts of four sentences, and their grades: 2 with two sentences on an area or more, 1 with one."""
    generator = random.Random(seed)
    texts, grades = [], []
    for _ in range(n):
        sentences = [generator.choice(generator.choice((ASTRONOMY, COOKING, NEUTRAL, NEUTRAL))) for _ in range(4)]
        texts.append(" ".join(sentences))
        grades.append([min(2, sum(s in about for s in sentences)) for about in (ASTRONOMY, COOKING)])
    return texts, np.array(grades, dtype=np.int8)


def long_abstract(number: int) -> str:
    """A different abstract for each number, longer than 200 characters, whose last sentence ends with a full stop."""
    about = ASTRONOMY if number % 2 else COOKING
    return " ".join((f"This is study {number} of a series.", *(about[(number + k) % len(about)] for k in range(4))))
