"""Classifier codes: the reference that supervised codes should beat."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from hashlearn._numerics.checks import check_n_bits
from hashlearn.affinity import Affinity, as_affinity
from hashlearn.base import BaseHasher
from hashlearn.hash_functions import as_hash_function
from hashlearn.inference import as_inference
from hashlearn.losses import as_loss

_BLOCK_ROWS = 2**12


class ClassifierCodes(BaseHasher):
    """Predict the class of an item, and write that class's code [1]_.

    The codes of the classes come from Step 1; the hash function learns one classifier per label
    instead of one per bit. Such codes carry labels and nothing else: a ranking by them has as many
    distinct places as there are classes. A supervised hasher that does not beat them has learned
    a classifier.

    Parameters
    ----------
    n_bits : int, default=32
        Length of the codes.
    loss : str or Loss, default="bre"
        The loss of Step 1.
    hash_function : str or HashFunction, default="auto"
        Predicts the labels.
    random_state : int, RandomState instance or None, default=None
        Seeds Step 1.

    Attributes
    ----------
    label_sets_ : ndarray of shape (n_sets, n_labels), uint8
        The classes, or the sets of labels, in the training items.
    set_codes_ : ndarray of shape (n_sets, n_bits), uint8
        Their codes.
    machines_ : HashFunction
        Predict the labels.
    codes_ : ndarray of shape (n_samples, n_bits), uint8
        The codes of the training items, from their true labels.

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
        """Infer a code for every class, and train classifiers that predict the labels.

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
        """Return +1 or -1 per bit: the code of a class has no margins."""
        margins, sets = self.machines_.decision_function(X), 2.0 * self.label_sets_.T - 1
        likely = np.empty(len(margins), dtype=np.intp)
        for start in range(0, len(margins), _BLOCK_ROWS):
            rows = slice(start, start + _BLOCK_ROWS)
            likely[rows] = (margins[rows] @ sets).argmax(axis=1)
        return 2.0 * self.set_codes_[likely] - 1

    def _accepts_sparse(self) -> bool:
        return as_hash_function(self.hash_function, n_samples=0).accepts_sparse


def infer_codes(affinity: Affinity, loss: Any, n_bits: int, random_state: Any) -> np.ndarray:
    """Return the codes that `TwoStepHasher` would infer, 0/1.

    Examples
    --------
    >>> from hashlearn.affinity import LabelAffinity
    >>> codes = infer_codes(LabelAffinity([0, 0, 1]), "bre", n_bits=4, random_state=0)
    >>> int((codes[0] != codes[1]).sum()), int((codes[0] != codes[2]).sum())
    (0, 4)
    """
    loss = as_loss(loss)
    random = check_random_state(random_state)
    return as_inference("auto", loss).infer(affinity, loss, n_bits, random_state=random).codes
