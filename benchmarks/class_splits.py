"""Data sets of generalise.py and unlabelled.py, and splits with classes kept out of training."""

from typing import NamedTuple

import numpy as np
from sklearn.datasets import load_digits

from data import cifar10, mnist, tmc2007
from hashlearn.features import GIST, cached_transform

UNSEEN_SHARE = 0.3
MOST_QUERIES = 1 / 6  # of a side with few items


class Side(NamedTuple):
    """Positions of queries and of the items that they search, all of seen or of unseen classes."""

    queries: np.ndarray
    database: np.ndarray


class ClassSplit(NamedTuple):
    """Positions and labels of training items, all of seen classes, and both sides of queries."""

    training: np.ndarray
    y_training: np.ndarray
    seen: Side
    unseen: Side


class Sizes(NamedTuple):
    """Numbers of training items, and of queries on each side."""

    n_training: int = 2_000
    n_queries: int = 2_000


def load(name):
    """Return the features of a set, float32, and its labels, one per item or a 0/1 indicator.

    Labels are signed, so that -1 can mean no label.
    """
    if name == "cifar10":
        images, y = cifar10()
        X = cached_transform(GIST(n_jobs=-1), images.reshape(-1, 32, 32, 3))
    elif name == "digits":
        X, y = load_digits(return_X_y=True)
        X = X / 16
    else:
        X, y = {"mnist": mnist, "tmc2007": tmc2007}[name]()
        X = X.astype(np.float32) / X.max()
    return X.astype(np.float32), y.astype(np.int64)


def draw(y, split, seed, sizes):
    """Draw a class split by its number, then items by a seed.

    An item of several labels is unseen if all of them are kept out, seen if none is, and left out
    otherwise.
    """
    indicator = y.astype(bool) if y.ndim == 2 else y[:, None] == np.unique(y)
    classes = np.random.RandomState(split).permutation(indicator.shape[1])
    kept_out, known = np.split(classes, [round(UNSEEN_SHARE * classes.size)])
    has_unseen, has_known = indicator[:, kept_out].any(axis=1), indicator[:, known].any(axis=1)
    random = np.random.RandomState(seed)
    order = random.permutation(len(y))
    seen = side(order[(has_known & ~has_unseen)[order]], sizes.n_queries)
    unseen = side(order[(has_unseen & ~has_known)[order]], sizes.n_queries)
    if y.ndim == 2:
        training = seen.database[: sizes.n_training]
        return ClassSplit(training, y[training][:, known], seen, unseen)
    training = balanced(seen.database, y, sizes.n_training, random)
    return ClassSplit(training, y[training], seen, unseen)


def side(items, n_queries):
    n_queries = min(n_queries, int(MOST_QUERIES * items.size))
    return Side(items[:n_queries], items[n_queries:])


def balanced(items, y, n, random):
    """Return n of the items, the same number of each class up to rounding."""
    classes = np.unique(y[items])
    of_class = [items[y[items] == c][: -(-n // classes.size)] for c in classes]
    return random.permutation(np.concatenate(of_class))[:n]
