"""Items in blocks, on threads: converted to floats and checked while a block is in the cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Lock
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.utils import assert_all_finite

from hashlearn._numerics.arrays import float_type, is_sparse
from hashlearn._numerics.blas import one_blas_thread
from hashlearn._numerics.padded_blocks import BLOCK_ROWS
from hashlearn._numerics.threads import map_blocks, n_threads

_BLOCK_ENTRIES = 2**19  # values of X that are converted at a time
_MAX_ROWS = 4096
_MIN_SHARD_ROWS = 1024  # fewer are encoded before a second thread has started


def check_finite(X: Any, estimator_name: str) -> None:
    """Raise scikit-learn's error if X contains NaN or infinity; X is read in blocks."""
    for start, stop in _blocks(0, X.shape[0], _block_rows(X)):
        _check_rows(X[start:stop].astype(float_type(X), copy=False), estimator_name)


def _check_rows(rows: Any, estimator_name: str | None) -> None:
    values = rows.data if is_sparse(rows) else rows
    if values.flags.c_contiguous:
        flat = values.reshape(-1)
        with np.errstate(over="ignore", invalid="ignore"):
            squares = np.dot(flat, flat)  # several times as fast as a look at each value
        if np.isfinite(squares):
            return
    assert_all_finite(rows, estimator_name=estimator_name, input_name="X")


@one_blas_thread()
def map_float_blocks(
    function: Callable[[Any], np.ndarray],
    X: Any,
    *,
    threads: int | None = None,
    whole: bool = False,
    estimator_name: str | None = None,
) -> np.ndarray:
    """Apply `function` to blocks of rows, as floats, on threads, and stack the results.

    X may be of any number type and is never converted or copied whole, unless `whole` makes one
    block of it. With `estimator_name`, NaN and infinity raise scikit-learn's error of that name.
    """
    n = X.shape[0]
    checks = estimator_name is not None and not get_config()["assume_finite"]
    block_rows = n if whole else _block_rows(X)
    results = np.empty((0, 0))
    lock = Lock()

    def put(start: int, found: np.ndarray) -> None:
        nonlocal results
        with lock:
            if not results.size:  # the first block tells the width and the type
                results = np.empty((n, found.shape[1]), dtype=found.dtype)
        results[start : start + len(found)] = found

    def work(start: int, stop: int) -> None:
        for first, last in _blocks(start, stop, block_rows):
            rows = X[first:last].astype(float_type(X), copy=False)
            if checks:
                _check_rows(rows, estimator_name)
            put(first, function(rows))

    map_blocks(work, _shard_bounds(n, block_rows, 1 if whole else threads))
    return results


def _block_rows(X: Any) -> int:
    wanted = _MAX_ROWS if is_sparse(X) else _BLOCK_ENTRIES // max(X.shape[1], 1)
    return max(BLOCK_ROWS, min(_MAX_ROWS, wanted // BLOCK_ROWS * BLOCK_ROWS))


def _blocks(start: int, stop: int, block_rows: int) -> Iterator[tuple[int, int]]:
    for first in range(start, stop, block_rows):
        yield first, min(first + block_rows, stop)


def _shard_bounds(n: int, block_rows: int, threads: int | None) -> list[int]:
    """Return where shards begin and end: one per thread, or shorter ones if all threads work."""
    most = n_threads()
    threads = max(1, min(most, threads or most, -(-n // _MIN_SHARD_ROWS)))
    step = -(-n // threads)
    if threads == most > 1:
        step = min(step, 4 * block_rows)  # a thread that is held up leaves work to the others
    step = max(1, -(-step // BLOCK_ROWS)) * BLOCK_ROWS
    return [*range(0, n, step), n]
