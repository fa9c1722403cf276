"""Work on a Dask cluster: the connection, and the codes that its workers make."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from hashlearn.base import BaseHasher
from hashlearn.cli._shared.codes import CodeBlock, CodeSource, RowValues
from hashlearn.cli._shared.reading import Reading
from hashlearn.distributed import connect, encode_blocks
from hashlearn.items import Items


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
    source: Items,
    hasher: BaseHasher,
    client: Any,
    values: RowValues | None = None,
    reading: Reading | None = None,
) -> CodeSource:
    """Return items that a cluster encodes, or without a client this process."""
    if client is None:
        return CodeSource(source, hasher, values=values, reading=reading)
    return ClusterCodes(source, hasher, client, values=values, reading=reading)


class ClusterCodes(CodeSource):
    """Items that workers encode, several blocks at once; the codes come back in order.

    Only this machine needs to see the input; each worker receives the hasher once.
    """

    def __init__(
        self,
        source: Items,
        hasher: BaseHasher,
        client: Any,
        *,
        values: RowValues | None = None,
        reading: Reading | None = None,
    ) -> None:
        super().__init__(source, hasher, values=values, reading=reading)
        self.client = client

    def blocks(self) -> Iterator[CodeBlock]:
        """Yield the codes, a block of bounded size at a time, a bounded number ahead."""
        under_way: deque[tuple[int, Any]] = deque()  # first row, and labels or ids
        n_items = 0

        def features() -> Iterator[np.ndarray]:
            nonlocal n_items
            for start, block in self._read():
                self.source.check_finite(block.features, start, self._features)
                n_items = start + len(block.features)
                rows = slice(start, n_items)
                values = None if self.values is None else self.values.of_rows(block.others, rows)
                under_way.append((start, values))
                yield block.features

        for packed in encode_blocks(self.hasher, features(), client=self.client):
            start, values = under_way.popleft()
            yield CodeBlock(start, packed, None, values)
        if self.values is not None:
            self.values.check_length(n_items)
