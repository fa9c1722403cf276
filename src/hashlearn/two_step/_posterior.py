"""Posterior of the classes from the margins of all bits, learned on items kept out of training."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from scipy.special import log_softmax, softmax
from sklearn.base import clone

from hashlearn._numerics.blas import one_blas_thread
from hashlearn.hash_functions import HashFunction
from hashlearn.two_step._items import take

N_FOLDS = 3
_SHRINKAGE = 100.0  # items' worth of trust in the class codes as weights; chosen on training items
_LOG_SHARPNESS = (-8.0, 4.0)


class Posterior(NamedTuple):
    """A softmax of margins: the classes' weights, (n_bits, n_classes), and intercepts."""

    weights: np.ndarray
    intercepts: np.ndarray


def margins_of_other_folds(
    hash_function: HashFunction,
    X: Any,
    codes: np.ndarray,
    groups: np.ndarray,
    sample_weight: np.ndarray | None,
) -> np.ndarray:
    """Return the margins of every item by machines that have not seen it or a copy of it.

    They have the parameters that the fitted hash function has chosen.
    """
    fold = deal_folds(hash_function.decision_function(X), groups)
    machines = _with_chosen_parameters(hash_function)
    margins = np.empty(codes.shape)
    for k in range(N_FOLDS):
        train, test = fold != k, fold == k
        trained = clone(machines).fit(take(X, train), codes[train], 0, take(sample_weight, train))
        margins[test] = trained.decision_function(take(X, test))
    return margins


def deal_folds(margins: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Return a fold for every item: each group is dealt evenly, and copies stay together.

    Copies of an item have equal margins. Groups are dealt in the order of the first margin, so
    every fold has certain and uncertain items.
    """
    rows = np.column_stack([groups, margins])
    distinct, which = np.unique(rows, axis=0, return_inverse=True)
    return (np.arange(len(distinct)) % N_FOLDS)[which.ravel()]


def _with_chosen_parameters(hash_function: HashFunction) -> HashFunction:
    """Return an unfitted copy that does not choose its parameters again."""
    machines = clone(hash_function)
    given = machines.get_params(deep=False)
    chosen = {name: getattr(hash_function, f"{name}_", None) for name in ("C", "sigma")}
    return machines.set_params(**{n: v for n, v in chosen.items() if n in given and v is not None})


@one_blas_thread()
def fit_posterior(
    margins: np.ndarray, codes: np.ndarray, groups: np.ndarray, sample_weight: np.ndarray | None
) -> Posterior:
    """Fit a multinomial logistic regression of the groups on margins of mean size 1.

    Each item belongs to one of the groups, whose codes are +1 or -1. The weights are shrunk towards
    the codes times one number: the margins' agreement with the codes says which group it is, and a
    few thousand items can correct that, but not replace it.
    """
    weight = np.ones(len(groups)) if sample_weight is None else sample_weight
    trust = _SHRINKAGE / weight.sum()
    weight = weight / weight.sum()
    n_groups, n_bits = codes.shape
    truth = np.zeros((len(groups), n_groups))
    truth[np.arange(len(groups)), groups] = 1
    prior = np.log(weight @ truth)
    agreement = margins @ codes.T

    def loss(scores: np.ndarray) -> float:
        return -float(weight @ log_softmax(scores, axis=1)[truth > 0])

    found = minimize_scalar(
        lambda t: loss(np.exp(t) * agreement + prior), bounds=_LOG_SHARPNESS, method="bounded"
    )
    towards = np.exp(found.x) * codes.T

    def value_and_gradient(packed: np.ndarray) -> tuple[float, np.ndarray]:
        weights, intercepts = np.split(packed.reshape(n_bits + 1, n_groups), [n_bits])
        scores = margins @ weights + intercepts
        wrong = weight[:, None] * (softmax(scores, axis=1) - truth)
        pull = weights - towards
        gradient = np.vstack([margins.T @ wrong + 2 * trust * pull, wrong.sum(axis=0)])
        return loss(scores) + trust * float((pull**2).sum()), gradient.ravel()

    start = np.vstack([towards, prior]).ravel()
    solved = minimize(value_and_gradient, start, jac=True, method="L-BFGS-B")
    weights, intercepts = np.split(solved.x.reshape(n_bits + 1, n_groups), [n_bits])
    return Posterior(weights, intercepts.ravel())
