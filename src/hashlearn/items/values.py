"""Conversion of labels and ids: text becomes numbers only if all values of a column do."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hashlearn._numerics.columns import NUMBERS
from hashlearn._numerics.nulls import is_null

EXACT_FLOAT = 2**53  # integers up to this are exact in float64
TEXT = "UT"  # kinds of dtypes that are text
NO_LABEL = ("", "nan", "null")  # texts that are not a label


def as_numbers(values: np.ndarray) -> np.ndarray:
    """Return text as int64 or float64 if every value is such a number, else unchanged.

    Integers beyond int64 stay text, because float64 would change them, and so do those that begin
    with a zero, such as zip codes. Objects without a missing value become an array of their type.

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
    >>> import numpy as np
    >>> from hashlearn.items import as_numbers
    >>> as_numbers(np.array(["3", "20"]))
    array([ 3, 20])
    >>> as_numbers(np.array(["3", "cat"]))
    array(['3', 'cat'], dtype='<U3')
    """
    if values.dtype.kind == "O" and all(value is not None for value in values.flat):
        values = np.array(values.tolist()).reshape(values.shape)
    if values.dtype.kind != "U" or (np.char.find(values, "_") >= 0).any():  # 1_0 is text
        return values
    try:
        numbers = values.astype(np.int64)
    except OverflowError:
        return values
    except ValueError:
        pass
    else:
        digits = np.char.lstrip(np.char.strip(values), "+-")
        padded = np.char.startswith(digits, "0") & (np.char.str_len(digits) > 1)
        return values if padded.any() else numbers
    try:
        return values.astype(np.float64)
    except ValueError:
        return values


def as_ids(values: ArrayLike) -> np.ndarray:
    """Return ids as int64, or as objects of text.

    Text becomes int64 if every value is written as an integer is, so that ``007`` stays text.
    Objects of text stay text, and other objects, such as UUIDs and paths, become text.

    Parameters
    ----------
    values : array-like of shape (n,)
        Integers, floats without a fraction, text or objects. Give all ids of a file at once: those
        of a part may be integers where others are not.

    Returns
    -------
    ids : ndarray of shape (n,), int64 or object

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.items import as_ids
    >>> as_ids(np.array(["3", "20"]))
    array([ 3, 20])
    >>> as_ids(np.array(["3", "cat"]))
    array(['3', 'cat'], dtype=object)
    >>> as_ids([3, 2.5])
    Traceback (most recent call last):
    ValueError: ids must be 64-bit integers or text; got 2.5.
    """
    values = np.asarray(values)
    if values.ndim != 1:
        raise ValueError(f"ids must have one id per item; got the shape {values.shape}.")
    if values.dtype.kind == "O":
        values = _from_objects(values)
    elif values.dtype.kind in TEXT:
        values = _from_text(values)
    if values.dtype.kind == "O":
        return values
    right = _are_ids(values)
    if not right.all():
        raise ValueError(f"ids must be 64-bit integers or text; got {values[~right][0].item()!r}.")
    return values.astype(np.int64)


def is_missing(labels: ArrayLike, extra: Any = ()) -> np.ndarray:
    """Tell which items have no label.

    No label is None, NaN, pandas.NA, the text '', 'nan' or 'null', and -1, unless 1 is the only
    other label: these two are the usual names of two classes.

    Parameters
    ----------
    labels : array-like of shape (n,) or (n, k)
        Labels as a file has them: numbers, text or objects.
    extra : str or number, or sequence of these
        Further values that mean "not labelled".

    Returns
    -------
    missing : ndarray of shape (n,), bool
        Of several labels per item, whether one is missing.

    Examples
    --------
    >>> from hashlearn.items import is_missing
    >>> is_missing([3, -1, 0])
    array([False,  True, False])
    >>> is_missing(["cat", "", "unknown"], extra="unknown")
    array([False,  True,  True])
    """
    values = np.asarray(labels)
    further = [extra] if isinstance(extra, str) else np.ravel(extra).tolist()
    if values.dtype.kind in NUMBERS:
        missing, minus, one = np.isnan(values), values == -1, values == 1
        missing |= np.isin(values, [_number(value) for value in further])
    else:
        texts = np.array([_text(value) for value in values.flat], dtype=str).reshape(values.shape)
        missing = np.isin(texts, [*NO_LABEL, *map(_text, further)])
        minus, one = texts == "-1", texts == "1"
    if not one[~missing & ~minus].all() or (missing | minus).all():
        missing |= minus
    return missing.any(axis=1) if missing.ndim == 2 else missing


def _number(value: Any) -> float:
    """Return the number that a value is, or NaN."""
    try:
        return float(value)
    except ValueError:
        return float("nan")


def _text(value: Any) -> str:
    """Return a label as text to compare: in lower case, and 3.0 as 3; None and pandas.NA as ''."""
    return "" if is_null(value) else str(value).strip().lower().removesuffix(".0")


def _from_objects(values: np.ndarray) -> np.ndarray:
    """Return objects as numbers, if all of them are integers, or as text."""
    for row, value in enumerate(values):
        if is_null(value) or value == "":
            raise ValueError(f"ids must have a value for every item; row {row} (from 0) has none.")
    if all(isinstance(value, Integral) for value in values):
        return np.array(values.tolist())
    wrong = next((value for value in values if isinstance(value, float | bytes | Integral)), None)
    if wrong is not None:
        raise ValueError(f"ids must all be 64-bit integers, or all text; got {wrong!r}.")
    return np.array([*map(str, values)], dtype=object)


def _from_text(values: np.ndarray) -> np.ndarray:
    """Return text as int64 if every value is an integer as Python writes it, else as objects."""
    texts = np.char.strip(values.astype(str))
    try:
        numbers = texts.astype(np.int64)
    except (ValueError, OverflowError):
        return _from_objects(values.astype(object))
    exact = (numbers.astype(str) == texts).all()
    return numbers if exact else _from_objects(values.astype(object))


def _are_ids(values: np.ndarray) -> np.ndarray:
    """Tell which values int64 holds exactly."""
    if values.dtype.kind == "f":
        return (np.abs(values) <= EXACT_FLOAT) & (values == np.round(values))
    if values.dtype.kind == "u":
        return values <= np.iinfo(np.int64).max
    return np.full(values.shape, values.dtype.kind == "i")
