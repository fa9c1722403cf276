"""Conversion of labels and ids: text becomes numbers only if all values of a column do."""

from __future__ import annotations

import numpy as np

EXACT_FLOAT = 2**53  # integers up to this are exact in float64


def as_numbers(values: np.ndarray) -> np.ndarray:
    """Return text as int64 or float64 if every value is such a number, else unchanged.

    Integers beyond int64 stay text, because float64 would change them.

    Parameters
    ----------
    values : ndarray
        Text, or numbers, which are returned unchanged.

    Returns
    -------
    ndarray
        Of the same shape.

    Examples
    --------
    >>> as_numbers(np.array(["3", "20"]))
    array([ 3, 20])
    >>> as_numbers(np.array(["3", "cat"]))
    array(['3', 'cat'], dtype='<U3')
    """
    if values.dtype.kind != "U" or (np.char.find(values, "_") >= 0).any():  # 1_0 is text
        return values
    try:
        return values.astype(np.int64)
    except OverflowError:
        return values
    except ValueError:
        pass
    try:
        return values.astype(np.float64)
    except ValueError:
        return values


def as_ids(values: np.ndarray) -> np.ndarray:
    """Return ids as int64.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Integers, floats without a fraction, or text of integers.

    Returns
    -------
    ids : ndarray of shape (n,), int64

    Examples
    --------
    >>> as_ids(np.array(["3", "20"]))
    array([ 3, 20])
    >>> as_ids(np.array(["3", "cat"]))
    Traceback (most recent call last):
    ValueError: ids must be 64-bit integers; got 'cat'.
    """
    if values.ndim != 1:
        raise ValueError(f"ids must have one id per item; got the shape {values.shape}.")
    numbers = as_numbers(values)
    right = _are_ids(numbers)
    if not right.all():
        raise ValueError(f"ids must be 64-bit integers; got {values[~right][0].item()!r}.")
    return numbers.astype(np.int64)


def _are_ids(values: np.ndarray) -> np.ndarray:
    """Tell which values int64 holds exactly."""
    if values.dtype.kind == "U":
        ones = (as_numbers(values[i : i + 1]) for i in range(len(values)))
        return np.array([one.dtype.kind != "U" for one in ones], dtype=bool)
    if values.dtype.kind == "f":
        return (np.abs(values) <= EXACT_FLOAT) & (values == np.round(values))
    if values.dtype.kind == "u":
        return values <= np.iinfo(np.int64).max
    return np.full(values.shape, values.dtype.kind == "i")
