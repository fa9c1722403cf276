"""Multi-index hashing: exact search by look-ups of substrings, where neighbours are near.

Codes within a small distance of a query agree with it in some substring, or nearly so [1]_. So a
few look-ups in a table per substring find them, and most codes are never read. Farther neighbours
need more look-ups; where these would cost more than a scan of all codes, the codes are scanned.

References
----------
.. [1] Norouzi, Punjani, Fleet, "Fast Search in Hamming Space with Multi-Index Hashing", CVPR 2012.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import comb
from typing import ClassVar, Self

import numpy as np

from hashlearn._numerics.buckets import find_buckets
from hashlearn._numerics.threads import map_blocks
from hashlearn._numerics.words import read_only
from hashlearn.files import FileFormatError, IndexFileError
from hashlearn.search import _scan
from hashlearn.search._kernels.multi_index import (
    DAMAGED,
    OVER_BUDGET,
    POSITION_BITS,
    Tables,
    fill_table,
    search_tables,
)
from hashlearn.search._kernels.selection import sort_hits
from hashlearn.search._layouts.base import MAX_POSITIONS, Arrays, Layout, check_array
from hashlearn.search._scan import Hits, hits_of_queries, query_bounds

MIN_WIDTH, MAX_WIDTH = 8, 24  # bits per substring
MAX_STORED_WIDTH = 32  # in a file: far more than a table of a substring's values can have
READ_COST = 400  # words that are scanned in the time of one random read
SHARE = 0.6  # of a scan's cost that is worth trying
VAIN_SHARE = 1 / 16  # of the scans' cost that all queries together may spend in vain


@dataclass(frozen=True, eq=False)
class MultiIndexLayout(Layout):
    """The codes, and for each of their substrings a table of the codes by its value.

    The arrays are those of `Tables`: 4 bytes per item and 4 per value, up to 8 values per item.
    """

    words: np.ndarray
    starts: np.ndarray
    items: np.ndarray
    bounds: np.ndarray
    name = "multi-index"
    dtypes: ClassVar = {"starts": np.uint32, "items": np.uint32}

    @classmethod
    def build(cls, words: np.ndarray, n_bits: int) -> Self:
        """Return the layout of some codes.

        Substrings are a little longer than log2(n): there are few tables then, and few codes
        under each value.
        """
        n = words.shape[1]
        width = min(max(MIN_WIDTH, n.bit_length() + 2), MAX_WIDTH)
        n_tables = -(-count_stored_bits(n_bits) // width)
        bounds = substring_bounds(n_bits, n_tables)
        n_values = 1 << int(np.diff(bounds).max())
        starts = np.empty((n_tables, n_values + 1), dtype=np.uint32)
        items = np.empty((n_tables, n), dtype=np.uint32)
        tables = Tables(read_only(words), starts, items, bounds)
        map_blocks(lambda t, _: fill_table(tables, t), range(n_tables + 1))
        return cls(*map(read_only, tables))

    @classmethod
    def restored(cls, words: np.ndarray, n_bits: int, arrays: Arrays) -> Self:
        """Return the layout of a file."""
        bounds = substring_bounds(n_bits, len(arrays["items"]))
        return cls(*map(read_only, (words, arrays["starts"], arrays["items"], bounds)))

    def nearest(self, queries: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Return distances and positions of the k nearest codes, (n_queries, k) each."""
        share = min(SHARE, VAIN_SHARE * max(4, len(queries)))  # few scans are dearer
        budget = int(share * self._scan_cost)
        if k > budget:
            return _scan.nearest(queries, self.words, k)
        sizes, hits = self._search(queries, k, 64 * len(self.words), budget)
        is_found = sizes != OVER_BUDGET
        if not is_found.any():
            return _scan.nearest(queries, self.words, k)
        self._check(bool((sizes[is_found] == k).all()))
        distances = np.empty((len(queries), k), dtype=np.int64)
        positions = np.empty((len(queries), k), dtype=np.int64)
        distances[is_found], positions[is_found] = hits.reshape(2, -1, k)
        if not is_found.all():
            far = _scan.nearest(queries[~is_found], self.words, k)
            distances[~is_found], positions[~is_found] = far
        return distances, positions

    def within(self, queries: np.ndarray, radius: int) -> Hits:
        """Return all codes within a radius."""
        radius = min(radius, 64 * len(self.words))
        if self._expected_cost(radius) > SHARE * self._scan_cost:
            return _scan.within(queries, self.words, radius)
        budget = int(self._scan_cost)  # not the share: where codes crowd, it costs more
        sizes, hits = self._search(queries, self.words.shape[1] + 1, radius, budget)
        self._check(DAMAGED not in sizes)
        found = np.vstack([np.repeat(np.arange(len(queries)), np.maximum(sizes, 0)), hits])
        far = np.flatnonzero(sizes == OVER_BUDGET)
        if far.size:
            offsets, *rest = _scan.within(queries[far], self.words, radius)
            scanned = np.vstack([np.repeat(far, np.diff(offsets)), *rest])
            found = sort_hits(np.hstack([found, scanned]), len(queries), radius + 1)
        return hits_of_queries(found, len(queries))

    @property
    def scanned(self) -> np.ndarray:
        """All codes."""
        return self.words

    @property
    def n_distinct(self) -> int:
        """The number of distinct codes, counted each time."""
        return find_buckets(self.words, self.words.shape[1])[2]

    @property
    def _scan_cost(self) -> float:
        """The cost of scanning all codes for one of many queries, in random reads."""
        return self.words.size / READ_COST

    def _expected_cost(self, radius: int) -> float:
        """Return the cost of look-ups within a radius and of reading the codes that they find.

        An estimate for codes that are spread evenly.
        """
        n_words, n = self.words.shape
        rings, n_more = divmod(radius + 1, len(self.items))  # more tables have one ring more
        cost = 0.0
        for t, width in enumerate(np.diff(self.bounds).tolist()):
            n_masks = sum(comb(width, ring) for ring in range(rings + (t < n_more)))
            cost += n_masks * (1 + (n_words + 1) * n / 2**width)
        return cost

    def _search(
        self, queries: np.ndarray, k: int, radius: int, budget: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the number of hits of each query, or why there are none, and (2, n_hits) hits."""
        tables = Tables(self.words, self.starts, self.items, self.bounds)

        def find(start: int, stop: int) -> tuple[np.ndarray, np.ndarray]:
            vain_budget = int(VAIN_SHARE * self._scan_cost * (stop - start))
            by_word = np.ascontiguousarray(queries[start:stop].T)
            return search_tables(by_word, tables, k, radius, budget, vain_budget)

        parts = map_blocks(find, query_bounds(len(queries), self.words.shape[1]))
        sizes, hits = (np.concatenate(part) for part in zip(*parts, strict=True))
        halves = np.empty((2, hits.size), dtype=np.int64)
        halves[0], halves[1] = hits >> POSITION_BITS, hits & np.uint64(2**32 - 1)
        return sizes, halves

    def _check(self, whole: bool) -> None:
        """Raise if tables of a file that was not verified are wrong; the kernels only stop."""
        if not whole:
            raise IndexFileError(
                "the index comes from a damaged file: its tables do not fit its codes. "
                "HammingIndex.load(..., verify=True) detects that before a search."
            )

    @classmethod
    def check_sizes(cls, words: np.ndarray, n_bits: int, arrays: Arrays) -> None:
        """Raise if arrays of a file do not fit the codes' number."""
        n, n_stored = words.shape[1], count_stored_bits(n_bits)
        n_tables = len(np.atleast_1d(arrays["items"]))
        if n >= MAX_POSITIONS or not n_stored <= n_tables * MAX_STORED_WIDTH <= (
            n_stored * MAX_STORED_WIDTH
        ):
            raise FileFormatError(f"it has {n_tables} tables for {n} codes of {n_bits} bits")
        width = -(-n_stored // n_tables)
        check_array("starts", arrays["starts"], cls.dtypes["starts"], (n_tables, 2**width + 1))
        check_array("items", arrays["items"], cls.dtypes["items"], (n_tables, n))

    @classmethod
    def check_values(cls, words: np.ndarray, n_bits: int, arrays: Arrays) -> None:
        """Raise if a table does not list every code under its substring, by position."""
        bounds = substring_bounds(n_bits, len(arrays["items"])).tolist()
        for t, (first, stop) in enumerate(pairwise(bounds)):
            starts, items = arrays["starts"][t], arrays["items"][t]
            values = _substrings(words, first, stop)
            ends = np.cumsum(np.bincount(values, minlength=starts.size - 1))
            if starts[0] != 0 or not np.array_equal(starts[1:], ends):
                raise FileFormatError(f"its table {t} does not have the sizes that its codes give")
            is_listed = np.all(items < values.size)  # and once, if pairs of value and item rise
            if is_listed:
                pairs = (values[items] << 32) | items
                is_listed = np.all(pairs[1:] > pairs[:-1])
            if not is_listed:
                raise FileFormatError(f"its table {t} does not list every code once, in order")


def count_stored_bits(n_bits: int) -> int:
    """Return the number of bits that packed codes fill: those of whole bytes."""
    return -(-n_bits // 8) * 8


def substring_bounds(n_bits: int, n_tables: int) -> np.ndarray:
    """Return where `n_tables` substrings of nearly equal length begin and end, (n_tables + 1,).

    Bit b is bit ``b % 64``, counted from the lowest, of word ``b // 64``.
    """
    return np.arange(n_tables + 1) * count_stored_bits(n_bits) // n_tables


def _substrings(words: np.ndarray, first: int, stop: int) -> np.ndarray:
    """Return the bits from `first` to `stop` of all codes, int64."""
    values = words[first // 64] >> np.uint64(first % 64)
    if first // 64 < (stop - 1) // 64:
        values |= words[first // 64 + 1] << np.uint64(64 - first % 64)
    return (values & np.uint64((1 << (stop - first)) - 1)).astype(np.int64)
