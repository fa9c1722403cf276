"""Graded similarity of distinct label sets: weighted cosine as a product, Jaccard as a list."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from hashlearn.affinity._label_sets import (
    MAX_LISTED_PAIRS,
    ListedPairs,
    SetPairs,
    blocks_of_rows,
)


class GradedPairs(SetPairs):
    """S with numbers from 0 to 1: how alike two label sets are, each to itself 1."""

    def dot(self, v: np.ndarray) -> np.ndarray:
        """Return S v."""
        return self._dot(v)

    def _add_rows(self, rows: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
        out += self._dot(v)

    def listed(self) -> sp.csr_array:
        """Return S as a sparse matrix."""
        return sp.csr_array(self.rows(np.arange(self.n_sets)))

    def draw_partners(self, sets: np.ndarray, random_state: np.random.RandomState) -> np.ndarray:
        """Return for every given set any other."""
        return random_state.randint(self.n_sets, size=sets.size)


class CosinePairs(GradedPairs):
    """S = F F^T, F sparse: never formed, a product costs the labels of all sets."""

    factored = True

    def __init__(self, factors: sp.csr_array) -> None:
        self.factors = factors

    @property
    def n_sets(self) -> int:
        return self.factors.shape[0]

    def rows(self, sets: np.ndarray) -> np.ndarray:
        return np.minimum((self.factors[sets] @ self.factors.T).toarray(), 1.0)

    def at(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        pairs = self.factors[np.ravel(i)].multiply(self.factors[np.ravel(j)])
        return np.minimum(pairs.sum(axis=1), 1.0).reshape(np.shape(i))

    def _dot(self, v: np.ndarray) -> np.ndarray:
        return self.factors @ self.kept(v)

    def kept(self, v: np.ndarray) -> np.ndarray:
        """Return F^T v, from which an entry of S v costs one row of F."""
        return self.factors.T @ v

    def _take(self, sets: np.ndarray) -> CosinePairs:
        return CosinePairs(self.factors[sets])

    def compiled_rows(self) -> tuple[np.ndarray, ...]:
        """Return row starts, columns and values of F."""
        return self.factors.indptr, self.factors.indices, self.factors.data

    def sum_of_squares(self, weights: np.ndarray) -> float:
        gram = self.factors.T @ (self.factors * weights[:, None])  # labels x labels
        return float((gram.data**2).sum())


class JaccardPairs(GradedPairs, ListedPairs):
    """A list of the pairs that share a label, with their Jaccard index."""

    def _dot(self, v: np.ndarray) -> np.ndarray:
        return self.similar @ v

    def compiled_rows(self) -> tuple[np.ndarray, ...]:
        """Return row starts, columns and values of S."""
        return self.similar.indptr, self.similar.indices, self.similar.data

    def sum_of_squares(self, weights: np.ndarray) -> float:
        squares = self.similar.copy()
        squares.data **= 2
        return float(weights @ (squares @ weights))


def cosine_pairs(sets: sp.csr_array, counts: np.ndarray) -> CosinePairs:
    """Return the cosines of label sets; rare labels count more.

    `counts` are the numbers of items of each set. A label of f among n items has the weight
    ln((1 + n) / (1 + f)) + 1, as in scikit-learn's `TfidfTransformer`: no label weighs nothing.
    """
    frequency = counts @ sets.astype(np.float64)
    weights = np.log((1 + counts.sum()) / (1 + frequency)) + 1
    factors = sets.astype(np.float64) * weights
    lengths = np.sqrt((factors**2).sum(axis=1))
    return CosinePairs(sp.csr_array(factors / np.where(lengths > 0, lengths, 1.0)[:, None]))


def jaccard_pairs(sets: sp.csr_array) -> JaccardPairs:
    """Return the Jaccard indices of label sets; raise if too many sets share a label."""
    sizes, of_label = np.diff(sets.indptr), sp.csr_array(sets.T, dtype=np.int32)
    blocks, n_listed = [], 0
    for rows in blocks_of_rows(sets.shape[0]):
        shared = sp.csr_array(sets[rows].astype(np.int32) @ of_label)
        n_listed += shared.nnz
        if n_listed > MAX_LISTED_PAIRS:
            raise ValueError(
                f"The indicator has {sets.shape[0]} distinct label sets, and more than "
                f"{MAX_LISTED_PAIRS} ordered pairs of them share a label, too many to store for "
                "similarity='jaccard'; 'idf-cosine' needs no pairs."
            )
        own = np.repeat(sizes[rows], np.diff(shared.indptr))
        union = own + sizes[shared.indices] - shared.data
        values = shared.data / union
        blocks.append(sp.csr_array((values, shared.indices, shared.indptr), shape=shared.shape))
    return JaccardPairs(sp.csr_array(sp.vstack(blocks, format="csr")))
