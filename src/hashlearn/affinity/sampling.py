"""Pairs and triplets drawn from an affinity, for methods that learn from samples of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hashlearn.affinity.base import BLOCK_ENTRIES, Affinity
from hashlearn.affinity.pairs import SparseAffinity

N_TRIES = 16  # blind draws of a partner; who has none by then is asked for all its partners
NO_PARTNER = -1


class Pairs(NamedTuple):
    """Pairs of items with their affinity y, +1 or -1 (graded: in between, not 0)."""

    i: np.ndarray
    j: np.ndarray
    y: np.ndarray


class Triplets(NamedTuple):
    """Items i with a similar item j and a dissimilar item k each."""

    i: np.ndarray
    j: np.ndarray
    k: np.ndarray


def draw_pairs(
    affinity: Affinity,
    n_pairs: int,
    random_state: np.random.RandomState,
    *,
    similar_share: float = 0.5,
) -> Pairs:
    """Draw defined pairs, a share of them similar, with replacement.

    The first item of a pair is uniform among all, the second among its similar (or dissimilar)
    partners. Where an item has none of the wanted kind, the pair is left out.

    Parameters
    ----------
    affinity : Affinity
        Which pairs are similar and dissimilar.
    n_pairs : int
        How many pairs to draw.
    random_state : RandomState
        Draws them.
    similar_share : float, default=0.5
        The share of draws that ask for a similar partner.

    Examples
    --------
    >>> from hashlearn.affinity import LabelAffinity
    >>> pairs = draw_pairs(LabelAffinity([0, 0, 1, 1]), 100, np.random.RandomState(0))
    >>> len(pairs.y), bool((pairs.i != pairs.j).all())
    (100, True)
    """
    i = random_state.randint(affinity.n_items, size=n_pairs)
    similar = random_state.uniform(size=n_pairs) < similar_share
    j = np.full(n_pairs, NO_PARTNER)
    j[similar] = draw_partners(affinity, i[similar], +1, random_state)
    j[~similar] = draw_partners(affinity, i[~similar], -1, random_state)
    found = j != NO_PARTNER
    i, j = i[found], j[found]
    return Pairs(i, j, affinity.at(i, j))


def draw_triplets(
    affinity: Affinity, n_triplets: int, random_state: np.random.RandomState
) -> Triplets:
    """Draw items with a similar and a dissimilar partner each, with replacement.

    Items that lack either are left out.

    Parameters
    ----------
    affinity : Affinity
        Which pairs are similar and dissimilar.
    n_triplets : int
        How many triplets to draw.
    random_state : RandomState
        Draws them.

    Examples
    --------
    >>> from hashlearn.affinity import LabelAffinity
    >>> triplets = draw_triplets(LabelAffinity([0, 0, 1]), 50, np.random.RandomState(0))
    >>> bool((triplets.k == 2).all())
    True
    """
    i = random_state.randint(affinity.n_items, size=n_triplets)
    j = draw_partners(affinity, i, +1, random_state)
    k = draw_partners(affinity, i, -1, random_state)
    found = (j != NO_PARTNER) & (k != NO_PARTNER)
    return Triplets(i[found], j[found], k[found])


def draw_partners(
    affinity: Affinity, items: np.ndarray, sign: int, random_state: np.random.RandomState
) -> np.ndarray:
    """Draw for each item a random partner whose affinity has that sign, -1 where none has.

    Examples
    --------
    >>> from hashlearn.affinity import LabelAffinity
    >>> affinity = LabelAffinity([0, 0, 1])
    >>> draw_partners(affinity, np.array([0, 1, 2]), +1, np.random.RandomState(0))
    array([ 1,  0, -1])
    """
    partners = np.full(items.size, NO_PARTNER)
    missing = np.arange(items.size)
    # blind draws hardly ever hit one of a few stored pairs
    for _ in range(0 if isinstance(affinity, SparseAffinity) else N_TRIES):
        if not missing.size:
            break
        j = random_state.randint(affinity.n_items, size=missing.size)
        hit = sign * affinity.at(items[missing], j) > 0
        partners[missing[hit]] = j[hit]
        missing = missing[~hit]
    _ask_for_all(affinity, items, sign, random_state, partners, missing)
    return partners


def _ask_for_all(
    affinity: Affinity,
    items: np.ndarray,
    sign: int,
    random_state: np.random.RandomState,
    partners: np.ndarray,
    missing: np.ndarray,
) -> None:
    """Fill the missing partners from whole rows of the affinity, a block at a time."""
    missing = missing[np.argsort(items[missing], kind="stable")]
    step = max(1, BLOCK_ENTRIES // affinity.n_items)
    asked, first = np.unique(items[missing], return_index=True)
    ends = np.append(first[1:], missing.size)
    for start in range(0, asked.size, step):
        block = sign * affinity.block(asked[start : start + step]) > 0
        for row, low, high in zip(block, first[start:], ends[start:], strict=False):
            choices = np.flatnonzero(row)
            if choices.size:
                drawn = random_state.randint(choices.size, size=high - low)
                partners[missing[low:high]] = choices[drawn]
