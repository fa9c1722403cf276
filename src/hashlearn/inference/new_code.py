"""Code for a new class, beside codes that stay as they are."""

from __future__ import annotations

import numpy as np

from hashlearn._numerics.compiled import compiled
from hashlearn.inference._code_kernels import distances_from
from hashlearn.inference._code_moves import pack_words
from hashlearn.losses import Loss, loss_table

FEW_BITS = 10  # up to here every code is tried
N_RANDOM_STARTS = 24
TOLERANCE = 1e-9  # costs this near each other, relative, are equal


def infer_new_code(
    codes: np.ndarray,
    weights: np.ndarray,
    y: np.ndarray,
    loss: Loss,
    n_bits: int,
    random_state: np.random.RandomState,
    *,
    graded: bool = False,
) -> np.ndarray:
    """Return a code for a new group, given the groups that exist.

    Up to 10 bits every code is tried. With more, bits are flipped, from several starts, while the
    loss to the existing groups falls. Among equally good ends the one farthest from all
    dissimilar groups is returned. The code differs from those of all dissimilar groups, unless
    these use every code there is, which is possible with few bits.

    Parameters
    ----------
    codes : ndarray of shape (n_groups, n_bits)
        Codes of the existing groups, 0/1.
    weights : ndarray of shape (n_groups,)
        The number of items in each.
    y : ndarray of shape (n_groups,)
        The new group's affinity to each: +1, -1, or 0 for undefined.
    loss : Loss
        How wrong a pair is.
    n_bits : int
        Bits per code.
    random_state : RandomState
        The random state to draw starts with.
    graded : bool, default=False
        Whether `y` are any numbers in [-1, 1], and 0 is one of them.

    Returns
    -------
    code : ndarray of shape (n_bits,)
        0/1.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.inference import infer_new_code
    >>> from hashlearn.losses import BRELoss
    >>> codes = np.array([[0, 0, 0, 0], [1, 1, 0, 0]], dtype=np.uint8)
    >>> rng = np.random.RandomState(0)
    >>> code = infer_new_code(codes, np.ones(2), -np.ones(2), BRELoss(), 4, rng)
    >>> (codes != code).sum(axis=1)
    array([3, 3])
    """
    Z = 2 * codes.astype(np.int8) - 1
    known = np.ones(len(y), dtype=bool) if graded else y != 0
    rows = _losses(loss, y[known], n_bits, graded) * weights[known, None]  # w_h L(s, y_h)
    if n_bits <= FEW_BITS:
        ends = _first_codes(2**n_bits, n_bits)
        costs = _code_costs(ends, Z[known], rows)
    else:
        ends = _starts(Z, weights, y, n_bits, random_state)
        costs = _descend_codes(ends, Z[known], rows)
    candidates, costs = _free_of(ends, costs, Z[known], rows, Z[y < 0])
    best = costs <= costs.min() + TOLERANCE * np.abs(costs).max()
    farthest = np.argmax(_distance_to_nearest(candidates[best], Z[y < 0]))
    return (candidates[best][farthest] > 0).astype(np.uint8)


def _losses(loss: Loss, y: np.ndarray, n_bits: int, graded: bool) -> np.ndarray:
    """Return L(s, y) for every y, s = -m ... m."""
    if graded:
        s = np.arange(-n_bits, n_bits + 1, dtype=np.float64)
        return np.asarray(loss(s, y[:, None], n_bits), dtype=np.float64)
    return loss_table(loss, n_bits)[y.astype(np.int64) + 1]


def _starts(
    Z: np.ndarray,
    weights: np.ndarray,
    y: np.ndarray,
    n_bits: int,
    random_state: np.random.RandomState,
) -> np.ndarray:
    """Return starts: agreeing bit by bit, a similar group's, eigenvectors, random codes."""
    pull = (weights * y) @ Z
    agreeing = np.where(pull < 0, -1, 1)[None]
    similar = Z[y > 0][np.argsort(-weights[y > 0], kind="stable")][:1]
    gram = Z.T.astype(np.float64) @ (weights[:, None] * Z)
    least = np.where(np.linalg.eigh(gram)[1][:, :4].T < 0, -1, 1)  # where groups do not lie
    drawn = 2 * random_state.randint(2, size=(N_RANDOM_STARTS, n_bits)) - 1
    return np.concatenate([agreeing, similar, least, -least, drawn]).astype(np.int8)


def _free_of(
    ends: np.ndarray, costs: np.ndarray, Z: np.ndarray, rows: np.ndarray, taken: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends, and their neighbours, that no dissimilar group has, if there are any."""
    free = _distance_to_nearest(ends, taken) > 0
    if free[costs <= costs.min()].all():
        return ends[free], costs[free]
    flips = 1 - 2 * np.eye(ends.shape[1], dtype=np.int8)
    around = np.concatenate([ends, *(ends[:, None] * flips)])
    around = np.unique(around, axis=0)
    around = around[_distance_to_nearest(around, taken) > 0]
    if not len(around):  # then any free code, counting from 0: one more than are taken is enough
        n_bits = ends.shape[1]
        around = _first_codes(min(len(taken) + 1, 2**n_bits), n_bits)
        around = around[_distance_to_nearest(around, taken) > 0]
    if not len(around):
        return ends, costs
    return around, _code_costs(around, Z, rows)


def _first_codes(count: int, n_bits: int) -> np.ndarray:
    """Return the codes of the numbers from 0, in {-1, +1}."""
    bits = np.arange(count)[:, None] >> np.minimum(np.arange(n_bits), 62) & 1
    return (2 * bits - 1).astype(np.int8)


def _distance_to_nearest(codes: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return for each code the distance to the nearest other; m + 1 if there is none."""
    nearest = np.full(len(codes), codes.shape[1] + 1)
    if len(others):
        words, distances = pack_words(others), np.empty(len(others), dtype=np.int64)
        for i, word in enumerate(pack_words(codes)):
            distances_from(words, word, distances)
            nearest[i] = distances.min()
    return nearest


def _code_costs(codes: np.ndarray, Z: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return sum_h rows[h, s_h + m] for each code, s_h its Hamming affinity to group h."""
    costs = np.empty(len(codes))
    for i, code in enumerate(codes):
        s = Z.astype(np.int32) @ code.astype(np.int32)
        costs[i] = rows[np.arange(len(rows)), s + codes.shape[1]].sum()
    return costs


@compiled
def _descend_codes(codes: np.ndarray, Z: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Flip the bit of each code that saves most while one does, in place; return the costs.

    `rows` holds per group the loss of each Hamming affinity from -m to m, weighted.
    """
    n, m = Z.shape
    costs, s = np.empty(len(codes)), np.empty(n, dtype=np.int64)
    for i in range(len(codes)):
        code = codes[i]
        cost = 0.0
        for h in range(n):
            s[h] = m
            for k in range(m):
                s[h] += code[k] * Z[h, k]
            cost += rows[h, s[h]]
        while True:
            after = np.zeros(m)
            for h in range(n):
                nearer, farther = rows[h, min(s[h] + 2, 2 * m)], rows[h, max(s[h] - 2, 0)]
                for k in range(m):
                    after[k] += farther if code[k] == Z[h, k] else nearer
            best = np.argmin(after)
            if after[best] >= cost - TOLERANCE * abs(cost):
                break
            for h in range(n):
                s[h] -= 2 * code[best] * Z[h, best]
            code[best] = -code[best]
            cost = after[best]
        costs[i] = cost
    return costs
