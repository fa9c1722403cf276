"""Affinity from several labels per item: how much two items share."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
import scipy.sparse as sp

from hashlearn._numerics.checks import check_option
from hashlearn.affinity._graded_sets import cosine_pairs, jaccard_pairs
from hashlearn.affinity._label_sets import (
    LabelSets,
    SetPairs,
    blocks_of_rows,
    compare_sets,
)
from hashlearn.affinity._labels_given import as_indicator, distinct_rows
from hashlearn.affinity._shared import (
    Groups,
    groups_from_keys,
    membership,
    sums_by_group,
    zero_diagonal,
)
from hashlearn.affinity.base import Affinity
from hashlearn.affinity.pairs import SparseAffinity

PAIRS_PER_ITEM = 200  # drawn where not all pairs fit
MAX_SAMPLED_PAIRS = 20_000_000  # about 2 GB in Step 1


Similarity = Literal["shared", "jaccard", "idf-cosine"]


class MultilabelAffinity(Affinity):
    r"""How much the label sets of items have in common.

    An item without labels is dissimilar to every other. Only distinct label sets are compared,
    so a million items with a thousand label sets cost a thousand squared; with "idf-cosine" no
    pairs are needed, and any number of label sets costs the labels that they have.

    Parameters
    ----------
    indicator : array-like or sparse matrix of shape (n_items, n_labels)
        1 where an item has a label, else 0.
    jaccard : float in (0, 1], default=None
        If given, items are similar if the Jaccard index of their label sets reaches it. For
        "shared" only.
    similarity : {"shared", "jaccard", "idf-cosine"}, default="shared"
        "shared": items that share a label are similar, y = +1, all others dissimilar, y = -1. The
        others are graded, :math:`y = 2 s - 1` with s from 0, nothing in common, to 1, equal label
        sets: the Jaccard index, or the cosine of the label sets, in which a label that f of n
        items have weighs :math:`\ln \frac{1 + n}{1 + f} + 1`.
    sample_weight : array-like of shape (n_items,), default=None
        The number of items that each counts as, in the weights of labels.

    Attributes
    ----------
    label_sets : LabelSets
        The label set of every item, and how similar label sets are.

    Examples
    --------
    >>> from hashlearn.affinity import MultilabelAffinity
    >>> labels = [[1, 1, 0], [0, 1, 1], [0, 0, 1]]
    >>> MultilabelAffinity(labels).block([0])
    array([[ 0,  1, -1]], dtype=int8)
    >>> MultilabelAffinity(labels, similarity="jaccard").block([1]).round(2)
    array([[-0.33,  0.  ,  0.  ]])
    """

    label_sets: LabelSets

    def __init__(
        self,
        indicator: Any,
        jaccard: float | None = None,
        *,
        similarity: str = "shared",
        sample_weight: Any = None,
    ) -> None:
        check_option("similarity", similarity, Similarity)
        if jaccard is not None and not 0 < jaccard <= 1:
            raise ValueError(f"jaccard must be in (0, 1]; got {jaccard!r}.")
        if jaccard is not None and similarity != "shared":
            raise ValueError(
                f"jaccard={jaccard!r} decides which items are similar, but "
                f"similarity={similarity!r} is graded: give only one of them."
            )
        sets, of_item = distinct_rows(as_indicator(indicator))
        if similarity == "idf-cosine":
            pairs: SetPairs = cosine_pairs(sets, np.bincount(of_item, weights=sample_weight))
        else:
            is_graded = similarity == "jaccard"
            pairs = jaccard_pairs(sets) if is_graded else compare_sets(sets, jaccard)
        self.similarity = similarity
        self._fill(pairs, of_item, np.diff(sets.indptr) > 0)

    def _fill(self, pairs: SetPairs, of_item: np.ndarray, labelled: np.ndarray) -> None:
        """Store the pairs of label sets, the set of each item, and which sets have labels."""
        self.label_sets = LabelSets(pairs, of_item, np.where(labelled, np.int8(1), np.int8(-1)))
        self.graded = self.similarity != "shared"
        self._pairs, self._of_item, self._labelled = pairs, of_item, labelled
        self._sizes = np.bincount(of_item, minlength=pairs.n_sets)

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self._of_item.size

    @property
    def n_similar(self) -> int:
        """Number of similar pairs {i, j}; graded ones are similar if y > 0."""
        return self._count(+1) if self.graded else round(self._sum_similar()) // 2

    @property
    def n_dissimilar(self) -> int:
        """Number of dissimilar pairs {i, j}; graded ones are dissimilar if y < 0."""
        return self._count(-1) if self.graded else super().n_dissimilar

    @property
    def n_defined(self) -> int:
        """Number of pairs {i, j}: all are defined, also those with y = 0."""
        return self.n_items * (self.n_items - 1) // 2

    @property
    def has_similar(self) -> bool:
        """Whether two items share a label; the pairs are not counted."""
        return self._sum_similar() > 1e-9 * self.n_items

    @property
    def has_dissimilar(self) -> bool:
        """Whether some pair has y < 0, or less than 1 if graded; graded ones are not counted."""
        if not self.graded:
            return super().has_dissimilar
        return self._pairs.n_sets > 1 or (self.n_items > 1 and not self._labelled[0])

    def _sum_similar(self) -> float:
        """Return the sum of similarities over ordered pairs."""
        sizes = self._sizes.astype(np.float64)
        return float(sizes @ self._pairs.dot(sizes) - sizes @ self._labelled)

    def _count(self, sign: int) -> int:
        """Return the number of pairs whose affinity has this sign, from blocks of dense rows."""
        inside = np.where(self._labelled, +1, -1) == sign
        count = -int(self._sizes @ inside)  # an item and itself
        for rows in blocks_of_rows(self._pairs.n_sets):
            sets = np.arange(self._pairs.n_sets)[rows]
            has_sign = sign * (2 * self._pairs.rows(sets) - 1) > 0
            count += int(self._sizes[sets] @ (has_sign @ self._sizes))
        return count // 2

    def sum_of_squares(self, weights: np.ndarray) -> float:
        """Return the sum of w_i w_j y_ij^2 over ordered pairs of different items."""
        of_sets = sums_by_group(weights, self._of_item, self._sizes.size)
        s, total = of_sets @ self._pairs.dot(of_sets), of_sets.sum()
        squares = self._pairs.sum_of_squares(of_sets)
        return float(4 * squares - 4 * s + total**2 - (weights**2).sum())  # y = 2 s - 1

    def __repr__(self) -> str:
        if not self.graded:
            return super().__repr__()
        sets = f"{self._pairs.n_sets} label sets, similarity={self.similarity!r}"
        return f"{type(self).__name__}({self.n_items} items, {sets})"

    def _take(self, items: np.ndarray) -> Self:
        taken = self.__class__.__new__(self.__class__)
        taken.similarity = self.similarity
        used, of_item = np.unique(self._of_item[items], return_inverse=True)
        taken._fill(self._pairs.take(used), of_item, self._labelled[used])
        return taken

    def block(self, rows: np.ndarray | slice) -> np.ndarray:
        """Return rows of Y as a dense array, the diagonal 0."""
        similar = self._pairs.rows(self._of_item[rows])[:, self._of_item]
        return zero_diagonal(2 * similar - np.int8(1), rows)

    def at(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """Return y_ij for positions in two arrays of one shape, 0 where i = j."""
        similar = self._pairs.at(self._of_item[i], self._of_item[j])
        return np.where(i == j, np.int8(0), 2 * similar - np.int8(1))

    def dot(self, V: np.ndarray) -> np.ndarray:
        """Return the product Y V, through sums over label sets."""
        if V.ndim == 2:
            return np.stack([self.dot(v) for v in V.T], axis=1)
        near = self._pairs.dot(sums_by_group(V, self._of_item, self._sizes.size))
        return (2 * near - V.sum())[self._of_item] - self.label_sets.own[self._of_item] * V

    def sample_pairs(self, random_state: np.random.RandomState) -> Affinity:
        """Return the similar pairs (a sample if too many) and a sample of dissimilar ones.

        Of graded pairs both kinds are sampled; they keep only their sign.
        """
        if self.graded:
            return super().sample_pairs(random_state)
        n = self.n_items
        size = min(PAIRS_PER_ITEM * n, MAX_SAMPLED_PAIRS)
        i, j = random_state.randint(n, size=(2, size))
        sampled = self._sampled(i, j)
        if self.n_similar <= MAX_SAMPLED_PAIRS:
            near = self._all_similar()
        else:
            near = self._sampled(*self._draw_partners(size, random_state))
        pairs = sampled + near
        np.sign(pairs.data, out=pairs.data)
        return SparseAffinity(pairs)

    def _sampled(self, i: np.ndarray, j: np.ndarray) -> sp.csr_array:
        """Return the affinity of some pairs as a symmetric matrix."""
        shape = (self.n_items, self.n_items)
        drawn = sp.csr_array((np.ones(i.size, dtype=bool), (i, j)), shape=shape)
        drawn = sp.coo_array(drawn + drawn.T)  # among booleans a sum is "or"
        return sp.csr_array((self.at(*drawn.coords), drawn.coords), shape=shape)

    def _all_similar(self) -> sp.csr_array:
        """Return the similar pairs as ones, the diagonal included."""
        member = membership(self._of_item, self._sizes.size)
        return sp.csr_array(member @ self._pairs.listed() @ member.T)

    def _draw_partners(
        self, size: int, random_state: np.random.RandomState
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw pairs of items, many of them similar: a first item, then one of its partners."""
        i = random_state.randint(self.n_items, size=size)
        sets = self._pairs.draw_partners(self._of_item[i], random_state)
        members = np.argsort(self._of_item, kind="stable")
        ends = np.cumsum(self._sizes)
        place = (random_state.uniform(size=size) * self._sizes[sets]).astype(np.int64)
        return i, members[ends[sets] - 1 - place]

    def copies_are_similar(self) -> np.ndarray:
        """Return which items have labels: their copies share them."""
        return self._labelled[self._of_item]

    def groups(self) -> Groups | None:
        """Return the label sets; items without labels stay alone."""
        return groups_from_keys(self._of_item, alone=~self._labelled[self._of_item])


def label_set_affinity(
    label_set: Any, others: Any, *, similarity: str = "shared", sizes: Any = None
) -> np.ndarray:
    """Return the affinity of one label set to others, as `MultilabelAffinity` has it.

    Parameters
    ----------
    label_set : csr_array of bool of shape (1, n_labels)
        The label set.
    others : csr_array of bool of shape (n_others, n_labels)
        Other label sets.
    similarity : {"shared", "jaccard", "idf-cosine"}, default="shared"
        How similar label sets are.
    sizes : array-like of shape (n_others,), default=None
        The number of items of each other set, in the weights of labels; 1 by default.

    Returns
    -------
    y : ndarray of shape (n_others,)

    Examples
    --------
    >>> from hashlearn.affinity import as_labels, label_set_affinity
    >>> sets = as_labels([[1, 0, 0], [1, 1, 0], [0, 0, 1]])
    >>> label_set_affinity(sets[:1], sets[1:])
    array([ 1., -1.])
    >>> label_set_affinity(sets[:1], sets[1:], similarity="jaccard")
    array([ 0., -1.])
    """
    check_option("similarity", similarity, Similarity)
    if similarity == "idf-cosine":
        stacked = sp.csr_array(sp.vstack([others, label_set], format="csr"))
        counts = np.ones(others.shape[0]) if sizes is None else np.asarray(sizes, dtype=float)
        pairs = cosine_pairs(stacked, np.append(counts, 0.0))
        return 2 * pairs.rows(np.array([others.shape[0]]))[0, :-1] - 1
    shared = (others.astype(np.int64) @ label_set.astype(np.int64).T).toarray().ravel()
    if similarity == "jaccard":
        union = np.diff(others.indptr) + label_set.nnz - shared
        return 2 * shared / np.maximum(union, 1) - 1
    return np.where(shared > 0, 1.0, -1.0)
