"""Learning from more items later, for hashers whose classes share a code each."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if

from hashlearn._numerics.float_blocks import check_finite
from hashlearn.affinity import as_affinity, as_labels
from hashlearn.hash_functions import trait
from hashlearn.losses import Loss, as_loss, is_groupable
from hashlearn.two_step._groups import NO_GROUP, KnownGroups, extend_groups
from hashlearn.two_step._items import check_weights, take


def _updates(hasher: Any) -> bool:
    """Return whether the hash function, fitted or not, can learn from more items."""
    function = getattr(hasher, "hash_function_", hasher.hash_function)
    return hasher._shares_codes() and trait(function, "updates")


class IncrementalMixin:
    """`partial_fit` of a two-step hasher."""

    groups_: np.ndarray | None
    group_labels_: Any
    group_codes_: np.ndarray | None
    group_sizes_: np.ndarray | None

    @available_if(_updates)
    def partial_fit(self: Any, X: Any, y: Any, *, sample_weight: Any = None) -> Any:
        """Learn from more items with labels, without the items before.

        Items of a known class (or label set) get its code. A new class gets a new code, inferred
        against the existing ones, which do not change. The hash functions are trained on the new
        items, with a quadratic model of the loss of the old ones. So they change a little: the
        codes of an item before and after may differ in some bits, and codes in an index become
        outdated; after many batches, fit again. Items without labels are ignored.

        It needs labels in `fit`, a loss by which the items of a class share a code, and
        'linear-svm' or 'kernel-features', whose anchors, bandwidth and C stay those of `fit`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            New items.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Their labels, as in `fit`.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each item.

        Returns
        -------
        self : TwoStepHasher
        """
        if not hasattr(self, "hash_function_"):
            return self.fit(X, y, sample_weight=sample_weight)
        known = self._known_groups()
        X = self._items(X)
        check_finite(X, type(self).__name__)
        weights = check_weights(sample_weight, X)
        labels = _labels_like(known.labels, y, X)
        counted = np.ones(X.shape[0]) if weights is None else weights
        loss, random_state = as_loss(self.loss), check_random_state(self.random_state)
        known, group = extend_groups(known, labels, counted, loss, random_state)
        used = group != NO_GROUP
        codes = known.codes[group[used]]
        if used.any():
            self.hash_function_.partial_fit(take(X, used), codes, take(weights, used))
        bits = self._parallel_bits(X)
        if used.any():
            self.bit_error_ = bit_error(bits[used], codes, take(weights, used))
        bits[used] = codes
        self._add_codes(bits)
        if getattr(self, "groups_", None) is not None:
            n_old, n_all = len(self.group_codes_), len(known.codes)
            self.groups_ = _with_more_items(self.groups_, n_old, n_all - n_old, group)
        self._keep_groups(known)
        return self

    def _shares_codes(self: Any, loss: Loss | None = None) -> bool:
        """Return whether Step 1 gives all items of a class the same code.

        `loss` is the hasher's with its table, where that is known already.
        """
        if self.group != "auto" or self.stagewise:
            return False
        try:
            return is_groupable(as_loss(self.loss) if loss is None else loss, self.n_bits)
        except (TypeError, ValueError):  # `fit` raises the error
            return False

    def _known_groups(self) -> KnownGroups:
        if self.group_labels_ is None or self.group_codes_ is None or self.group_sizes_ is None:
            raise ValueError(
                "partial_fit needs a hasher that was fitted with labels (y, not an affinity), "
                "group='auto', and a loss by which the items of a class share one code."
            )
        return KnownGroups(self.group_labels_, self.group_codes_, self.group_sizes_)

    def _keep_groups(self, known: KnownGroups | None) -> None:
        groups = (None, None, None) if known is None else known
        self.group_labels_, self.group_codes_, self.group_sizes_ = groups


def bit_error(bits: np.ndarray, codes: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """Return for each bit the (weighted) share of items in which two sets of codes differ."""
    return np.average(bits != codes, axis=0, weights=weights)


def _labels_like(known: Any, y: Any, X: Any) -> Any:
    """Return labels of new items, checked as `fit` does and to be of the kind of the known ones."""
    if y is None:
        raise ValueError("partial_fit requires y to be passed, but the target y is None.")
    as_affinity(None, y, X)  # raises if y is not labels, one row per item
    labels = as_labels(y)
    if labels.shape[1:] != known.shape[1:]:
        given, taken = (
            "one label per item" if a.ndim == 1 else f"an indicator of {a.shape[1]} labels"
            for a in (labels, known)
        )
        raise ValueError(f"y is {given}; the hasher was fitted with {taken}.")
    if (labels.dtype.kind in "OU") != (known.dtype.kind in "OU"):
        raise ValueError(f"y has dtype {labels.dtype}; the labels of fit have {known.dtype}.")
    return labels


def _with_more_items(groups: np.ndarray, n_known: int, n_new: int, group: np.ndarray) -> np.ndarray:
    """Return the groups of old and new items; new groups come before items in none."""
    old = np.where(groups < n_known, groups, groups + n_new)
    alone = group == NO_GROUP
    next_one = max(int(old.max()) + 1, n_known + n_new)
    new = np.where(alone, next_one + np.cumsum(alone) - 1, group)
    return np.concatenate([old, new])
