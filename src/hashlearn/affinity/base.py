"""Base class of affinities: the symmetric matrix Y of what should be near.

Its entries are +1 (similar), -1 (dissimilar) and 0 (undefined); the diagonal is ignored and reads
as 0. The matrix is rarely stored. Inference and methods ask for what they need: groups of
exchangeable items, products Y V, dense rows, stored pairs, or random pairs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import scipy.sparse as sp

from hashlearn.affinity._sampling import NO_PARTNER, Pairs, Partners, TriedPartners, Triplets
from hashlearn.affinity._shared import Groups

if TYPE_CHECKING:
    from hashlearn.affinity._label_sets import LabelSets

PARTNERS_PER_ITEM = 100  # of each sign, in a sample of the pairs


class Affinity(ABC):
    """Which pairs of items are similar, dissimilar or undefined.

    A subclass defines the abstract methods, and declares in the attributes below what else it
    can offer. Step 1 and the methods choose their cheapest way by these attributes.

    Attributes
    ----------
    complete : bool
        Whether every pair of two items is defined. Default: True.
    cheap_products : bool
        Whether a product Y V costs far less than n^2. Default: True.
    graded : bool
        Whether entries are any real numbers in [-1, 1]. If the affinity is complete, a 0 is such
        a number, and not an undefined pair. Default: False.
    classes : ndarray of shape (n_items,) or None
        The class of every item, counted from 0, where items are similar if and only if they are
        in the same class.
    label_sets : LabelSets or None
        The label set of every item and the similarity of these, as `MultilabelAffinity` has them.
    similar_pairs : csr_array of int8, of shape (n_items, n_items), or None
        Ones at the similar pairs, where these are stored and all other pairs are dissimilar; rows
        sorted, nothing else stored.
    stored_pairs : csr_array of int8, of shape (n_items, n_items), or None
        +1 and -1 at the defined pairs, where these are stored and all others are undefined; rows
        sorted, no zeros stored.
    """

    complete = True
    cheap_products = True
    graded = False
    classes: np.ndarray | None = None
    label_sets: LabelSets | None = None
    similar_pairs: sp.csr_array | None = None
    stored_pairs: sp.csr_array | None = None

    @property
    @abstractmethod
    def n_items(self) -> int:
        """Number of items."""

    @property
    @abstractmethod
    def n_similar(self) -> int:
        """Number of similar pairs {i, j}."""

    @property
    def n_dissimilar(self) -> int:
        """Number of dissimilar pairs {i, j}; here, all pairs that are not similar."""
        return self.n_items * (self.n_items - 1) // 2 - self.n_similar

    @property
    def n_defined(self) -> int:
        """Number of defined pairs {i, j}."""
        return self.n_similar + self.n_dissimilar

    @property
    def has_similar(self) -> bool:
        """Whether some pair is similar."""
        return self.n_similar > 0

    @property
    def has_dissimilar(self) -> bool:
        """Whether some pair is dissimilar: if none is, all-equal codes are optimal."""
        return self.n_dissimilar > 0

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of the matrix, so that scikit-learn splits an affinity as it splits X."""
        return (self.n_items, self.n_items)

    def __len__(self) -> int:
        return self.n_items

    def __getitem__(self, rows: Any) -> Self:
        """Return the affinity among some items: rows and columns alike.

        Two copies of an item are similar where labels or neighbours define the affinity. They
        are undefined in a matrix or in pairs, which say nothing about an item and itself.
        """
        if isinstance(rows, tuple):  # scikit-learn indexes as affinity[rows, ...]
            rows = rows[0]
        return self._take(np.arange(self.n_items)[rows])

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.n_items} items, {self.n_similar} similar and "
            f"{self.n_dissimilar} dissimilar pairs)"
        )

    @abstractmethod
    def _take(self, items: np.ndarray) -> Self:
        """Return the affinity among the items at these positions."""

    @abstractmethod
    def block(self, rows: np.ndarray | slice) -> np.ndarray:
        """Return rows of Y as a dense array, the diagonal 0."""

    @abstractmethod
    def at(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """Return y_ij for positions in two arrays of one shape, 0 where i = j."""

    @abstractmethod
    def dot(self, V: np.ndarray) -> np.ndarray:
        """Return the product Y V with the diagonal of Y 0."""

    def similar_dot(self, V: np.ndarray) -> np.ndarray:
        """Return S V, S the similar pairs alone; with Y complete, S = (Y + 1 - I) / 2."""
        return (self.dot(V) + V.sum(axis=0) - V) / 2

    def sum_of_squares(self, weights: np.ndarray) -> float:
        """Return the sum of w_i w_j y_ij^2 over ordered pairs of different items.

        All pairs are read, unless every affinity is +1 or -1.
        """
        if self.complete and not self.graded:
            return float(weights.sum() ** 2 - (weights**2).sum())
        rows = (self.block(np.array([i]))[0].astype(np.float64) for i in range(self.n_items))
        return float(sum(w * (weights @ row**2) for w, row in zip(weights, rows, strict=True)))

    def as_sparse(self) -> sp.csr_array:
        """Return Y as a sparse matrix of the defined pairs; all rows are read if not stored."""
        if self.stored_pairs is not None:
            return self.stored_pairs
        return sp.csr_array(self.block(slice(None)))

    def has_pairs(self) -> np.ndarray:
        """Return which items have a defined pair; nothing is known about the others."""
        return np.ones(self.n_items, dtype=bool)

    def groups(self) -> Groups | None:
        """Return groups of exchangeable items, or None if none are known."""
        return None

    def copies_are_similar(self) -> np.ndarray:
        """Return for which items two copies are similar; for the others they are undefined."""
        return np.ones(self.n_items, dtype=bool)

    def inside(self, weights: np.ndarray, groups: Groups | None) -> np.ndarray:
        """Return how many similar ordered pairs lie inside each group, or inside each item.

        Parameters
        ----------
        weights : ndarray of shape (n_items,)
            The number of copies that each item counts as.
        groups : Groups or None
            None: each item is one variable.
        """
        of_copies = self.copies_are_similar()
        if groups is None:
            return np.where(of_copies, np.maximum(weights**2 - weights, 0), 0)
        sums = np.bincount(groups.labels, weights=weights)
        squares = np.bincount(groups.labels, weights=weights**2)
        with_copies = np.maximum(sums**2 - sums, 0)
        without = np.where(groups.inside > 0, sums**2 - squares, 0)
        return np.where(of_copies[groups.representatives], with_copies, without)

    def draw_partners(
        self, items: np.ndarray, sign: int, random_state: np.random.RandomState
    ) -> np.ndarray:
        """Draw for each item a random partner whose affinity has that sign, -1 where none has.

        Examples
        --------
        >>> import numpy as np
        >>> from hashlearn.affinity import LabelAffinity
        >>> affinity = LabelAffinity([0, 0, 1])
        >>> affinity.draw_partners(np.array([0, 1, 2]), +1, np.random.RandomState(0))
        array([ 1,  0, -1])
        """
        return self._partners(sign).draw(items, random_state)

    def draw_pairs(
        self, n_pairs: int, random_state: np.random.RandomState, *, similar_share: float = 0.5
    ) -> Pairs:
        """Draw defined pairs, a share of them similar, with replacement.

        The first item of a pair is uniform among those that have a similar (or dissimilar)
        partner, the second among its partners. Where no item has one, pairs of that kind are
        left out.

        Parameters
        ----------
        n_pairs : int
            The number of pairs to draw.
        random_state : RandomState
            The random state to draw with.
        similar_share : float, default=0.5
            The share of draws that ask for a similar partner.

        Examples
        --------
        >>> import numpy as np
        >>> from hashlearn.affinity import LabelAffinity
        >>> pairs = LabelAffinity([0, 0, 1, 1]).draw_pairs(100, np.random.RandomState(0))
        >>> len(pairs.y), bool((pairs.i != pairs.j).all())
        (100, True)
        """
        is_similar = random_state.uniform(size=n_pairs) < similar_share
        i, j = np.full((2, n_pairs), NO_PARTNER)
        for sign in (+1, -1):
            partners, places = self._partners(sign), np.flatnonzero(is_similar == (sign > 0))
            if partners.owners.size:
                i[places] = random_state.choice(partners.owners, places.size)
                j[places] = partners.draw(i[places], random_state)
        found = j != NO_PARTNER
        i, j = i[found], j[found]
        return Pairs(i, j, self.at(i, j))

    def draw_triplets(self, n_triplets: int, random_state: np.random.RandomState) -> Triplets:
        """Draw items with a similar and a dissimilar partner each, with replacement.

        Items that lack either are never drawn; there are no triplets if all do.

        Parameters
        ----------
        n_triplets : int
            The number of triplets to draw.
        random_state : RandomState
            The random state to draw with.

        Examples
        --------
        >>> import numpy as np
        >>> from hashlearn.affinity import LabelAffinity
        >>> triplets = LabelAffinity([0, 0, 1]).draw_triplets(50, np.random.RandomState(0))
        >>> bool((triplets.k == 2).all())
        True
        """
        similar, dissimilar = self._partners(+1), self._partners(-1)
        owners = np.intersect1d(similar.owners, dissimilar.owners, assume_unique=True)
        i = random_state.choice(owners, n_triplets) if owners.size else owners
        j, k = similar.draw(i, random_state), dissimilar.draw(i, random_state)
        found = (j != NO_PARTNER) & (k != NO_PARTNER)
        return Triplets(i[found], j[found], k[found])

    def sample_partners(
        self, n_similar: int, n_dissimilar: int, random_state: np.random.RandomState
    ) -> Affinity:
        """Draw similar and dissimilar partners for every item; return them as pairs.

        An item has fewer than asked for where a partner is drawn twice.

        Examples
        --------
        >>> import numpy as np
        >>> from hashlearn.affinity import LabelAffinity
        >>> affinity = LabelAffinity([0, 0, 1])
        >>> affinity.sample_partners(1, 1, np.random.RandomState(0))
        SparseAffinity(3 items, 1 similar and 2 dissimilar pairs)
        """
        from hashlearn.affinity.pairs import SparseAffinity  # a subclass of this class

        pairs = []
        for sign, n_partners in ((1, n_similar), (-1, n_dissimilar)):
            i = np.repeat(np.arange(self.n_items), n_partners)
            j = self.draw_partners(i, sign, random_state)
            found = j != NO_PARTNER
            pairs.append(np.column_stack([i[found], j[found], np.full(found.sum(), sign)]))
        return SparseAffinity.from_pairs(np.concatenate(pairs), self.n_items)

    def sample_pairs(self, random_state: np.random.RandomState) -> Affinity:
        """Return a sample of the pairs, with `stored_pairs`, for use where not all pairs fit."""
        return self.sample_partners(PARTNERS_PER_ITEM, PARTNERS_PER_ITEM, random_state)

    def _partners(self, sign: int) -> Partners:
        """Return the partners of one sign; a subclass finds them in what it stores."""
        return TriedPartners(self, sign)
