"""Passes over all rows, shard by shard: on threads, or on a joblib backend of other machines."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from joblib.parallel import get_active_backend

from hashlearn._numerics.arrays import aligned
from hashlearn._numerics.blas import one_blas_thread
from hashlearn._numerics.row_blocks import RowBlocks
from hashlearn._numerics.threads import map_blocks, n_threads

_LOCAL_BACKENDS = "joblib._parallel_backends"  # threads and processes of this machine
_AT_ONCE = 8  # large results in memory at a time, or one per worker if there are more

Arguments = Callable[[slice], tuple[Any, ...]]


class Shards:
    """The shards of some rows, made once for many passes.

    Inside ``joblib.parallel_config("dask")``, or another backend that reaches beyond this machine,
    passes run there; a backend with a Dask client keeps the shards on its workers. The results are
    the same everywhere: so are the shards, the blocks in them and the order of sums, and every
    product runs on one thread.
    """

    def __init__(self, rows: RowBlocks) -> None:
        self.rows = rows
        self.shards: list[Any] = rows.shards()
        ends = np.cumsum([0, *(shard.shape[0] for shard in self.shards)]).tolist()
        self.where = [slice(a, b) for a, b in itertools.pairwise(ends)]
        backend: Any = _remote_backend() if len(self.shards) > 1 else None
        self.runs_remotely = backend is not None
        n_workers = backend.effective_n_jobs(-1) if self.runs_remotely else n_threads()
        self.at_once = max(_AT_ONCE, n_workers)
        if hasattr(backend, "client"):  # Dask: send shards once, not once per pass
            self.shards = [backend.client.scatter(shard, hash=False) for shard in self.shards]

    def map(self, work: Callable[..., Any], arguments: Arguments) -> list[Any]:
        """Return ``work(shard, *arguments(where))`` for every shard; `where` are its rows."""
        return self._map(work, arguments, range(len(self.shards)))

    def sum(self, work: Callable[..., np.ndarray], arguments: Arguments) -> np.ndarray:
        """Return the sum of large results, with few of them in memory at a time."""
        return reduce(operator.add, self.in_turn(work, arguments))

    def in_turn(self, work: Callable[..., Any], arguments: Arguments) -> Iterator[Any]:
        """Yield what `map` returns, with few results in memory at a time."""
        for start in range(0, len(self.shards), self.at_once):
            stop = min(start + self.at_once, len(self.shards))
            yield from self._map(work, arguments, range(start, stop))

    def _map(self, work: Callable[..., Any], arguments: Arguments, which: range) -> list[Any]:
        if self.runs_remotely:
            return list(
                Parallel()(
                    delayed(_on_one_thread)(work, self.shards[i], *arguments(self.where[i]))
                    for i in which
                )
            )
        return map_blocks(
            lambda i, _: work(self.shards[i], *arguments(self.where[i])),
            range(which.start, which.stop + 1),
        )


def _on_one_thread(work: Callable[..., Any], shard: Any, *arguments: Any) -> Any:
    if not isinstance(shard, RowBlocks):  # a future: with one worker joblib runs in this process
        shard = shard.result()
    with one_blas_thread():
        return work(shard, *map(aligned, arguments))


def is_remote() -> bool:
    """Return whether joblib works beyond this machine's threads and processes."""
    return _remote_backend() is not None


def _remote_backend() -> Any:
    """Return the joblib backend in use if it reaches beyond this machine, else None."""
    backend, _ = get_active_backend()
    return None if type(backend).__module__ == _LOCAL_BACKENDS else backend
