"""The contents of an index at one moment: codes, their ids, and their layout.

A change makes new contents, so that a search works on what was there when it began, and an
interrupted change leaves everything as it was.

Codes stand in the order in which results list equal distances, so that every layout breaks ties by
the *place* of a code. An item's *position* is that of its insertion; `Placed` leads from one to
the other.
"""

from __future__ import annotations

import os
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np

from hashlearn._numerics.ids import NOT_FOUND, Ids, as_ids, tie_keys
from hashlearn._numerics.tie_order import tie_order
from hashlearn._numerics.words import as_words, from_words
from hashlearn.files import IndexFileError
from hashlearn.search._file import IndexContent, position_dtype, read_index, write_index
from hashlearn.search._layouts import LAYOUTS, Layout, LayoutChoice, arrange
from hashlearn.search._levels import Levels, complete_levels, compute_levels
from hashlearn.search._queries import Queries
from hashlearn.search.code_terms import CodeTerms
from hashlearn.search.results import TieOrder


class Placed(NamedTuple):
    """Codes in the order of ties."""

    words: np.ndarray  # (n_words, n)
    positions: np.ndarray | None  # of the items in the order of insertion; None if it is the same


class Contents:
    """Codes in the order of ties, and those added since they were last read, with their ids."""

    def __init__(
        self,
        n_bits: int,
        choice: LayoutChoice,
        placed: Placed,
        ids: Ids,
        model: str | None = None,
        added: tuple[np.ndarray, ...] = (),
        known: Levels | None = None,
    ) -> None:
        self.n_bits, self.choice = n_bits, choice
        self.ids, self.model = ids, model
        self._levels: Levels | None = None  # of the codes that a scan reads
        self._known = known  # of the first items by position, from earlier contents
        self._codes = placed, added  # one attribute: a reader on another thread sees both or none

    @classmethod
    def empty(cls, n_bits: int, choice: LayoutChoice, ties: TieOrder) -> Self:
        """Return contents without items."""
        words = np.empty((-(-n_bits // 64), 0), dtype=np.uint64)
        positions = None if ties == "insertion" else np.empty(0, dtype=position_dtype(0))
        return cls(n_bits, choice, Placed(words, positions), Ids())

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, mmap: bool, verify: bool) -> Self:
        """Return the contents that a file holds."""
        file = read_index(path, mmap=mmap, verify=verify)
        # "auto" never chooses a multi-index, so that choice is kept when codes are added.
        choice: LayoutChoice = "multi-index" if file.layout == "multi-index" else "auto"
        ids = Ids.of_file(file.words.shape[1], file.ids, file.next_id)
        contents = cls(file.n_bits, choice, Placed(file.words, file.positions), ids, file.model)
        contents.layout = LAYOUTS[file.layout].restored(file.words, file.n_bits, file.arranged)
        if file.terms is not None and file.levels is not None:
            contents._levels = Levels(file.terms, file.levels)
        return contents

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the contents to a file."""
        ids, layout, levels = self.ids, self.layout, self._levels
        content = IndexContent(
            self.n_bits,
            ids.next_id,
            layout.name,
            *self.placed,
            ids=ids.stored,
            arranged=layout.stored(),
            model=self.model,
            terms=None if levels is None else levels.digest,
            levels=None if levels is None else levels.values,
        )
        write_index(path, content)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def ties(self) -> TieOrder:
        """The order of items at equal distance."""
        return "insertion" if self._codes[0].positions is None else "neutral"

    @property
    def placed(self) -> Placed:
        """All codes in the order of ties; those added get their places when they are read."""
        placed, added = self._codes
        if added:
            placed = _joined(placed, added, self.ids)
            self._codes = placed, ()
        return placed

    @property
    def words(self) -> np.ndarray:
        """The codes by place, (n_words, n)."""
        return self.placed.words

    @cached_property
    def layout(self) -> Layout:
        """The codes arranged for search, at the first one."""
        return arrange(self.words, self.choice, n_bits=self.n_bits)

    def appended(self, packed: np.ndarray, ids: Any, model: str | None) -> Contents:
        """Return contents with more items; `model` is that of all codes."""
        words = np.array(as_words(packed).T, order="C")  # a copy, also of one word
        placed, added = self._codes
        new_ids = self.ids.appended(len(packed), ids)
        known = self._item_levels()
        return Contents(self.n_bits, self.choice, placed, new_ids, model, (*added, words), known)

    def without(self, ids: Any) -> Contents:
        """Return contents with fewer items."""
        kept = np.ones(len(self), dtype=bool)
        kept[self.find(ids)] = False
        words, positions = self.placed
        if positions is None:
            placed = Placed(np.ascontiguousarray(words[:, kept]), None)
        else:
            is_kept = kept[self._checked(positions)]
            renumbered = np.cumsum(kept, dtype=positions.dtype) - positions.dtype.type(1)
            placed = Placed(np.ascontiguousarray(words[:, is_kept]), renumbered[positions[is_kept]])
        kept_ids = self.ids.kept(np.flatnonzero(kept))
        known = self._item_levels()
        if known is not None:
            known = Levels(known.digest, known.values[kept[: known.values.size]])
        return Contents(self.n_bits, self.choice, placed, kept_ids, self.model, known=known)

    def find(self, ids: Any) -> np.ndarray:
        """Return the positions of items; raise for ids that are not in the index."""
        ids = as_ids(ids)
        positions = self.ids.find(ids)
        unknown = ids[positions == NOT_FOUND].tolist()
        if unknown:
            raise ValueError(f"ids holds {unknown[0]!r}, which is not in the index.")
        return positions

    def places(self, positions: np.ndarray) -> np.ndarray:
        """Return the places of the codes at positions."""
        return positions if self.placed.positions is None else self._places[positions]

    def packed_at(self, places: np.ndarray) -> np.ndarray:
        """Return the packed codes at places."""
        return from_words(self.words[:, places], self.n_bits)

    def ids_at(self, places: np.ndarray) -> np.ndarray:
        """Return the ids of the codes at places; for -1 it is -1, or None among texts."""
        positions = self.placed.positions
        if positions is None or not positions.size:
            return self.ids.at(places)
        found = self._checked(positions[places]).astype(np.int64)
        found[places == NOT_FOUND] = NOT_FOUND
        return self.ids.at(found)

    def words_at(self, places: np.ndarray) -> np.ndarray:
        """Return the codes at places, (n_words, n_places)."""
        return np.ascontiguousarray(self.words[:, places])

    def levels(self, terms: CodeTerms | None) -> np.ndarray | None:
        """Return the levels of the codes that a scan reads."""
        if terms is None:
            return None
        own, known, layout = self._levels, self._known, self.layout
        if own is None or own.digest != terms.digest:
            if known is None or known.digest != terms.digest:
                values = compute_levels(terms, layout.scanned, self.n_bits)
            else:
                places, positions = layout.scanned_places, self.placed.positions
                at = places if positions is None else self._checked(positions[places])
                values = complete_levels(terms, layout.scanned, self.n_bits, known.values, at)
            self._levels = own = Levels(terms.digest, values)
            self._known = None
        return own.values

    def _item_levels(self) -> Levels | None:
        """Return levels of the first items by position, if some are known."""
        own = self._levels
        if own is None:
            return self._known
        of_items = Levels(own.digest, self.layout.levels_of_items(own.values))
        positions = self.placed.positions
        return of_items.by_position(None if positions is None else self._checked(positions))

    def levels_at(self, places: np.ndarray, terms: CodeTerms | None) -> np.ndarray | None:
        """Return the levels of the codes at places."""
        levels = self.levels(terms)
        return None if levels is None else self.layout.levels_of_items(levels)[places]

    def nearest(self, queries: Queries, k: int, among: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Return distances and places, -1 where too few items are allowed."""
        if among is not None:
            return self._nearest_among(queries, k, self._allowed_places(among))
        if k == 0:
            shape = len(queries), 0
            return np.empty(shape, dtype=queries.dtype), np.empty(shape, dtype=np.int64)
        return queries.nearest(self, k)

    def _nearest_among(
        self, queries: Queries, k: int, allowed: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        distances = np.full((len(queries), k), queries.missing, dtype=queries.dtype)
        places = np.full((len(queries), k), NOT_FOUND)
        n_found = min(k, allowed.size)
        if n_found:
            found, ranks = queries.nearest_among(self, allowed, n_found)
            distances[:, :n_found], places[:, :n_found] = found, allowed[ranks]
        return distances, places

    def _allowed_places(self, among: Any) -> np.ndarray:
        """Return the increasing places that ids, unknown ones ignored, or a mask allow."""
        mask, n = np.asarray(among), len(self)
        if mask.dtype != bool:
            known = self.ids.find(as_ids(among, "among"), "among")
            return np.unique(self.places(known[known != NOT_FOUND])).astype(np.int64)
        if mask.shape != (n,):
            raise ValueError(
                f"among must be a mask of shape ({n},), one entry per item; got shape {mask.shape}."
            )
        positions = self.placed.positions
        return np.flatnonzero(mask if positions is None else mask[self._checked(positions)])

    @cached_property
    def _places(self) -> np.ndarray:
        """The place of each item by its position."""
        positions = self.placed.positions
        assert positions is not None
        places = np.zeros_like(positions)
        places[self._checked(positions)] = np.arange(positions.size, dtype=positions.dtype)
        return places

    def _checked(self, positions: np.ndarray) -> np.ndarray:
        """Return positions that a file holds, if they can be those of its items."""
        if positions.size and positions.max() >= len(self):
            raise IndexFileError(
                "the index comes from a damaged file: its positions do not fit its items. "
                "HammingIndex.load(..., verify=True) detects that before a search."
            )
        return positions


def _joined(placed: Placed, added: tuple[np.ndarray, ...], ids: Ids) -> Placed:
    """Return codes and further ones, in the order of ties."""
    parts = (placed.words, *added) if placed.words.size else added
    words = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
    if placed.positions is None:
        return Placed(words, None)
    before, n = placed.positions, words.shape[1]
    positions = np.arange(n, dtype=position_dtype(n))
    positions[: before.size] = before
    # Equal keys stay in the order of insertion: those so far come first.
    order = tie_order(tie_keys(ids.at(positions.astype(np.int64))))
    return Placed(np.take(words, order, axis=1), positions[order])
