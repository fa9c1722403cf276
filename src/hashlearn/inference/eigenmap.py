"""Laplacian eigenmap with median thresholds: Step 1 of self-taught hashing."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, eigsh

from hashlearn.affinity.base import Affinity
from hashlearn.inference.base import Inference, StepOne, check_graded, register
from hashlearn.losses.base import Loss

DENSE_SIZE = 500  # below, a full decomposition is quick and needs no convergence
DIGITS = 8  # eigenvectors are constant on components; rounding keeps noise from splitting them


@register("eigenmap")
class Eigenmap(Inference):
    r"""Balanced bits for the Laplacian loss: eigenvectors of the graph Laplacian.

    The similar pairs S make a graph with degrees D. The bits are the eigenvectors of
    :math:`(D - S) v = \lambda D v` with the smallest eigenvalues, the constant one left out,
    each thresholded at its median, so that bits are balanced and uncorrelated [1]_.

    References
    ----------
    .. [1] Zhang et al., "Self-Taught Hashing for Fast Similarity Search", SIGIR 2010.

    Examples
    --------
    >>> from hashlearn.affinity import SparseAffinity
    >>> from hashlearn.losses import LaplacianLoss
    >>> chain = SparseAffinity.from_pairs([(0, 1, 1), (1, 2, 1), (2, 3, 1)], n_items=4)
    >>> step_one = Eigenmap().infer(
    ...     chain, LaplacianLoss(), 1, random_state=np.random.RandomState(0)
    ... )
    >>> int(abs(np.diff(step_one.codes[:, 0].astype(int))).sum())  # one cut in the middle
    1
    """

    def check(self, loss: Loss, affinity: Affinity) -> None:
        """Raise if the loss is another, or nothing is similar."""
        if not loss.needs_balance:
            raise ValueError(
                f"inference='eigenmap' minimises the Laplacian loss only, not {loss!r}; "
                "use inference='auto'."
            )
        if affinity.n_similar == 0:
            raise ValueError(f"{affinity!r} has no similar pair: its graph has no edge.")
        check_graded(loss, affinity)

    def infer(
        self,
        affinity: Affinity,
        loss: Loss,
        n_bits: int,
        *,
        group: Any = "auto",
        random_state: np.random.RandomState,
        verbose: int = 0,
    ) -> StepOne:
        """Return codes for the items of the affinity; items are never grouped here."""
        self.check(loss, affinity)
        if n_bits > affinity.n_items - 1:
            raise ValueError(
                f"n_bits={n_bits} exceeds n_items - 1 = {affinity.n_items - 1}: the graph "
                "Laplacian has no more eigenvectors."
            )
        V = _laplacian_eigenvectors(affinity, n_bits, random_state)
        Z = np.where(_above_median(V), 1.0, -1.0)
        edges = float(affinity.similar_dot(np.ones(affinity.n_items)).sum())
        agreement = float((Z * affinity.similar_dot(Z)).sum())
        objective = (n_bits * edges - agreement) / 2  # the Hamming distances of similar pairs
        return StepOne((Z > 0).astype(np.uint8), np.array([objective]), None)


def _laplacian_eigenvectors(
    affinity: Affinity, count: int, random_state: np.random.RandomState
) -> np.ndarray:
    """Return the `count` smoothest eigenvectors after the constant one."""
    n = affinity.n_items
    degrees = affinity.similar_dot(np.ones(n))
    root = np.sqrt(np.where(degrees > 0, degrees, 1.0))  # an item without edges stays at 0

    def normalised(u: np.ndarray) -> np.ndarray:
        u = u.reshape(n, -1)
        return affinity.similar_dot(u / root[:, None]) / root[:, None]

    if n <= DENSE_SIZE or count + 1 >= n // 2:
        U = eigh(normalised(np.eye(n)), subset_by_index=[n - 1 - count, n - 1])[1]
    else:
        operator = LinearOperator((n, n), matvec=normalised, dtype=np.float64)
        U = eigsh(operator, k=count + 1, which="LA", v0=random_state.uniform(-1, 1, n))[1]
    return U[:, ::-1][:, 1:] / root[:, None]


def _above_median(V: np.ndarray) -> np.ndarray:
    """Tell which entries lie above their column's median."""
    V = np.round(V / np.abs(V).max(axis=0), DIGITS)
    median = np.median(V, axis=0)
    above = median < V
    # more than half at the top would leave a constant bit
    return np.where(above.any(axis=0), above, median <= V)
