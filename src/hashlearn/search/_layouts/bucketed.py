"""Distinct codes, and for each the items that have it.

Learned codes repeat: items of one class that a hasher sees alike share a code. A scan over distinct
codes, expanded to the items that have them, is faster by as much as they repeat.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from hashlearn._numerics.buckets import find_buckets, list_members
from hashlearn._numerics.threads import map_blocks
from hashlearn._numerics.words import read_only
from hashlearn.files import FileFormatError, IndexFileError
from hashlearn.search import _scan
from hashlearn.search._kernels.buckets import expand_nearest, expand_within
from hashlearn.search._layouts.base import MAX_POSITIONS, Arrays, Layout, check_array
from hashlearn.search._scan import Hits, hits_of_queries, query_bounds

BLOCK = 1 << 20  # codes compared at once


@dataclass(frozen=True, eq=False)
class BucketedLayout(Layout):
    """The distinct codes, and for each the items that have it.

    Attributes
    ----------
    distinct : ndarray of shape (n_words, n_buckets), uint64
        In the order of first appearance.
    offsets : ndarray of shape (n_buckets + 1,), int64
        Bucket b holds ``members[offsets[b]:offsets[b + 1]]``.
    members : ndarray of shape (n,), uint32
        Positions of items, increasing in each bucket.
    """

    distinct: np.ndarray
    offsets: np.ndarray
    members: np.ndarray
    name = "bucketed"
    dtypes: ClassVar = {"distinct": np.uint64, "offsets": np.int64, "members": np.uint32}

    @classmethod
    def build(cls, words: np.ndarray, max_buckets: int) -> Self | None:
        """Return the layout of some codes, or None if more than `max_buckets` are distinct."""
        bucket_of, firsts, n_buckets = find_buckets(words, max_buckets)
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
        n_buckets = self.distinct.shape[1]
        distances = np.empty((len(queries), k), dtype=np.int64)
        positions = np.empty((len(queries), k), dtype=np.int64)

        def find(start: int, stop: int) -> bool:
            nearest = _scan.nearest(queries[start:stop], self.distinct, min(k, n_buckets))
            found = distances[start:stop], positions[start:stop]
            return expand_nearest(*nearest, self.offsets, self.members, *found)

        whole = all(map_blocks(find, query_bounds(len(queries), n_buckets)))
        self._check(positions, whole)
        return distances, positions

    def within(self, queries: np.ndarray, radius: int) -> Hits:
        """Return all codes within a radius."""
        hits = _scan.within(queries, self.distinct, radius)
        of_query = np.repeat(np.arange(len(queries)), np.diff(hits.offsets))
        found, whole = expand_within(
            np.stack([of_query, hits.distances, hits.positions]), self.offsets, self.members
        )
        self._check(found[2], whole)
        return hits_of_queries(found, len(queries))

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
