"""Sign iterations and single flips: the fast way to a local minimum of z^T A z."""

from __future__ import annotations

import numpy as np

from hashlearn.inference._problems import BinaryProblem
from hashlearn.inference._relaxation import relaxed_minimum, signs
from hashlearn.inference.base import Solver, register_solver

EIGENVECTOR_TOLERANCE = 1e-2  # only its signs are used, and they are improved at once
MAX_SIGN_STEPS = 100
FEW_ITEMS = 64  # up to here, items are flipped one by one from the start


@register_solver("sign-flip")
class SignFlip(Solver):
    r"""Repeat :math:`z \leftarrow \mathrm{sign}(-A z)` while it pays, then flip single items.

    It starts from the spectral relaxation's signs and, once the bit is learned, from the
    present bit; the better end counts. Where a sign step would rise, it becomes
    :math:`\mathrm{sign}(\sigma z - A z)`, which flips only items that gain more than
    :math:`\sigma`; with :math:`\sigma = \lambda_{max}(A)` no step can rise.

    Examples
    --------
    >>> from hashlearn.inference import SignFlip
    >>> SignFlip()
    SignFlip()
    """

    moves_codes = True
    n_cycles = 2  # one cycle can end above the paper's way, two end below it

    def minimise(
        self, problem: BinaryProblem, start: np.ndarray, random_state: np.random.RandomState
    ) -> np.ndarray:
        """Return signs at which no single flip helps, or those after the most flips allowed."""
        z = signs(relaxed_minimum(problem, random_state, tol=EIGENVECTOR_TOLERANCE))
        z, value = _descend(problem, z)
        if start.any():  # the bit was learned in an earlier cycle
            other, other_value = _descend(problem, start)
            if other_value < value:
                return other
        return z


def _descend(problem: BinaryProblem, z: np.ndarray) -> tuple[np.ndarray, float]:
    """Return a local minimum from z, by sign iterations and then by single flips."""
    z = z.astype(np.float64)
    product = problem.dot(z).astype(np.float64)
    if problem.size > FEW_ITEMS:
        z, product = _sign_steps(problem, z, product)
    flipped = problem.flip(z, product)
    value = float(flipped @ problem.moved(z, product, flipped))
    return flipped.astype(np.int8), value


def _sign_steps(
    problem: BinaryProblem, z: np.ndarray, product: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Move all items that gain more than sigma at once, while the value falls."""
    value, sigma = z @ product, 0.0
    for _ in range(MAX_SIGN_STEPS):
        gain = z * product  # flipping item i alone changes the value by -4 gain_i
        if not (gain > sigma).any():
            break
        moved = np.where(gain > sigma, -z, z)
        moved_product = problem.moved(z, product, moved)
        moved_value = moved @ moved_product
        if moved_value < value:
            z, product, value = moved, moved_product, moved_value
            sigma /= 2
        else:
            sigma = max(2 * sigma, gain[gain > sigma].mean() / 2)
    return z, product
