"""Values of label and id columns: text becomes numbers only if all of a column does."""

from __future__ import annotations

import numpy as np

EXACT_FLOAT = 2**53  # whole numbers up to here are exact in float64


def as_numbers(values: np.ndarray) -> np.ndarray:
    """Return text as int64 or float64 if every value is such a number; else as it is.

    Whole numbers beyond int64 stay text, because float64 would change them.

    Parameters
    ----------
    values : ndarray
        Numbers are returned as they are.

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
    if values.dtype.kind != "U" or (np.char.find(values, "_") >= 0).any():  # 1_0 is no number here
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
        Integers, whole floats, or text that spells integers.

    Returns
    -------
    ids : ndarray of shape (n,), int64

    Examples
    --------
    >>> as_ids(np.array(["3", "20"]))
    array([ 3, 20])
    >>> as_ids(np.array(["3", "cat"]))
    Traceback (most recent call last):
    ValueError: ids has the value 'cat'; ids are integers of 64 bits.
    """
    if values.ndim != 1:
        raise ValueError(f"ids has the shape {values.shape}; it takes one id per item.")
    numbers = as_numbers(values)
    right = _are_ids(numbers)
    if not right.all():
        raise ValueError(
            f"ids has the value {values[~right][0].item()!r}; ids are integers of 64 bits."
        )
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
