"""The arrays of a model as they are kept in its ``arrays.npz``, and back, with every shape and dtype checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagger.model import LEVELS, NO_CALIBRATION, Model
from tagger.network import Network
from tagger.vocabulary import Vocabulary

_DTYPES: dict[str, type[np.generic]] = {
    "coef": np.float32,
    "repeated": np.int32,
    "repeated_coef": np.float32,
    "intercept": np.float64,
    "thresholds": np.float64,
    "unsure": np.float64,
    "calibration": np.float64,
}
_NETWORK_DTYPES: dict[str, type[np.generic]] = {
    "network_features": np.int32,
    "network_idf": np.float32,
    "network_embedding": np.float16,
    "network_projection": np.float32,
    "network_bias": np.float32,
    "network_output": np.float32,
}


def to_arrays(model: Model) -> dict[str, NDArray[Any]]:
    """The arrays of `model`.

    Most n-grams weigh the same however often they occur: `coef` is their weight where they occur once, and
    `repeated_coef` the weights of the n-grams in `repeated` where they occur more often.
    """
    repeated = np.flatnonzero((model.coef[1:] != model.coef[0]).any(axis=(0, 2)))
    calibration = np.tile(NO_CALIBRATION, len(model.intercept)) if model.calibration is None else model.calibration
    arrays: dict[str, NDArray[Any]] = {
        "coef": model.coef[0],
        "repeated": repeated.astype(np.int32),
        "repeated_coef": model.coef[1:, repeated],
        "intercept": model.intercept,
        "thresholds": model.thresholds,
        "unsure": model.unsure,
        "calibration": calibration,
    }
    if model.network is not None and model.output is not None:
        network = model.network
        weights = (network.embedding, network.projection, network.bias, model.output)
        arrays |= dict(zip(_NETWORK_DTYPES, (network.features, network.idf, *weights)))
    return arrays | model.vocabulary.to_arrays()


def from_arrays(
    arrays: Mapping[str, NDArray[Any]], areas: tuple[str, ...], central: tuple[str, ...], about: dict[str, Any]
) -> Model:
    """Rebuild a model from :func:`to_arrays`.

    Raises
    ------
    ValueError, KeyError
        If the arrays are not those of a model.
    """
    has_network = not _NETWORK_DTYPES.keys().isdisjoint(arrays)
    for name, dtype in (_DTYPES | (_NETWORK_DTYPES if has_network else {})).items():
        if arrays[name].dtype != dtype:
            raise ValueError(f"{name} has dtype {arrays[name].dtype}, not {np.dtype(dtype)}")
    once, repeated, more = arrays["coef"], arrays["repeated"], arrays["repeated_coef"]
    if once.ndim != 2 or more.shape != (LEVELS - 1, len(repeated), once.shape[1]):
        raise ValueError(f"coef has shape {once.shape} and repeated_coef {more.shape}")
    if len(repeated) and not 0 <= repeated.min() <= repeated.max() < len(once):
        raise ValueError("repeated names an n-gram outside the vocabulary")
    coef = np.repeat(once[np.newaxis], LEVELS, axis=0)
    coef[1:, repeated] = more
    network = output = None
    if has_network:
        *parts, output = (arrays[name] for name in _NETWORK_DTYPES)
        network = Network(*parts)
    return Model(
        areas=areas,
        vocabulary=Vocabulary.from_arrays(arrays),
        coef=coef,
        intercept=arrays["intercept"],
        thresholds=arrays["thresholds"],
        unsure=arrays["unsure"],
        central=central,
        network=network,
        output=output,
        calibration=arrays["calibration"],
        about=about,
    )
