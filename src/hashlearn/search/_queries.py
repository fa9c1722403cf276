"""The queries of a search, and the distance that they are compared by."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from hashlearn._numerics.checks import check_number_radius, check_radius
from hashlearn._numerics.words import as_words
from hashlearn.search import _distance_scan, _float_scan, _scan
from hashlearn.search._scan import Hits
from hashlearn.search.float_queries import FloatQueries, as_float_queries
from hashlearn.search.packing import check_packed

if TYPE_CHECKING:
    from hashlearn.search._contents import Contents
    from hashlearn.search.distances import Distance


class Queries(ABC):
    """Checked queries that can be answered from the contents of an index."""

    dtype: Any = np.float64  # of distances
    missing: float = np.inf  # the distance of an item that is not there

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def nearest(self, contents: Contents, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Return distances and places of the k nearest items, (n_queries, k) each."""

    @abstractmethod
    def nearest_among(
        self, contents: Contents, places: np.ndarray, k: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return distances of the k nearest items at some places, and their ranks in these."""

    @abstractmethod
    def check_radius(self, radius: Any) -> None:
        """Raise if a radius is not a distance."""

    @abstractmethod
    def within(self, contents: Contents, radius: float) -> Hits:
        """Return all items within a radius, with places."""


class HammingQueries(Queries):
    """Packed codes, compared by Hamming distance."""

    dtype = np.int64

    def __init__(self, packed: np.ndarray, n_bits: int) -> None:
        self._words, self.missing = as_words(packed), n_bits + 1

    def __len__(self) -> int:
        return len(self._words)

    def nearest(self, contents: Contents, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Return distances and places of the k nearest items."""
        return contents.layout.nearest(self._words, k)

    def nearest_among(
        self, contents: Contents, places: np.ndarray, k: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return distances of the k nearest items at some places, and their ranks in these."""
        return _scan.nearest(self._words, contents.words_at(places), k)

    def check_radius(self, radius: Any) -> None:
        """Raise if a radius is not a Hamming distance."""
        check_radius(radius)

    def within(self, contents: Contents, radius: float) -> Hits:
        """Return all items within a radius, with places."""
        return contents.layout.within(self._words, int(radius))


class DistanceQueries(Queries):
    """Packed codes, compared by a distance other than Hamming's."""

    def __init__(self, packed: np.ndarray, distance: Distance, n_bits: int) -> None:
        from hashlearn.search.distances import check_distance

        check_distance(distance, n_bits)
        self._packed, self._distance, self._n_bits = packed, distance, n_bits

    def __len__(self) -> int:
        return len(self._packed)

    def nearest(self, contents: Contents, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Return distances and places of the k nearest items."""
        return _distance_scan.nearest(self._distance, self._packed, contents.words, k, self._n_bits)

    def nearest_among(
        self, contents: Contents, places: np.ndarray, k: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return distances of the k nearest items at some places, and their ranks in these."""
        words = contents.words_at(places)
        return _distance_scan.nearest(self._distance, self._packed, words, k, self._n_bits)

    def check_radius(self, radius: Any) -> None:
        """Raise if a radius is not a distance."""
        check_radius(radius, self._distance)

    def within(self, contents: Contents, radius: float) -> Hits:
        """Return all items within a radius, with places."""
        return _distance_scan.within(
            self._distance, self._packed, contents.words, float(radius), self._n_bits
        )


class MarginQueries(Queries):
    """Real margins, compared with the bits of codes."""

    def __init__(self, queries: FloatQueries) -> None:
        self._queries = queries

    def __len__(self) -> int:
        return len(self._queries)

    def nearest(self, contents: Contents, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Return distances and places of the k nearest items."""
        levels = contents.levels(self._queries.terms)
        return contents.layout.nearest_floats(self._queries, levels, k)

    def nearest_among(
        self, contents: Contents, places: np.ndarray, k: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return distances of the k nearest items at some places, and their ranks in these."""
        levels = contents.levels_at(places, self._queries.terms)
        return _float_scan.nearest(self._queries, contents.words_at(places), levels, k)

    def check_radius(self, radius: Any) -> None:
        """Raise if a radius is not a number; these distances may be negative."""
        check_number_radius(radius)

    def within(self, contents: Contents, radius: float) -> Hits:
        """Return all items within a radius, with places."""
        levels = contents.levels(self._queries.terms)
        return contents.layout.within_floats(self._queries, levels, float(radius))


def check_queries(queries: Any, n_bits: int, distance: Distance | None = None) -> Queries:
    """Return queries of a search with the distance that they are compared by, or raise."""
    floats = as_float_queries(queries)
    if floats is not None:
        floats.check(n_bits, distance)
        return MarginQueries(floats)
    packed = check_packed(queries, n_bits, "queries")
    if distance is None:
        return HammingQueries(packed, n_bits)
    return DistanceQueries(packed, distance, n_bits)
