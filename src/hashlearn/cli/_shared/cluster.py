"""Work on a Dask cluster: the connection, and the codes that its workers make."""

from __future__ import annotations

import logging
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from hashlearn.base import BaseHasher
from hashlearn.cli._shared.codes import CodeBlock, CodeSource, check_finite
from hashlearn.cli._shared.item_values import ItemValues
from hashlearn.distributed.cluster import cancel, connect, count_threads, gather
from hashlearn.items import Block, Items

# Of 8 MB each, on the way here and at the scheduler; a network is busy with fewer.
MOST_UNDER_WAY = 32


@contextmanager
def cluster(address: str | None) -> Iterator[Any]:
    """Connect to a scheduler while a command works; without an address yield None."""
    if address is None:
        yield None
        return
    with _no_logs(), connect(address) as client:
        yield client


@contextmanager
def _no_logs() -> Iterator[None]:
    """Keep Dask's threads from logging tracebacks: the command reports what went wrong."""
    level = logging.root.manager.disable
    logging.disable()
    try:
        yield
    finally:
        logging.disable(level)


def code_source(
    source: Items, hasher: BaseHasher, client: Any, values: ItemValues | None = None
) -> CodeSource:
    """Return items that a cluster encodes, or without a client this process."""
    if client is None:
        return CodeSource(source, hasher, values=values)
    if not count_threads(client):
        warnings.warn("the cluster has no workers yet: waiting for the first one.", stacklevel=2)
    return ClusterCodes(source, hasher, client, values=values)


class Encoding(NamedTuple):
    """A block of items that is being encoded: its first row, the task, and labels or ids."""

    start: int
    packed: Any
    values: Any


class ClusterCodes(CodeSource):
    """Items that workers encode, several blocks at once; the codes come back in order.

    A task carries its items as arguments, and the model is the result of a task, too: when a
    worker dies, the scheduler can run both again.

    Parameters
    ----------
    source : Items
        The input, which only this machine needs to see.
    hasher : BaseHasher
        Encodes the items; each worker receives it once.
    client : distributed.Client
        Connects to the cluster.
    values : ItemValues, optional
        Labels or ids to be read along.
    """

    def __init__(
        self, source: Items, hasher: BaseHasher, client: Any, *, values: ItemValues | None = None
    ) -> None:
        super().__init__(source, hasher, values=values)
        self.client, self._travelling = client, _travelling(hasher)

    def blocks(self) -> Iterator[CodeBlock]:
        """Yield the codes, a block of bounded size at a time, a bounded number ahead."""
        model = self._submit(_same, self._travelling)
        under_way: deque[Encoding] = deque()
        start = 0
        try:
            for block in self._read():
                under_way.append(self._begin(block, start, model))
                start += len(block.features)
                if len(under_way) >= self._n_ahead():
                    yield self._end(under_way.popleft())
            while under_way:
                yield self._end(under_way.popleft())
        finally:
            cancel(self.client, [encoding.packed for encoding in under_way])
        if self.values is not None:
            self.values.check_length(start)

    def _begin(self, block: Block, start: int, model: Any) -> Encoding:
        check_finite(block.features, self.source, start)
        rows = slice(start, start + len(block.features))
        values = None if self.values is None else self.values.of_rows(block.others, rows)
        return Encoding(start, self._submit(_encode, model, block.features), values)

    def _submit(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Begin a task that carries its arguments."""
        with warnings.catch_warnings():
            # Large arguments are on purpose: data that was only sent would die with a worker.
            warnings.filterwarnings("ignore", message="Sending large graph")
            return self.client.submit(work, *arguments, pure=False)

    def _end(self, encoding: Encoding) -> CodeBlock:
        (packed,) = gather(self.client, [encoding.packed])
        return CodeBlock(encoding.start, packed, None, encoding.values)

    def _n_ahead(self) -> int:
        """Return two blocks per thread of the cluster, as it is now: workers come and go."""
        n_threads = sum(count_threads(self.client).values())
        return min(max(2, 2 * n_threads), MOST_UNDER_WAY)


def _travelling(hasher: BaseHasher) -> BaseHasher:
    """Return a hasher as workers need it: little more than its hash function.

    The columns have been found by name already; without names workers do not warn about arrays.
    """
    light = hasher.without_codes()
    light.__dict__.pop("feature_names_in_", None)
    return light


def _same(hasher: BaseHasher) -> BaseHasher:
    return hasher


def _encode(hasher: BaseHasher, items: np.ndarray) -> np.ndarray:
    return hasher.encode(items)
