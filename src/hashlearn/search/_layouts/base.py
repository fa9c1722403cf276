"""The arrangement of an index's codes, and the plain one: codes in the order of their places."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np

from hashlearn._numerics.buckets import find_buckets
from hashlearn._numerics.words import read_only
from hashlearn.files import FileFormatError
from hashlearn.search import _float_scan, _scan
from hashlearn.search._scan import Hits
from hashlearn.search.float_queries import FloatQueries

LayoutName = Literal["plain", "bucketed", "multi-index"]

MAX_POSITIONS = 2**32  # buckets and tables hold positions as uint32

Arrays = Mapping[str, np.ndarray]


class Layout(ABC):
    """Codes arranged for search; all layouts answer with positions in the given codes."""

    name: ClassVar[LayoutName]
    dtypes: ClassVar[dict[str, Any]] = {}  # of the arrays that a file holds besides the codes

    @abstractmethod
    def nearest(self, queries: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Return distances and positions of the k nearest codes, (n_queries, k) each."""

    @abstractmethod
    def within(self, queries: np.ndarray, radius: int) -> Hits:
        """Return all codes within a radius."""

    @property
    @abstractmethod
    def scanned(self) -> np.ndarray:
        """The codes that a scan reads, (n_words, n_scanned)."""

    @property
    def scanned_places(self) -> np.ndarray:
        """The place of a code that has it, for each scanned code."""
        return np.arange(self.scanned.shape[1])

    def levels_of_items(self, levels: np.ndarray) -> np.ndarray:
        """Return the levels of all codes from those of the scanned ones."""
        return levels

    def nearest_floats(
        self, queries: FloatQueries, levels: np.ndarray | None, k: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return distances and positions of the k nearest codes; levels are of scanned codes."""
        return _float_scan.nearest(queries, self.scanned, levels, k)

    def within_floats(
        self, queries: FloatQueries, levels: np.ndarray | None, radius: float
    ) -> Hits:
        """Return all codes within a radius of float queries."""
        return _float_scan.within(queries, self.scanned, levels, radius)

    @property
    @abstractmethod
    def n_distinct(self) -> int:
        """The number of distinct codes."""

    def stored(self) -> dict[str, np.ndarray]:
        """Return what a file holds besides the codes."""
        return {name: getattr(self, name) for name in self.dtypes}

    @classmethod
    @abstractmethod
    def restored(cls, words: np.ndarray, n_bits: int, arrays: Arrays) -> Self:
        """Return the layout that a file holds."""

    @classmethod
    def count_scanned(cls, words: np.ndarray, arrays: Arrays) -> int:
        """Return how many codes a scan reads, from arrays of a file whose sizes fit."""
        return words.shape[1]

    @classmethod
    @abstractmethod
    def check_sizes(cls, words: np.ndarray, n_bits: int, arrays: Arrays) -> None:
        """Raise if arrays of a file do not fit the codes' number; reads few of their values."""

    @classmethod
    @abstractmethod
    def check_values(cls, words: np.ndarray, n_bits: int, arrays: Arrays) -> None:
        """Raise if arrays whose sizes fit hold wrong values; reads all of them."""


class PlainLayout(Layout):
    """The codes as they are given, (n_words, n) uint64."""

    name = "plain"

    def __init__(self, words: np.ndarray) -> None:
        self.words = words

    @classmethod
    def restored(cls, words: np.ndarray, n_bits: int, arrays: Arrays) -> Self:
        """Return the layout of a file."""
        return cls(words)

    @classmethod
    def check_sizes(cls, words: np.ndarray, n_bits: int, arrays: Arrays) -> None:
        """Check nothing: there are no further arrays."""

    @classmethod
    def check_values(cls, words: np.ndarray, n_bits: int, arrays: Arrays) -> None:
        """Check nothing: there are no further arrays."""

    def nearest(self, queries: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Return distances and positions of the k nearest codes, (n_queries, k) each."""
        return _scan.nearest(queries, self.words, k)

    def within(self, queries: np.ndarray, radius: int) -> Hits:
        """Return all codes within a radius."""
        return _scan.within(queries, self.words, radius)

    @property
    def scanned(self) -> np.ndarray:
        """All codes."""
        return self.words

    @property
    def n_distinct(self) -> int:
        """The number of distinct codes, counted each time."""
        return find_buckets(read_only(self.words), self.words.shape[1])[2]


def check_array(name: str, array: np.ndarray, dtype: Any, shape: tuple[int, ...]) -> None:
    """Raise if an array of a file has another dtype or shape."""
    if array.dtype != dtype:
        raise FileFormatError(f"its array {name!r} has dtype {array.dtype}")
    if array.shape != shape:
        raise FileFormatError(f"its array {name!r} has shape {array.shape} instead of {shape}")
