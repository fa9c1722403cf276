"""Supervised self-taught hashing with a Gaussian-kernel SVM per bit."""

from __future__ import annotations

from hashlearn.base import Card, register
from hashlearn.methods.sths import STHSHasher


@register("sths-rbf")
class STHSRBFHasher(STHSHasher):
    r"""Supervised self-taught hashing with a Gaussian-kernel SVM per bit [1]_.

    Step 1 is `STHSHasher`'s: median thresholds of the eigenvectors of
    :math:`(D - S) v = \lambda D v`, S the graph of similar pairs, of which c - 1 separate c
    classes. Step 2 trains a support vector machine per bit, with the kernel
    :math:`\exp(-\|x - x'\|^2 / (2 \sigma^2))`. Its n x n Gram matrix limits it to 20,000 items.

    Parameters
    ----------
    n_bits : int, default=32
        Length of the codes, at most n_samples - 1.
    random_state : int, RandomState instance or None, default=None
        Seeds the eigen-solver and the sample for the choice of the SVMs' parameters.
    n_jobs : int, default=None
        Threads for the choice of parameters, training and encoding. Bits do not depend on it.
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
    hash_function_ : RBFSVMHash
        The fitted Step 2.
    bit_error_ : ndarray of shape (n_bits,)
        Per bit, the share of training items whose Step 1 bit Step 2 misses.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had names.

    References
    ----------
    .. [1] Lin, Shen, Suter and van den Hengel, "A General Two-Step Approach to Learning-Based
       Hashing", ICCV 2013.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from hashlearn.methods import STHSRBFHasher
    >>> X, y = load_digits(return_X_y=True)
    >>> hasher = STHSRBFHasher(n_bits=8, random_state=0).fit(X[:300], y[:300])
    >>> hasher.score(X[300:], y[300:]) > 0.6
    True
    """

    card = Card(
        title="STHs-RBF",
        hash_function="RBF SVM",
        cost="n^2 d + n^2 m: at most 20,000 items",
        use="a baseline with labels: fewer bits than classes, and few items",
    )
    hash_function = "rbf-svm"
