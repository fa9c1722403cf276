"""Base class of losses: a formula L(s, y, m), from which inference derives all it needs.

For bit k only the Hamming affinity s over the other bits matters: flipping the product of two
bits moves it between s + 1 and s - 1. So a loss on +1/-1 pairs is a small table, and never an
exponential per pair.
"""

from __future__ import annotations

import inspect
import math
from abc import abstractmethod
from collections.abc import Callable
from contextlib import suppress
from copy import copy
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from hashlearn._registry import Registry

LOSSES: Registry[Loss] = Registry("loss")
register = LOSSES.register


class Loss(BaseEstimator):
    """How wrong a pair is: a function of its Hamming affinity s and its affinity y.

    A subclass defines ``__call__`` and its parameters, and declares the attributes below.

    Attributes
    ----------
    quadratic : bool
        Whether L is a positive factor times (s - m y)^2: inference then needs no n x n matrix.
        Default: False.
    graded : bool
        Whether the formula accepts any real y in [-1, 1]. Default: False.
    needs_balance : bool
        Whether all-equal codes are optimal, so that Algorithm 1 would find them. Default: False.
    """

    quadratic = False
    graded = False
    needs_balance = False
    _table: np.ndarray | None = None  # kept by `tabulate`

    @abstractmethod
    def __call__(self, s: Any, y: Any, n_bits: int) -> Any:
        """Return the loss of pairs with Hamming affinity `s` and affinity `y`."""


class FunctionLoss(Loss):
    """A user's function of ``(s, y)`` or ``(s, y, n_bits)`` as a loss.

    Parameters
    ----------
    function : callable
        Returns the loss of one pair; it may also accept arrays, but need not.

    Examples
    --------
    >>> from hashlearn.losses import FunctionLoss
    >>> FunctionLoss(lambda s, y: max(0, 8 - s * y))(s=2, y=-1, n_bits=16)
    10
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, s: Any, y: Any, n_bits: int) -> Any:
        """Return the function's value."""
        if _takes_n_bits(self.function):
            return self.function(s, y, n_bits)
        return self.function(s, y)


def _takes_n_bits(function: Callable[..., Any]) -> bool:
    """Return whether a third argument is n_bits, and not a parameter of the function's own."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except ValueError:  # a compiled function without a signature
        return False
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(positional) < 3:
        return any(p.kind is p.VAR_POSITIONAL for p in parameters)
    return positional[2].default is inspect.Parameter.empty or positional[2].name == "n_bits"


def _check_takes_pairs(function: Callable[..., Any]) -> None:
    """Raise if a function cannot be called as (s, y) or (s, y, n_bits)."""
    with suppress(ValueError):  # a compiled function without a signature
        signature = inspect.signature(function)
        try:
            signature.bind(*(0, 0, 0)[: 3 if _takes_n_bits(function) else 2])
        except TypeError as error:
            raise TypeError(
                f"loss={function!r} must accept (s, y) or (s, y, n_bits): {error}."
            ) from None


def as_loss(loss: Any) -> Loss:
    """Return a loss from a registered name, an instance or a function.

    Parameters
    ----------
    loss : str, Loss or callable
        A name in `LOSSES`, an instance, or a function of (s, y) or (s, y, n_bits).

    Returns
    -------
    loss : Loss

    Examples
    --------
    >>> from hashlearn.losses import as_loss
    >>> as_loss("ksh")
    KSHLoss()
    """
    if isinstance(loss, str):
        return LOSSES.create(loss)
    if isinstance(loss, Loss):
        return loss
    if callable(loss) and not isinstance(loss, type):
        _check_takes_pairs(loss)
        return FunctionLoss(loss)
    known = ", ".join(map(repr, LOSSES.names()))
    raise TypeError(f"loss must be one of {known}, a Loss or a function; got {loss!r}.")


def tabulate(loss: Loss, n_bits: int) -> Loss:
    """Return a copy of a loss that keeps its table for one number of bits.

    A fit makes it once, and `loss_table`, `is_groupable` and all that build on them then read
    the table instead of calling the loss again. The copy belongs to that fit: its parameters
    must not be changed. A loss that is the same for all codes is refused.

    Parameters
    ----------
    loss : Loss
        How wrong a pair is.
    n_bits : int
        Bits per code.

    Returns
    -------
    loss : Loss
        Of the same class, with the same parameters.

    Examples
    --------
    >>> from hashlearn.losses import as_loss, loss_table, tabulate
    >>> calls = []
    >>> loss = tabulate(as_loss(lambda s, y: calls.append(s) or -s * y), n_bits=2)
    >>> table, table = loss_table(loss, 2), loss_table(loss, 2)
    >>> len(calls)  # 5 Hamming affinities, for similar and for dissimilar pairs
    10
    """
    kept = copy(loss)
    kept._table = loss_table(loss, n_bits)
    reached = kept._table[:, ::2]  # s is n_bits less an even number
    if not np.ptp(reached, axis=1).any():
        raise ValueError(
            f"{loss!r} must depend on s, the Hamming affinity of a pair; it is the same for all s, "
            f"{reached[2, 0]:g} for similar and {reached[0, 0]:g} for dissimilar pairs."
        )
    return kept


def loss_table(loss: Loss, n_bits: int) -> np.ndarray:
    """Return L(s, y) as a (3, 2m + 1) table: rows y = -1, 0, +1, columns s = -m ... m.

    The row of y = 0, undefined pairs, is zero. The loss is called once per entry, so a
    function of numbers works as well as a vectorised one.

    Parameters
    ----------
    loss : Loss
        How wrong a pair is.
    n_bits : int
        Bits per code, m.

    Returns
    -------
    table : ndarray of shape (3, 2 * n_bits + 1)

    Examples
    --------
    >>> from hashlearn.losses import as_loss, loss_table
    >>> loss_table(as_loss("ksh"), n_bits=1)
    array([[0., 1., 4.],
           [0., 0., 0.],
           [4., 1., 0.]])
    """
    if loss._table is not None and loss._table.shape[1] == 2 * n_bits + 1:
        return loss._table
    table = np.zeros((3, 2 * n_bits + 1))
    for y in (-1, 1):
        for s in range(-n_bits, n_bits + 1):
            table[y + 1, s + n_bits] = _number(loss(s, y, n_bits), loss, s, y)
    return table


def difference_table(table: np.ndarray) -> np.ndarray:
    """Return a(s, y) = L(s + 1, y) - L(s - 1, y), s = -(m - 1) ... m - 1, from a loss table.

    Parameters
    ----------
    table : ndarray of shape (3, 2 * n_bits + 1)
        As `loss_table` returns it.

    Returns
    -------
    differences : ndarray of shape (3, 2 * n_bits - 1)

    Examples
    --------
    >>> from hashlearn.losses import as_loss, difference_table, loss_table
    >>> difference_table(loss_table(as_loss("ksh"), n_bits=2))[2]
    array([-12.,  -8.,  -4.])
    """
    return np.ascontiguousarray(table[:, 2:] - table[:, :-2])


def is_groupable(loss: Loss, n_bits: int) -> bool:
    """Return whether equal codes are best for similar pairs: exchangeable items then share one.

    Parameters
    ----------
    loss : Loss
        How wrong a pair is.
    n_bits : int
        Bits per code.

    Examples
    --------
    >>> from hashlearn.losses import as_loss, is_groupable
    >>> is_groupable(as_loss("bre"), n_bits=8)
    True
    >>> is_groupable(as_loss(lambda s, y: (s - y) ** 2), n_bits=8)
    False
    """
    similar = loss_table(loss, n_bits)[2]
    return bool(similar[-1] <= similar.min())


def _number(value: Any, loss: Loss, s: int, y: int) -> float:
    """Return a loss value as a float; raise if it is not a finite number."""
    if isinstance(value, int | float) and math.isfinite(value):  # numpy's float64 is a float
        return float(value)
    array = np.asarray(value)
    if array.size != 1 or array.dtype.kind not in "biuf" or not np.isfinite(array).all():
        raise ValueError(f"{loss!r} must return a finite number; got {value!r} for s={s}, y={y}.")
    return float(array.reshape(()))
