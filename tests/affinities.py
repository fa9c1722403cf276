"""Small random affinities of every kind."""

import numpy as np
import scipy.sparse as sp

from hashlearn.affinity import (
    DenseAffinity,
    LabelAffinity,
    MultilabelAffinity,
    NeighborAffinity,
    SparseAffinity,
)

KINDS = ("labels", "multilabel", "neighbors", "dense", "sparse")


def random_symmetric(rng, n, values, p=None):
    """Return a symmetric matrix with zero diagonal and random entries."""
    upper = np.triu(rng.choice(values, size=(n, n), p=p), k=1)
    return upper + upper.T


def random_affinity(kind, n, seed):
    """Return a small random affinity of one kind that has a dissimilar pair."""
    rng = np.random.default_rng(seed)
    if kind == "labels":
        return LabelAffinity(np.r_[0, 1, rng.integers(0, 3, n - 2)])
    if kind == "multilabel":
        indicator = rng.random((n, 4)) < 0.35
        indicator[:2] = [[1, 0, 0, 0], [0, 1, 0, 0]]
        return MultilabelAffinity(indicator.astype(int))
    if kind == "neighbors":
        return NeighborAffinity.from_data(rng.normal(size=(n, 2)), n_neighbors=1)
    Y = random_symmetric(rng, n, [-1, 0, 1])
    Y[0, 1] = Y[1, 0] = -1
    if n > 4:  # exchangeable items: two that are similar, or undefined, to each other
        Y[n - 1], Y[:, n - 1] = Y[n - 2], Y[:, n - 2]
        Y[n - 1, n - 1] = 0
        Y[n - 1, n - 2] = Y[n - 2, n - 1] = rng.integers(0, 2)
    if kind == "graded":
        size = np.triu(rng.uniform(0.1, 0.9, (n, n)))
        return DenseAffinity(Y * (size + size.T))
    return DenseAffinity(Y) if kind == "dense" else SparseAffinity(sp.csr_array(Y))
