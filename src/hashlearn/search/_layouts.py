"""How an index arranges its codes for search: all in a row, by equal codes, or by substrings.

All answer the same questions with the same positions, which are those of insertion. Learned
codes repeat: items of one class that a hasher sees alike share a code. Then a scan over distinct
codes, expanded to the items that have them, is faster by as much as they repeat.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, Self

import numpy as np

from hashlearn._numerics.buckets import N_HASHES_PER_SAMPLED, find_buckets, is_sampled, list_members
from hashlearn._numerics.threads import map_blocks
from hashlearn._numerics.words import read_only
from hashlearn.files.errors import IndexFileError
from hashlearn.files.index_checks import substring_bounds
from hashlearn.files.index_file import IndexContent
from hashlearn.search import _scan
from hashlearn.search._kernels.buckets import expand_nearest, expand_within
from hashlearn.search._multi_index import MultiIndexLayout
from hashlearn.search._scan import Hits, hits_of_queries, query_bounds

LayoutName = Literal["plain", "bucketed", "multi-index"]
LayoutChoice = Literal["auto", "plain", "bucketed", "multi-index"]

MIN_ESTIMATED = 1 << 16  # codes: all of fewer are looked at in a millisecond
MAX_SHARE = 0.5  # distinct codes per item: above, finding the items costs what the scan saves
MAX_ITEMS = 2**32 - 1  # positions in buckets and tables are uint32


@dataclass(frozen=True, eq=False)
class PlainLayout:
    """The codes in the order of insertion.

    Attributes
    ----------
    words : ndarray of shape (n_words, n), uint64
    """

    words: np.ndarray
    name: ClassVar[LayoutName] = "plain"

    def nearest(self, queries: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Return distances and positions of the k nearest codes, (n_queries, k) each."""
        return _scan.nearest(queries, self.words, k)

    def within(self, queries: np.ndarray, radius: int) -> Hits:
        """Return all codes within a radius."""
        return _scan.within(queries, self.words, radius)


@dataclass(frozen=True, eq=False)
class BucketedLayout:
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
    name: ClassVar[LayoutName] = "bucketed"

    @classmethod
    def build(cls, words: np.ndarray, max_buckets: int) -> Self | None:
        """Return the layout of some codes, or None if more than `max_buckets` are distinct."""
        bucket_of, firsts, n_buckets = find_buckets(words, max_buckets)
        if n_buckets > max_buckets:
            return None
        offsets, members = list_members(bucket_of, n_buckets)
        return cls(*map(read_only, (words[:, firsts], offsets, members)))

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

    def _check(self, positions: np.ndarray, whole: bool) -> None:
        """Raise if buckets that came from a file make no sense; the kernels only stop there."""
        if not whole or (positions.size and positions.max() >= self.members.size):
            raise IndexFileError(
                "the index came from a damaged file: its buckets do not fit its items; "
                "HammingIndex.load(..., verify=True) tells before a search."
            )


Layout = PlainLayout | BucketedLayout | MultiIndexLayout


def arrange(
    words: np.ndarray, layout: LayoutChoice = "auto", *, n_bits: int | None = None
) -> Layout:
    """Arrange codes by equal codes if they repeat enough, and as they are if not.

    Parameters
    ----------
    words : ndarray of shape (n_words, n), uint64
    layout : {"auto", "plain", "bucketed", "multi-index"}, default="auto"
        The choice, if it is made already.
    n_bits : int, optional
        Bits per code; all of its words unless given.

    Returns
    -------
    layout : PlainLayout, BucketedLayout or MultiIndexLayout

    Examples
    --------
    >>> arrange(np.array([[5, 5, 6, 5]], dtype=np.uint64)).name
    'bucketed'
    >>> arrange(np.array([[5, 4, 6, 3]], dtype=np.uint64)).name
    'plain'
    """
    words, n = read_only(words), words.shape[1]
    if layout == "plain" or n > MAX_ITEMS:
        return PlainLayout(words)
    if layout == "multi-index":
        return MultiIndexLayout.build(words, 64 * len(words) if n_bits is None else n_bits)
    if layout == "auto" and n >= MIN_ESTIMATED and _estimate_distinct(words) > 1.2 * MAX_SHARE * n:
        return PlainLayout(words)  # without the cost of looking at all
    max_buckets = n if layout == "bucketed" else int(MAX_SHARE * n)
    return BucketedLayout.build(words, max_buckets) or PlainLayout(words)


def count_distinct(layout: Layout) -> int:
    """Return how many distinct codes there are."""
    if isinstance(layout, BucketedLayout):
        return layout.distinct.shape[1]
    return find_buckets(read_only(layout.words), layout.words.shape[1])[2]


def stored_arrays(layout: Layout) -> dict[str, np.ndarray]:
    """Return what a file holds of a layout beside the codes."""
    return {name: a for name, a in vars(layout).items() if name not in ("words", "bounds")}


def restore(content: IndexContent) -> Layout:
    """Return the layout that a file holds."""
    if content.layout == "bucketed":
        assert content.distinct is not None
        assert content.offsets is not None
        assert content.members is not None
        arrays = content.distinct, content.offsets, content.members
        return BucketedLayout(*map(read_only, arrays))
    if content.layout == "multi-index":
        assert content.starts is not None
        assert content.items is not None
        bounds = substring_bounds(content.n_bits, len(content.items))
        tables = content.words, content.starts, content.items, bounds
        return MultiIndexLayout(*map(read_only, tables))
    return PlainLayout(content.words)


def _estimate_distinct(words: np.ndarray) -> float:
    """Return about how many codes are distinct, from those whose hashes are in a sample.

    How often a code repeats does not change its chance to be in the sample.
    """
    sampled = np.ascontiguousarray(words[:, is_sampled(words)])
    return N_HASHES_PER_SAMPLED * find_buckets(read_only(sampled), sampled.shape[1])[2]
