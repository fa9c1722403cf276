"""Column generation hashing: weighted bits that rank similar items before dissimilar ones."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_scalar

from hashlearn._numerics.arrays import check_magnitude
from hashlearn._numerics.blas import one_blas_thread
from hashlearn._numerics.checks import check_number
from hashlearn._progress import track
from hashlearn.affinity import Affinity, Triplets, check_dissimilar, check_similar
from hashlearn.base import Card, register
from hashlearn.methods._parts.query_margins import EvenMargins
from hashlearn.methods._parts.triplets import Bit, BitSearch, solve_master
from hashlearn.methods.linear import LinearHasher
from hashlearn.search.distances import WeightedHamming

_VIOLATION = 1e-4  # a bit with a smaller violation would get no weight


@register("cghash")
class CGHashHasher(EvenMargins, LinearHasher):
    r"""Column generation hashing: large margins between weighted distances in triplets [1]_.

    A triplet is an item i with a similar item j and a dissimilar item k. In the weighted Hamming
    distance :math:`d_w(x, z) = \sum_r w_r |h_r(x) - h_r(z)|`, k should be farther from i than j by
    a margin of 1:

    .. math:: \min_{w \ge 0} \sum_r w_r + \frac{C}{T} \sum_t \max(0, 1 - \rho_t)^2, \qquad
              \rho_t = d_w(x_i, x_k) - d_w(x_i, x_j),

    over all linear bits :math:`h(x) = [v^T (x - \mu) + b > 0]`. Columns are generated:
    the bit that most violates its constraint in the dual,

    .. math:: \sum_t u_t \left( |h(x_i) - h(x_k)| - |h(x_i) - h(x_j)| \right) \le 1,

    is added, all weights are solved for again by L-BFGS-B, and the dual variables
    :math:`u_t = 2 C \max(0, 1 - \rho_t) / T` weight the triplets for the next bit. The bit is
    found by gradient ascent with a tanh in place of the sign, from the best of 50 random
    directions and from the leading eigenvector of the relaxed problem.

    `distance_` is the weighted distance. The search is local: if it finds no bit that violates its
    constraint, it is repeated once from new starts. If there is still none, the remaining bits
    are constant with weight 0, which changes no distance, and a warning is raised.

    Parameters
    ----------
    n_bits : int, default=32
        Length of the codes.
    n_triplets : int, default=50_000
        Number of triplets T to draw; memory holds T x `n_bits` numbers.
    C : float, default=100.0
        The weight of the mean loss against the sum of the weights. A small C finds fewer bits.
    n_steps : int, default=30
        Maximum number of ascent steps per bit and start; more fit the triplets, not new items.
    similarity : {"shared", "jaccard", "idf-cosine"}, default="shared"
        How similar label sets are, where `y` is an indicator of several labels; as in
        `hashlearn.affinity.MultilabelAffinity`.
    random_state : int, RandomState instance or None, default=None
        Seeds the draws of triplets and random directions.
    n_jobs : int, default=None
        Threads for encoding, and for neighbours without labels. Bits do not depend on it.
    verbose : int, default=0
        Above 0, show progress.

    Attributes
    ----------
    projections_ : ndarray of shape (n_features, n_bits)
        The directions v, as columns.
    mean_ : ndarray of shape (n_features,)
        The mean of the items in triplets, :math:`\mu`.
    intercept_ : ndarray of shape (n_bits,)
        The offsets b.
    weights_ : ndarray of shape (n_bits,)
        The weights w.
    distance_ : WeightedHamming
        The weighted Hamming distance.
    objective_ : ndarray of shape (n_columns + 1,)
        The objective without bits and after each bit; it never increases.
    margin_sizes_ : ndarray of shape (n_bits,)
        Mean sizes of margins of training items; `encode_queries` divides by them and saturates.
    codes_ : ndarray of shape (n_samples, n_bits), uint8
        The codes of the training items, 0/1.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had names.

    References
    ----------
    .. [1] Li, Lin, Shen, van den Hengel, Dick, "Learning Hash Functions Using Column Generation",
       ICML 2013.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from hashlearn.methods import CGHashHasher
    >>> X, y = load_digits(return_X_y=True)
    >>> hasher = CGHashHasher(n_bits=16, n_triplets=5000, random_state=0).fit(X[:500], y[:500])
    >>> hasher.encode(X[500:]).shape
    (1297, 2)
    >>> hasher.distance_.between(hasher.encode(X[:1]), hasher.encode(X[:1]))
    array([[0.]])
    """

    supervised = True
    saturation = 2.0
    card = Card(
        title="CGHash",
        hash_function="linear",
        cost="items in triplets d m steps; T m memory",
        use="labels or pairs, a ranking by weighted bits, fast linear encoding",
        distance="weighted",
    )

    def __init__(
        self,
        n_bits: int = 32,
        *,
        n_triplets: int = 50_000,
        C: float = 100.0,
        n_steps: int = 30,
        similarity: str = "shared",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(n_bits, random_state=random_state, n_jobs=n_jobs, verbose=verbose)
        self.similarity = similarity
        self.n_triplets = n_triplets
        self.C = C
        self.n_steps = n_steps

    def fit(self, X: Any, y: Any = None, *, affinity: Any = None) -> Self:
        """Generate one bit after the other.

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
        self : CGHashHasher
        """
        X, random_state = self._begin(X)
        self._check_parameters()
        check_magnitude(X)
        A = self._affinity(X, y, affinity)
        items, triplets = _drawn(A, self.n_triplets, random_state)
        rows = X if items.size == X.shape[0] else X[items]
        with one_blas_thread():  # matrix times vector: 4 times as fast
            self._generate(BitSearch(rows, triplets, self.n_steps, random_state))
        self.distance_ = WeightedHamming(self.weights_)
        self._keep_codes(X)
        return self

    def _check_parameters(self) -> None:
        check_scalar(self.n_triplets, "n_triplets", Integral, min_val=1)
        check_scalar(self.n_steps, "n_steps", Integral, min_val=1)
        check_number("C", self.C)

    def _generate(self, search: BitSearch) -> None:
        """Set bits, weights and objective; bits are constant once none violates the dual."""
        n_triplets = search.triplets.i.size
        columns = np.zeros((n_triplets, self.n_bits), order="F")  # read by columns
        self.mean_ = search.mean
        self.projections_ = np.zeros((search.mean.size, self.n_bits))
        self.intercept_, self.weights_ = np.zeros(self.n_bits), np.zeros(self.n_bits)
        objective = [float(self.C)]  # every triplet misses its margin by 1
        duals = np.full(n_triplets, 2.0 * self.C / n_triplets)
        n_failed = 0
        for r in track(range(self.n_bits), "Bits", self.n_bits, self.verbose):
            bit = _violating_bit(search, duals)
            if bit is None:
                self._warn_of_constant_bits(r)
                break
            self.projections_[:, r], self.intercept_[r] = bit.direction, bit.offset
            columns[:, r] = bit.column
            master = solve_master(columns[:, : r + 1], self.C, self.weights_[: r + 1])
            self.weights_[: r + 1], duals = master.weights, master.duals
            objective.append(master.objective)
            n_failed += not master.converged
        if n_failed:
            self._warn_of_unsolved_weights(n_failed)
        self.objective_ = np.array(objective)

    def _warn_of_constant_bits(self, n_learned: int) -> None:
        warnings.warn(
            f"No bit improves on the first {n_learned}: the other {self.n_bits - n_learned} are "
            "constant with weight 0. Raise C for more bits.",
            ConvergenceWarning,
            stacklevel=4,
        )

    def _warn_of_unsolved_weights(self, n_failed: int) -> None:
        warnings.warn(
            f"The weights did not converge after {n_failed} of the bits: lower C.",
            ConvergenceWarning,
            stacklevel=4,
        )

    def _margins(self, X: Any) -> np.ndarray:
        return super()._margins(X) + self.intercept_.astype(X.dtype)


def _violating_bit(search: BitSearch, duals: np.ndarray) -> Bit | None:
    """Return a bit that violates its dual constraint, or None after two searches."""
    for _ in range(2):
        bit = search.best(duals)
        if bit.gain > 1.0 + _VIOLATION:
            return bit
    return None


def _drawn(
    affinity: Affinity, n_triplets: int, random_state: np.random.RandomState
) -> tuple[np.ndarray, Triplets]:
    """Return the items that occur in triplets, and the triplets as positions among them."""
    check_dissimilar(affinity)
    check_similar(affinity)
    triplets = affinity.draw_triplets(n_triplets, random_state)
    if not triplets.i.size:
        raise ValueError(
            f"{affinity!r} gave no triplet in {n_triplets} draws: some items must have both a "
            "similar and a dissimilar item."
        )
    items, numbers = np.unique(np.array(triplets), return_inverse=True)
    return items, Triplets(*numbers.reshape(3, -1))
