"""Bandwidth and C chosen by cross-validated bit error, on training data only.

Both are searched on a sample of 2,000 items, or 20,000 if there are more than 100,000, and on few
machines. The bandwidth is a factor t times the mean distance to the 100 nearest neighbours. C is
c / n as in the paper, n the number of items (the sum of their weights) but at most 2,000.
First t is chosen at a middle c, then c at that t. Candidates run from smooth to rough and the
first of equals wins: a larger bandwidth, a smaller C.

The C chosen on a sample is used for all items unchanged: more items need less regularisation
(benchmarks/selection.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.utils import check_random_state

from hashlearn._numerics.blas import one_blas_thread

BANDWIDTH_FACTORS = tuple(2.0**e for e in (1, 0.5, 0, -0.5, -1, -1.5, -2))
LOSS_WEIGHTS = (1e3, 1e4, 1e5)  # candidates for c = C n; the paper looks at 10 to 1e5

_N_FOLDS = 3
_FEW_SAMPLED = 2000
_MANY_ITEMS = 100_000  # above, rougher machines are better, which few items do not show
_MANY_SAMPLED = 20_000
_MAX_MACHINES = 8
_FEW_ITEMS = 30  # cross-validation on fewer is noise: the middle of each grid is used

Features = Callable[[float], Any]
Margins = Callable[[Any, np.ndarray, np.ndarray, np.ndarray, float, np.ndarray | None], np.ndarray]

Error = Callable[[np.ndarray, np.ndarray, np.ndarray | None], float]


def wrong_bits(M: np.ndarray, Z: np.ndarray, weight: np.ndarray | None) -> float:
    """Return the (weighted) number of margins whose sign is not the bit."""
    n_wrong = ((M > 0) != (Z > 0)).sum(axis=1)
    return float(n_wrong.sum() if weight is None else weight @ n_wrong)


def wrong_pairs(M: np.ndarray, Z: np.ndarray, weight: np.ndarray | None) -> float:
    """Return the squared errors of the Hamming affinities of all pairs, per item and bit.

    It ranks machines as searches do: an item whose bits are all those of another class is one
    error, but as many wrong bits in as many items disturb more pairs.
    """
    B = np.where(M > 0, 1.0, -1.0)
    W = B if weight is None else B * weight[:, None]
    T = Z.astype(np.float64) if weight is None else Z * weight[:, None]
    # the squared norm of B B^T - Z Z^T, from matrices of bits by bits
    squares = ((W.T @ B) ** 2).sum() - 2 * ((W.T @ Z) ** 2).sum() + ((T.T @ Z) ** 2).sum()
    return float(squares) / Z.size


@dataclass
class Sample:
    """Items, bits and folds of a cross-validation.

    The bits Z, (n_items, n_machines), are those of the sampled machines; `fold` tests each item;
    `mass` is the number of items of weight 1 that they stand for, `weight` how much each counts,
    1 in the mean, None if all count alike. The first `n_tested` folds are tested, by `error`.
    """

    items: np.ndarray
    Z: np.ndarray
    fold: np.ndarray
    mass: float
    weight: np.ndarray | None = None
    n_tested: int = _N_FOLDS
    error: Error = wrong_bits


def draw_sample(
    Z: np.ndarray,
    random_state: Any = None,
    sample_weight: np.ndarray | None = None,
    max_items: int = _MANY_SAMPLED,
    few: int = _FEW_SAMPLED,
    max_machines: int = _MAX_MACHINES,
) -> Sample:
    """Draw items and machines, and deal the items to folds, each code evenly.

    The items are `few`, or more where there are very many (`sample_size`).

    Items of twice the weight are twice as likely to be drawn, and then count alike; those that
    are sure to be drawn count by their weight.
    """
    rng = check_random_state(random_state)
    n, n_machines = Z.shape
    weight = item_weights(sample_weight)
    n_drawn = sample_size(n, max_items, few)
    items = np.sort(draw_items(n, n_drawn, rng, weight))
    machines = np.sort(rng.choice(n_machines, min(n_machines, max_machines), replace=False))
    codes = np.packbits(Z[items] > 0, axis=1)
    _, code = np.unique(codes, axis=0, return_inverse=True)
    order = np.lexsort((rng.random_sample(items.size), code.ravel()))
    fold = np.empty(items.size, dtype=np.int64)
    fold[order] = np.arange(items.size) % _N_FOLDS
    mass = n if weight is None else float(weight.sum(dtype=np.float64))
    mass = min(mass, max(n_drawn, _FEW_SAMPLED))  # at most as many copies would be drawn
    counts = _counts_in_sample(weight, items, n_drawn)
    return Sample(items, Z[np.ix_(items, machines)], fold, mass, counts)


def sample_size(n: int, max_items: int = _MANY_SAMPLED, few: int = _FEW_SAMPLED) -> int:
    """Return the size of the sample: `few`, or up to `max_items` if there are very many items."""
    few = min(n, few)
    return max(few, min(max_items, _MANY_SAMPLED)) if n > _MANY_ITEMS else few


def item_weights(sample_weight: np.ndarray | None) -> np.ndarray | None:
    """Return one weight per item, a mean over the machines where they differ."""
    if sample_weight is None or sample_weight.ndim == 1:
        return sample_weight
    return sample_weight.mean(axis=1, dtype=np.float64)


def draw_items(
    n: int, n_drawn: int, rng: np.random.RandomState, weight: np.ndarray | None
) -> np.ndarray:
    """Draw distinct items, heavy ones with a higher probability; fewer if the others weigh 0."""
    if weight is None or np.ptp(weight) == 0:
        return rng.choice(n, n_drawn, replace=False)
    n_drawn = min(int(np.count_nonzero(weight)), n_drawn)
    return rng.choice(n, n_drawn, replace=False, p=weight / weight.sum(dtype=np.float64))


def _counts_in_sample(
    weight: np.ndarray | None, items: np.ndarray, n_drawn: int
) -> np.ndarray | None:
    """Return how much each drawn item counts, 1 in the mean: its weight per chance to be drawn."""
    if weight is None or np.ptp(weight[items]) == 0:
        return None
    counts = weight[items].astype(np.float64)
    if items.size < np.count_nonzero(weight):
        counts = np.maximum(counts, weight.sum(dtype=np.float64) / n_drawn)
    return counts / counts.mean()


def loss_weights(sample: Sample, weights: Sequence[float] = LOSS_WEIGHTS) -> tuple[float, ...]:
    """Return the candidates for C: each c over the number of items, but at most 2,000."""
    return tuple(c / min(sample.mass, _FEW_SAMPLED) for c in weights)


def select(
    sample: Sample,
    features: Features,
    margins: Margins,
    sigmas: Sequence[float],
    Cs: Sequence[float],
    n_jobs: int | None = None,
) -> tuple[float, float]:
    """Return the bandwidth and the C with the least cross-validated bit error.

    Candidates come smoothest first; a single one is used as it is. `features` turns a bandwidth
    into the features of the sampled items; ``margins(features, train, test, Z_train, C, weight)``
    trains one machine per column of Z_train on the rows `train` and returns their margins on the
    rows `test`.
    """
    sigma, C = sigmas[len(sigmas) // 2], Cs[len(Cs) // 2]
    if sample.items.size < _FEW_ITEMS or len(sigmas) == len(Cs) == 1:
        return sigma, C

    def error(features_: Any, C: float) -> float:
        return cross_validated_error(sample, features_, margins, C, n_jobs)

    # For small problems, threads inside matrix products cost more than they save.
    with one_blas_thread():
        if len(sigmas) > 1:
            sigma = _first_best(lambda sigma: error(features(sigma), C), sigmas)
        if len(Cs) > 1:
            seen = features(sigma)
            C = _first_best(lambda C: error(seen, C), Cs)
    return sigma, C


def _first_best(error: Callable[[float], float], candidates: Sequence[float]) -> float:
    """Return the first candidate with the least error.

    Two candidates in a row that are worse than the best so far end the search: the rest are
    rougher still, and the roughest machines are also the slowest to train.
    """
    best, least, n_worse = candidates[0], np.inf, 0
    for candidate in candidates:
        now = error(candidate)
        n_worse = n_worse + 1 if now > least else 0
        if now < least:
            best, least = candidate, now
        if n_worse == 2:
            break
    return best


def cross_validated_error(
    sample: Sample, features: Any, margins: Margins, C: float, n_jobs: int | None = None
) -> float:
    """Return the share of bits that are predicted wrongly from the other folds, or another error.

    C is that of items of weight 1; each sampled item counts for its share of the mass.
    """
    C_each = C * (sample.mass / sample.items.size)

    def wrong(fold: int) -> float:
        test = np.flatnonzero(sample.fold == fold)
        train = np.flatnonzero(sample.fold != fold)
        weight = None if sample.weight is None else sample.weight[train]
        M = _margins_of_varying(features, margins, train, test, sample.Z[train], C_each, weight)
        tested = None if sample.weight is None else sample.weight[test]
        return sample.error(M, sample.Z[test], tested)

    counts = Parallel(n_jobs=n_jobs, require="sharedmem")(
        delayed(wrong)(fold) for fold in range(sample.n_tested)
    )
    return sum(counts) / sample.Z.size * (_N_FOLDS / sample.n_tested)


def _margins_of_varying(
    features: Any,
    margins: Margins,
    train: np.ndarray,
    test: np.ndarray,
    Z: np.ndarray,
    C: float,
    weight: np.ndarray | None,
) -> np.ndarray:
    """Train where the training part has both values; elsewhere predict the one it has."""
    M = np.repeat(Z[:1].astype(np.float64), test.size, axis=0)
    varying = np.ptp(Z, axis=0) > 0
    if varying.any():
        M[:, varying] = margins(features, train, test, Z[:, varying], C, weight)
    return M
