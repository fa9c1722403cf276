"""The contents of an index at one moment: codes, their ids, and their layout.

A change makes new contents, so that a search works on what was there when it began, and an
interrupted change leaves everything as it was.
"""

from __future__ import annotations

import os
from functools import cached_property
from typing import Any, Self

import numpy as np

from hashlearn._numerics.ids import NOT_FOUND, Ids, as_ids
from hashlearn._numerics.words import as_words, from_words
from hashlearn.search import _distance_scan, _scan
from hashlearn.search._file import IndexContent, read_index, write_index
from hashlearn.search._layouts import LAYOUTS, Layout, LayoutChoice, arrange
from hashlearn.search._scan import Hits
from hashlearn.search.distances import Distance


class Contents:
    """Codes in the order of insertion, in parts of shape (n_words, n_part), with their ids."""

    def __init__(
        self, n_bits: int, choice: LayoutChoice, parts: tuple[np.ndarray, ...], ids: Ids
    ) -> None:
        self.n_bits, self.choice = n_bits, choice
        self.ids = ids
        self._parts = parts

    @classmethod
    def empty(cls, n_bits: int, choice: LayoutChoice) -> Self:
        """Return contents without items."""
        return cls(n_bits, choice, (np.empty((-(-n_bits // 64), 0), dtype=np.uint64),), Ids())

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, mmap: bool, verify: bool) -> Self:
        """Return the contents that a file holds."""
        file = read_index(path, mmap=mmap, verify=verify)
        # "auto" never chooses a multi-index, so that choice is kept when codes are added.
        choice: LayoutChoice = "multi-index" if file.layout == "multi-index" else "auto"
        ids = Ids.of_file(file.words.shape[1], file.ids, file.next_id)
        contents = cls(file.n_bits, choice, (file.words,), ids)
        contents.layout = LAYOUTS[file.layout].restored(file.words, file.n_bits, file.arranged)
        return contents

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the contents to a file."""
        ids, layout = self.ids, self.layout
        content = IndexContent(
            self.n_bits, ids.next_id, layout.name, self.words, ids.stored, layout.stored()
        )
        write_index(path, content)

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def words(self) -> np.ndarray:
        """The codes, (n_words, n); many small parts are joined once, when they are read."""
        return self._parts[0] if len(self._parts) == 1 else np.concatenate(self._parts, axis=1)

    @cached_property
    def layout(self) -> Layout:
        """The codes arranged for search, at the first one."""
        return arrange(self.words, self.choice, n_bits=self.n_bits)

    def appended(self, packed: np.ndarray, ids: Any) -> Contents:
        """Return contents with more items."""
        words = np.array(as_words(packed).T, order="C")  # a copy, also of one word
        parts = (self.words,) if "words" in self.__dict__ else self._parts
        new_ids = self.ids.appended(len(packed), ids)
        return Contents(self.n_bits, self.choice, (*parts, words), new_ids)

    def without(self, ids: Any) -> Contents:
        """Return contents with fewer items."""
        kept = np.ones(len(self), dtype=bool)
        kept[self.positions(ids)] = False
        positions = np.flatnonzero(kept)
        words = np.ascontiguousarray(self.words[:, positions])
        return Contents(self.n_bits, self.choice, (words,), self.ids.kept(positions))

    def positions(self, ids: Any) -> np.ndarray:
        """Return the positions of items; raise for ids that are not in the index."""
        ids = as_ids(ids)
        positions = self.ids.find(ids)
        unknown = ids[positions == NOT_FOUND]
        if unknown.size:
            raise ValueError(f"ids holds {unknown[0]}, which is not in the index.")
        return positions

    def packed(self, positions: Any) -> np.ndarray:
        """Return the packed codes at positions."""
        return from_words(self.words[:, positions], self.n_bits)

    def nearest(
        self, packed: np.ndarray, k: int, among: Any = None, distance: Distance | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return distances and positions, -1 where too few items are allowed."""
        if among is not None:
            return self._nearest_among(packed, k, _allowed_positions(among, self.ids), distance)
        if k == 0:
            empty = np.empty((len(packed), 0), dtype=np.int64)
            return empty if distance is None else empty.astype(np.float64), empty
        if distance is None:
            return self.layout.nearest(as_words(packed), k)
        return _distance_scan.nearest(distance, packed, self.words, k, self.n_bits)

    def within(self, packed: np.ndarray, radius: float, distance: Distance | None) -> Hits:
        """Return all items within a radius."""
        if distance is None:
            return self.layout.within(as_words(packed), int(radius))
        return _distance_scan.within(distance, packed, self.words, float(radius), self.n_bits)

    def _nearest_among(
        self, packed: np.ndarray, k: int, allowed: np.ndarray, distance: Distance | None
    ) -> tuple[np.ndarray, np.ndarray]:
        distances = np.full((len(packed), k), self.n_bits + 1 if distance is None else np.inf)
        positions = np.full((len(packed), k), NOT_FOUND)
        n_found = min(k, allowed.size)
        if n_found:
            words = np.ascontiguousarray(self.words[:, allowed])
            if distance is None:
                found = _scan.nearest(as_words(packed), words, n_found)
            else:
                found = _distance_scan.nearest(distance, packed, words, n_found, self.n_bits)
            distances[:, :n_found], positions[:, :n_found] = found[0], allowed[found[1]]
        return distances, positions


def _allowed_positions(among: Any, ids: Ids) -> np.ndarray:
    """Return the increasing positions that ids, unknown ones ignored, or a mask allow."""
    mask = np.asarray(among)
    if mask.dtype != bool:
        positions = ids.find(as_ids(among, "among"))
        return np.unique(positions[positions != NOT_FOUND])
    if mask.shape != (len(ids),):
        raise ValueError(
            f"among must be a mask of shape ({len(ids)},), one entry per item; got shape "
            f"{mask.shape}."
        )
    return np.flatnonzero(mask)
