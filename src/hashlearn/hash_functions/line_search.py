r"""How far to go along a line, for many machines at once.

Along the line of a machine the objective is

.. math:: f(t) = f_0 + a t + \tfrac12 b t^2 + C\, \ell(t),

with a and b of what is known before the items are seen, and :math:`\ell` their loss. It is convex
and piecewise quadratic, so its slope rises, and the sign of the slope tells on which side the
minimum is.
"""

from __future__ import annotations

import numpy as np

from hashlearn.hash_functions.hinge_loss import Lines

_MAX_STEPS = 10
_FLAT = 0.05  # part of the first slope that may be left


def line_minima(
    lines: Lines, linear: np.ndarray, square: np.ndarray, C: np.ndarray, slope: np.ndarray
) -> np.ndarray:
    """Return per machine a step t with f'(t) near 0, by safeguarded Newton steps.

    Parameters
    ----------
    lines : Lines
        The loss along the lines.
    linear, square, C : ndarray of shape (n_machines,)
        a, b and C of each machine.
    slope : ndarray of shape (n_machines,)
        f'(0), below 0.

    Returns
    -------
    ndarray of shape (n_machines,)

    Examples
    --------
    >>> margins, bits = np.array([[0.0, 2.0]]), np.packbits([[1]], axis=1)
    >>> lines = Lines([margins], [bits], [None])  # of one machine and one item: (1 - 2 t)^2
    >>> line_minima(lines, np.zeros(1), np.ones(1), np.ones(1), np.array([-4.0])).round(3)
    array([0.444])
    """
    t, low, high = np.ones(len(C)), np.zeros(len(C)), np.full(len(C), np.inf)
    for _ in range(_MAX_STEPS):
        first, second = lines.derivatives(t)
        first = linear + t * square + 2 * C * first
        second = square + 2 * C * second
        if (np.abs(first) <= _FLAT * np.abs(slope)).all():
            break
        low, high = np.where(first < 0, t, low), np.where(first >= 0, t, high)
        newton = t - first / np.maximum(second, np.finfo(np.float64).tiny)
        middle = np.where(np.isfinite(high), (low + np.minimum(high, 2 * t)) / 2, 2 * t)
        t = np.where((newton > low) & (newton < high), newton, middle)
    return t
