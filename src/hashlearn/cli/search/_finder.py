"""A search in an index file, applied to blocks of queries."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hashlearn._numerics.checks import check_k
from hashlearn.base import BaseHasher
from hashlearn.cli._shared.codes import CodeBlock
from hashlearn.cli._shared.hits import Search
from hashlearn.cli._shared.options import DEFAULT_K
from hashlearn.items import as_ids, open_items, read_column
from hashlearn.search import HammingIndex, MarginRescoring, Rescoring, VectorRescoring
from hashlearn.search.results import Neighbours, RadiusHits

MARGINS = "margins"
MAX_TOGETHER = 1024  # queries per search, enough to keep threads busy
MAX_HITS = 1 << 20  # of one search, at most: 16 MiB of ids and distances


class Finder(Search):
    """A search in an index: the k nearest items, or all within a radius.

    `among` is a file of ids, or of a boolean per item; `rescore` is 'margins', or an .npy file of
    vectors, and `oversample` the candidates per neighbour that it re-orders.
    """

    def __init__(
        self,
        index: HammingIndex,
        hasher: BaseHasher | None,
        *,
        k: int | None,
        radius: int | None,
        among: Path | None,
        rescore: str | None,
        oversample: float,
    ) -> None:
        n_hits = len(index) if radius is not None else (k or DEFAULT_K) * oversample
        super().__init__(k, radius, max(1, min(MAX_TOGETHER, int(MAX_HITS // max(1, n_hits)))))
        if radius is None and len(index):
            check_k(self.k, len(index))
        self.index, self.hasher = index, hasher
        self._allowed = None if among is None else _read_allowed(among)
        self.rescore, self.oversample = rescore, oversample
        self.value = "distance" if rescore is None else "score"
        self._vectors = None if rescore in (None, MARGINS) else _map_vectors(Path(rescore or ""))

    @property
    def among(self) -> str:
        """The searched items, in words."""
        return f"{len(self.index):,} items"

    def _nearest(self, block: CodeBlock) -> Neighbours:
        return self.index.search(
            block.packed,
            self.k,
            among=self._allowed,
            rescore=self._rescoring(block),
            oversample=self.oversample,
        )

    def _within(self, block: CodeBlock, radius: int) -> RadiusHits:
        return self.index.radius_search(block.packed, radius)

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
