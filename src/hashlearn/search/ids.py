"""The ids of an index: any int64 of the user's choosing, each once, in insertion order."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

import numpy as np

NOT_FOUND = -1
MAX_ID = np.iinfo(np.int64).max


class Ids:
    """Ids by position, and positions by id.

    While no ids are given they are the positions themselves, and nothing is stored.

    Parameters
    ----------
    n : int, default=0
        Number of items.
    values : ndarray of shape (n,), int64, optional
        Their ids; 0 to n - 1 unless given.
    next_id : int, optional
        The id that :meth:`append` gives next; one more than the largest unless given.

    Examples
    --------
    >>> ids = Ids()
    >>> ids.append(2)
    >>> ids.append(2, [70, 30])
    >>> ids.append(1)
    >>> ids.values()
    array([ 0,  1, 70, 30, 71])
    >>> ids.find(np.array([30, 5]))
    array([ 3, -1])
    """

    def __init__(
        self, n: int = 0, values: np.ndarray | None = None, next_id: int | None = None
    ) -> None:
        self._n = n
        self._parts = None if values is None else [values]
        self._lookup = Lookup([] if values is None else [values])
        self.next_id = _after_largest(n, values) if next_id is None else next_id

    def __len__(self) -> int:
        return self._n

    @property
    def stored(self) -> np.ndarray | None:
        """The ids, or None if they are the positions."""
        if self._parts is None:
            return None
        if len(self._parts) > 1:  # many small parts are joined once, when they are read
            self._parts = [np.concatenate(self._parts)]
        return self._parts[0]

    def values(self) -> np.ndarray:
        """Return all ids by position."""
        stored = self.stored
        return np.arange(self._n) if stored is None else stored

    def at(self, positions: np.ndarray) -> np.ndarray:
        """Return the ids at some positions."""
        stored = self.stored
        return positions if stored is None else stored[positions]

    def append(self, n: int, ids: Any = None) -> None:
        """Add ids for n items, one after the largest so far unless given."""
        new = self.check_new(n, ids)
        if new is not None:
            if self._parts is None:
                self._parts = [np.arange(self._n)]
                self._lookup.append(self._parts[0])
            self._parts.append(new)
            self._lookup.append(new)
        self._n += n
        self.next_id = max(self.next_id, _after_largest(self._n, new))

    def find(self, ids: np.ndarray) -> np.ndarray:
        """Return the positions of some ids; -1 where there is no such id."""
        if self._parts is None:
            return np.where((ids >= 0) & (ids < self._n), ids, NOT_FOUND)
        return self._lookup.find(ids)

    def keep(self, positions: np.ndarray) -> Ids:
        """Return the ids at some increasing positions; new ones still follow the largest."""
        return Ids(positions.size, self.values()[positions], self.next_id)

    def check_new(self, n: int, ids: Any = None) -> np.ndarray | None:
        """Return the ids of n new items, checked; None if they are their positions."""
        if ids is not None:
            return self._check_given(n, as_ids(ids))
        if n == 0 or (self._parts is None and self.next_id == self._n):
            return None
        if self.next_id + n - 1 > MAX_ID:
            raise ValueError(f"ids can be numbered up to {MAX_ID} only: give ids.")
        return np.arange(self.next_id, self.next_id + n, dtype=np.int64)

    def _check_given(self, n: int, new: np.ndarray) -> np.ndarray:
        if new.size != n:
            raise ValueError(f"ids has {new.size} entries: with {n} codes it takes {n}.")
        in_order = np.sort(new)
        if (in_order == NOT_FOUND).any():
            raise ValueError(f"ids holds {NOT_FOUND}, which stands for no item in results.")
        twice = in_order[1:][in_order[1:] == in_order[:-1]]
        if twice.size:
            raise ValueError(f"ids holds {twice[0]} twice: each id takes one item.")
        if n and in_order[0] < self.next_id:  # larger ones cannot be there yet
            taken = in_order[self.find(in_order) != NOT_FOUND]
            if taken.size:
                raise ValueError(f"ids holds {taken[0]}, which is in the index: remove it first.")
        return new


class Lookup:
    """Positions of ids, in sorted runs that grow by merging equals.

    What was appended since the last search becomes a new run; it is merged with the run before
    while that is not twice as long. So n ids in any number of parts cost O(n log^2 n), and none
    that are never looked up cost anything.
    """

    def __init__(self, parts: list[np.ndarray]) -> None:
        self._new = parts
        self._runs: list[tuple[np.ndarray, np.ndarray]] = []  # sorted ids, their positions
        self._n = 0  # ids in runs

    def append(self, ids: np.ndarray) -> None:
        """Add the ids of the following positions."""
        self._new.append(ids)

    def find(self, ids: np.ndarray) -> np.ndarray:
        """Return the positions of some ids; -1 where there is no such id."""
        self._add_run()
        positions = np.full(ids.shape, NOT_FOUND, dtype=np.int64)
        for run, run_positions in self._runs:
            places = np.minimum(np.searchsorted(run, ids), run.size - 1)
            here = run[places] == ids
            positions[here] = run_positions[places[here]]
        return positions

    def _add_run(self) -> None:
        run = np.concatenate([np.empty(0, dtype=np.int64), *self._new])
        self._new = []
        positions = np.arange(self._n, self._n + run.size)
        self._n += run.size
        while self._runs and self._runs[-1][0].size < 2 * run.size:
            before, before_positions = self._runs.pop()
            run = np.concatenate([before, run])
            positions = np.concatenate([before_positions, positions])
        if run.size:
            order = np.argsort(run, kind="stable")  # fast on what is sorted in parts already
            self._runs.append((run[order], positions[order]))


def _after_largest(n: int, values: np.ndarray | None) -> int:
    """Return the id after the largest of n, which are their positions unless given."""
    return n if values is None else int(values.max(initial=NOT_FOUND)) + 1


def as_ids(ids: Any, name: str = "ids") -> np.ndarray:
    """Return ids given as integers of any kind, or as a set of them, as a 1-D int64 array."""
    values = np.asarray(list(ids) if isinstance(ids, Set) else ids)
    if values.size == 0 and values.ndim <= 1:
        return np.empty(0, dtype=np.int64)
    if values.ndim != 1 or values.dtype.kind not in "iu":
        raise ValueError(
            f"{name} has shape {values.shape} and dtype {values.dtype}: it takes 1-D integers."
        )
    if values.dtype == np.uint64 and values.max() > MAX_ID:
        raise ValueError(f"{name} holds {values.max()}: an id is at most {MAX_ID}.")
    return values.astype(np.int64)
