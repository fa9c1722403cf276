"""Supervised self-taught hashing: the graph of similar pairs instead of neighbours."""

from __future__ import annotations

from typing import Any, Self

from hashlearn.base import Card, register
from hashlearn.two_step import TwoStepHasher


@register("sths")
class STHSHasher(TwoStepHasher):
    r"""Supervised self-taught hashing: an eigenmap of similar pairs, a linear SVM per bit [1]_.

    Self-taught hashing with another graph: Step 1 joins the similar pairs of labels or of an
    affinity, S with degrees D, and thresholds at their medians the eigenvectors of
    :math:`(D - S) v = \lambda D v` with the smallest eigenvalues, the constant one left out. Step
    2 trains a linear support vector machine per bit. Dissimilar pairs are not used.

    The graph of c classes has c - 1 eigenvectors that tell classes apart. Further ones split single
    classes, the largest first, and carry no similarity: a `ConvergenceWarning` says so. They cost
    quality; `TwoStepHasher` with another loss has use for any number of bits.

    Parameters
    ----------
    n_bits : int, default=32
        Length of the codes, at most n_samples - 1.
    random_state : int, RandomState instance or None, default=None
        Starts the eigen-solver and draws the sample on which the SVMs' parameters are chosen.
    n_jobs : int, default=None
        Threads that choose parameters and encode. The bits do not depend on it.
    verbose : int, default=0
        Above 0, what runs and how far it is.

    Attributes
    ----------
    codes_ : ndarray of shape (n_samples, n_bits), uint8
        Step 1's codes of the training items, 0/1.
    objective_ : ndarray of shape (1,)
        The sum of the Hamming distances of similar items, each ordered pair once.
    groups_ : None
        Every item has a code of its own.
    hash_function_ : LinearSVMHash
        The fitted Step 2.
    bit_error_ : ndarray of shape (n_bits,)
        Per bit how often Step 2 misses Step 1's bit on the training items.
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

    def fit(  # type: ignore[override]  # medians count every item once: no weights
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
