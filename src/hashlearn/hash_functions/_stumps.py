"""AdaBoost of stumps, with compiled loops: every split of the items, the best one, its votes.

Two layouts make them fast. Machines are adjacent in the last axis, so that one pass over the
items serves all of them and the compiler adds and compares several at once. And a
feature's splits are *chains*: sets of items that grow by one level per threshold, from the
smallest values up and from the largest down, both ending before the most frequent level,
whose items (the zeros of an image) are never visited.

No sum runs over machines, so a machine's numbers do not depend on its neighbours.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hashlearn._numerics.compiled import compiled

CONSTANT = -1  # the split that sets no item apart
MAX_LEVELS = 256  # levels are sorted as uint8
CHANCE = 1e-10  # an edge this small is rounding
LEAST_ERROR = 1e-12  # a perfect stump or tree would get an infinite alpha
ROWS_PER_BLOCK = 64  # of 64-bit features: 784 of them take 400 kB, within a core's cache


class Splits(NamedTuple):
    """All splits of the training items by one feature and one threshold.

    Split k sets apart the items `rows[origin[k]:start[k + 1]]`; the next split of its chain
    begins with the same items. They lie above the threshold (side +1) or not (side -1).
    """

    rows: np.ndarray  # (n_entries,) items, chain after chain
    start: np.ndarray  # (n_splits + 1,) where each split's new items begin
    origin: np.ndarray  # (n_splits,) where its chain begins
    feature: np.ndarray  # (n_splits,)
    threshold: np.ndarray  # (n_splits,)
    side: np.ndarray  # (n_splits,)


def make_splits(X: np.ndarray, n_levels: int) -> Splits:
    """Return the splits of the items X, at most `n_levels - 1` per feature."""
    n_samples, n_features = X.shape
    # uint8 would be one more type to compile
    row_dtype = np.dtype(np.uint16 if n_samples <= 1 << 16 else np.uint32)
    columns = (np.ascontiguousarray(X[:, f]) for f in range(n_features))
    chains = [_feature_chains(x, n_levels, row_dtype) for x in columns]
    rows, sizes, n_below, threshold, side = zip(*chains, strict=True)
    start = np.concatenate(([0], np.cumsum(np.concatenate(sizes), dtype=np.int64)))
    n_splits = [len(of_feature) for of_feature in sizes]
    offset = np.concatenate(([0], np.cumsum([len(of_feature) for of_feature in rows])[:-1]))
    side = np.concatenate(side)
    above = np.where(side > 0, np.repeat(n_below, n_splits), 0)
    return Splits(
        rows=np.concatenate(rows),
        start=start,
        origin=np.repeat(offset, n_splits) + above,
        feature=np.repeat(np.arange(n_features), n_splits),
        threshold=np.concatenate(threshold),
        side=side,
    )


def _feature_chains(
    x: np.ndarray, n_levels: int, row_dtype: np.dtype
) -> tuple[np.ndarray, np.ndarray, int, np.ndarray, np.ndarray]:
    """Return one feature's two chains: rows, sizes, rows of the first, thresholds, sides."""
    cuts = cut_points(np.sort(x).astype(np.float64), n_levels)
    level = np.searchsorted(cuts, x).astype(np.uint8)  # the number of cuts below x
    counts = np.bincount(level, minlength=cuts.size + 1)
    order: np.ndarray = np.argsort(level, kind="stable").astype(row_dtype)
    mode = int(counts.argmax())
    n_below = int(counts[:mode].sum())
    above = order[n_below + counts[mode] :][::-1]
    return (
        np.concatenate((order[:n_below], above)),
        np.concatenate((counts[:mode], counts[:mode:-1])),
        n_below,
        np.concatenate((cuts[:mode], cuts[mode:][::-1])),
        np.repeat(np.array([-1, 1], dtype=np.int8), (mode, cuts.size - mode)),
    )


@compiled
def cut_points(ordered: np.ndarray, n_levels: int) -> np.ndarray:
    """Return at most `n_levels - 1` thresholds, each midway between neighbouring values.

    All of them if there are at most `n_levels` distinct values, quantiles otherwise. A
    value so frequent that it fills a level alone counts no more than that, so that a feature
    of many zeros keeps its resolution elsewhere.
    """
    n = ordered.size
    starts = np.empty(n + 1, dtype=np.int64)  # where each distinct value begins
    n_values = 0
    for i in range(n):
        if i == 0 or ordered[i] != ordered[i - 1]:
            starts[n_values] = i
            n_values += 1
    starts[n_values] = n
    cap = n / n_levels
    mass = 0.0
    for j in range(n_values):
        mass += min(starts[j + 1] - starts[j], cap)
    cuts = np.empty(min(n_values, n_levels) - 1, dtype=np.float64)
    n_cuts, filled, target = 0, 0.0, 1
    for j in range(n_values - 1):
        filled += min(starts[j + 1] - starts[j], cap)
        reached = int(filled * n_levels / mass)
        if n_values <= n_levels or (reached >= target and target < n_levels):
            low, high = ordered[starts[j]], ordered[starts[j + 1]]
            middle = low / 2 + high / 2
            # Between two neighbouring floats the middle rounds to one: it must separate them.
            cuts[n_cuts] = middle if low <= middle < high else low
            n_cuts += 1
            target = reached + 1
    return cuts[:n_cuts]


@compiled
def best_splits(splits: Splits, G: np.ndarray) -> np.ndarray:
    """Return for each machine the split of the least weighted error, the first of equals.

    G holds the signed weights g_i = w_i z_i, (n, n_machines). A stump that sets the items of
    S apart has edge sum_i g_i h_i = +-(sum_i g_i - 2 sum_{i in S} g_i) = 1 - 2 error, the sign
    being its polarity.
    """
    n_machines = G.shape[1]
    total = _total(G)
    best = np.full(n_machines, CONSTANT)
    best_edge = np.abs(total)
    apart = np.zeros(n_machines)
    for k in range(splits.origin.size):
        if splits.start[k] == splits.origin[k]:
            apart[:] = 0.0
        for entry in range(splits.start[k], splits.start[k + 1]):
            g = G[splits.rows[entry]]
            for j in range(n_machines):
                apart[j] += g[j]
        for j in range(n_machines):  # without branches, so that it is vectorised
            edge = abs(total[j] - 2.0 * apart[j])
            better = edge > best_edge[j]
            best_edge[j] = edge if better else best_edge[j]
            best[j] = k if better else best[j]
    return best


@compiled
def cast_votes(splits: Splits, best: np.ndarray, G: np.ndarray, H: np.ndarray) -> np.ndarray:
    """Fill H with the votes h_i = -1/+1 of each machine's best stump; return the polarities."""
    n_machines = G.shape[1]
    total = _total(G)
    polarity = np.empty(n_machines, dtype=np.int8)
    for j in range(n_machines):
        k = best[j]
        if k == CONSTANT:
            polarity[j] = 1 if total[j] > 0 else -1
            H[:, j] = polarity[j]
            continue
        members = splits.rows[splits.origin[k] : splits.start[k + 1]]
        apart = 0.0
        for i in members:
            apart += G[i, j]
        inside = 1 if 2.0 * apart > total[j] else -1
        H[:, j] = -inside
        for i in members:
            H[i, j] = inside
        polarity[j] = inside * splits.side[k]
    return polarity


@compiled
def _total(G: np.ndarray) -> np.ndarray:
    total = np.zeros(G.shape[1])
    for i in range(G.shape[0]):
        for j in range(G.shape[1]):
            total[j] += G[i, j]
    return total


@compiled
def weigh_votes(G: np.ndarray, H: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return for each machine the weight of the items that H gets right, and that it misses."""
    right, wrong = np.zeros(G.shape[1]), np.zeros(G.shape[1])
    for i in range(G.shape[0]):
        for j in range(G.shape[1]):
            agreement = G[i, j] * H[i, j]
            right[j] += max(agreement, 0.0)
            wrong[j] += max(-agreement, 0.0)
    return right, wrong


@compiled
def reweigh(G: np.ndarray, H: np.ndarray, right: np.ndarray, wrong: np.ndarray) -> None:
    """Scale the weights of the items that H gets right, and that it misses, in place."""
    for i in range(G.shape[0]):
        for j in range(G.shape[1]):
            G[i, j] *= right[j] if G[i, j] * H[i, j] > 0 else wrong[j]


@compiled
def stump_margins(
    X: np.ndarray,
    used: np.ndarray,
    column: np.ndarray,
    threshold: np.ndarray,
    vote: np.ndarray,
    margins: np.ndarray,
) -> None:
    """Fill `margins` with the sum over rounds of vote where x > threshold, else -vote.

    Stump (j, r) of machine j reads feature `used[column[j, r]]`. Blocks of rows are
    transposed, so that a stump is one vectorised loop over rows.
    """
    block = np.empty((used.size, ROWS_PER_BLOCK))
    total = np.empty(ROWS_PER_BLOCK)
    for first in range(0, X.shape[0], ROWS_PER_BLOCK):
        n_rows = min(ROWS_PER_BLOCK, X.shape[0] - first)
        for i in range(n_rows):
            for c in range(used.size):
                block[c, i] = X[first + i, used[c]]
        for j in range(vote.shape[0]):
            total[:] = 0.0
            for r in range(vote.shape[1]):
                if vote[j, r] == 0.0:  # padding: this machine has stopped
                    break
                x, t, v = block[column[j, r]], threshold[j, r], vote[j, r]
                for i in range(n_rows):
                    total[i] += v if x[i] > t else -v
            margins[first : first + n_rows, j] = total[:n_rows]


class Stumps(NamedTuple):
    """The stumps of some machines, each array (n_machines, n_rounds), padded with alpha 0."""

    features: np.ndarray
    thresholds: np.ndarray
    polarities: np.ndarray
    alphas: np.ndarray


def boost(splits: Splits, Z: np.ndarray, n_rounds: int, W: np.ndarray | float = 1.0) -> Stumps:
    """Run AdaBoost for every column of Z, an (n, n_machines) array of -1/+1.

    It starts from the weights W, of Z's shape and of any scale; all are 1 by default.
    """
    n_machines = Z.shape[1]
    stumps = Stumps(
        features=np.zeros((n_machines, n_rounds), dtype=np.int64),
        thresholds=np.zeros((n_machines, n_rounds)),
        polarities=np.ones((n_machines, n_rounds), dtype=np.int8),
        alphas=np.zeros((n_machines, n_rounds)),
    )
    W = np.broadcast_to(W, Z.shape)
    G = np.ascontiguousarray(Z * W / W.sum(axis=0))  # signed weights w_i z_i, machines adjacent
    H = np.empty(Z.shape, dtype=np.int8)  # the votes of each machine's last stump
    for r in range(n_rounds):
        best = best_splits(splits, G)
        polarity = cast_votes(splits, best, G, H)
        right, wrong = weigh_votes(G, H)
        learnt = right - wrong > CHANCE * (right + wrong)  # not where a machine has stopped
        if not learnt.any():
            break
        error = np.maximum(wrong[learnt] / (right + wrong)[learnt], LEAST_ERROR)
        stumps.alphas[learnt, r] = np.log((1 - error) / error) / 2
        stumps.polarities[learnt, r] = polarity[learnt]
        stumps.features[learnt, r], stumps.thresholds[learnt, r] = _rule(splits, best[learnt])
        goes_on = learnt & (wrong > LEAST_ERROR * right)
        reweigh(G, H, _half_over(right, goes_on), _half_over(wrong, goes_on))
    return stumps


def _rule(splits: Splits, best: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return feature and threshold of each split; the constant one lies below everything."""
    feature, threshold = np.zeros(best.size, dtype=np.int64), np.full(best.size, -np.inf)
    real = best != CONSTANT
    feature[real] = splits.feature[best[real]]
    threshold[real] = splits.threshold[best[real]]
    return feature, threshold


def _half_over(weight: np.ndarray, goes_on: np.ndarray) -> np.ndarray:
    """Return the factors that scale `weight` to one half; 0 ends a machine."""
    return np.divide(0.5, weight, out=np.zeros_like(weight), where=goes_on)
