"""Distinct codes, and for each the items that have it.

Learned codes repeat: items of one class that a hasher sees alike share a code. A scan over distinct
codes, expanded to the items that have them, is faster by as much as they repeat.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from hashlearn._numerics.buckets import find_buckets, list_members
from hashlearn._numerics.compiled import compiled
from hashlearn._numerics.words import read_only
from hashlearn.files import FileFormatError, IndexFileError
from hashlearn.search import _float_scan, _scan
from hashlearn.search._layouts.base import MAX_POSITIONS, Arrays, Layout, check_array
from hashlearn.search._scan import Hits, hits_of_queries
from hashlearn.search.float_queries import FloatQueries

BLOCK = 1 << 20  # codes compared at once


@dataclass(frozen=True, eq=False)
class BucketedLayout(Layout):
    """The distinct codes, and for each the items that have it."""

    distinct: np.ndarray  # (n_words, n_buckets), in the order of first appearance
    offsets: np.ndarray  # bucket b holds members[offsets[b]:offsets[b + 1]]
    members: np.ndarray  # positions of items, increasing in each bucket
    name = "bucketed"
    dtypes: ClassVar = {"distinct": np.uint64, "offsets": np.int64, "members": np.uint32}

    @classmethod
    def build(cls, words: np.ndarray, max_buckets: int) -> Self | None:
        """Return the layout of some codes, or None if more than `max_buckets` are distinct."""
        bucket_of, firsts, n_buckets = find_buckets(read_only(words), max_buckets)
        if n_buckets > max_buckets:
            return None
        offsets, members = list_members(bucket_of, n_buckets)
        return cls(*map(read_only, (words[:, firsts], offsets, members)))

    @classmethod
    def restored(cls, words: np.ndarray, n_bits: int, arrays: Arrays) -> Self:
        """Return the layout of a file."""
        return cls(*(read_only(arrays[name]) for name in cls.dtypes))

    def nearest(self, queries: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Return distances and positions of the k nearest codes, (n_queries, k) each.

        The k nearest buckets, ties by first member, hold the k nearest items: an item of any
        later bucket has the first members of k buckets before it.
        """
        return _scan.nearest(queries, self.distinct, k, self._write)

    def within(self, queries: np.ndarray, radius: int) -> Hits:
        """Return all codes within a radius."""
        return self._expanded(_scan.within(queries, self.distinct, radius))

    def nearest_floats(
        self, queries: FloatQueries, levels: np.ndarray | None, k: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return distances and positions of the k nearest codes."""
        return _float_scan.nearest(queries, self.distinct, levels, k, self._write)

    def within_floats(
        self, queries: FloatQueries, levels: np.ndarray | None, radius: float
    ) -> Hits:
        """Return all codes within a radius of float queries."""
        hits = _float_scan.within(queries, self.distinct, levels, radius)
        values, ranks = np.unique(hits.distances, return_inverse=True)
        found = self._expanded(hits._replace(distances=ranks))
        return found._replace(distances=values[found.distances])

    def _write(self, *arrays: np.ndarray) -> None:
        """Write the nearest codes from the nearest buckets."""
        whole = _expand_nearest(self.offsets, self.members, *arrays)
        self._check(arrays[-1], whole)

    def _expanded(self, hits: Hits) -> Hits:
        """Return the codes of buckets that were hit."""
        n_queries = hits.offsets.size - 1
        of_query = np.repeat(np.arange(n_queries), np.diff(hits.offsets))
        found, whole = _expand_within(
            np.stack([of_query, hits.distances, hits.positions]), self.offsets, self.members
        )
        self._check(found[2], whole)
        return hits_of_queries(found, n_queries)

    @property
    def scanned(self) -> np.ndarray:
        """The distinct codes."""
        return self.distinct

    @property
    def scanned_places(self) -> np.ndarray:
        """The first member of each bucket."""
        places = self.members[self.offsets[:-1]].astype(np.int64)
        self._check(places, whole=True)
        return places

    def levels_of_items(self, levels: np.ndarray) -> np.ndarray:
        """Return the levels of all codes from those of the distinct ones."""
        sizes = np.diff(self.offsets)
        whole = bool(np.all(sizes >= 0)) and int(sizes.sum()) == self.members.size
        self._check(self.members, whole)
        of_items = np.empty(self.members.size, dtype=levels.dtype)
        of_items[self.members] = np.repeat(levels, sizes)
        return of_items

    @property
    def n_distinct(self) -> int:
        """The number of distinct codes."""
        return self.distinct.shape[1]

    def _check(self, positions: np.ndarray, whole: bool) -> None:
        """Raise if buckets of a file that was not verified are wrong; the kernels only stop."""
        if not whole or (positions.size and positions.max() >= self.members.size):
            raise IndexFileError(
                "the index comes from a damaged file: its buckets do not fit its items. "
                "HammingIndex.load(..., verify=True) detects that before a search."
            )

    @classmethod
    def count_scanned(cls, words: np.ndarray, arrays: Arrays) -> int:
        """Return how many codes are distinct."""
        return arrays["distinct"].shape[1]

    @classmethod
    def check_sizes(cls, words: np.ndarray, n_bits: int, arrays: Arrays) -> None:
        """Raise if arrays of a file do not fit the codes' number."""
        (n_words, n), offsets = words.shape, arrays["offsets"]
        n_distinct = offsets.size - 1
        shapes = {"offsets": (n_distinct + 1,), "distinct": (n_words, n_distinct), "members": (n,)}
        for name, shape in shapes.items():
            check_array(name, arrays[name], cls.dtypes[name], shape)
        if n >= MAX_POSITIONS or not min(n, 1) <= n_distinct <= n:
            raise FileFormatError(f"it has {n_distinct} distinct codes of {n}")
        if offsets[0] != 0 or offsets[-1] != n:
            raise FileFormatError(f"its buckets reach from {offsets[0]} to {offsets[-1]} of {n}")

    @classmethod
    def check_values(cls, words: np.ndarray, n_bits: int, arrays: Arrays) -> None:
        """Raise if buckets do not hold every code once, or hold codes that differ."""
        distinct, offsets, members = (arrays[name] for name in cls.dtypes)
        if not _is_partition(offsets, members):
            raise FileFormatError("its buckets do not hold every code once, in order")
        for start in range(0, members.size, BLOCK):
            stop = min(start + BLOCK, members.size)
            buckets = np.searchsorted(offsets, np.arange(start, stop), side="right") - 1
            if not np.array_equal(words[:, members[start:stop]], distinct[:, buckets]):
                raise FileFormatError("its buckets hold codes that differ")


def _is_partition(offsets: np.ndarray, members: np.ndarray) -> bool:
    """Return whether buckets hold every position once, in the order of their first members."""
    starts = offsets[:-1]
    if not np.all(offsets[1:] > starts):  # with the checked ends, they then all lie inside
        return False
    is_first = np.zeros(members.size, dtype=bool)
    is_first[starts] = True
    rises = members[1:] > members[:-1]
    firsts = members[starts]
    if not (np.all(rises | is_first[1:]) and np.all(firsts[1:] > firsts[:-1])):
        return False
    found = np.zeros(members.size, dtype=bool)
    found[members[members < members.size]] = True
    return bool(found.all())


@compiled
def _expand_nearest(
    offsets: np.ndarray,
    members: np.ndarray,
    distances: np.ndarray,
    buckets: np.ndarray,
    found_distances: np.ndarray,
    found: np.ndarray,
) -> bool:
    """Write the k nearest codes, ties by position, from the nearest buckets by first member.

    Return False if the buckets do not hold k codes or exceed `members`: a damaged file.
    """
    k = found.shape[1]
    n_queries, n_nearest = buckets.shape
    gathered = np.empty(3 * k, dtype=np.int64)  # at one distance; a bucket adds at most k
    for q in range(n_queries):
        done, size = 0, 0  # codes nearer than the distance in hand, and codes gathered at it
        for b in range(n_nearest):
            start, stop = offsets[buckets[q, b]], offsets[buckets[q, b] + 1]
            if not 0 <= start <= stop <= members.size:
                return False
            stop = min(stop, start + k - done)
            gathered[size : size + stop - start] = members[start:stop]
            size += stop - start
            is_last = b + 1 == n_nearest or distances[q, b + 1] != distances[q, b]
            if not is_last and size <= 2 * k:
                continue
            gathered[:size].sort()
            size = min(size, k - done)
            if is_last:
                found_distances[q, done : done + size] = distances[q, b]
                found[q, done : done + size] = gathered[:size]
                done, size = done + size, 0
                if done == k:
                    break
        if done < k:
            return False
    return True


@compiled
def _expand_within(
    hits: np.ndarray, offsets: np.ndarray, members: np.ndarray
) -> tuple[np.ndarray, bool]:
    """Turn buckets within a radius into codes: (3, n_hits) of query, distance and position.

    The hits come by query and distance. The second value is False if the buckets exceed `members`
    or overlap: a damaged file.
    """
    n_found, first = 0, 0  # of all queries, and where those of one begin
    for h in range(hits.shape[1]):
        if h > 0 and hits[0, h] != hits[0, h - 1]:
            first = n_found
        start, stop = offsets[hits[2, h]], offsets[hits[2, h] + 1]
        n_found += stop - start
        if not 0 <= start <= stop <= members.size or n_found - first > members.size:
            return hits, False
    found = np.empty((3, n_found), dtype=np.int64)
    size, run = 0, 0  # codes so far, and where those of one query and distance begin
    for h in range(hits.shape[1]):
        if h > 0 and (hits[0, h] != hits[0, h - 1] or hits[1, h] != hits[1, h - 1]):
            found[2, run:size].sort()
            run = size
        start, stop = offsets[hits[2, h]], offsets[hits[2, h] + 1]
        end = size + stop - start
        found[0, size:end], found[1, size:end] = hits[0, h], hits[1, h]
        found[2, size:end] = members[start:stop]
        size = end
    found[2, run:size].sort()
    return found, True
