"""Sums of margins: every bit from labels and from geometry at once."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh, solve
from sklearn.base import BaseEstimator

from hashlearn._numerics.arrays import float_type, is_sparse
from hashlearn._numerics.padded_blocks import linear_margins
from hashlearn.base import BaseHasher
from hashlearn.files import storable
from hashlearn.methods._mixed.parts import Training, learn
from hashlearn.methods._mixed.supervision import Evidence, Supervision
from hashlearn.methods._parts.centred import mean_of

LABEL_SIZE = 3.0  # of label margins beside geometry's: those of new items are a part of the former
SHRINKAGE = 0.5  # of the covariance within classes, as a share of its mean variance
MAX_FEATURES = 4096  # of the metric, whose cost is cubic; with more, geometry is seen as it is
MAX_MEASURED = 20_000  # labelled items that the covariance is measured on
MAX_GEOMETRY = 100_000  # items that geometry is learned from in the metric, which copies them
MAX_SIZED = 4096  # items whose margins are measured
RIDGE = 1e-6  # of classes that share all their items


@storable("mixed-metric")
class WithinClassMetric(BaseEstimator):
    r"""A linear map after which all directions vary alike within classes, or almost.

    The map is :math:`(S / \tau + \lambda I)^{-1/2}`, where S is the covariance of what a linear
    regression of items on their labels leaves, for single labels the covariance within classes,
    and :math:`\tau` its mean variance.
    """

    mean_: np.ndarray
    map_: np.ndarray

    @classmethod
    def of(cls, X: np.ndarray, classes: sp.csr_array) -> Self:
        """Return the metric of items and the classes of each."""
        metric = cls()
        metric.mean_ = mean_of(X)
        items, indicator = X - metric.mean_, classes.astype(np.float64)
        counts = (indicator.T @ indicator).toarray()
        np.fill_diagonal(counts, np.diag(counts) + RIDGE)
        left = items - indicator @ solve(counts, indicator.T @ items, assume_a="pos")
        variances, directions = eigh(left.T @ left / len(left))
        mean_variance = variances.mean()
        if mean_variance > 0:
            variances = variances / mean_variance
        scales = 1 / np.sqrt(np.maximum(variances, 0) + SHRINKAGE)
        metric.map_ = ((directions * scales) @ directions.T).astype(float_type(X))
        return metric

    def apply(self, X: Any) -> np.ndarray:
        """Return items in the metric, each from its row alone."""
        return linear_margins(X, self.map_, self.mean_, dtype=self.map_.dtype)


def metric_of(X: Any, supervision: Supervision, items: np.ndarray) -> WithinClassMetric | None:
    """Return the metric of some known items; None if they have no classes, or many features."""
    classes = supervision.classes()
    if classes is None or is_sparse(X) or X.shape[1] > MAX_FEATURES:
        return None
    of_class = items[np.diff(classes.indptr)[items] > 0]
    of_class = of_class[:: -(-of_class.size // MAX_MEASURED) or 1]
    classes = classes[of_class]
    used = np.flatnonzero(classes.sum(axis=0))
    if of_class.size <= used.size:  # nothing varies within classes
        return None
    rows = X[of_class]
    return WithinClassMetric.of(rows.astype(float_type(rows), copy=False), classes[:, used])


@storable("mixed-sum")
class MarginSum(BaseEstimator):
    r"""Margins :math:`3 w f / |f| + (1 - w) g / |g|` of a label bit f and a geometry bit g.

    Sizes are means over learned items. On these f is larger than on new ones, and on items of new
    classes it is small, so that geometry decides their bits.
    """

    share_: float  # w
    label_sizes_: np.ndarray
    geometry_sizes_: np.ndarray
    metric_: WithinClassMetric | None  # that geometry sees items in

    def margins(self, label_hasher: BaseHasher, geometry_hasher: BaseHasher, X: Any) -> np.ndarray:
        """Return the margins of checked items."""
        seen = X if self.metric_ is None else self.metric_.apply(X)
        return self.added(label_hasher._margins(X), geometry_hasher._margins(seen), self.share_)

    def added(self, of_labels: np.ndarray, of_geometry: np.ndarray, share: float) -> np.ndarray:
        """Return the sum of margins with the weight `share` of label margins."""
        label_weights = (share * LABEL_SIZE / self.label_sizes_).astype(of_labels.dtype)
        geometry_weights = ((1 - share) / self.geometry_sizes_).astype(of_geometry.dtype)
        return of_labels * label_weights + of_geometry * geometry_weights


class LearnedSum(NamedTuple):
    """A sum with the geometry that it was learned with."""

    sum: MarginSum
    geometry_hasher: BaseHasher

    def shares(self, label_hasher: BaseHasher, X: Any, shares: np.ndarray) -> list[np.ndarray]:
        """Return the bits of items for each weight of label margins."""
        metric = self.sum.metric_
        of_labels = label_hasher.decision_function(X)
        of_geometry = self.geometry_hasher.decision_function(
            X if metric is None else metric.apply(X)
        )
        return [self.sum.added(of_labels, of_geometry, share) > 0 for share in shares]


def learn_sum(
    training: Training,
    evidence: Evidence,
    label_hasher: BaseHasher,
    share: float,
    items: np.ndarray | None = None,
) -> LearnedSum:
    """Learn geometry from some items, by default all, and the sizes of margins.

    The metric is that of the known ones among them, and not of those that labels spread to.
    """
    X, supervision, parts, _, verbose = training
    items = np.arange(X.shape[0]) if items is None else items
    learned = MarginSum()
    learned.metric_ = metric_of(X, supervision, items[supervision.known[items]])
    if learned.metric_ is None:
        seen = X[items] if items.size < X.shape[0] else X
    else:
        seen = learned.metric_.apply(X[items[:: -(-items.size // MAX_GEOMETRY)]])
    geometry_hasher = learn(parts.geometry_hasher, parts.n_bits, verbose, seen)
    learned.share_ = float(share)
    learned.label_sizes_ = _sizes(label_hasher, X, evidence.items)
    learned.geometry_sizes_ = _sizes(geometry_hasher, seen, np.arange(seen.shape[0]))
    return LearnedSum(learned, geometry_hasher)


def _sizes(hasher: BaseHasher, X: Any, items: np.ndarray) -> np.ndarray:
    """Return the mean size of margins of some items, 1 for margins that are all 0."""
    sample = X[items[:: max(1, items.size // MAX_SIZED)]]
    sizes = np.abs(hasher.decision_function(sample)).mean(axis=0, dtype=np.float64)
    return np.where(sizes > 0, sizes, 1.0)
