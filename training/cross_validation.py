"""Fitting each kind of classifier on all texts but a fold, for margins of texts that it did not see, and on all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy import sparse
from sklearn.model_selection import KFold

from tagger.vocabulary import Vocabulary
from training.embeddings import Embeddings
from training.linear import LinearClassifiers, fit_linear_outputs
from training.network import FittedNetwork, NetworkSettings, fit_network

Fitted = LinearClassifiers | FittedNetwork


@dataclass(frozen=True)
class FitSettings:
    """What the classifiers are fitted with; as the parameters of :class:`training.AreaClassifier`."""

    C: float
    smoothing: float
    network: NetworkSettings
    embeddings: Embeddings | None
    seed: int


def cross_validate(
    kinds: Sequence[str],
    forms: Sequence[sparse.csr_array],
    vocabulary: Vocabulary,
    targets: NDArray[np.float32],
    weights: NDArray[np.float64],
    settings: FitSettings,
    folds: int,
    n_jobs: int,
    progress: Callable[[str], None],
) -> tuple[dict[str, NDArray[np.float64]], dict[str, Fitted]]:
    """Fit on the first form of the texts, out of fold and on all; margins of every form.

    Parameters
    ----------
    kinds : sequence of str
        Of ``linear`` and ``network``.
    forms : sequence of sparse arrays, each of shape (texts, n-grams)
        Counts of the same texts in several forms, such as with their titles and without.
    vocabulary : Vocabulary
        Names the n-grams.
    targets : array of float32, shape (texts, outputs)
        1, 0, or NaN where unknown.
    weights : array of float, shape (texts,)
        Weight of each text.
    settings : FitSettings
        What to fit with.
    folds : int
        Folds of the texts, as far as there are as many texts.
    n_jobs : int
        Processes that fit at the same time.
    progress : callable
        Told how far it is, after each fit.

    Returns
    -------
    margins : dict from kind to array of float, shape (forms * texts, outputs)
        From classifiers that did not see the text: all texts in the first form, then all in the second...
    whole : dict from kind to what was fitted on all texts
    """
    n_texts = len(targets)
    everything = np.arange(n_texts)
    splitter = KFold(min(folds, n_texts), shuffle=True, random_state=settings.seed)
    splits = [*splitter.split(everything), (everything, everything[:0])]
    # The network first: its fits are the longest, and the short ones fill the gaps.
    tasks = [(kind, *split) for kind in sorted(kinds, reverse=True) for split in splits]
    fits = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(_fit_and_predict)(kind, forms, vocabulary, targets, weights, settings, train, held_out)
        for kind, train, held_out in tasks
    )
    margins = {kind: np.empty((len(forms), *targets.shape)) for kind in kinds}
    whole: dict[str, Fitted] = {}
    for number, ((kind, _, held_out), (fitted, predicted)) in enumerate(zip(tasks, fits), 1):
        progress(f"{number} of {len(tasks)} fits done")
        if fitted is None:
            margins[kind][:, held_out] = predicted
        else:
            whole[kind] = fitted
    return {kind: array.reshape(-1, targets.shape[1]) for kind, array in margins.items()}, whole


def _fit_and_predict(
    kind: str,
    forms: Sequence[sparse.csr_array],
    vocabulary: Vocabulary,
    targets: NDArray[np.float32],
    weights: NDArray[np.float64],
    settings: FitSettings,
    train: NDArray[np.int64],
    held_out: NDArray[np.int64],
) -> tuple[Fitted | None, list[NDArray[np.float64]]]:
    """Fit one kind of classifier on some texts; the classifier itself is given back only if no text is held out."""
    rows, known, importance = forms[0][train], targets[train], weights[train]
    fitted: Fitted
    if kind == "network":
        single = importance.astype(np.float32)
        fitted = fit_network(rows, vocabulary, settings.embeddings, known, single, settings.network, settings.seed)
    else:
        fitted = fit_linear_outputs(rows, known, importance, settings.C, settings.smoothing)
    if len(held_out):
        return None, [fitted.margins(counts[held_out]) for counts in forms]
    return fitted, []
