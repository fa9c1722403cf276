"""Compute the cells that are not there yet, and keep each as soon as it is finished."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from hashlearn.experiments.cells import Cell
from hashlearn.experiments.computing import choose, compute, warm_up
from hashlearn.experiments.protocol import Split, draw_split
from hashlearn.experiments.sets import ExperimentSet
from hashlearn.experiments.store import CellStore


class Runner:
    """Computes cells, and remembers what neighbouring cells share.

    Parameters
    ----------
    sets : dict of str to ExperimentSet
        The data, by name.
    store : CellStore
        Where finished cells are, and go.
    n_jobs : int or None
        Threads of a fit.
    """

    def __init__(
        self, sets: Mapping[str, ExperimentSet], store: CellStore, n_jobs: int | None = None
    ) -> None:
        self.sets, self.store, self.n_jobs = sets, store, n_jobs
        self._split = lru_cache(maxsize=1)(self._draw)  # one at a time: relevance may be large
        self._warm: set[tuple[str, str | None]] = set()

    def finished(self, cell: Cell) -> dict[str, Any] | None:
        """Return the record of a cell, if it has been computed."""
        record = self.store.get(cell.key(self.sets[cell.dataset]))
        if record is None or "cell" not in record:
            return None
        record["cell"]["dataset"] = cell.dataset  # the same data may have had another name
        return record

    def compute(self, cell: Cell) -> None:
        """Compute a cell, and keep its record."""
        self.store.put(cell.key(self.sets[cell.dataset]), self._record(cell))

    def _record(self, cell: Cell) -> dict[str, Any]:
        data, split = self.sets[cell.dataset], self._split(*cell.split_name, cell.sizes)
        selection = self._select(cell, split) if cell.hash_function else None
        if (cell.method, cell.hash_function) not in self._warm:
            warm_up(cell, data, split, selection)
            self._warm.add((cell.method, cell.hash_function))
        return compute(cell, data, split, selection, self.n_jobs)

    def _select(self, cell: Cell, split: Split) -> dict[str, float]:
        """Return the parameters of a cell's hash function, chosen once for all that share it."""
        data = self.sets[cell.dataset]
        key = cell.selection_key(data)
        known = self.store.get(key)
        if known is None or "chosen" not in known:
            known = {"key": key, "chosen": choose(cell, data, split, self.n_jobs)}
            self.store.put(key, known)
        return known["chosen"]

    def _draw(self, dataset: str, protocol: str, seed: int, sizes: Any) -> Split:
        return draw_split(self.sets[dataset], protocol, sizes, seed)
