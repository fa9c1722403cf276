"""Supervised self-taught hashing: the graph of similar pairs in place of neighbours."""

from __future__ import annotations

from typing import Any, Self

from hashlearn.base import Card, register
from hashlearn.two_step import TwoStepHasher


@register("sths")
class STHSHasher(TwoStepHasher):
    r"""Supervised self-taught hashing: an eigenmap of similar pairs, a linear SVM per bit [1]_.

    Self-taught hashing on the graph S, with degrees D, of the similar pairs of labels or of an
    affinity: Step 1 thresholds the eigenvectors of :math:`(D - S) v = \lambda D v` with the
    smallest eigenvalues, without the constant one, at their medians. Step 2 trains a linear
    support vector machine per bit. Dissimilar pairs are not used.

    The graph of c classes has c - 1 eigenvectors that separate classes. Further ones split single
    classes, the largest first, and reduce quality: a `ConvergenceWarning` is raised.
    `TwoStepHasher` with another loss makes use of any number of bits.

    Parameters
    ----------
    n_bits : int, default=32
        Length of the codes, at most n_samples - 1.
    random_state : int, RandomState instance or None, default=None
        Seeds the eigen-solver and the sample for the choice of the SVMs' parameters.
    n_jobs : int, default=None
        Threads for the choice of parameters and encoding. Bits do not depend on it.
    verbose : int, default=0
        Above 0, show the steps and their progress.

    Attributes
    ----------
    codes_ : ndarray of shape (n_samples, n_bits), uint8
        Step 1's codes of the training items, 0/1.
    objective_ : ndarray of shape (1,)
        The sum of the Hamming distances of similar items, each ordered pair once.
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
    >>> from hashlearn.methods import STHSHasher
    >>> X, y = load_digits(return_X_y=True)
    >>> hasher = STHSHasher(n_bits=8, random_state=0).fit(X[:500], y[:500])
    >>> hasher.score(X[500:], y[500:]) > 0.5
    True
    """

    card = Card(
        title="STHs",
        hash_function="linear SVM",
        cost="linear in n with labels",
        use="a baseline with labels: fewer bits than classes",
    )
    loss = "laplacian"
    inference = "eigenmap"
    hash_function = "linear-svm"
    group = False

    def __init__(
        self,
        n_bits: int = 32,
        *,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_bits = n_bits
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(  # type: ignore[override]  # no sample weights: medians count items
        self, X: Any, y: Any = None, *, affinity: Any = None, checkpoint: Any = None
    ) -> Self:
        """Learn codes of the items and hash functions that predict them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The training items.
        y : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
            Labels, as in `TwoStepHasher.fit`.
        affinity : Affinity, sparse matrix or array of shape (n_samples, n_samples), default=None
            Takes precedence over `y`; with neither, neighbours in X are similar.
        checkpoint : str or path-like, default=None
            As in `TwoStepHasher.fit`.

        Returns
        -------
        self : STHSHasher
        """
        return super().fit(X, y, affinity=affinity, checkpoint=checkpoint)
