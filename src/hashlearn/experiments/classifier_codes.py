"""A classifier in the clothes of a hasher: the reference that supervised codes should beat."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import clone

from hashlearn._numerics.checks import check_n_bits
from hashlearn.affinity import as_affinity
from hashlearn.base import BaseHasher
from hashlearn.experiments.step_one import infer_codes
from hashlearn.hash_functions import as_hash_function

_BLOCK_ROWS = 2**12


class ClassifierCodes(BaseHasher):
    """Predict the class of an item, and write that class's code [1]_.

    The classes' codes are those of Step 1, the machines are the hash function's, one per label
    instead of one per bit. It knows nothing but labels: a ranking by these codes has as many
    places as there are classes. A supervised hasher that is no better has learned a classifier.

    Parameters
    ----------
    n_bits : int, default=32
        Length of the codes.
    loss : str or Loss, default="bre"
        Of Step 1.
    hash_function : str or HashFunction, default="auto"
        The machines that predict labels.
    random_state : int, RandomState instance or None, default=None
        Seeds Step 1.

    Attributes
    ----------
    label_sets_ : ndarray of shape (n_sets, n_labels), uint8
        The classes, or the sets of several labels, that were seen.
    set_codes_ : ndarray of shape (n_sets, n_bits), uint8
        Their codes.
    machines_ : HashFunction
        Predict the labels.
    codes_ : ndarray of shape (n_samples, n_bits), uint8
        The training items' codes, written from their true labels.

    References
    ----------
    .. [1] Sablayrolles, Douze, Usunier and Jégou, "How should we evaluate supervised hashing?",
       ICASSP 2017.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> hasher = ClassifierCodes(n_bits=16, hash_function="linear-svm", random_state=0)
    >>> codes = hasher.fit(X[:500], y[:500]).transform(X[500:])
    >>> len(np.unique(codes, axis=0))
    10
    """

    supervised = True

    def __init__(
        self,
        n_bits: int = 32,
        loss: Any = "bre",
        hash_function: Any = "auto",
        *,
        random_state: Any = None,
    ) -> None:
        self.n_bits = n_bits
        self.loss = loss
        self.hash_function = hash_function
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Infer a code for every class, and train machines that predict the labels.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The training items.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            One label per item, or a 0/1 indicator of several.

        Returns
        -------
        self : ClassifierCodes
        """
        check_n_bits(self.n_bits)
        X = self._validate(X, reset=True)
        y = np.asarray(y)
        self.codes_ = infer_codes(
            as_affinity(None, y, X), self.loss, self.n_bits, self.random_state
        )
        labels = y if y.ndim == 2 else (y[:, None] == np.unique(y)).astype(np.uint8)
        self.label_sets_, first = np.unique(labels, axis=0, return_index=True)
        self.set_codes_ = self.codes_[first]
        machines = clone(as_hash_function(self.hash_function, X.shape[0]))
        self.machines_ = machines.fit(X, labels)
        return self

    def _margins(self, X: Any) -> np.ndarray:
        """Return +1 or -1 per bit: a class's code has no margin."""
        margins, sets = self.machines_.decision_function(X), 2.0 * self.label_sets_.T - 1
        likely = np.empty(len(margins), dtype=np.intp)
        for start in range(0, len(margins), _BLOCK_ROWS):
            rows = slice(start, start + _BLOCK_ROWS)
            likely[rows] = (margins[rows] @ sets).argmax(axis=1)
        return 2.0 * self.set_codes_[likely] - 1

    def _accepts_sparse(self) -> bool:
        return as_hash_function(self.hash_function, n_samples=0).accepts_sparse
