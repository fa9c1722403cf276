"""The paper's grid for bandwidth and C, searched by cross-validated bit error on training items.

Bandwidths are t times the mean distance to the 100 nearest neighbours, t from 0.01 to 50; C is
c / n, c from 10 to 1e5, n the number of sampled items (2,000 at most; the C found on them is also
used for more). First t is chosen at a middle c, then c at that t, as the hash functions' own
``"auto"`` does on a shorter grid. The choice is made once per split and hash function, on Step 1's
codes of the training items, and used for every loss and code length.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from hashlearn._numerics.blas import one_blas_thread
from hashlearn._numerics.cross_validation import (
    Sample,
    cross_validated_error,
    draw_sample,
    loss_weights,
)
from hashlearn._numerics.rbf import mean_neighbor_distance
from hashlearn.hash_functions import HashFunction

# The smoothest first: the first wins ties. Dense where good values are, up to the ends of the
# paper's range.
BANDWIDTH_FACTORS = (50, 20, 10, 5, 3, 2, 1.4, 1, 0.7, 0.5, 0.35, 0.25, 0.1, 0.05, 0.01)
LOSS_WEIGHTS = (1e1, 1e2, 1e3, 1e4, 1e5)
MIDDLE_WEIGHT = 1e4  # the c at which t is chosen, as the hash functions themselves do

TOLERANCE = 1e-2
N_BITS = 32  # of the codes that parameters are chosen on
MOST_ANCHORS = 300  # with thousands the grid would take longer than the experiment

# What a choice depends on, besides the training items.
RULES = {
    "bandwidth_factors": BANDWIDTH_FACTORS,
    "loss_weights": LOSS_WEIGHTS,
    "middle_weight": MIDDLE_WEIGHT,
    "tolerance": TOLERANCE,
    "n_bits": N_BITS,
    "most_anchors": MOST_ANCHORS,
}


def select_parameters(
    hash_function: HashFunction,
    X: np.ndarray,
    codes: np.ndarray,
    seed: int,
    n_jobs: int | None = None,
) -> dict[str, float]:
    """Choose the bandwidth (``t``, ``sigma``) and ``C`` of a hash function, if it has them.

    `codes` are the 0/1 codes of the training items X; the seed draws at most 2,000 items, 8 bits,
    and the folds. Also returns the cross-validated ``bit_error`` and the ``seconds`` it took.
    """
    begin = time.perf_counter()
    random = check_random_state(seed)
    sample = draw_sample(np.where(codes > 0, 1, -1).astype(np.int8), random)
    parameters = hash_function.get_params(deep=False)
    search = _Search(_quick(hash_function), X[sample.items], sample, n_jobs)
    found: dict[str, float] = {}
    if "sigma" in parameters:
        unit = mean_neighbor_distance(X, random_state=random)
        middle = {"C": MIDDLE_WEIGHT / sample.items.size} if "C" in parameters else {}
        sigma = search.best("sigma", [t * unit for t in BANDWIDTH_FACTORS], middle)
        found |= {"t": sigma / unit, "sigma": sigma}
    if "C" in parameters:
        kept = {"sigma": found["sigma"]} if "sigma" in found else {}
        found["C"] = search.best("C", loss_weights(sample, LOSS_WEIGHTS), kept)
    if found:
        found["bit_error"] = search.error
    return found | {"seconds": time.perf_counter() - begin}


class _Search:
    """Cross-validation of one hash function with different parameters."""

    def __init__(
        self, hash_function: HashFunction, X: np.ndarray, sample: Sample, n_jobs: int | None
    ) -> None:
        self.hash_function, self.X, self.sample = hash_function, X, sample
        self.n_jobs = n_jobs
        self.error = np.nan

    def best(self, name: str, candidates: Sequence[float], others: dict[str, float]) -> float:
        """Return the first candidate with the least error, and store that error."""
        errors = [self._error({name: candidate, **others}) for candidate in candidates]
        self.error = min(errors)
        return float(candidates[errors.index(self.error)])

    def _error(self, parameters: dict[str, float]) -> float:
        def margins(
            X: np.ndarray, train: np.ndarray, test: np.ndarray, Z: np.ndarray, *_: Any
        ) -> np.ndarray:
            machines = clone(self.hash_function).set_params(**parameters)
            return machines.fit(X[train], (Z > 0).astype(np.uint8)).decision_function(X[test])

        # The problems are small: threads inside matrix products would cost more than they save.
        with one_blas_thread(), warnings.catch_warnings():
            # at the ends of the grid convergence would take too many steps
            warnings.simplefilter("ignore", ConvergenceWarning)
            return cross_validated_error(self.sample, self.X, margins, np.nan, self.n_jobs)


def _quick(hash_function: HashFunction) -> HashFunction:
    """Return a copy that stops early: signs settle long before the objective does."""
    quick = clone(hash_function)
    coarse = {"tol": TOLERANCE, "n_jobs": 1}
    known = quick.get_params(deep=False)
    return quick.set_params(**{name: value for name, value in coarse.items() if name in known})
