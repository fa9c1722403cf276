"""Small items and fast parts that the tests of mixed codes share."""

from functools import cache

import numpy as np
from sklearn.datasets import load_digits

from hashlearn import MixedHasher, TwoStepHasher
from hashlearn.base import BaseHasher
from hashlearn.hash_functions import LinearSVMHash, RBFSVMHash

GRAPH = "hashlearn.methods._mixed.unlabelled.neighbor_weights"  # what makes the graph
LINEAR = TwoStepHasher(hash_function=LinearSVMHash(C=1.0))
CURVED = TwoStepHasher(hash_function=RBFSVMHash(C=10.0, sigma=1.0))


def mixed(n_bits=8, label_hasher=LINEAR, geometry_hasher="itq", **params):
    """Return an unfitted hasher that learns fast."""
    return MixedHasher(n_bits, label_hasher, geometry_hasher, random_state=0, **params)


@cache
def digits(n_items=200):
    """Return items with their labels; no test changes them."""
    X, y = load_digits(return_X_y=True)
    X, y = X[:n_items] / 16, y[:n_items]
    X.flags.writeable = y.flags.writeable = False
    return X, y


def half_known(y):
    """Return labels with every second one replaced by -1."""
    return np.where(np.arange(len(y)) % 2, -1, y)


def spirals(n_known=20, n_items=400, seed=0):
    """Return two arms that few labels cannot tell apart, those labels, and all labels."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_items) % 2
    length = 2.2 * np.sqrt(rng.uniform(0.5, 9, n_items))
    angle = length + np.pi * y
    X = length[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    X += 0.08 * rng.normal(size=X.shape)
    return X, np.where(np.arange(n_items) < n_known, y, -1), y


def misleading(n_known=60, n_items=300, seed=0):
    """Return items whose neighbours say nothing of their labels, and one feature that tells all."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_items) % 3
    noise = rng.normal(size=(n_items, 12)) * 4
    X = np.column_stack([3.0 * np.eye(3)[y] + 0.2 * rng.normal(size=(n_items, 3)), noise])
    return X, np.where(np.arange(n_items) < n_known, y, -1), y


class Recorder(BaseHasher):
    """Random bits; keeps the items of every fit, whose number is their first feature."""

    supervised = True
    fits: list = []  # noqa: RUF012 - clones share it, and a fixture empties it
    weights: list = []  # noqa: RUF012

    def fit(self, X, y=None, *, affinity=None, sample_weight=None):
        """Keep the items, what is known of them and their weights."""
        X, random_state = self._begin(X)
        self.weights.append(sample_weight)
        self.fits.append((X[:, 0].astype(int), y if affinity is None else affinity))
        self.mean_ = X.mean(axis=0)
        self.directions_ = random_state.normal(size=(X.shape[1], self.n_bits))
        self.directions_[0] = 0
        self._keep_codes(X)
        return self

    def _margins(self, X):
        return (X - self.mean_) @ self.directions_


class GeometryRecorder(Recorder):
    """The same, for the other part."""

    supervised = False
    fits: list = []  # noqa: RUF012
