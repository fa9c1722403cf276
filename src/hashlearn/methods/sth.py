"""Self-taught hashing: an eigenmap of a neighbour graph, and a linear SVM per bit."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Self

from sklearn.preprocessing import normalize
from sklearn.utils import check_scalar

from hashlearn.affinity import Affinity, NeighborAffinity
from hashlearn.base import Card, register
from hashlearn.methods._parts.checks import at_most
from hashlearn.two_step import TwoStepHasher


@register("sth")
class STHHasher(TwoStepHasher):
    r"""Self-taught hashing: a Laplacian eigenmap, then a linear SVM per bit [1]_.

    A two-step method. Step 1 connects every item with its k nearest by cosine in a graph S with
    degrees D, and thresholds the eigenvectors of :math:`(D - S) v = \lambda D v` with the smallest
    eigenvalues, without the constant one, at their medians: the relaxed minimum of
    :math:`\sum_{ij} S_{ij}\, d_{ij}`, d the Hamming distance, over balanced, uncorrelated bits.
    Step 2 trains a linear support vector machine per bit. All edges have weight 1; in the paper,
    the cosine of their items. The neighbour search is exact: its time grows with n^2.

    Parameters
    ----------
    n_bits : int, default=32
        Length of the codes, at most n_samples - 1.
    n_neighbors : int, default=25
        Number k of nearest items; reduced to n_samples - 1, with a warning.
    random_state : int, RandomState instance or None, default=None
        Seeds the eigen-solver and the sample for the choice of the SVMs' C.
    n_jobs : int, default=None
        Threads for the neighbour search, the choice of C and encoding. Bits do not depend on it.
    verbose : int, default=0
        Above 0, show the steps and their progress.

    Attributes
    ----------
    codes_ : ndarray of shape (n_samples, n_bits), uint8
        Step 1's codes of the training items, 0/1.
    objective_ : ndarray of shape (1,)
        The sum of the Hamming distances of connected items, each ordered pair once.
    groups_ : None
        Items are not grouped.
    hash_function_ : LinearSVMHash
        The fitted Step 2.
    bit_error_ : ndarray of shape (n_bits,)
        Per bit, the share of training items whose Step 1 bit Step 2 misses.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had names.

    References
    ----------
    .. [1] Zhang, Wang, Cai and Lu, "Self-Taught Hashing for Fast Similarity Search", SIGIR 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from hashlearn.methods import STHHasher
    >>> X, y = load_digits(return_X_y=True)
    >>> hasher = STHHasher(n_bits=8, random_state=0).fit(X[:500])
    >>> hasher.encode(X[500:]).shape
    (1297, 1)
    """

    supervised = False
    card = Card(
        title="STH",
        hash_function="linear SVM",
        cost="n^2 d, the neighbours; else linear in n",
        use="no labels, and documents or other items compared by cosine",
    )
    loss = "laplacian"
    inference = "eigenmap"
    hash_function = "linear-svm"
    group = False

    def __init__(
        self,
        n_bits: int = 32,
        *,
        n_neighbors: int = 25,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_bits = n_bits
        self.n_neighbors = n_neighbors
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> Self:  # type: ignore[override]  # no supervision
        """Learn codes of the items from their neighbours, and SVMs that predict them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The training items.
        y : ignored

        Returns
        -------
        self : STHHasher
        """
        check_scalar(self.n_neighbors, "n_neighbors", Integral, min_val=1)
        return super().fit(X)

    def _affinity(self, X: Any, y: Any, affinity: Any, sample_weight: Any = None) -> Affinity:
        n_neighbors = at_most(self.n_neighbors, X.shape[0] - 1, "n_neighbors", "other items")
        # neighbours of unit rows are those by cosine
        return NeighborAffinity.from_data(normalize(X), n_neighbors=n_neighbors, n_jobs=self.n_jobs)
