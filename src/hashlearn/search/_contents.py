"""What an index holds at one moment: codes, their ids, and how they are arranged.

A change makes new contents, so that a search works on what was there when it began, and an
interrupted change leaves all as it was.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from hashlearn._numerics.ids import NOT_FOUND, Ids, as_ids
from hashlearn._numerics.words import as_words, from_words
from hashlearn.search._layouts import Layout, LayoutChoice, arrange


class Contents:
    """Codes with their ids.

    Parameters
    ----------
    n_bits : int
        Bits per code.
    choice : {"auto", "plain", "bucketed", "multi-index"}
        How they are to be arranged.
    parts : tuple of ndarray of shape (n_words, n_part), uint64
        The codes in the order of insertion.
    ids : Ids
        As many as codes.
    """

    def __init__(
        self, n_bits: int, choice: LayoutChoice, parts: tuple[np.ndarray, ...], ids: Ids
    ) -> None:
        self.n_bits, self.choice = n_bits, choice
        self.ids = ids
        self._parts = parts

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def words(self) -> np.ndarray:
        """The codes, (n_words, n); many small parts are joined once, when they are read."""
        return self._parts[0] if len(self._parts) == 1 else np.concatenate(self._parts, axis=1)

    @cached_property
    def layout(self) -> Layout:
        """The codes arranged for search, which happens at the first one."""
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
        """Return where items stand; raise for ids that are not there."""
        ids = as_ids(ids)
        positions = self.ids.find(ids)
        unknown = ids[positions == NOT_FOUND]
        if unknown.size:
            raise ValueError(f"ids holds {unknown[0]}, which is not in the index.")
        return positions

    def packed(self, positions: Any) -> np.ndarray:
        """Return the packed codes at positions."""
        return from_words(self.words[:, positions], self.n_bits)
