"""Sequential projection learning: each projection corrects errors of the previous one."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_scalar

from hashlearn._numerics.arrays import is_sparse
from hashlearn._numerics.checks import check_number
from hashlearn._progress import track
from hashlearn.affinity import Affinity, check_dissimilar
from hashlearn.base import Card, register
from hashlearn.methods._parts.centred import leading_eigenvector, scatter
from hashlearn.methods._parts.checks import check_differs
from hashlearn.methods.linear import LinearHasher

_MOST_FEATURES = 10_000  # their covariance then takes 0.8 GB
_MOST_ENTRIES = 2**29  # of items with pairs, held dense
_MOST_LABELLED = 10_000  # their weights and copies take 2.4 GB


@register("splh")
class SPLHHasher(LinearHasher):
    r"""Sequential projections: pairs that a bit gets wrong weigh more for the next ones [1]_.

    Items are centred. With :math:`X_l` the labelled ones, S the weights of their pairs (at first
    the affinity: +1, -1, 0 where undefined or i = j) and X all items, bit k is the leading
    eigenvector of

    .. math:: M = X_l^T S X_l + \eta X^T X, \qquad
              S_{ij} \leftarrow S_{ij} - \alpha \tilde S_{ij}
              \text{ where } S_{ij} \tilde S_{ij} < 0, \qquad
              X \leftarrow X - X w w^T,

    :math:`\tilde S = X_l w w^T X_l^T` in units of its mean absolute value. The direction w is
    removed from X, not from :math:`X_l`: pairs that are still wrong may need it again. So there
    may be more bits than features, and a bit without errors may be repeated by the next.

    S is a dense matrix, quadratic in the number of labelled items: at most `max_labelled` of them
    are drawn, while :math:`X^T X` includes all items. All pairs of a sparse matrix are used.

    Parameters
    ----------
    n_bits : int, default=32
        Length of the codes.
    eta : float, default=1.0
        The weight :math:`\eta` of the variance of all items.
    step : float, default=0.1
        The growth :math:`\alpha` of the weights of wrong pairs.
    max_labelled : int, default=2000
        Maximum number of items whose pairs are used.
    similarity : {"shared", "jaccard", "idf-cosine"}, default="shared"
        How similar label sets are, where `y` is an indicator of several labels; as in
        `hashlearn.affinity.MultilabelAffinity`.
    random_state : int, RandomState instance or None, default=None
        Seeds the draw of labelled items.
    n_jobs : int, default=None
        Threads for encoding, and for neighbours without labels. Bits do not depend on it.
    verbose : int, default=0
        Above 0, show progress.

    Attributes
    ----------
    projections_ : ndarray of shape (n_features, n_bits)
        The directions w, as columns.
    mean_ : ndarray of shape (n_features,)
        The mean of the training items.
    wrong_share_ : ndarray of shape (n_bits,)
        The share of the defined pairs of labelled items that each bit gets wrong.
    codes_ : ndarray of shape (n_samples, n_bits), uint8
        The codes of the training items, 0/1.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had names.

    References
    ----------
    .. [1] Wang, Kumar, Chang, "Sequential Projection Learning for Hashing with Compact Codes",
       ICML 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from hashlearn.methods import SPLHHasher
    >>> X, y = load_digits(return_X_y=True)
    >>> hasher = SPLHHasher(n_bits=16, random_state=0).fit(X[:500], y[:500])
    >>> hasher.encode(X[500:]).shape
    (1297, 2)
    """

    supervised = True
    card = Card(
        title="SPLH",
        hash_function="linear",
        cost="n d^2 + m (l^2 d + d^3), l labelled items: quadratic in l, not in n",
        use="few labelled pairs beside many items, linear bits",
    )

    def __init__(
        self,
        n_bits: int = 32,
        *,
        eta: float = 1.0,
        step: float = 0.1,
        max_labelled: int = 2000,
        similarity: str = "shared",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(n_bits, random_state=random_state, n_jobs=n_jobs, verbose=verbose)
        self.similarity = similarity
        self.eta = eta
        self.step = step
        self.max_labelled = max_labelled

    def fit(self, X: Any, y: Any = None, *, affinity: Any = None) -> Self:
        """Learn one projection after the other.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The training items.
        y : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
            One label per item, or a 0/1 indicator of several (see `similarity`).
        affinity : Affinity, sparse matrix or array of shape (n_samples, n_samples), default=None
            +1 similar, -1 dissimilar, 0 or missing undefined; takes precedence over `y`. With
            neither, neighbours in X are similar.

        Returns
        -------
        self : SPLHHasher
        """
        X, random_state = self._begin(X)
        self._check_parameters(X.shape[1])
        A = self._affinity(X, y, affinity)
        check_dissimilar(A)
        check_differs(X, "X")
        self._centre(X)
        items, S = _labelled_pairs(A, self.max_labelled, random_state)
        _check_size("items with pairs", items.size, _MOST_ENTRIES // X.shape[1], "holds them dense")
        labelled = X[items].toarray() if is_sparse(X) else X[items]
        labelled -= self.mean_.astype(X.dtype)
        self._learn_projections(labelled, S.astype(X.dtype), scatter(X, self.mean_))
        self._keep_codes(X)
        return self

    def _check_parameters(self, n_features: int) -> None:
        for name in ("eta", "step"):
            check_number(name, getattr(self, name), zero=True)
        check_scalar(self.max_labelled, "max_labelled", Integral, min_val=2, max_val=_MOST_LABELLED)
        _check_size("features", n_features, _MOST_FEATURES, "forms their covariance")

    def _learn_projections(self, labelled: np.ndarray, S: Any, variance: np.ndarray) -> None:
        """Set the projections; S and the variance X^T X are overwritten."""
        self.projections_ = np.empty((labelled.shape[1], self.n_bits))
        self.wrong_share_ = np.empty(self.n_bits)
        for k in track(range(self.n_bits), "Bits", self.n_bits, self.verbose):
            M = labelled.T @ (S @ labelled) + self.eta * variance
            w = leading_eigenvector(M)
            self.projections_[:, k] = w
            self.wrong_share_[k] = _reweigh(S, labelled @ w.astype(labelled.dtype), self.step)
            along = variance @ w  # with X - X w w^T for X
            variance -= np.outer(along, w) + np.outer(w, along - (w @ along) * w)


def _check_size(what: str, n: int, most: int, why: str) -> None:
    if n > most:
        raise ValueError(f"{what} must be at most {most:,} for 'splh', which {why}; got {n:,}.")


def _labelled_pairs(
    affinity: Affinity, max_items: int, random_state: np.random.RandomState
) -> tuple[np.ndarray, Any]:
    """Return items that have pairs, and the affinity among them: sparse if it was, else dense."""
    known = np.flatnonzero(affinity.has_pairs())
    if affinity.stored_pairs is not None:
        return known, affinity[known].as_sparse()
    items = np.sort(random_state.choice(known, min(known.size, max_items), replace=False))
    return items, affinity[items].block(slice(None))


def _reweigh(S: Any, projections: np.ndarray, step: float) -> float:
    """Raise the weights S of pairs that the projections contradict, in place; return their share.

    The unit of `step` is the mean absolute product of two projections.
    """
    scale = np.abs(projections).mean()
    p = projections / scale if scale > 0 else projections
    if is_sparse(S):
        i, j = sp.coo_array(S).coords
        weights, products = S.data, p[i] * p[j]
    else:
        weights, products = S, np.outer(p, p)
    wrong = weights * products < 0
    n_defined = int(np.count_nonzero(weights))
    products *= wrong
    products *= step
    weights -= products
    return float(wrong.sum()) / max(n_defined, 1)
