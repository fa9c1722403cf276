"""Laplacian eigenmap with median thresholds: Step 1 of self-taught hashing."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, eigh
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator
from sklearn.exceptions import ConvergenceWarning

from hashlearn._numerics.eigenvectors import lanczos
from hashlearn.affinity import Affinity, check_dissimilar, check_similar
from hashlearn.files.checkpoint import remember
from hashlearn.inference.base import Inference, StepOne, register
from hashlearn.losses import Loss

DENSE_SIZE = 500  # below, a full decomposition is quick and needs no convergence
TOLERANCE = 1e-8  # of eigenvalues, which lie in [-1, 1]; thresholds need no more
ROUGH_TOLERANCE = 1e-3  # where that is not reached in time
MAX_PASSES = 10  # of searches for copies; two are usual
MAX_RESTARTS = 1000  # of the eigen-solver; tens are usual
DIGITS = 6  # eigenvectors are constant on components; rounding keeps noise from splitting them


@register("eigenmap")
class Eigenmap(Inference):
    r"""Balanced bits for the Laplacian loss: eigenvectors of the graph Laplacian.

    The similar pairs S make a graph with degrees D. The bits are the eigenvectors of
    :math:`(D - S) v = \lambda D v` with the smallest eigenvalues, the constant one left out,
    each thresholded at its median, so that bits are balanced and uncorrelated [1]_.

    c classes have c - 1 eigenvectors in which items of a class are alike. The next ones split
    single classes, the largest first, and carry no similarity: there is a warning. They are kept
    as the method has them: random directions in their place, which split all classes, make worse
    codes.

    References
    ----------
    .. [1] Zhang et al., "Self-Taught Hashing for Fast Similarity Search", SIGIR 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.affinity import SparseAffinity
    >>> from hashlearn.inference import Eigenmap
    >>> from hashlearn.losses import LaplacianLoss
    >>> chain = SparseAffinity.from_pairs([(0, 1, 1), (1, 2, 1), (2, 3, 1)], n_items=4)
    >>> step_one = Eigenmap().infer(
    ...     chain, LaplacianLoss(), 1, random_state=np.random.RandomState(0)
    ... )
    >>> int(abs(np.diff(step_one.codes[:, 0].astype(int))).sum())  # one cut in the middle
    1
    """

    def check(self, loss: Loss) -> None:
        """Raise if the loss is not the Laplacian loss."""
        if not loss.needs_balance:
            raise ValueError(
                f"inference='eigenmap' minimises the Laplacian loss only, not {loss!r}; "
                "use inference='auto'."
            )

    def check_affinity(self, affinity: Affinity, loss: Loss) -> None:
        """Raise if no pair is similar, or if the loss cannot take a graded affinity."""
        check_similar(affinity)
        if affinity.classes is not None:  # of one class, the graph has no smooth eigenvector
            check_dissimilar(affinity)
        super().check_affinity(affinity, loss)

    def infer(
        self,
        affinity: Affinity,
        loss: Loss,
        n_bits: int,
        *,
        group: Any = "auto",
        sample_weight: np.ndarray | None = None,
        random_state: np.random.RandomState,
        verbose: int = 0,
    ) -> StepOne:
        """Return codes for the items of the affinity; items are never grouped here."""
        if sample_weight is not None and (np.asarray(sample_weight) != 1).any():
            raise ValueError(
                "sample_weight cannot be used with inference='eigenmap', whose medians count every "
                "item once; use another loss, or repeat items."
            )
        if n_bits > affinity.n_items - 1:
            raise ValueError(
                f"n_bits={n_bits} exceeds n_items - 1 = {affinity.n_items - 1}: the graph "
                "Laplacian has no more eigenvectors."
            )
        V = remember(
            "Step 1: eigenvectors",
            lambda: laplacian_eigenvectors(affinity, n_bits, random_state),
            random_state,
        )
        Z = np.where(_above_median(V), 1.0, -1.0)
        edges = float(affinity.similar_dot(np.ones(affinity.n_items)).sum())
        agreement = float((Z * affinity.similar_dot(Z)).sum())
        objective = (n_bits * edges - agreement) / 2  # the Hamming distances of similar pairs
        return StepOne((Z > 0).astype(np.uint8), np.array([objective]), None)


def laplacian_eigenvectors(
    affinity: Affinity, count: int, random_state: np.random.RandomState
) -> np.ndarray:
    """Return the `count` smoothest eigenvectors of the graph of similar pairs.

    Parameters
    ----------
    affinity : Affinity
        Its similar pairs are the edges.
    count : int
        The number of eigenvectors, less than that of the items; the constant one is left out.
    random_state : RandomState
        The random state that starts the eigen-solver.

    Returns
    -------
    ndarray of shape (n_items, count)
        The smoothest first.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.affinity import LabelAffinity
    >>> from hashlearn.inference import laplacian_eigenvectors
    >>> V = laplacian_eigenvectors(LabelAffinity([0, 0, 1, 1]), 1, np.random.RandomState(0))
    >>> (V[:, 0] / V[0, 0]).round(6)
    array([ 1.,  1., -1., -1.])
    """
    n = affinity.n_items
    degrees = affinity.similar_dot(np.ones(n))
    root = np.sqrt(np.where(degrees > 0, degrees, 1.0))
    constant = np.sqrt(degrees) / np.linalg.norm(np.sqrt(degrees))  # 0 at items without edges

    def deflated(u: np.ndarray) -> np.ndarray:
        """Apply D^(-1/2) S D^(-1/2) with the constant vector moved to the far end, -1."""
        u = u.reshape(n, -1)
        product = affinity.similar_dot(u / root[:, None]) / root[:, None]
        return product - 2 * np.outer(constant, constant @ u)

    if n <= DENSE_SIZE or count + 1 >= n // 2:
        values, U = _largest_of_dense(deflated(np.eye(n)), count)
    else:
        values, U = _leading_with_copies(deflated, count, n, random_state)
    _warn_of_rough_bits(values)
    return U[:, ::-1] / root[:, None]


def _largest_of_dense(matrix: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the largest eigenvalues of a dense matrix, increasing, and their vectors."""
    n = len(matrix)
    # Where eigenvalues are equal, LAPACK may fail on a subset of them, or lose some.
    try:
        values, U = eigh(matrix, subset_by_index=[n - count, n - 1])
    except LinAlgError:
        values, U = eigh(matrix, driver="evd")
    if values.size < count:
        values, U = eigh(matrix)
    return values[-count:], U[:, -count:]


def _leading_with_copies(
    product: Callable[[np.ndarray], np.ndarray],
    count: int,
    n: int,
    random_state: np.random.RandomState,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the largest eigenvalues, increasing, each as often as it occurs, and their vectors.

    Lanczos from one vector may miss copies of an eigenvalue, and c classes have c - 1 of one. So
    vectors that were found are moved to the far end, and the solver is run again, until it finds
    nothing better.
    """
    values, U = np.empty(0), np.empty((n, 0))
    for _ in range(MAX_PASSES):
        found = U

        def without_found(u: np.ndarray, found: np.ndarray = found) -> np.ndarray:
            return product(u) - 2 * (found @ (found.T @ u.reshape(n, -1)))

        operator = LinearOperator((n, n), matvec=without_found, dtype=np.float64)
        new_values, new_U = _leading(operator, count, random_state.uniform(-1, 1, n))
        if len(values) == count and new_values[-1] <= values[0] + TOLERANCE:
            break
        values, U = np.append(values, new_values), np.hstack([U, new_U])
        best = np.argsort(values, kind="stable")[-count:]
        values, U = values[best], U[:, best]
    return values, U


def _leading(
    operator: LinearOperator, count: int, start: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the largest eigenvalues, increasing, and their vectors; rough ones at the limit."""
    for tolerance in (TOLERANCE, ROUGH_TOLERANCE):
        try:
            return lanczos(operator, count, start, which="LA", tol=tolerance, maxiter=MAX_RESTARTS)
        except ArpackNoConvergence as error:
            found = len(error.eigenvalues)
            warnings.warn(
                f"{found} of {count} eigenvectors were found to {tolerance:g} in {MAX_RESTARTS} "
                "rounds.",
                ConvergenceWarning,
                stacklevel=8,
            )
    raise ValueError(
        f"The graph Laplacian's {count} smoothest eigenvectors were not found in {MAX_RESTARTS} "
        "rounds: use fewer bits, or a graph with more neighbours."
    )


def _warn_of_rough_bits(values: np.ndarray) -> None:
    """Warn of eigenvectors in which similar items are not more alike than others."""
    rough = int((values <= TOLERANCE).sum())
    if rough:
        warnings.warn(
            f"{rough} of {values.size} bits carry no similarity: the graph of similar pairs has "
            f"only {values.size - rough} smooth eigenvectors (c classes have c - 1). Fewer bits "
            "carry as much.",
            ConvergenceWarning,
            stacklevel=7,
        )


def _above_median(V: np.ndarray) -> np.ndarray:
    """Return which entries lie above their column's median."""
    V = np.round(V / np.abs(V).max(axis=0), DIGITS)
    median = np.median(V, axis=0)
    above = median < V
    # more than half at the top would leave a constant bit
    return np.where(above.any(axis=0), above, median <= V)
