"""Classes held out of the training items, to see what codes do for classes that nobody labelled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from hashlearn.methods.mixed.supervision import Supervision

N_TRIALS = 3
MAX_ITEMS = 3000  # more would sharpen the choice little, and cost as much as learning
MAX_CLASSES = 100  # of more, each would have too few of these items
SEEN_TEST_SHARE = 1 / 3
FEWEST_TESTED = 5  # of seen and of unseen items; a mean over fewer says nothing
FEWEST_TRAINED = 4


class Trial(NamedTuple):
    """Known items by position: what is learned from, and what is asked for.

    Attributes
    ----------
    training : ndarray of int
        Items of the classes that are seen.
    seen : ndarray of int
        Further items of these.
    unseen : ndarray of int
        Items of the other classes.
    """

    training: np.ndarray
    seen: np.ndarray
    unseen: np.ndarray


def hold_out(supervision: Supervision, random_state: np.random.RandomState) -> list[Trial]:
    """Hold every class out of one of three trials; none where classes or items are too few.

    An item in several classes, some of them held out and some not, is in neither part.

    Examples
    --------
    >>> from hashlearn.methods.mixed.supervision import LabelSupervision
    >>> y = np.repeat([0, 1, 2, 3], 30)
    >>> trials = hold_out(LabelSupervision(y), np.random.RandomState(0))
    >>> [sorted(set(y[trial.unseen].tolist())) for trial in trials]
    [[1, 2], [0], [3]]
    """
    classes = supervision.classes()
    if classes is None or classes.shape[1] < N_TRIALS:
        return []
    if classes.shape[1] > MAX_CLASSES:
        classes = classes[:, random_state.permutation(classes.shape[1])[:MAX_CLASSES]]
    items = np.flatnonzero(np.diff(classes.indptr) > 0)
    items = random_state.permutation(items)[:MAX_ITEMS]
    parts = np.array_split(random_state.permutation(classes.shape[1]), N_TRIALS)
    trials = [_trial(classes, held_out, items) for held_out in parts]
    return [trial for trial in trials if _is_enough(trial, classes)]


def _trial(classes: sp.csr_array, held_out: np.ndarray, items: np.ndarray) -> Trial:
    of_items = classes[items].astype(np.int32)
    n_held_out = of_items[:, held_out].sum(axis=1)
    unseen = n_held_out == of_items.sum(axis=1)
    seen = items[n_held_out == 0]
    n_tested = int(SEEN_TEST_SHARE * seen.size)
    return Trial(seen[n_tested:], seen[:n_tested], items[unseen])


def _is_enough(trial: Trial, classes: sp.csr_array) -> bool:
    n_classes = int(np.count_nonzero(classes[trial.training].sum(axis=0)))
    n_tested = min(trial.seen.size, trial.unseen.size)
    return n_classes > 1 and n_tested >= FEWEST_TESTED and trial.training.size >= FEWEST_TRAINED
