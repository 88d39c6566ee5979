"""Which n-grams are worth reading: those whose presence depends most on an output."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


def best_by_chi_squared(counts: sparse.csr_array, targets: NDArray[np.float32], n_best: int) -> NDArray[np.int64]:
    """Columns whose presence depends most on any output (Yang and Pedersen 1997), the best first.

    Parameters
    ----------
    counts : sparse array, shape (texts, n-grams)
        Counts of n-grams.
    targets : array of float32, shape (texts, outputs)
        1 where an output is true, 0 where it is not, NaN where that is unknown, which takes no part.
    n_best : int
        Columns to give back; all if there are fewer.
    """
    presence = sparse.csr_array((np.ones(counts.nnz, dtype=np.float32), counts.indices, counts.indptr), counts.shape)
    best = np.zeros(counts.shape[1])
    for target in targets.T:
        known = ~np.isnan(target)
        rows, truth = presence[known], target[known].astype(np.float64)
        n_texts, share = len(truth), truth.mean() if len(truth) else 0.0
        frequency = np.asarray(rows.sum(axis=0)).ravel().astype(np.float64)
        excess = np.asarray(rows.T @ truth).ravel() - frequency * share
        variance = frequency * share * (1 - share) * (1 - frequency / max(n_texts, 1))
        best = np.maximum(best, excess**2 / np.maximum(variance, 1e-9) * (variance > 0))
    return np.argsort(-best, kind="stable")[:n_best]
