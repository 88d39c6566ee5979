"""One thread for linear algebra: sums come out the same on any number of cores, and small products faster."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from threadpoolctl import threadpool_limits

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def one_thread(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Let NumPy's and SciPy's linear algebra use one thread while `function` runs."""

    @wraps(function)
    def limited(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        with threadpool_limits(1, user_api="blas"):
            return function(*args, **kwargs)

    return limited
