"""Learning from more items later, where the items of a class or label set share a code."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if

from hashlearn._numerics.arrays import check_weights
from hashlearn._numerics.float_blocks import check_finite
from hashlearn.affinity import as_affinity, as_labels, distinct_labels, label_set_affinity
from hashlearn.hash_functions import trait
from hashlearn.inference import infer_new_code
from hashlearn.losses import Loss, as_loss, is_groupable
from hashlearn.two_step._items import take

NO_GROUP = -1


class KnownGroups(NamedTuple):
    """Classes or label sets (rows of an indicator), their codes, 0/1, and sums of weights."""

    labels: Any
    codes: np.ndarray
    sizes: np.ndarray


class NewCodes(NamedTuple):
    """What the codes of new groups depend on, besides the groups that exist."""

    loss: Loss
    similarity: str
    random_state: np.random.RandomState


def _updates(hasher: Any) -> bool:
    """Return whether the parameters allow learning from more items, whatever the data are."""
    return hasher._shares_codes() and trait(hasher.hash_function, "updates")


class IncrementalMixin:
    """`partial_fit` of a two-step hasher."""

    groups_: np.ndarray | None
    group_labels_: Any
    group_codes_: np.ndarray | None
    group_sizes_: np.ndarray | None
    correction_: Any

    @available_if(_updates)
    def partial_fit(self: Any, X: Any, y: Any, *, sample_weight: Any = None) -> Any:
        """Learn from more items with labels, without the items before.

        Items of a known class (or label set) get its code. A new class gets a new code, inferred
        against the existing ones, which do not change. The hash functions are trained on the new
        items, with a quadratic model of the loss of the old ones. So they change a little: the
        codes of an item before and after may differ in some bits, and codes in an index become
        outdated; after many batches, fit again. Items without labels are ignored.

        It needs labels in `fit`, a loss by which the items of a class share a code, and
        'linear-svm', 'anchor-ridge', 'kernel-features', 'kernel-ridge' or 'rbf-svm', whose anchors,
        bandwidth and C stay those of `fit`. 'rbf-svm' is trained on the new items and its support
        vectors, together at most 20,000, 'kernel-ridge' on all items, of which it keeps at most
        20,000. Without a `fit` before it, the first call is one.

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
        if y is None:
            raise ValueError("partial_fit requires y to be passed, but the target y is None.")
        if not hasattr(self, "hash_function_"):
            return self.fit(X, y, sample_weight=sample_weight)
        X = self._items(X)
        known = self._known_groups("partial_fit")
        check_finite(X, type(self).__name__)
        weights = check_weights(sample_weight, X)
        labels = _labels_like(known.labels, y, X)
        counted = np.ones(X.shape[0]) if weights is None else weights
        loss, random_state = as_loss(self.loss), check_random_state(self.random_state)
        how = NewCodes(loss, self._similarity(), random_state)
        known, group = extend_groups(known, labels, counted, how)
        if len(known.codes) > len(self.group_codes_):
            self.correction_ = None  # it would pull the items of new classes towards the old ones
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

    def _known_groups(self, what_for: str) -> KnownGroups:
        if self.group_labels_ is None or self.group_codes_ is None or self.group_sizes_ is None:
            raise ValueError(
                f"{what_for} needs a hasher that was fitted with labels (y, not an affinity), "
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
    # raises if y is not labels, one row per item; no pairs of label sets are needed for that
    as_affinity(None, y, X, similarity="idf-cosine")
    return labels_of_kind(known, y)


def labels_of_kind(known: Any, y: Any) -> Any:
    """Return labels, checked to be of the kind of the known ones."""
    labels = as_labels(y)
    if labels.shape[1:] != known.shape[1:]:
        given, expected = (
            "one label per item" if a.ndim == 1 else f"an indicator of {a.shape[1]} labels"
            for a in (labels, known)
        )
        raise ValueError(f"y must be {expected}, as in fit; got {given}.")
    if (labels.dtype.kind in "OU") != (known.dtype.kind in "OU"):
        raise ValueError(f"y must be of dtype {known.dtype}, as in fit; got {labels.dtype}.")
    return labels


def _with_more_items(groups: np.ndarray, n_known: int, n_new: int, group: np.ndarray) -> np.ndarray:
    """Return the groups of old and new items; new groups come before items in none."""
    old = np.where(groups < n_known, groups, groups + n_new)
    alone = group == NO_GROUP
    next_one = max(int(old.max()) + 1, n_known + n_new)
    new = np.where(alone, next_one + np.cumsum(alone) - 1, group)
    return np.concatenate([old, new])


def groups_of(
    y: Any, groups: np.ndarray | None, codes: np.ndarray, weights: np.ndarray | None
) -> KnownGroups:
    """Return the groups that Step 1 gave a code; each item is one if `groups` is None.

    Labels y are as `hashlearn.affinity.as_labels` returns them; codes are equal within a group.
    """
    groups = np.arange(len(codes)) if groups is None else groups
    first = np.unique(groups, return_index=True)[1]
    sizes = np.bincount(groups, weights=weights).astype(np.float64)
    return KnownGroups(y[first], codes[first], sizes)


def extend_groups(
    known: KnownGroups,
    y: Any,
    weights: np.ndarray,
    how: NewCodes,
) -> tuple[KnownGroups, np.ndarray]:
    """Infer codes of new groups, one after the other; existing codes do not change.

    Returns the groups, new ones at the end and new items counted, and the group of every item, -1
    for an item without labels or weight.
    """
    labelled = _has_label(y) & (weights > 0)
    group = np.full(y.shape[0], NO_GROUP)
    if labelled.any():
        found, which = distinct_labels(y[labelled])
        positions = positions_among(known.labels, found)
        for new in np.flatnonzero(positions == NO_GROUP):
            positions[new] = known.labels.shape[0]
            known = _with_one_more(known, found[new : new + 1], how)
        group[labelled] = positions[which]
    n_groups = known.labels.shape[0]
    added = np.bincount(group[labelled], weights[labelled], minlength=n_groups)
    return known._replace(sizes=known.sizes + added), group


def _with_one_more(known: KnownGroups, label: Any, how: NewCodes) -> KnownGroups:
    """Add a group of no items yet; its code is inferred against those of all others."""
    y, is_graded = np.full(known.labels.shape[0], -1.0), False
    if sp.issparse(label):
        is_graded = how.similarity != "shared"
        y = label_set_affinity(label, known.labels, similarity=how.similarity, sizes=known.sizes)
    n_bits = known.codes.shape[1]
    code = infer_new_code(
        known.codes, known.sizes, y, how.loss, n_bits, how.random_state, graded=is_graded
    )
    return KnownGroups(
        _stacked(known.labels, label),
        np.concatenate([known.codes, code[None]]),
        np.append(known.sizes, 0.0),
    )


def _has_label(y: Any) -> np.ndarray:
    """Tell which items have a label; with one label per item all have."""
    return np.diff(y.indptr) > 0 if sp.issparse(y) else np.ones(len(y), dtype=bool)


def positions_among(known: Any, found: Any) -> np.ndarray:
    """Return where each label, or label set, is among the known ones; -1 where it is not."""
    n_known = known.shape[0]
    _, which = distinct_labels(_stacked(known, found))
    place = np.full(which.max(initial=0) + 1, NO_GROUP)
    place[which[:n_known]] = np.arange(n_known)
    return place[which[n_known:]]


def _stacked(labels: Any, more: Any) -> Any:
    if sp.issparse(labels):
        return sp.csr_array(sp.vstack([labels, more], format="csr"))
    return np.concatenate([labels, more])
