"""AdaBoost of trees, with compiled loops: the best cuts of a level of nodes, the way to a leaf.

Features are quantised and stored one after the other, so that one feature's histograms (weights of
-1 and of +1 per node and level) stay in the fastest cache while all items are added to them. A
tree is complete: node i has the children 2 i + 1 and 2 i + 2, and a node that is not split sends
everything to the first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hashlearn._numerics.compiled import compiled
from hashlearn._numerics.threads import map_blocks
from hashlearn.hash_functions._stumps import (
    CHANCE,
    LEAST_ERROR,
    MAX_LEVELS,
    ROWS_PER_BLOCK,
    cut_points,
)

NO_CUT = 255  # no level lies above it: everything goes to the first child
_LEAST_GAIN = 1e-12  # of a node's weight: less is rounding


class Levels(NamedTuple):
    """Items with quantised features."""

    level: np.ndarray  # (n_features, n_items) uint8: the number of cuts below each value
    n_levels: np.ndarray  # (n_features,)
    cuts: np.ndarray  # (n_features, MAX_LEVELS) thresholds between levels, then infinity


def quantise(X: np.ndarray, n_levels: int) -> Levels:
    """Return the items X with at most `n_levels` levels per feature."""
    n_samples, n_features = X.shape
    level = np.empty((n_features, n_samples), dtype=np.uint8)
    cuts = np.full((n_features, MAX_LEVELS), np.inf)
    counts = np.empty(n_features, dtype=np.int64)
    for f in range(n_features):
        x = np.ascontiguousarray(X[:, f])
        own = cut_points(np.sort(x).astype(np.float64), n_levels)
        level[f] = np.searchsorted(own, x)
        cuts[f, : own.size] = own
        counts[f] = own.size + 1
    return Levels(level, counts, cuts)


@compiled
def best_cuts(
    levels: Levels,
    items: np.ndarray,
    slot: np.ndarray,
    weight: np.ndarray,
    gains: np.ndarray,
    cuts: np.ndarray,
    start: int,
    stop: int,
) -> None:
    """Fill the best gain and its cut for every node, (n_features, n_nodes), features start:stop.

    The items of one level of nodes come with their slot, 2 MAX_LEVELS times the node plus
    MAX_LEVELS for a bit of +1, and their weight.
    """
    n_nodes = gains.shape[1]
    H = np.empty(n_nodes * 2 * MAX_LEVELS)
    for f in range(start, stop):
        if levels.n_levels[f] == 1:  # constant, as an image's corners often are
            gains[f], cuts[f] = 0.0, NO_CUT
            continue
        H[:] = 0.0
        level = levels.level[f]
        for k in range(items.size):
            H[slot[k] + level[items[k]]] += weight[k]
        for j in range(n_nodes):
            h = H[2 * MAX_LEVELS * j : 2 * MAX_LEVELS * (j + 1)]
            minus, plus = h[:MAX_LEVELS], h[MAX_LEVELS:]
            gains[f, j], cuts[f, j] = _best_cut(minus, plus, levels.n_levels[f])


@compiled
def _best_cut(minus: np.ndarray, plus: np.ndarray, n_levels: int) -> tuple[float, int]:
    """Return the largest gain of one node by one feature, and the level that it cuts above.

    With g the weight of +1 less that of -1 and w the sum of both, the Gini index falls by what
    g^2 / w rises from the node to the sum of its two children. Fractions are compared by
    cross-multiplication: a division per level would take most of the time.
    """
    g, w = 0.0, 0.0
    for v in range(n_levels):
        g += plus[v] - minus[v]
        w += plus[v] + minus[v]
    if w <= 0.0 or abs(g) >= w:  # empty, or pure already
        return 0.0, NO_CUT
    top, bottom, cut = g * g, w, NO_CUT  # the best fraction so far: that of no cut
    low_g, low_w = 0.0, 0.0
    for v in range(n_levels - 1):
        low_g += plus[v] - minus[v]
        low_w += plus[v] + minus[v]
        high_g, high_w = g - low_g, w - low_w
        numerator = low_g * low_g * high_w + high_g * high_g * low_w
        denominator = low_w * high_w
        if numerator * bottom > top * denominator:
            top, bottom, cut = numerator, denominator, v
    return top / bottom - g * g / w, cut


@compiled
def descend(
    level: np.ndarray, items: np.ndarray, node: np.ndarray, feature: np.ndarray, cut: np.ndarray
) -> None:
    """Move items one level down, in place: node j's to 2 j, or 2 j + 1 above its cut."""
    for k in range(items.size):
        j = node[k]
        node[k] = 2 * j + (1 if level[feature[j], items[k]] > cut[j] else 0)


@compiled
def tree_margins(
    X: np.ndarray,
    feature: np.ndarray,
    threshold: np.ndarray,
    vote: np.ndarray,
    margins: np.ndarray,
) -> None:
    """Fill `margins` with the sum over rounds of the vote of the leaf that each row reaches.

    Trees are (n_machines, n_rounds, n_nodes), votes (n_machines, n_rounds, n_leaves); a machine
    ends where a leaf votes 0. A tree serves a block of rows at a time.
    """
    n_inner = feature.shape[2]
    total = np.empty(ROWS_PER_BLOCK)
    for first in range(0, X.shape[0], ROWS_PER_BLOCK):
        block = X[first : first + ROWS_PER_BLOCK]
        for j in range(vote.shape[0]):
            total[:] = 0.0
            for r in range(vote.shape[1]):
                if vote[j, r, 0] == 0.0:
                    break
                f, t, v = feature[j, r], threshold[j, r], vote[j, r]
                for i in range(block.shape[0]):
                    node = 0
                    while node < n_inner:
                        node = 2 * node + 1 + (1 if block[i, f[node]] > t[node] else 0)
                    total[i] += v[node - n_inner]
            margins[first : first + block.shape[0], j] = total[: block.shape[0]]


class Trees(NamedTuple):
    """The trees of one machine, or of several stacked: round by round, padded with alpha 0."""

    features: np.ndarray
    thresholds: np.ndarray
    votes: np.ndarray
    alphas: np.ndarray


class Tree(NamedTuple):
    """One tree: per inner node its feature and the level it cuts above, per leaf its vote."""

    feature: np.ndarray
    cut: np.ndarray
    vote: np.ndarray


def boost(
    grower: Grower, z: np.ndarray, weight: np.ndarray, n_rounds: int, trimming: float
) -> Trees:
    """Run AdaBoost for one bit z of -1/+1, from item weights of any scale."""
    n_inner = 2**grower.max_depth - 1
    trees = Trees(
        features=np.zeros((n_rounds, n_inner), dtype=np.int32),
        thresholds=np.full((n_rounds, n_inner), np.inf),
        votes=np.ones((n_rounds, n_inner + 1), dtype=np.int8),
        alphas=np.zeros(n_rounds),
    )
    w = weight / weight.sum() if weight.any() else np.full(z.size, 1 / z.size)
    for r in range(n_rounds):
        tree, missed, error = _best_tree(grower, z, w, trimming)
        if error > 0.5 - CHANCE:
            break
        trees.features[r], trees.votes[r] = tree.feature, tree.vote
        trees.thresholds[r] = grower.levels.cuts[tree.feature, tree.cut]
        trees.alphas[r] = np.log((1 - error) / max(error, LEAST_ERROR)) / 2
        if error <= LEAST_ERROR:
            break
        w *= np.where(missed, 0.5 / error, 0.5 / (1 - error))
    return trees


def _best_tree(
    grower: Grower, z: np.ndarray, w: np.ndarray, trimming: float
) -> tuple[Tree, np.ndarray, float]:
    """Return a tree, which items it misses and their share of the weight."""
    for share in (trimming, 1.0):  # all items if the heavy ones teach nothing
        tree = grower.grow(z, w, heaviest(w, share))
        missed = grower.votes(tree) != z
        error = float(w[missed].sum() / w.sum())
        if error <= 0.5 - CHANCE:
            break
    return tree, missed, error


def heaviest(w: np.ndarray, share: float) -> np.ndarray:
    """Return the fewest items that hold a share of the weight, with ties."""
    if share >= 1:
        return np.flatnonzero(w > 0).astype(np.uint32)
    ordered = np.sort(w)[::-1]
    held = np.cumsum(ordered)
    last = ordered[np.searchsorted(held, share * held[-1])]
    return np.flatnonzero(w >= last).astype(np.uint32)


class Grower:
    """Grows trees of a given depth on the same quantised items; threads share the features."""

    def __init__(self, levels: Levels, max_depth: int, n_jobs: int) -> None:
        self.levels = levels
        self.max_depth = max_depth
        n_features, n_items = levels.level.shape
        self.items = np.arange(n_items, dtype=np.uint32)
        n_blocks = min(n_jobs, n_features)
        self.bounds = np.linspace(0, n_features, n_blocks + 1).astype(int).tolist()

    def grow(self, z: np.ndarray, w: np.ndarray, items: np.ndarray) -> Tree:
        """Return the tree of some items, one level of nodes at a time."""
        plus, w = z[items] > 0, w[items]
        node = np.zeros(items.size, dtype=np.uint32)
        feature, cut = [], []
        for depth in range(self.max_depth):
            slot = (2 * node + plus) * np.uint32(MAX_LEVELS)
            chosen = self._best_splits(items, slot, w, n_nodes=2**depth)
            descend(self.levels.level, items, node, *chosen)
            feature.append(chosen[0])
            cut.append(chosen[1])
        balance = np.bincount(node, np.where(plus, w, -w), minlength=2**self.max_depth)
        vote = np.where(balance < 0, np.int8(-1), np.int8(1))
        return Tree(np.concatenate(feature), np.concatenate(cut), vote)

    def votes(self, tree: Tree) -> np.ndarray:
        """Return a tree's votes on all items."""
        node = np.zeros(self.items.size, dtype=np.uint32)
        for depth in range(self.max_depth):
            nodes = slice(2**depth - 1, 2 ** (depth + 1) - 1)
            descend(self.levels.level, self.items, node, tree.feature[nodes], tree.cut[nodes])
        return tree.vote[node]

    def _best_splits(
        self, items: np.ndarray, slot: np.ndarray, w: np.ndarray, n_nodes: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return feature and cut of every node, the first of equally good features."""
        shape = (self.levels.n_levels.size, n_nodes)
        gains, cuts = np.empty(shape), np.empty(shape, dtype=np.int64)
        map_blocks(
            lambda start, stop: best_cuts(self.levels, items, slot, w, gains, cuts, start, stop),
            self.bounds,
        )
        feature = np.argmax(gains, axis=0)
        nodes = np.arange(n_nodes)
        found = gains[feature, nodes] > _LEAST_GAIN * w.sum()
        return feature, np.where(found, cuts[feature, nodes], NO_CUT)
