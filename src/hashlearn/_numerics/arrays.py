"""Rows as arrays or CSR matrices: their types, and checks of their values."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp


def is_sparse(X: Any) -> bool:
    """Return whether X is a scipy sparse matrix or array."""
    return bool(sp.issparse(X))


def float_type(X: Any) -> np.dtype[Any]:
    """Return the type that rows are computed in: float64 stays, all else is float32.

    Examples
    --------
    >>> float_type(np.zeros(1)), float_type(np.zeros(1, dtype=np.uint8))
    (dtype('float64'), dtype('float32'))
    """
    return np.dtype(np.float64 if X.dtype == np.float64 else np.float32)


def int32_indices(X: Any) -> Any:
    """Return a CSR matrix with the indices that compiled code elsewhere is made for.

    Examples
    --------
    >>> X = sp.csr_array(([1.0], np.array([0]), np.array([0, 1])), shape=(1, 1))
    >>> int32_indices(X).indices.dtype
    dtype('int32')
    """
    indices, indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return sp.csr_array((X.data, indices, indptr), X.shape)


def as_rows(X: Any, dtype: Any = None) -> Any:
    """Return X as a float array or CSR matrix; float32 stays float32.

    Examples
    --------
    >>> as_rows([[1, 2]])
    array([[1., 2.]])
    """
    X = X.tocsr() if is_sparse(X) else np.asarray(X)
    if dtype is None:
        dtype = X.dtype if X.dtype in (np.float32, np.float64) else np.float64
    return X.astype(dtype, copy=False)


def check_magnitude(X: Any) -> None:
    """Raise if squared distances of the rows overflow, or vanish, in their dtype.

    Examples
    --------
    >>> check_magnitude(np.array([[1e30], [2e30]], dtype=np.float32))
    Traceback (most recent call last):
    ValueError: X goes up to 2e+30: squared distances overflow float32; scale X, or give float64.
    """
    values = X.data if is_sparse(X) else X
    if not values.size:
        return
    info = np.finfo(X.dtype)
    low, high = float(values.min()), float(values.max())
    largest = max(-low, high)
    if largest > np.sqrt(float(info.max) / (4 * X.shape[1])):
        problem = f"X goes up to {largest:g}: squared distances overflow {X.dtype}"
    elif 0 < high - low < np.sqrt(float(info.tiny)):
        problem = f"X varies by {high - low:g} only: squared distances vanish in {X.dtype}"
    else:
        return
    remedy = "scale X, or give float64" if X.dtype == np.float32 else "scale X"
    raise ValueError(f"{problem}; {remedy}.")


ROW_DTYPES = (np.float32, np.float64)


def is_numeric_array(X: Any) -> bool:
    """Tell whether X is an array of real numbers, in memory or mapped from a file.

    Examples
    --------
    >>> is_numeric_array(np.zeros(2, dtype=np.uint8)), is_numeric_array([0, 0])
    (True, False)
    """
    return isinstance(X, np.ndarray) and X.dtype.kind in "biuf"


def float_rows(rows: Any) -> Any:
    """Return rows as scikit-learn converts them: float32 unless they are float64 already.

    Examples
    --------
    >>> float_rows(np.array([[255]], dtype=np.uint8))
    array([[255.]], dtype=float32)
    """
    return rows.astype(float_type(rows), copy=False)


def aligned(array: Any) -> Any:
    """Return an array that came from another process as it was made there.

    It may lie at an odd address, where NumPy does not call the matrix library and rounds
    otherwise.

    Examples
    --------
    >>> odd = np.zeros(9, dtype=np.uint8)[1:].view(np.float64)
    >>> odd.flags.aligned, aligned(odd).flags.aligned
    (False, True)
    """
    return np.require(array, requirements="A") if isinstance(array, np.ndarray) else array


def check_block_magnitude(X: Any) -> None:
    """Raise as `check_magnitude` does, for dense X of any number type without converting it."""
    dtype = float_type(X)
    if is_sparse(X) or X.dtype == dtype or not X.size:
        check_magnitude(X)
        return
    ends = np.array([[X.min()], [X.max()]], dtype=dtype)
    check_magnitude(np.repeat(ends, X.shape[1], axis=1))
