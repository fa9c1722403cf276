"""Small data sets for tests of the experiments."""

import numpy as np
from sklearn.datasets import load_digits

from hashlearn.experiments.sets import ExperimentSet, fingerprint


def digits(n=None):
    """Return the digits as an experiment sees them."""
    X, y = load_digits(return_X_y=True)
    X = (X[:n] / 16).astype(np.float32)
    images = (X.reshape(-1, 8, 8) * 255).astype(np.uint8)
    return ExperimentSet("digits", X, y[:n], None, images, fingerprint(X, y[:n]))


def several_labels(n=600, n_labels=10, seed=0):
    """Return items with several labels each, which their features show."""
    random = np.random.RandomState(seed)
    y = (random.random_sample((n, n_labels)) < 0.2).astype(np.uint8)
    X = (y @ random.normal(size=(n_labels, 12)) + random.normal(size=(n, 12))).astype(np.float32)
    return ExperimentSet("several", X, y, None, None, fingerprint(X, y))


def without_labels(n=500, seed=0):
    """Return vectors alone."""
    X = np.random.RandomState(seed).normal(size=(n, 6)).astype(np.float32)
    return ExperimentSet("vectors", X, None, None, None, fingerprint(X))
