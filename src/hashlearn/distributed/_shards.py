"""Shards of a database that stay on workers, and that can be made again.

Data that was only sent to a worker is lost with it. So a shard is the result of a task: one that
carries the bytes as arguments, or that follows from a dask array's graph. The scheduler runs it
again when the worker dies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from hashlearn.distributed._client import (
    START_AGAIN,
    cancel,
    check_connected,
    count_threads,
    extra,
    gather,
)

SHARD_BYTES = 8 << 20  # of arrays in memory: Dask warns of larger tasks
BATCH_BYTES = 64 << 20  # of results that are on their way to the client at once
BATCH_QUERIES = 4096


class Shards:
    """Shards of a database, in order, held by the workers of a cluster while this object lives.

    Shard i holds the items from ``offsets[i]`` to ``offsets[i + 1]``.
    """

    advice: ClassVar[str] = START_AGAIN  # if the scheduler has lost them

    def __init__(self, client: Any, futures: Sequence[Any] = (), lengths: ArrayLike = ()) -> None:
        self.client = client
        self.futures = list(futures)
        self.offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])

    @classmethod
    def build(cls, client: Any, make: Callable[..., Any], *arrays: Any) -> Self:
        """Make a shard of each block of rows, ``make(*blocks)``, and wait for them.

        Each chunk of a dask array is a block; other arrays are cut.
        """
        check_connected(client, cls.advice)
        dask = extra("dask")
        n_workers = max(1, len(count_threads(client, cls.advice)))
        blocks = list(zip(*row_blocks(arrays, n_workers), strict=True))
        if any(map(is_dask, arrays)):
            tasks = [dask.delayed(make, pure=False)(*block) for block in blocks]
            futures = client.compute(tasks)
        else:
            futures = [client.submit(make, *block, pure=False) for block in blocks]
        return cls._made(client, futures)

    @classmethod
    def _made(cls, client: Any, futures: Sequence[Any]) -> Self:
        """Return shards that are under way, once they are made."""
        try:
            lengths = gather(client, client.map(len, futures, pure=False), cls.advice)
        except BaseException:  # Ctrl-C too
            cancel(client, futures)
            raise
        return cls(client, futures, lengths)

    def __len__(self) -> int:
        return int(self.offsets[-1])

    @property
    def starts(self) -> list[int]:
        """The position of the first item of each shard."""
        return self.offsets[:-1].tolist()

    def parts_of(self, values: np.ndarray, name: str) -> list[np.ndarray]:
        """Cut one value per item into those of each shard."""
        n = len(self)
        if len(values) != n:
            raise ValueError(f"{name} must have {n} entries, one per item; got {len(values)}.")
        return _cut(values, self.offsets)

    def joined(self, others: Self) -> Self:
        """Return these shards and others behind them."""
        lengths = np.concatenate([np.diff(self.offsets), np.diff(others.offsets)])
        return type(self)(self.client, [*self.futures, *others.futures], lengths)

    def mapped(self, work: Callable[..., Any], each: Sequence[Any]) -> Self:
        """Return the shards ``work(shard, value)``, with a value for each, and wait for them."""
        return self._made(self.client, self._submit(work, (), each))

    def ask(
        self, work: Callable[..., Any], *arguments: Any, each: Sequence[Any] | None = None
    ) -> list[Any]:
        """Return ``work(shard, *arguments)`` of each shard, computed where it is, in order.

        With `each`, a value for each shard, it is ``work(shard, value, *arguments)``.
        """
        check_connected(self.client, self.advice)
        return gather(self.client, self._submit(work, arguments, each), self.advice)

    def _submit(
        self, work: Callable[..., Any], arguments: Sequence[Any], each: Sequence[Any] | None
    ) -> list[Any]:
        own = [()] * len(self.futures) if each is None else [(value,) for value in each]
        return [
            self.client.submit(work, shard, *values, *arguments, pure=False)
            for shard, values in zip(self.futures, own, strict=True)
        ]

    def batches(self, n_queries: int, answer_bytes: int) -> Iterator[slice]:
        """Cut queries into batches whose answers are bounded; no queries make an empty one.

        A shard answers a query with at most `answer_bytes`.
        """
        step = BATCH_BYTES // max(1, answer_bytes * len(self.futures))
        step = min(max(step, 1), BATCH_QUERIES)
        for start in range(0, max(1, n_queries), step):
            yield slice(start, start + step)


def row_blocks(arrays: Sequence[Any], n_workers: int) -> list[list[Any]]:
    """Cut arrays into the same blocks of rows: the chunks of the first dask array, or equal ones.

    Arrays in memory make at least `n_workers` blocks if they have that many rows.
    """
    chunked = [array for array in arrays if is_dask(array)]
    if not chunked:
        bounds = _bounds(arrays[0].shape[0], sum(map(n_bytes, arrays)), n_workers)
        return [_cut(array, bounds) for array in arrays]
    rows = chunked[0].chunks[0]
    return [_chunks(array, rows) if is_dask(array) else _cut_as(array, rows) for array in arrays]


def is_dask(array: Any) -> bool:
    """Return whether something is a dask array."""
    return isinstance(array, extra("dask.array").Array)


def no_rows(array: Any) -> np.ndarray:
    """Return an array of the same shape and type but without rows, for checks before any work."""
    return np.empty((0, *array.shape[1:]), dtype=array.dtype)


def n_bytes(array: Any) -> int:
    """Return the bytes of an array or a CSR matrix."""
    if sparse.issparse(array):
        return array.data.nbytes + array.indices.nbytes + array.indptr.nbytes
    return array.nbytes


def _bounds(n: int, size: int, n_workers: int) -> np.ndarray:
    n_blocks = min(max(n_workers, -(-size // SHARD_BYTES)), max(1, n))
    return np.arange(n_blocks + 1) * n // n_blocks


def _cut(array: Any, bounds: np.ndarray) -> list[Any]:
    return [array[start:stop] for start, stop in pairwise(bounds)]


def _chunks(array: Any, rows: tuple[float, ...]) -> list[Any]:
    """Return the chunks of a dask array as tasks, in the rows of another."""
    known = not np.isnan([*rows, *array.chunks[0]]).any()
    chunks = dict.fromkeys(range(1, array.ndim), -1)
    array = array.rechunk({**chunks, 0: rows} if known else chunks)
    if array.numblocks[0] != len(rows):
        raise ValueError(
            "dask arrays of unknown rows must have the same chunks; got "
            f"{array.numblocks[0]} and {len(rows)}. Call compute_chunk_sizes() first."
        )
    return list(array.to_delayed().ravel())


def _cut_as(array: Any, rows: tuple[float, ...]) -> list[Any]:
    """Cut an array in memory into the chunks of a dask array."""
    if np.isnan(rows).any():
        raise ValueError(
            "a dask array of unknown rows cannot be combined with an array in memory. Call its "
            "compute_chunk_sizes() first."
        )
    return _cut(array, np.cumsum([0, *rows]))
