"""Kernel ridge regression: one factorisation of the Gram matrix for all bits."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from sklearn.utils import check_random_state

from hashlearn._numerics.arrays import as_rows, check_magnitude, is_sparse
from hashlearn._numerics.blas import one_blas_thread
from hashlearn._numerics.cross_validation import draw_items, draw_sample, item_weights
from hashlearn._numerics.rbf import center_of, gaussian, pairwise_squared_distances
from hashlearn._progress import say
from hashlearn.files import remember
from hashlearn.hash_functions._machines.gram_machine import GramMachine
from hashlearn.hash_functions.base import register, shared_weights

_MAX_DOUBLE_ITEMS = 5_000  # up to here float64 costs little


@register("kernel-ridge")
class KernelRidgeHash(GramMachine):
    r"""Kernel ridge regression with the Gaussian kernel, on all training items.

    The margin of a bit is :math:`f(x) = \sum_i \alpha_i\, k(x, x_i) + b`, with

    .. math:: \min_{w, b} \tfrac12 \|w\|^2 + C \sum_i (z_i - w \cdot \phi(x_i) - b)^2,
              \qquad k(x, x') = \exp(-\|x - x'\|^2 / (2 \sigma^2)),

    the least-squares support vector machine [1]_. Its solution is one system of linear equations
    with the same matrix for every bit, :math:`K + I / (2 C)`: one Cholesky factorisation serves all
    bits, where 'rbf-svm' solves a problem per bit. It is about as accurate. The matrix is float32
    above 5,000 items, if C allows. `partial_fit` trains on further items and
    on earlier ones, with the bits that it predicts for these.

    Parameters
    ----------
    C : float or "auto", default="auto"
        The weight of the loss; "auto" chooses it by cross-validated bit error.
    sigma : float or "auto", default="auto"
        The bandwidth; "auto" chooses it in the same way, in units of the mean distance to the
        100 nearest neighbours.
    random_state : int, RandomState instance or None, default=None
        Draws the sample that "auto" uses, and the items that `partial_fit` keeps if there are
        more than 20,000.
    n_jobs : int, default=None
        Threads of "auto".

    Attributes
    ----------
    C_, sigma_ : float
        The values used.
    coef_ : ndarray of shape (n, n_machines)
        The coefficients :math:`\alpha`.
    intercept_ : ndarray of shape (n_machines,)
        The offsets b.
    weights_ : ndarray of shape (n,)
        The weights of the items.
    center_, points_, points_indices_, points_indptr_ : ndarray
        The training items and their mean. Sparse items are stored as the three arrays of CSR.

    References
    ----------
    .. [1] Suykens, Vandewalle, "Least Squares Support Vector Machine Classifiers", Neural
       Processing Letters 1999.

    Examples
    --------
    Four corners, with a second bit that no straight line separates:

    >>> import numpy as np
    >>> from hashlearn.hash_functions import KernelRidgeHash
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> codes = np.array([[0, 0], [0, 1], [1, 1], [1, 0]])
    >>> machine = KernelRidgeHash(C=10.0, sigma=0.5).fit(X, codes)
    >>> (machine.decision_function(X) > 0).astype(int).tolist()
    [[0, 0], [0, 1], [1, 1], [1, 0]]
    """

    registered = "kernel-ridge"

    def __init__(
        self,
        C: float | str = "auto",
        sigma: float | str = "auto",
        *,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.sigma = sigma
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _earlier(self, codes: np.ndarray) -> tuple[Any, np.ndarray, np.ndarray]:
        """Return all earlier items, or a sample of them that leaves room for the new ones."""
        points, old = self._points(), self.weights_
        room = self.max_items - codes.shape[0]
        if old.size > room:
            random = check_random_state(self.random_state)
            kept = np.sort(draw_items(old.size, room, random, None))
            points, old = points[kept], old[kept] * (old.sum() / old[kept].sum() if room else 1)
        bits = self.bits(points) if old.size else codes[:0]
        return points, bits, old

    def _fit_machines(self, X: Any, Z: np.ndarray, verbose: int) -> None:
        self._train(X, Z, None, verbose)

    def _fit_weighted_machines(self, X: Any, Z: np.ndarray, W: np.ndarray, verbose: int) -> None:
        counted, weight = W.any(axis=1), shared_weights(W)
        self._train(as_rows(X)[counted], Z[counted], weight[counted], verbose)

    @one_blas_thread()
    def _train(self, X: Any, Z: np.ndarray, weight: np.ndarray | None, verbose: int) -> None:
        X = as_rows(X)
        check_magnitude(X)
        random = check_random_state(self.random_state)
        self.C_, self.sigma_ = remember(
            "parameters", lambda: np.array(self._choose_parameters(X, Z, weight, random)), random
        ).tolist()
        say(f"Step 2: a Gram matrix of {X.shape[0]:,} items", verbose)
        coef, intercept = self._solve_all(X, Z, weight)
        self._keep_expansion(X, X, coef, intercept)
        ones = np.ones(X.shape[0])
        self.weights_ = ones if weight is None else np.array(item_weights(weight), dtype=np.float64)

    def _solve_all(
        self, X: Any, Z: np.ndarray, weight: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return coefficients and offsets; several systems if the weights differ by machine."""
        weights = [weight] if weight is None or weight.ndim == 1 else list(weight.T)
        parts = [Z] if len(weights) == 1 else [Z[:, k : k + 1] for k in range(Z.shape[1])]
        found = [self._solve_one(X, z, w) for z, w in zip(parts, weights, strict=True)]
        coefs, intercepts = zip(*found, strict=True)
        return np.concatenate(coefs, axis=1), np.concatenate(intercepts)

    def _solve_one(
        self, X: Any, Z: np.ndarray, weight: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        if weight is not None and not weight.all():  # items without weight have no coefficient
            counted = weight > 0
            coef = np.zeros(Z.shape)
            coef[counted], intercept = self._solve_one(X[counted], Z[counted], weight[counted])
            return coef, intercept
        n, largest = X.shape[0], 1 if weight is None else weight.max()
        # rounding changes eigenvalues of the Gram matrix by less than n eps: the penalty is larger
        exact_enough = 0.5 / (self.C_ * largest) >= n * np.finfo(np.float32).eps
        dtype = np.float32 if n > _MAX_DOUBLE_ITEMS and exact_enough else np.float64
        try:
            return _solve(self._gram(X, dtype), Z, self.C_, weight)
        except LinAlgError:
            raise ValueError(
                f"C={self.C_:g} is too large for the precision of the Gram matrix: give a smaller "
                "one, or 'auto'."
            ) from None

    def _gram(self, X: Any, dtype: Any) -> np.ndarray:
        rows = X if is_sparse(X) else X - center_of(X)
        rows = rows * (1 / self.sigma_)  # within float32, whatever the scale of X
        return gaussian(pairwise_squared_distances(rows, rows, dtype=dtype), 1.0, overwrite=True)

    def _choose_parameters(
        self,
        X: Any,
        Z: np.ndarray,
        weight: np.ndarray | None,
        random: np.random.RandomState,
    ) -> tuple[float, float]:
        if "auto" not in (self.C, self.sigma):
            return float(self.C), float(self.sigma)
        sample = draw_sample(Z, random, weight)
        rows = X[sample.items]
        squared = pairwise_squared_distances(rows, rows, dtype=np.float64)
        return self._select(
            X,
            weight,
            sample,
            random,
            features=lambda sigma: gaussian(squared, sigma),
            margins=_fold_margins,
        )


def _solve(
    gram: np.ndarray, Z: np.ndarray, C: float, weight: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the coefficients and the offset of every column of Z; the Gram matrix is overwritten.

    The offset makes the coefficients of a bit sum to 0.
    """
    gram[np.diag_indices_from(gram)] = 1 + 0.5 / (C if weight is None else C * weight)
    sides = np.column_stack([Z, np.ones(len(Z))]).astype(gram.dtype)
    factor = cho_factor(gram.T, lower=True, overwrite_a=True, check_finite=False)
    solved = cho_solve(factor, sides, overwrite_b=True, check_finite=False).astype(np.float64)
    alpha, ones = solved[:, :-1], solved[:, -1]
    intercept = alpha.sum(axis=0) / ones.sum()
    return alpha - ones[:, None] * intercept, intercept


def _fold_margins(
    gram: np.ndarray,
    train: np.ndarray,
    test: np.ndarray,
    Z: np.ndarray,
    C: float,
    weight: np.ndarray | None,
) -> np.ndarray:
    """Train machines on the rows `train` of a Gram matrix; return their margins on `test`."""
    coef, intercept = _solve(gram[np.ix_(train, train)], Z, C, weight)
    return gram[np.ix_(test, train)] @ coef + intercept
