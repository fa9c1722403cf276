"""Supervised discrete hashing: codes from which a linear map predicts the labels."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from numbers import Integral
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import normalize
from sklearn.utils import check_scalar

from hashlearn._numerics.arrays import check_magnitude
from hashlearn._numerics.checks import check_number, check_positive
from hashlearn._numerics.rbf import GaussianKernel
from hashlearn._numerics.row_blocks import RowBlocks, feature_blocks
from hashlearn._progress import track
from hashlearn.base import Card, register
from hashlearn.methods._parts.anchors import KernelHasher
from hashlearn.methods._parts.checks import check_differs, label_indicator

_RIDGE = 1e-2  # of the regression on kernel features, as in the authors' code
_TOLERANCE = 1e-3  # a smaller relative gain changes the codes of few items only
_MAX_SWEEPS = 10  # over all bits in one B step; three are usually enough


@register("sdh")
class SDHHasher(KernelHasher):
    r"""Supervised discrete hashing: codes that classify, optimised without relaxing them [1]_.

    With Y the 0/1 indicator of the labels, B the codes as signs and
    :math:`F(x) = P^T [\phi(x); 1]` on kernel values against anchors,

    .. math:: \min_{B, W, P} \|Y - B W\|^2 + \lambda \|W\|^2
              + \nu \left(\|B - F(X)\|^2 + \rho \|P\|^2\right).

    W and P are ridge regressions (:math:`\rho = 0.01`); B is improved bit by bit, each bit set to
    its exact minimiser with the others fixed. The bits of x are the signs of F(x).

    Parameters
    ----------
    n_bits : int, default=32
        Length of the codes.
    n_anchors : int, default=1000
        Number of training items in the kernel expansion; at most all of them.
    anchors : {"random", "kmeans"}, default="random"
        Training items drawn at random, or centres of k-means.
    unit_norm : bool, default=True
        Whether to scale items to length 1 first, without centring: items far from the origin, on
        one side of it, become alike and should be centred before.
    sigma : float or "auto", default="auto"
        The bandwidth. "auto": :math:`2 \sigma^2` is the mean squared distance to anchors. The
        authors' code has the constant 0.4 for items of length 1, too narrow for items that are far
        apart, such as embeddings of texts.
    weight_penalty : float, default=1.0
        The penalty :math:`\lambda` of the weights W.
    fit_weight : float, default=1e-5
        The weight :math:`\nu` of the hash functions beside the labels.
    n_rounds : int, default=5
        Maximum number of rounds over B, W and P; one that gains less than 0.1 % is the last.
    random_state : int, RandomState instance or None, default=None
        Seeds the choice of anchors and the initial codes.
    n_jobs : int, default=None
        Threads for encoding. Bits do not depend on it.
    verbose : int, default=0
        Above 0, show progress.

    Attributes
    ----------
    anchors_ : ndarray or CSR matrix of shape (n_anchors, n_features)
        The anchors, scaled to length 1 if items are.
    center_ : ndarray of shape (n_features,)
        Subtracted from dense rows before distances are computed, for accuracy.
    sigma_ : float
        The bandwidth in use.
    coef_ : ndarray of shape (n_anchors, n_bits)
        The hash functions P without their last row.
    intercept_ : ndarray of shape (n_bits,)
        The last row of P, for the constant.
    objective_ : ndarray of shape (n_rounds + 1,)
        The objective at the start and after every round; it never increases.
    bit_error_ : ndarray of shape (n_bits,)
        Per bit, the share of training items whose bit in B the hash function misses.
    codes_ : ndarray of shape (n_samples, n_bits), uint8
        The codes of the training items, 0/1.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had names.

    References
    ----------
    .. [1] Shen, Shen, Liu, Shen, "Supervised Discrete Hashing", CVPR 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from hashlearn.methods import SDHHasher
    >>> X, y = load_digits(return_X_y=True)
    >>> hasher = SDHHasher(n_bits=16, n_anchors=200, random_state=0).fit(X[:500], y[:500])
    >>> hasher.encode(X[500:]).shape
    (1297, 2)
    """

    supervised = True
    needs_labels = True
    card = Card(
        title="SDH",
        hash_function="kernel expansion over anchors",
        cost="n anchors^2 + n anchors m a round: linear in n",
        use="labels and many items: strong codes in seconds",
    )

    def __init__(
        self,
        n_bits: int = 32,
        *,
        n_anchors: int = 1000,
        anchors: str = "random",
        unit_norm: bool = True,
        sigma: float | str = "auto",
        weight_penalty: float = 1.0,
        fit_weight: float = 1e-5,
        n_rounds: int = 5,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(n_bits, random_state=random_state, n_jobs=n_jobs, verbose=verbose)
        self.n_anchors = n_anchors
        self.anchors = anchors
        self.unit_norm = unit_norm
        self.sigma = sigma
        self.weight_penalty = weight_penalty
        self.fit_weight = fit_weight
        self.n_rounds = n_rounds

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn codes that predict the labels, and hash functions that predict the codes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The training items.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            One label per item, or a 0/1 indicator of several.

        Returns
        -------
        self : SDHHasher
        """
        X, random_state = self._begin(X)
        self._check_parameters(X.shape[1])
        Y = label_indicator(y, X.shape[0])
        self._choose_kernel(X, random_state)
        features = feature_blocks(X, self._kernel(), self.anchors_.shape[0])
        regression = _BlockRegression(features, _RIDGE)
        start = random_state.choice([-1.0, 1.0], size=(X.shape[0], self.n_bits))
        B = self._alternate(start, Y, regression)
        self._keep_codes(X)
        self.bit_error_ = np.mean(self.codes_ != (B > 0), axis=0)
        return self

    def _check_parameters(self, n_features: int) -> None:
        check_scalar(self.n_anchors, "n_anchors", Integral, min_val=1)
        check_scalar(self.n_rounds, "n_rounds", Integral, min_val=1)
        check_positive("sigma", self.sigma)
        check_number("weight_penalty", self.weight_penalty)
        check_number("fit_weight", self.fit_weight)
        if not isinstance(self.unit_norm, bool | np.bool_):
            raise ValueError(f"unit_norm must be True or False; got {self.unit_norm!r}.")
        if self.unit_norm and n_features == 1:
            raise ValueError("unit_norm must be False with n_features = 1: only signs remain.")

    def _choose_kernel(self, X: Any, random_state: np.random.RandomState) -> None:
        """Set the anchors and the bandwidth."""
        check_magnitude(X)
        items = normalize(X) if self.unit_norm else X
        check_differs(items, "X")
        self._fit_kernel(items, self.n_anchors, self.anchors, self.sigma, random_state)

    def _kernel(self) -> GaussianKernel:
        kind = _UnitKernel if self.unit_norm else GaussianKernel
        return kind(self.anchors_, self.sigma_, self.center_)

    def _alternate(
        self, B: np.ndarray, Y: sp.csr_array, regression: _BlockRegression
    ) -> np.ndarray:
        """Return the codes after all rounds; set the hash functions that predict them."""
        W, P, F, value = self._fit_to(B, Y, regression)
        history, gains = [value], True
        for _ in track(range(self.n_rounds), "Rounds", self.n_rounds, self.verbose):
            if gains:
                _improve_bits(B, W, Y @ W.T + self.fit_weight * F)
                W, P, F, value = self._fit_to(B, Y, regression)
                gains = history[-1] - value > _TOLERANCE * history[-1]
                history.append(value)
        self.objective_ = np.array(history)
        # contiguous: a loaded model then multiplies in the same order
        self.coef_, self.intercept_ = np.ascontiguousarray(P[:-1]), P[-1]
        if gains:
            warnings.warn(
                f"The objective still fell in the last of n_rounds={self.n_rounds} rounds.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return B

    def _fit_to(
        self, B: np.ndarray, Y: sp.csr_array, regression: _BlockRegression
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        """Return the best W and P for codes, the predictions F, and the objective."""
        penalised = B.T @ B + self.weight_penalty * np.eye(B.shape[1])
        BY = (Y.T @ B).T
        W = np.linalg.solve(penalised, BY)
        P = regression.fit(B)
        F = regression.predict(P)
        of_labels = Y.sum() - np.sum(W * BY)  # at its minimum; Y is 0/1
        of_bits = np.sum((B - F) ** 2) + regression.ridge * np.sum(P**2)
        return W, P, F, float(of_labels + self.fit_weight * of_bits)


class _UnitKernel(GaussianKernel):
    """The kernel values of rows scaled to length 1."""

    def __call__(self, X: Any) -> np.ndarray:
        return super().__call__(normalize(X))


def _improve_bits(B: np.ndarray, W: np.ndarray, Q: np.ndarray) -> None:
    r"""Minimise :math:`\|B W\|^2 - 2\,\mathrm{tr}(B^T Q)` over signs, one bit at a time, in place.

    With the other bits fixed, the best bit k of all items is
    :math:`\mathrm{sign}(q_k - B' W' w_k)`, where the primes leave bit k out; at 0 both values are
    optimal and the bit does not change.
    """
    WW = W @ W.T
    for _ in range(_MAX_SWEEPS):
        changed = [_improve_bit(B, k, WW, Q[:, k]) for k in range(B.shape[1])]
        if not any(changed):
            break


def _improve_bit(B: np.ndarray, k: int, WW: np.ndarray, q: np.ndarray) -> bool:
    pull = q - B @ WW[:, k] + WW[k, k] * B[:, k]
    wrong = pull * B[:, k] < 0
    B[wrong, k] *= -1
    return bool(wrong.any())


class _BlockRegression:
    r"""Ridge regression of many targets on features that are read in blocks.

    Minimises :math:`\|T - [\Phi\;1] P\|^2 + \lambda \|P\|^2`, the constant penalised as well.
    Sums are in float64: the ridge is small beside the features' squares.
    """

    def __init__(self, features: RowBlocks, ridge: float) -> None:
        self.features = features
        self.ridge = ridge
        gram = ridge * np.eye(features.shape[1] + 1)
        for _, block in self._blocks():
            gram += block.T @ block
        self.factor = cho_factor(gram, overwrite_a=True)

    def fit(self, targets: np.ndarray) -> np.ndarray:
        """Return P, (n_features + 1, n_targets), the constant's row last."""
        products = np.zeros((self.features.shape[1] + 1, targets.shape[1]))
        for rows, block in self._blocks():
            products += block.T @ targets[rows]
        return cho_solve(self.factor, products)

    def predict(self, P: np.ndarray) -> np.ndarray:
        """Return the predictions for all items, (n, n_targets)."""
        predicted = np.empty((self.features.shape[0], P.shape[1]))
        for rows, block in self._blocks():
            predicted[rows] = block @ P
        return predicted

    def _blocks(self) -> Iterator[tuple[slice, np.ndarray]]:
        for rows, block in self.features:
            yield rows, np.hstack([block, np.ones((len(block), 1))], dtype=np.float64)
