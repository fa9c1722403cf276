"""Items in chunks, on threads: converted to floats and checked while a chunk is in the cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Lock
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.utils import assert_all_finite

from hashlearn._numerics.arrays import float_rows, is_sparse
from hashlearn._numerics.blas import one_blas_thread
from hashlearn._numerics.padded_blocks import BLOCK_ROWS
from hashlearn._numerics.threads import map_blocks, n_threads

_CHUNK_ENTRIES = 2**19  # values of X that are converted at a time
_MAX_ROWS = 4096
_MIN_ROWS = 1024  # fewer are encoded before a second thread has started


def check_finite(X: Any, estimator_name: str) -> None:
    """Raise scikit-learn's error if X holds NaN or infinity; X is read in chunks.

    Examples
    --------
    >>> check_finite(np.array([[np.inf]]), "LSHHasher")
    Traceback (most recent call last):
    ValueError: Input X contains infinity or a value too large for dtype('float64').
    """
    for start, stop in _chunks(0, X.shape[0], _chunk_rows(X)):
        _check_rows(float_rows(X[start:stop]), estimator_name)


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
    """Apply `function` to chunks of rows, on threads, and stack the results.

    Parameters
    ----------
    function : callable
        From a chunk of rows, as floats, to an array with one row for each. It runs on several
        threads at once, unless X is taken as a whole.
    X : array or CSR matrix of shape (n, n_features)
        The rows, of any numeric type; never converted or copied whole unless taken so.
    threads : int, optional
        The most threads at work; as many as compiled loops use if not given.
    whole : bool, default=False
        Whether all rows are one chunk.
    estimator_name : str, optional
        With it, chunks with NaN or infinity are refused in the words of scikit-learn.

    Returns
    -------
    ndarray of shape (n, n_columns)

    Examples
    --------
    >>> map_float_blocks(lambda rows: rows > 1, np.array([[1], [2]]))
    array([[False],
           [ True]])
    """
    results = _Results(X.shape[0])
    checks = estimator_name is not None and not get_config()["assume_finite"]
    chunk_rows = X.shape[0] if whole else _chunk_rows(X)

    def work(start: int, stop: int) -> None:
        for first, last in _chunks(start, stop, chunk_rows):
            rows = float_rows(X[first:last])
            if checks:
                _check_rows(rows, estimator_name)
            results.put(first, function(rows))

    map_blocks(work, _bounds(X.shape[0], chunk_rows, 1 if whole else threads))
    return results.array


class _Results:
    """Rows that arrive in any order; the first to come say how wide and of what type they are."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.array = np.empty((0, 0))
        self.lock = Lock()

    def put(self, start: int, rows: np.ndarray) -> None:
        with self.lock:
            if not self.array.size:
                self.array = np.empty((self.n, rows.shape[1]), dtype=rows.dtype)
        self.array[start : start + len(rows)] = rows


def _chunk_rows(X: Any) -> int:
    wanted = _MAX_ROWS if is_sparse(X) else _CHUNK_ENTRIES // max(X.shape[1], 1)
    return max(BLOCK_ROWS, min(_MAX_ROWS, wanted // BLOCK_ROWS * BLOCK_ROWS))


def _chunks(start: int, stop: int, chunk_rows: int) -> Iterator[tuple[int, int]]:
    for first in range(start, stop, chunk_rows):
        yield first, min(first + chunk_rows, stop)


def _bounds(n: int, chunk_rows: int, threads: int | None) -> list[int]:
    """Return where ranges of rows begin and end: one per thread, or shorter ones if all work."""
    most = n_threads()
    threads = max(1, min(most, threads or most, -(-n // _MIN_ROWS)))
    step = -(-n // threads)
    if threads == most > 1:
        step = min(step, 4 * chunk_rows)  # a thread that is held up leaves work to the others
    step = max(1, -(-step // BLOCK_ROWS)) * BLOCK_ROWS
    return [*range(0, n, step), n]
