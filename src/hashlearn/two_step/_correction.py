r"""Correction of the bits of an item together, by what its margins say about its class.

Every bit is decided by a machine of its own. Together the margins f of an item also give a
posterior p of the classes, whose codes are the rows of Z. It says what the code should agree with:
the mean code p Z, and so an affinity to every class code. Bits that are decided one by one have
other affinities, because rounding errors add up. The corrected code b minimises

.. math:: E(b) = \frac{\tau(f)^2}{2 \tau} \|P (b - v)\|^2 - f \cdot b,

with P the projection onto the span of the class codes, v the mean code under p, flattened and
lengthened, tau(f) the mean size of the item's margins, and tau that of all items. So the part of
the code that decides affinities to classes comes from v, and all else from the machines. An item
about which these know little, as of a class that is new, is corrected less. Bits are flipped one by
one, the best first, while E falls.

The margin of a bit is the half of what E rises if it is flipped, with its sign.
"""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from hashlearn._numerics.compiled import compiled
from hashlearn.files import remember, storable
from hashlearn.hash_functions import HashFunction
from hashlearn.two_step._incremental import KnownGroups
from hashlearn.two_step._items import TrainingItems
from hashlearn.two_step._posterior import fit_posterior, margins_of_other_folds

MAX_ITEMS = 5_000  # above, three more trainings would take longer than the choice of parameters
FEWEST_CLASSES = 3  # of two classes, one bit says all
MOST_CLASSES = 50  # of 77 classes, the margins of bits are better evidence than a posterior
FEWEST_PER_CLASS = 20  # items, in the mean

# Chosen on training items of MNIST and CIFAR-10 (benchmarks/correction.py).
FLATTENING = 0.5  # power of the posterior: below 1, unlikely classes keep their order
LENGTHENING = 0.7  # 0: v is as long as the mean code, short where the class is open; 1: as any code

EQUAL = 1e-9  # of bits with equal machines the first is flipped, whatever rounding says


@storable("ClassCorrection")
class ClassCorrection(BaseEstimator):
    """A fitted correction: from the margins of all bits to margins that agree with the classes.

    Attributes
    ----------
    codes_ : ndarray of shape (n_classes, n_bits)
        The codes of the classes, +1 or -1.
    projection_ : ndarray of shape (n_bits, n_bits)
        The projection onto their span.
    scale_ : float
        The mean size of a margin.
    weights_, intercepts_ : ndarray
        The posterior: a softmax of margins of mean size 1.
    """

    def fit(
        self,
        margins: np.ndarray,
        codes: np.ndarray,
        groups: np.ndarray,
        sample_weight: np.ndarray | None = None,
    ) -> Self:
        """Learn from margins of items that their machines have not seen, and the groups' codes."""
        self.codes_ = 2.0 * codes - 1
        self.projection_ = np.linalg.pinv(self.codes_) @ self.codes_
        size = np.average(np.abs(margins), axis=0, weights=sample_weight).mean()
        self.scale_ = float(size) or 1.0
        posterior = fit_posterior(margins / self.scale_, self.codes_, groups, sample_weight)
        self.weights_, self.intercepts_ = posterior
        return self

    def margins(self, margins: np.ndarray) -> np.ndarray:
        """Return corrected margins; each row depends on itself alone."""
        corrected = np.empty(margins.shape)
        _correct(
            np.ascontiguousarray(margins, dtype=np.float64) / self.scale_,
            self.weights_,
            self.intercepts_,
            self.codes_,
            self.projection_,
            FLATTENING,
            LENGTHENING,
            corrected,
        )
        return self.scale_ * corrected


def check_correct(correct: Any) -> None:
    """Raise if the parameter of a hasher is invalid."""
    if not isinstance(correct, bool):
        raise TypeError(f"correct must be True or False; got {correct!r}.")


def learn_correction(
    known: KnownGroups | None,
    groups: np.ndarray | None,
    hash_function: HashFunction,
    items: TrainingItems,
    codes: np.ndarray,
) -> ClassCorrection | None:
    """Return a correction learned by cross-validation; None, with a warning, without a basis."""
    if known is None or groups is None or known.labels.ndim != 1:
        _warn_of_no_basis("it needs one label per item, and codes that the items of a class share")
        return None
    n_bits = codes.shape[1]
    n_items = len(codes) if items.weights is None else round(items.weights.sum())  # with copies
    n_classes = known.labels.size
    if n_items > MAX_ITEMS or n_items < FEWEST_PER_CLASS * n_classes:
        _warn_of_no_basis(
            f"it needs at most {MAX_ITEMS:,} items, {FEWEST_PER_CLASS} of each class in the mean; "
            f"got {n_items:,} of {n_classes} classes"
        )
        return None
    most = min(MOST_CLASSES, n_bits - 1)
    if not FEWEST_CLASSES <= n_classes <= most:
        _warn_of_no_basis(
            f"it needs {FEWEST_CLASSES} to {MOST_CLASSES} classes, fewer than the {n_bits} bits; "
            f"got {n_classes}"
        )
        return None
    which = np.unique(groups, return_inverse=True)[1]
    unseen = remember(
        "margins of other folds",
        lambda: margins_of_other_folds(hash_function, items.X, codes, which, items.weights),
    )
    return ClassCorrection().fit(unseen, known.codes, which, items.weights)


def _warn_of_no_basis(reason: str) -> None:
    warnings.warn(f"correct=True has no effect: {reason}.", UserWarning, stacklevel=5)


@compiled
def _correct(
    margins: np.ndarray,
    weights: np.ndarray,
    intercepts: np.ndarray,
    codes: np.ndarray,
    projection: np.ndarray,
    flattening: float,
    lengthening: float,
    corrected: np.ndarray,
) -> None:
    n_items, n_bits = margins.shape
    n_groups = intercepts.size
    posterior, mean = np.empty(n_groups), np.empty(n_bits)
    signs, fields = np.empty(n_bits), np.empty(n_bits)
    for i in range(n_items):
        # The posterior, flattened.
        posterior[:] = intercepts
        for k in range(n_bits):
            for c in range(n_groups):
                posterior[c] += margins[i, k] * weights[k, c]
        largest = posterior.max()
        for c in range(n_groups):
            posterior[c] = np.exp(flattening * (posterior[c] - largest))
        total = posterior.sum()
        # The mean code under it, lengthened; then its difference to the signs of the margins.
        mean[:] = 0
        for c in range(n_groups):
            for k in range(n_bits):
                mean[k] += posterior[c] / total * codes[c, k]
        squared = 0.0
        for k in range(n_bits):
            squared += mean[k] * mean[k]
        stretch = (n_bits / squared) ** (lengthening / 2) if squared > 0 else 1.0
        for k in range(n_bits):
            signs[k] = 1.0 if margins[i, k] > 0 else -1.0
            mean[k] = stretch * mean[k] - signs[k]
        # The fields that the other bits and the machine exert on each bit.
        size = np.abs(margins[i]).mean()
        strength = size * size
        for k in range(n_bits):
            fields[k] = projection[k, k] * signs[k]
            for j in range(n_bits):
                fields[k] += projection[k, j] * mean[j]
            fields[k] = margins[i, k] + strength * fields[k]
        for _ in range(10 * n_bits):
            worst, at = 0.0, -1
            for k in range(n_bits):
                if signs[k] * fields[k] < worst - EQUAL:
                    worst, at = signs[k] * fields[k], k
            if at < 0:
                break
            for k in range(n_bits):
                if k != at:
                    fields[k] += 2 * strength * projection[k, at] * signs[at]
            signs[at] = -signs[at]
        corrected[i] = fields
