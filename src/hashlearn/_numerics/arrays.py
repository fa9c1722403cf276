"""Rows as dense arrays or CSR matrices: their types, checks of their values, and their bytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from hashlearn._numerics.checks import check_not_huge

ROW_DTYPES = (np.float32, np.float64)
BLOCK_BYTES = 2**22  # bytes that are written or hashed at a time


def is_sparse(X: Any) -> bool:
    """Return whether X is a scipy sparse matrix or array."""
    return bool(sp.issparse(X))


def float_type(X: Any) -> np.dtype[Any]:
    """Return the type that rows are computed in: float64 stays, anything else is float32."""
    return np.dtype(np.float64 if X.dtype == np.float64 else np.float32)


def int32_indices(X: Any) -> Any:
    """Return a CSR matrix with 32-bit indices: liblinear and k-means accept no others."""
    indices, indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return sp.csr_array((X.data, indices, indptr), X.shape)


def as_rows(X: Any, dtype: Any = None) -> Any:
    """Return X as a float array or CSR matrix; float32 stays float32."""
    X = X.tocsr() if is_sparse(X) else np.asarray(X)
    if dtype is None:
        dtype = X.dtype if X.dtype in ROW_DTYPES else np.float64
    return X.astype(dtype, copy=False)


def check_magnitude(X: Any, dtype: Any = None) -> None:
    """Raise if squared distances of the rows overflow, or vanish, in a dtype, by default theirs."""
    values = X.data if is_sparse(X) else X
    if not values.size:
        return
    info = np.finfo(dtype or X.dtype)
    low, high = float(values.min()), float(values.max())
    largest = max(-low, high)
    if largest > np.sqrt(float(info.max) / (4 * X.shape[1])):
        problem = f"X has values up to {largest:g}: squared distances overflow {info.dtype}"
    elif 0 < high - low < np.sqrt(float(info.tiny)):
        problem = f"X varies by only {high - low:g}: squared distances vanish in {info.dtype}"
    else:
        return
    remedy = "scale X or use float64" if dtype is None and X.dtype == np.float32 else "scale X"
    raise ValueError(f"{problem}; {remedy}.")


def check_weights(sample_weight: Any, X: Any) -> np.ndarray | None:
    """Return weights of the rows of X as float64, checked; None stays None."""
    if sample_weight is None:
        return None
    from sklearn.utils.validation import _check_sample_weight  # a search needs none

    weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    check_not_huge(weights)
    if not weights.any():
        raise ValueError("sample_weight is 0 for all items; some must count.")
    return weights


def is_numeric_array(X: Any) -> bool:
    """Return whether X is an array of real numbers, in memory or mapped from a file."""
    return isinstance(X, np.ndarray) and X.dtype.kind in "biuf"


def aligned(array: Any) -> Any:
    """Return an array from another process at an aligned address.

    At an odd address NumPy does not call the matrix library, and rounds differently.
    """
    return np.require(array, requirements="A") if isinstance(array, np.ndarray) else array


def check_block_magnitude(X: Any, dtype: Any = None) -> None:
    """Do as `check_magnitude`, for dense X of any number type without converting it."""
    if is_sparse(X) or X.dtype == float_type(X) or not X.size:
        check_magnitude(X, dtype)
        return
    ends = np.array([[X.min()], [X.max()]], dtype=float_type(X))
    check_magnitude(np.repeat(ends, X.shape[1], axis=1), dtype)


def byte_blocks(array: np.ndarray, dtype: Any = None) -> Iterator[memoryview]:
    """Yield an array's bytes in C order, in blocks of bounded size: it may be a large file."""
    if array.nbytes <= BLOCK_BYTES:
        yield np.ascontiguousarray(array, dtype=dtype).reshape(-1).view(np.uint8).data
    elif len(array) == 1:
        yield from byte_blocks(array[0], dtype)
    else:
        n_rows = max(1, BLOCK_BYTES * len(array) // array.nbytes)
        for start in range(0, len(array), n_rows):
            yield from byte_blocks(array[start : start + n_rows], dtype)
