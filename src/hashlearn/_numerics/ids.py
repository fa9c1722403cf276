"""Ids of items: unique int64 other than -1, or unique texts, in the order of insertion.

Objects do not change: a reader sees the same ids while others are added. Results that are computed
later (joined arrays, sorted runs) are cached, and the same for every reader.
"""

from __future__ import annotations

import hashlib
from collections.abc import Set
from functools import cached_property
from itertools import pairwise
from numbers import Integral
from pathlib import PurePath
from typing import Any
from uuid import UUID

import numpy as np

from hashlearn._numerics.texts import Texts

NOT_FOUND = -1
MAX_ID = np.iinfo(np.int64).max
EMPTY = np.empty(0, dtype=np.int64)


class Lookup:
    """Positions of ids, in sorted runs that are merged when they are of similar length.

    A new run is merged with the previous one while that is not twice as long. So n ids in any
    number of parts cost O(n log^2 n).
    """

    def __init__(self, runs: tuple[tuple[np.ndarray, np.ndarray], ...] = (), n: int = 0) -> None:
        self._runs = runs  # sorted ids, their positions
        self._n = n

    def extended(self, ids: np.ndarray) -> Lookup:
        """Return a lookup with the ids of the positions that follow."""
        run, positions = ids, np.arange(self._n, self._n + ids.size)
        runs = list(self._runs)
        while runs and runs[-1][0].size < 2 * run.size:
            before, before_positions = runs.pop()
            run = np.concatenate([before, run])
            positions = np.concatenate([before_positions, positions])
        if run.size:
            order = np.argsort(run, kind="stable")  # fast on what is sorted in parts already
            runs.append((run[order], positions[order]))
        return Lookup(tuple(runs), self._n + ids.size)

    def find(self, ids: np.ndarray) -> np.ndarray:
        """Return the positions of some ids; -1 for unknown ids."""
        positions = np.full(ids.shape, NOT_FOUND, dtype=np.int64)
        for run, run_positions in self._runs:
            places = np.minimum(np.searchsorted(run, ids), run.size - 1)
            here = run[places] == ids
            positions[here] = run_positions[places[here]]
        return positions


class TextLookup:
    """Positions of texts, in dictionaries that are merged as the runs of a `Lookup` are."""

    def __init__(self, runs: tuple[dict[str, int], ...] = (), n: int = 0) -> None:
        self._runs = runs
        self._n = n

    def extended(self, ids: np.ndarray) -> TextLookup:
        """Return a lookup with the ids of the positions that follow."""
        run = {id_: self._n + i for i, id_ in enumerate(ids.tolist())}
        runs = list(self._runs)
        while runs and len(runs[-1]) < 2 * len(run):
            run = {**runs.pop(), **run}
        return TextLookup((*runs, run), self._n + ids.size)

    def find(self, ids: np.ndarray) -> np.ndarray:
        """Return the positions of some ids; -1 for unknown ids."""
        positions = np.full(ids.shape, NOT_FOUND, dtype=np.int64)
        for run in self._runs:
            found = (run.get(id_, NOT_FOUND) for id_ in ids.tolist())
            np.maximum(positions, np.fromiter(found, np.int64, ids.size), out=positions)
        return positions


class Ids:
    """Ids by position, and positions by id.

    `parts` are the ids in the order of position; None while they are the positions themselves, and
    then nothing is stored. The last of them, `new`, are not in the lookup `known` yet. The first
    ids decide whether all are integers or texts.
    """

    def __init__(
        self,
        n: int = 0,
        parts: tuple[Any, ...] | None = None,
        next_id: int = 0,
        known: Lookup | TextLookup | None = None,
        new: tuple[Any, ...] = (),
    ) -> None:
        self._n, self._parts, self.next_id = n, parts, next_id
        self._known, self._new = known, new

    @classmethod
    def of_file(cls, n: int, values: np.ndarray | Texts | None, next_id: int) -> Ids:
        """Return the ids of a file, which are read when they are needed."""
        parts = None if values is None else (values,)
        return cls(n, parts, next_id, new=parts or ())

    def __len__(self) -> int:
        return self._n

    @property
    def are_text(self) -> bool:
        """Whether the ids are texts."""
        return bool(self._n and self._parts and self._parts[0].dtype == object)

    @cached_property
    def stored(self) -> Any:
        """The ids, or None if they are the positions."""
        if self._parts is None:
            return None
        return self._parts[0] if len(self._parts) == 1 else np.concatenate(self._parts)

    @property
    def values(self) -> np.ndarray:
        """All ids by position."""
        return np.arange(self._n) if self.stored is None else np.asarray(self.stored)

    def at(self, positions: np.ndarray) -> np.ndarray:
        """Return the ids at some positions; for -1 it is -1, or None among texts."""
        if self.stored is None:
            return positions
        if self._n == 0:
            return np.full(positions.shape, NOT_FOUND, dtype=np.int64)
        found = np.asarray(self.stored[positions])
        found[positions == NOT_FOUND] = None if self.are_text else NOT_FOUND
        return found

    def find(self, ids: np.ndarray, name: str = "ids") -> np.ndarray:
        """Return the positions of some ids; -1 for unknown ids."""
        self._check_kind(ids, name)
        if self._n == 0:
            return np.full(ids.shape, NOT_FOUND, dtype=np.int64)
        if self._parts is None:
            return np.where((ids >= 0) & (ids < self._n), ids, NOT_FOUND)
        return self._lookup.find(ids)

    def appended(self, n: int, ids: Any = None) -> Ids:
        """Return ids with n more, one after the largest so far unless given."""
        new = self._numbered(n) if ids is None else self._checked(n, as_ids(ids))
        if new is None and self._parts is None:
            return Ids(self._n + n, None, max(self.next_id, self._n + n))
        if new is None:
            return self
        parts, known, fresh = self._parts, self._known, self._new
        if self._n == 0:
            parts, known, fresh = (), None, ()
        elif parts is None:
            parts = fresh = (np.arange(self._n),)
        # What was joined or sorted already is not joined and sorted again.
        if self._n and self.__dict__.get("stored") is not None:
            parts = (self.stored,)
        if self._n and "_lookup" in self.__dict__:
            known, fresh = self._lookup, ()
        next_id = self.next_id
        if new.dtype != object:
            next_id = max(next_id, int(new.max(initial=NOT_FOUND)) + 1)
        return Ids(self._n + n, (*parts, new), next_id, known, (*fresh, new))

    def kept(self, positions: np.ndarray) -> Ids:
        """Return the ids at some increasing positions; new ones still follow the largest."""
        values = self.values[positions]
        return Ids(positions.size, (values,), self.next_id, new=(values,))

    @cached_property
    def _lookup(self) -> Lookup | TextLookup:
        known = self._known or (TextLookup() if self.are_text else Lookup())
        return known.extended(np.concatenate([EMPTY, *self._new]))

    def _check_kind(self, ids: np.ndarray, name: str = "ids") -> None:
        """Raise if ids are integers where those so far are texts, or the other way round."""
        if self._n and ids.size and (ids.dtype == object) != self.are_text:
            kind = "text" if self.are_text else "integers"
            raise ValueError(f"{name} must be {kind}, as those in the index; got {ids[0]!r}.")

    def _numbered(self, n: int) -> np.ndarray | None:
        """Return the next n ids; None if they are their positions, or none at all."""
        if n == 0 or (self._parts is None and self.next_id == self._n):
            return None
        if self.are_text:
            raise ValueError("ids must be given: those in the index are text.")
        if self.next_id + n - 1 > MAX_ID:
            raise ValueError(f"ids can be numbered up to {MAX_ID} only; pass ids.")
        return np.arange(self.next_id, self.next_id + n, dtype=np.int64)

    def _checked(self, n: int, new: np.ndarray) -> np.ndarray:
        """Return n given ids if each of them is new."""
        if new.size != n:
            raise ValueError(f"ids must have {n} entries, one per code; got {new.size}.")
        self._check_kind(new)
        if new.dtype == object:
            return self._checked_texts(new)
        in_order = np.sort(new)
        if (in_order == NOT_FOUND).any():
            raise ValueError(f"ids holds {NOT_FOUND}, which means no item in results.")
        twice = in_order[1:][in_order[1:] == in_order[:-1]]
        if twice.size:
            raise ValueError(f"ids holds {twice[0]} twice; ids must be unique.")
        if n and in_order[0] < self.next_id:  # larger ones cannot be there yet
            taken = in_order[self.find(in_order) != NOT_FOUND]
            if taken.size:
                raise ValueError(f"ids holds {taken[0]}, which is in the index: remove it first.")
        return new

    def _checked_texts(self, new: np.ndarray) -> np.ndarray:
        """Return texts if each of them is new."""
        in_order = sorted(new.tolist())
        for before, after in pairwise(in_order):
            if before == after:
                raise ValueError(f"ids holds {after!r} twice; ids must be unique.")
        taken = new[self.find(new) != NOT_FOUND]
        if taken.size:
            raise ValueError(f"ids holds {taken[0]!r}, which is in the index: remove it first.")
        return new


def tie_keys(ids: np.ndarray) -> np.ndarray:
    """Return int64 keys that order items at equal distance, whatever the order of their ids.

    An id of any kind has one key everywhere, so that an index, a store and a metric agree: an
    integer's bits are mixed one to one (the finaliser of splitmix64), a text is digested.
    """
    if ids.dtype.kind not in "iu":
        digests = (hashlib.blake2b(str(id_).encode(), digest_size=8).digest() for id_ in ids)
        return np.frombuffer(b"".join(digests), dtype="<i8").astype(np.int64)
    keys = ids.astype(np.int64).view(np.uint64)
    keys += np.uint64(0x9E3779B97F4A7C15)
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (keys ^ (keys >> np.uint64(31))).view(np.int64)


def as_ids(ids: Any, name: str = "ids") -> np.ndarray:
    """Return ids, or a set of them, as a 1-D array: int64, or objects that are text.

    UUIDs and paths become text.
    """
    given = list(ids) if isinstance(ids, Set) else ids
    values = np.asarray(given)
    if values.size == 0 and values.ndim <= 1:
        return EMPTY
    if values.ndim == 1 and values.dtype.kind in "UTO":
        # NumPy would turn the integers of a list that also has texts into texts.
        return _as_texts(given if isinstance(given, list | tuple) else values.tolist(), name)
    if values.ndim != 1 or values.dtype.kind not in "iu":
        raise ValueError(
            f"{name} must be 1-D integers or text; got shape {values.shape} and dtype "
            f"{values.dtype}."
        )
    if values.dtype == np.uint64 and values.max() > MAX_ID:
        raise ValueError(f"{name} must be at most {MAX_ID}; got {values.max()}.")
    return values.astype(np.int64)


def _as_texts(values: Any, name: str) -> np.ndarray:
    """Return texts, UUIDs or paths as objects of text."""
    others = [value for value in values if not isinstance(value, str | UUID | PurePath)]
    if others:  # name what cannot be an id, rather than an integer beside it
        wrong = next((value for value in others if not isinstance(value, Integral)), others[0])
        raise ValueError(f"{name} must be 1-D integers or text, all of one kind; got {wrong!r}.")
    texts = np.empty(len(values), dtype=object)
    texts[:] = list(map(str, values))
    try:
        "".join(texts).encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{name} holds text that is not Unicode: {error}.") from None
    return texts
