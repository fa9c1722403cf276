"""Codes of classes and label sets, extended when items of new ones arrive."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from hashlearn.affinity import distinct_labels
from hashlearn.inference import infer_new_code
from hashlearn.losses import Loss

NO_GROUP = -1


class KnownGroups(NamedTuple):
    """Classes or label sets (rows of an indicator), their codes, 0/1, and sums of weights."""

    labels: Any
    codes: np.ndarray
    sizes: np.ndarray


def groups_of(
    y: Any, groups: np.ndarray, codes: np.ndarray, weights: np.ndarray | None
) -> KnownGroups:
    """Return the groups that Step 1 gave a code; an item without labels is a group by itself.

    Items have labels, as `hashlearn.affinity.as_labels` returns them, groups, codes that are equal
    within a group, and weights.
    """
    first = np.unique(groups, return_index=True)[1]
    sizes = np.bincount(groups, weights=weights).astype(np.float64)
    return KnownGroups(y[first], codes[first], sizes)


def extend_groups(
    known: KnownGroups,
    y: Any,
    weights: np.ndarray,
    loss: Loss,
    random_state: np.random.RandomState,
) -> tuple[KnownGroups, np.ndarray]:
    """Infer codes of new groups, one after the other; existing codes do not change.

    Returns the groups, new ones at the end and new items counted, and the group of every item, -1
    for an item without labels or weight.
    """
    labelled = _has_label(y) & (weights > 0)
    group = np.full(y.shape[0], NO_GROUP)
    if labelled.any():
        found, which = distinct_labels(y[labelled])
        positions = _positions(known.labels, found)
        for new in np.flatnonzero(positions == NO_GROUP):
            positions[new] = known.labels.shape[0]
            known = _with_one_more(known, found[new : new + 1], loss, random_state)
        group[labelled] = positions[which]
    n_groups = known.labels.shape[0]
    added = np.bincount(group[labelled], weights[labelled], minlength=n_groups)
    return known._replace(sizes=known.sizes + added), group


def _with_one_more(
    known: KnownGroups, label: Any, loss: Loss, random_state: np.random.RandomState
) -> KnownGroups:
    """Add a group of no items yet; its code is inferred against those of all others."""
    y = np.full(known.labels.shape[0], -1)
    if sp.issparse(label):
        shared = known.labels.astype(np.int32) @ label.astype(np.int32).T
        y[shared.toarray().ravel() > 0] = 1
    n_bits = known.codes.shape[1]
    code = infer_new_code(known.codes, known.sizes, y, loss, n_bits, random_state)
    return KnownGroups(
        _stacked(known.labels, label),
        np.concatenate([known.codes, code[None]]),
        np.append(known.sizes, 0.0),
    )


def _has_label(y: Any) -> np.ndarray:
    """Tell which items have a label; with one label per item all have."""
    return np.diff(y.indptr) > 0 if sp.issparse(y) else np.ones(len(y), dtype=bool)


def _positions(known: Any, found: Any) -> np.ndarray:
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
