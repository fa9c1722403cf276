"""Training items: which of them a fit learns from, and how much each counts."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_consistent_length

from hashlearn.affinity import Affinity

_MOST = 0.5  # items of one class that draw the codes of all others, whatever X is


@dataclass(frozen=True)
class TrainingItems:
    """The items that both steps learn from, `learned` among those given to `fit`.

    Their weights are None if all count alike.
    """

    learned: np.ndarray
    X: Any
    affinity: Affinity
    weights: np.ndarray | None

    @classmethod
    def choose(
        cls,
        X: Any,
        y: Any,
        affinity: Any,
        weights: np.ndarray | None,
        as_affinity: Callable[[Any, Any, Any, Any], Affinity],
    ) -> Self:
        """Leave out items of weight 0, and then those without a defined pair."""
        counted = np.ones(X.shape[0], dtype=bool) if weights is None else weights > 0
        pairs = as_affinity(
            take(X, counted),
            take(y, counted),
            take(affinity, counted, columns=True),
            take(weights, counted),
        )
        known = pairs.has_pairs()
        learned = np.zeros(X.shape[0], dtype=bool)
        learned[np.flatnonzero(counted)[known]] = True
        return cls(learned, take(X, learned), take(pairs, known), take(weights, learned))

    def among_all(self, codes: np.ndarray, bits: np.ndarray) -> np.ndarray:
        """Return the codes of all items: `codes` of these, `bits` of the others."""
        if self.learned.all():
            return codes
        everyone = bits.copy()
        everyone[self.learned] = codes
        return everyone

    def groups_among_all(self, groups: np.ndarray | None) -> np.ndarray | None:
        """Return the groups of all items; an item that is not learned from is alone."""
        if groups is None:
            return None
        return self.among_all(groups, groups.max() + np.cumsum(~self.learned))


def take(data: Any, used: np.ndarray, *, columns: bool = False) -> Any:
    """Return the rows of data that are used, the data itself if all are; None stays None.

    With `columns`, columns are selected as rows are, as an affinity always does.
    """
    if data is None or used.all():
        return data
    check_consistent_length(data, used)
    if isinstance(data, Affinity):
        return data[used]
    if hasattr(data, "columns"):  # a frame stays one
        return _safe_indexing(data, np.flatnonzero(used))
    rows = data.tocsr()[used] if sp.issparse(data) else np.asarray(data)[used]
    return rows[:, used] if columns else rows


def warn_of_equal_bits(predicted: np.ndarray, codes: np.ndarray) -> None:
    """Warn of bits that are the same for all items, in their codes or by the hash function."""
    n_constant = int((codes == codes[0]).all(axis=0).sum())
    if n_constant:
        warnings.warn(
            f"{n_constant} of {codes.shape[1]} bits are the same for all training items; they get "
            "constant hash functions. Fewer bits carry as much information.",
            ConvergenceWarning,
            stacklevel=4,
        )
    if (predicted == predicted[0]).all() and n_constant < codes.shape[1]:
        counts = np.unique(np.packbits(codes, axis=1), axis=0, return_counts=True)[1]
        share = counts.max() / len(codes)
        if share > _MOST:
            reason = (
                f"{share:.0%} of them have it in Step 1, as items of one class do. If this class "
                "stands for unlabelled items, use MixedHasher; otherwise balance the classes, by "
                "sample_weight for example."
            )
        else:
            reason = (
                "nothing in X separates them. Check the scale and the variance of the features."
            )
        warnings.warn(
            f"The hash function gives all training items the same code: {reason}",
            ConvergenceWarning,
            stacklevel=4,
        )
