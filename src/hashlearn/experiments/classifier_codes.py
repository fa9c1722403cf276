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
    """Predict the class of an item, and return the code of that class.

    The codes of the classes come from Step 1; the hash function learns one classifier per label
    instead of one per bit. Such codes hold labels only. A supervised hasher that does not beat
    them has learned a classifier (Sablayrolles, Douze, Usunier and Jégou, "How should we evaluate
    supervised hashing?", ICASSP 2017).
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
        """Infer a code for every class, and train classifiers that predict the labels."""
        check_n_bits(self.n_bits)
        X = self._validate(X, reset=True)
        y = np.asarray(y)
        self.codes_ = infer_codes(
            as_affinity(None, y, X), self.loss, self.n_bits, self.random_state
        )
        labels = y if y.ndim == 2 else (y[:, None] == np.unique(y)).astype(np.uint8)
        # The label sets (one per class for single labels) that occur, and a code for each.
        self.label_sets_, first = np.unique(labels, axis=0, return_index=True)
        self.set_codes_ = self.codes_[first]
        machines = clone(as_hash_function(self.hash_function, X.shape[0]))
        self.machines_ = machines.fit(X, labels)
        return self

    def _margins(self, X: Any) -> np.ndarray:
        """Return +1 or -1 per bit: class codes have no margins."""
        margins, sets = self.machines_.decision_function(X), 2.0 * self.label_sets_.T - 1
        likely = np.empty(len(margins), dtype=np.intp)
        for start in range(0, len(margins), _BLOCK_ROWS):
            rows = slice(start, start + _BLOCK_ROWS)
            likely[rows] = (margins[rows] @ sets).argmax(axis=1)
        return 2.0 * self.set_codes_[likely] - 1

    def _accepts_sparse(self) -> bool:
        return as_hash_function(self.hash_function, n_samples=0).accepts_sparse


def infer_codes(affinity: Affinity, loss: Any, n_bits: int, random_state: Any) -> np.ndarray:
    """Return the codes that `TwoStepHasher` would infer, 0/1."""
    loss = as_loss(loss)
    random = check_random_state(random_state)
    return as_inference("auto", loss).infer(affinity, loss, n_bits, random_state=random).codes
