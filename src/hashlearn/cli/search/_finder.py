"""A search in an index file, applied to blocks of queries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from hashlearn._numerics.checks import check_k
from hashlearn.base import BaseHasher
from hashlearn.cli._shared.codes import CodeBlock
from hashlearn.cli._shared.hits import Hits, nearest_hits, radius_hits
from hashlearn.items import as_ids, open_items, read_column
from hashlearn.search import HammingIndex, MarginRescoring, Rescoring, VectorRescoring

MARGINS = "margins"
MAX_TOGETHER = 1024  # queries per search, enough to keep threads busy
MAX_HITS = 1 << 20  # of one search, at most: 16 MiB of ids and distances


class Finder:
    """A search in an index: the k nearest items, or all within a radius.

    `among` is a file of ids, or of a boolean per item; `rescore` is 'margins', or an .npy file of
    vectors, and `oversample` the candidates per neighbour that it re-orders.
    """

    def __init__(
        self,
        index: HammingIndex,
        hasher: BaseHasher | None,
        *,
        k: int,
        radius: int | None,
        among: Path | None,
        rescore: str | None,
        oversample: float,
    ) -> None:
        if radius is None and len(index):
            check_k(k, len(index))
        self.index, self.hasher = index, hasher
        self.k, self.radius = k, radius
        self.among = None if among is None else _read_allowed(among)
        self.rescore, self.oversample = rescore, oversample
        self._vectors = None if rescore in (None, MARGINS) else _map_vectors(Path(rescore or ""))

    @property
    def value(self) -> str:
        """Whether a hit has a distance or a score."""
        return "distance" if self.rescore is None else "score"

    @property
    def title(self) -> str:
        """What is searched for, in words."""
        what = f"The {self.k} nearest" if self.radius is None else f"All within {self.radius}"
        return f"{what} of {len(self.index):,} items: id ({self.value})"

    def find(self, block: CodeBlock) -> Iterator[list[Hits]]:
        """Yield the hits of the queries of a block, a few queries at a time."""
        n_hits = self.k * self.oversample if self.radius is None else len(self.index)
        step = max(1, min(MAX_TOGETHER, int(MAX_HITS // max(1, n_hits))))
        for first in range(0, len(block.packed), step):
            some = block.rows(first, first + step)
            yield self._nearest(some) if self.radius is None else self._within(some, self.radius)

    def _nearest(self, block: CodeBlock) -> list[Hits]:
        found = self.index.search(
            block.packed,
            self.k,
            among=self.among,
            rescore=self._rescoring(block),
            oversample=self.oversample,
        )
        return nearest_hits(found, block.start)

    def _within(self, block: CodeBlock, radius: int) -> list[Hits]:
        return radius_hits(self.index.radius_search(block.packed, radius), block.start)

    def _rescoring(self, block: CodeBlock) -> Rescoring | None:
        if self.rescore is None or self.hasher is None or block.items is None:
            return None
        if self._vectors is not None:
            return VectorRescoring(block.items, self._vectors)
        return MarginRescoring(self.hasher.decision_function(block.items))


def _read_allowed(path: Path) -> np.ndarray:
    """Return the ids, or the booleans, that a file holds."""
    values = read_column(path)
    return values if values.dtype == bool else as_ids(values)


def _map_vectors(path: Path) -> np.ndarray:
    """Return the vectors of an .npy file, mapped: only rows of candidates are read."""
    if path.suffix.lower() != ".npy":
        raise ValueError(f"--rescore must be 'margins' or an .npy file; got {path}.")
    open_items(path)  # reports a broken file
    return np.load(path, mmap_mode="r", allow_pickle=False)
