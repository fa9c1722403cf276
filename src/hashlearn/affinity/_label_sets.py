"""Similarity of distinct label sets: a bit for every pair, or a list of the similar ones."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import NamedTuple, Self

import numpy as np
import scipy.sparse as sp

from hashlearn._numerics.compiled import compiled
from hashlearn._numerics.integer_products import (
    BLOCK_ENTRIES,
    WORD,
    add_packed_rows,
    add_pattern_rows,
    packed_dot,
    pattern_dot,
)
from hashlearn.affinity._shared import entries_at

MAX_PACKED_SETS = 60_000  # 0.45 GB at this number; Step 1 takes some minutes
MAX_LISTED_PAIRS = 200_000_000  # ordered ones, 5 bytes each: 1 GB at this number
LISTED_SHARE = 1 / 32  # of similar pairs; below, products over a list of them take less time
FEW_ENTRIES = 1 / 16  # of a vector that are not 0; below, their rows alone take less time
N_ASKED = 500  # sets whose partners are counted to estimate the share


class SetPairs(ABC):
    """S, which is 1 where two label sets are similar, each with itself included, else 0.

    A graded subclass has numbers between. `factored` means that S = F F^T, and that compiled loops
    get the rows of F in place of those of S, and F^T v in place of S v.
    """

    factored = False

    @property
    @abstractmethod
    def n_sets(self) -> int:
        """Number of label sets."""

    @abstractmethod
    def rows(self, sets: np.ndarray) -> np.ndarray:
        """Return rows of S as a dense array of int8."""

    @abstractmethod
    def at(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """Return s_ij for positions in two arrays of one shape, as int8."""

    def dot(self, v: np.ndarray) -> np.ndarray:
        """Return the product S v with a vector; it costs less where few entries are not 0."""
        rows = np.flatnonzero(v)
        if rows.size > FEW_ENTRIES * self.n_sets:
            return self._dot(v)
        out = np.zeros(self.n_sets)
        self._add_rows(rows, v, out)
        return out

    @abstractmethod
    def _dot(self, v: np.ndarray) -> np.ndarray:
        """Return S v."""

    @abstractmethod
    def _add_rows(self, rows: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
        """Add S v to `out`, where only these rows of v are not 0."""

    def kept(self, v: np.ndarray) -> np.ndarray:
        """Return what compiled loops keep of v: S v, or F^T v."""
        return self.dot(v)

    def sum_of_squares(self, weights: np.ndarray) -> float:
        """Return the sum of w_a w_b s_ab^2 over ordered pairs, a set with itself included."""
        return float(weights @ self.dot(weights))

    def take(self, sets: np.ndarray) -> SetPairs:
        """Return the pairs among some of the sets, in this order."""
        return self if np.array_equal(sets, np.arange(self.n_sets)) else self._take(sets)

    @abstractmethod
    def _take(self, sets: np.ndarray) -> SetPairs:
        """Return the pairs among sets other than all in their order."""

    @abstractmethod
    def listed(self) -> sp.csr_array:
        """Return S as a sparse matrix of int8."""

    @abstractmethod
    def compiled_rows(self) -> tuple[np.ndarray, ...]:
        """Return S as compiled loops read it: row starts, columns (and values), or packed words."""

    @abstractmethod
    def draw_partners(self, sets: np.ndarray, random_state: np.random.RandomState) -> np.ndarray:
        """Return for every given set a random one; many of them are similar to it."""


class LabelSets(NamedTuple):
    """The label sets of items."""

    pairs: SetPairs  # which label sets are similar, each with itself included
    of_item: np.ndarray  # (n_items,) the label set of every item
    own: np.ndarray  # (n_sets,) affinity of two items with that set: +1, or -1 if it is empty


class PackedPairs(SetPairs):
    """A bit for every pair: bit b of words[a, i] is 1 if the sets i and 64 a + b are similar."""

    def __init__(self, words: np.ndarray) -> None:
        self.words = words

    @property
    def n_sets(self) -> int:
        return self.words.shape[1]

    def rows(self, sets: np.ndarray) -> np.ndarray:
        octets = np.ascontiguousarray(self.words.T[sets]).view(np.uint8)
        bits = np.unpackbits(octets, axis=1, count=self.n_sets, bitorder="little")
        return bits.view(np.int8)

    def at(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        j = np.asarray(j)
        return ((self.words[j // WORD, i] >> (j % WORD).astype(np.uint64)) & 1).astype(np.int8)

    def _dot(self, v: np.ndarray) -> np.ndarray:
        return packed_dot(self.words, v)

    def _add_rows(self, rows: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
        add_packed_rows(self.words, rows, v, out)

    def _take(self, sets: np.ndarray) -> PackedPairs:
        return _packed(
            (self.rows(sets[rows])[:, sets] for rows in blocks_of_rows(sets.size)), sets.size
        )

    def listed(self) -> sp.csr_array:
        blocks = (np.arange(self.n_sets)[rows] for rows in blocks_of_rows(self.n_sets))
        return sp.csr_array(sp.vstack([sp.csr_array(self.rows(block)) for block in blocks]))

    def compiled_rows(self) -> tuple[np.ndarray, ...]:
        """Return the words."""
        return (self.words,)

    def draw_partners(self, sets: np.ndarray, random_state: np.random.RandomState) -> np.ndarray:
        """Return for every given set any other: in this form, many are similar."""
        return random_state.randint(self.n_sets, size=sets.size)


class ListedPairs(SetPairs):
    """A list of the similar pairs: S as a matrix with sorted rows, only ones stored."""

    def __init__(self, similar: sp.csr_array) -> None:
        self.similar = similar

    @property
    def n_sets(self) -> int:
        return self.similar.shape[0]

    def rows(self, sets: np.ndarray) -> np.ndarray:
        return self.similar[sets].toarray()

    def at(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        return entries_at(self.similar, i, j)

    def _dot(self, v: np.ndarray) -> np.ndarray:
        return pattern_dot(self.similar, v)

    def _add_rows(self, rows: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
        add_pattern_rows(self.similar.indptr, self.similar.indices, rows, v, out)

    def _take(self, sets: np.ndarray) -> Self:
        taken = self.similar[sets][:, sets]
        taken.sort_indices()
        return type(self)(taken)

    def listed(self) -> sp.csr_array:
        return self.similar

    def compiled_rows(self) -> tuple[np.ndarray, ...]:
        """Return where rows start, and the columns."""
        return self.similar.indptr, self.similar.indices

    def draw_partners(self, sets: np.ndarray, random_state: np.random.RandomState) -> np.ndarray:
        """Return for every given set a random similar one; itself if it has none."""
        starts, counts = self.similar.indptr[sets], np.diff(self.similar.indptr)[sets]
        drawn = np.flatnonzero(counts)
        entries = random_state.uniform(size=drawn.size) * counts[drawn]
        partners = sets.copy()
        partners[drawn] = self.similar.indices[starts[drawn] + entries.astype(np.int64)]
        return partners


def compare_sets(sets: sp.csr_array, jaccard: float | None) -> SetPairs:
    """Return which distinct label sets are similar, in the form that suits their number."""
    n_sets, of_label = sets.shape[0], sp.csr_array(sets.T, dtype=np.int32)
    share = _similar_share(sets, of_label, jaccard)
    is_listed = share < LISTED_SHARE or n_sets > MAX_PACKED_SETS
    if is_listed and share * n_sets**2 > MAX_LISTED_PAIRS:
        raise ValueError(
            f"The indicator has {n_sets} distinct label sets with {share:.2%} similar pairs; at "
            f"most {MAX_PACKED_SETS} sets or {MAX_LISTED_PAIRS} ordered pairs can be stored. "
            "Leave out the most frequent labels, give jaccard=, or sample the items."
        )
    if is_listed:
        slices = blocks_of_rows(n_sets, entries_per_row=max(1, round(share * n_sets)))
        blocks = [_similar(sets[rows], of_label, np.diff(sets.indptr), jaccard) for rows in slices]
        return ListedPairs(sp.csr_array(sp.vstack(blocks)))
    return _packed(_dense_blocks(sets, jaccard), n_sets)


def blocks_of_rows(n_sets: int, entries_per_row: int | None = None) -> Iterator[slice]:
    """Return blocks of rows, each of a bounded number of entries; dense rows by default."""
    step = max(1, BLOCK_ENTRIES // (entries_per_row or n_sets))
    return (slice(start, min(start + step, n_sets)) for start in range(0, n_sets, step))


def _similar_share(sets: sp.csr_array, of_label: sp.csr_array, jaccard: float | None) -> float:
    """Return the share of similar pairs: exact for few sets, else estimated from some of them."""
    asked = np.unique(np.linspace(0, sets.shape[0] - 1, N_ASKED).astype(int))
    similar = _similar(sets[asked], of_label, np.diff(sets.indptr), jaccard)
    return similar.nnz / (asked.size * sets.shape[0])


def _similar(
    some: sp.csr_array, of_label: sp.csr_array, counts: np.ndarray, jaccard: float | None
) -> sp.csr_array:
    """Return rows of S for some sets, given the sets of each label and the size of each set."""
    shared = sp.csr_array(some.astype(np.int32) @ of_label)
    if jaccard is not None:
        own = np.repeat(np.diff(some.indptr), np.diff(shared.indptr))
        shared.data = _reaches(jaccard, shared.data, own, counts[shared.indices])
        shared.eliminate_zeros()
    shared.sort_indices()
    ones = np.ones(shared.nnz, dtype=np.int8)
    places = shared.indices.astype(np.int32), shared.indptr.astype(np.int32)
    return sp.csr_array((ones, *places), shape=shared.shape)


def _dense_blocks(sets: sp.csr_array, jaccard: float | None) -> Iterator[np.ndarray]:
    """Yield blocks of dense rows of S, faster than `_similar` where many are similar."""
    counts, of_label = np.diff(sets.indptr), sp.csr_array(sets.T)
    for rows in blocks_of_rows(len(counts)):
        shared = np.zeros((rows.stop - rows.start, len(counts)), dtype=np.int32)
        some = sets.indptr[rows.start : rows.stop + 1]
        _count_shared(some, sets.indices, of_label.indptr, of_label.indices, shared)
        similar = shared > 0
        if jaccard is not None:
            similar &= _reaches(jaccard, shared, counts[rows, None], counts)
        yield similar


def _reaches(jaccard: float, shared: np.ndarray, own: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return where the Jaccard index of label sets reaches a number.

    In float64, as a user computes a threshold: 7 / 13 must reach 7 / 13.
    """
    return np.asarray(shared / np.maximum(own + others - shared, 1) >= jaccard)


@compiled
def _count_shared(
    starts: np.ndarray,
    labels: np.ndarray,
    label_starts: np.ndarray,
    sets: np.ndarray,
    shared: np.ndarray,
) -> None:
    """Count for a block of sets the labels that each shares with every set."""
    for row in range(len(shared)):
        for entry in range(starts[row], starts[row + 1]):
            label = labels[entry]
            for place in range(label_starts[label], label_starts[label + 1]):
                shared[row, sets[place]] += 1


def _packed(blocks: Iterator[np.ndarray], n_sets: int) -> PackedPairs:
    """Pack blocks of dense rows of S into bits."""
    words = np.empty((-(-n_sets // WORD), n_sets), dtype=np.uint64)
    start = 0
    for block in blocks:
        octets = np.zeros((len(block), 8 * len(words)), dtype=np.uint8)
        bits = np.packbits(block, axis=1, bitorder="little")
        octets[:, : bits.shape[1]] = bits
        words[:, start : start + len(block)] = octets.view("<u8").T
        start += len(block)
    return PackedPairs(words)
