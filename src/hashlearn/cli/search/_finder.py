"""A search in an index file, applied to blocks of queries."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hashlearn.cli._shared.codes import CodeBlock
from hashlearn.cli._shared.hits import Search, Shown
from hashlearn.cli._shared.items import MARGINS
from hashlearn.cli._shared.options import DEFAULT_K
from hashlearn.items import as_ids, read_column
from hashlearn.search import HammingIndex, Rescoring
from hashlearn.search.results import Neighbours, RadiusHits

if TYPE_CHECKING:
    from hashlearn.base import BaseHasher

MAX_TOGETHER = 1024  # queries per search, enough to keep threads busy
MAX_HITS = 1 << 20  # of one search, at most: 16 MiB of ids and distances


class Finder(Search):
    """A search in an index: the k nearest items, or all within a radius.

    `asymmetric` is the hasher of queries that are not rounded to bits, None if they are. `allowed`
    are ids, or a boolean per item; `rescoring` makes that of a block of queries, and `oversample`
    is the number of candidates per neighbour that it orders again.
    """

    def __init__(
        self,
        index: HammingIndex,
        *,
        k: int | None,
        radius: float | None,
        asymmetric: BaseHasher | None,
        allowed: np.ndarray | None,
        rescoring: Callable[[CodeBlock], Rescoring] | None,
        oversample: float,
        shown: Shown | None,
    ) -> None:
        n_items = len(index) if allowed is None else _count(index, allowed)
        n_hits = len(index) if radius is not None else min(k or DEFAULT_K, n_items) * oversample
        n_together = max(1, min(MAX_TOGETHER, int(MAX_HITS // max(1, n_hits))))
        super().__init__(k, radius, n_items, n_together, shown)
        self.index, self._allowed, self._asymmetric = index, allowed, asymmetric
        self._rescoring, self.oversample = rescoring, oversample
        self.value = "distance" if rescoring is None else "score"
        if asymmetric is not None:
            self.how, self.facts = ", asymmetric", {"asymmetric": True}

    @property
    def among(self) -> str:
        """The searched items, in words."""
        of_all = "" if self._allowed is None else f" of {len(self.index):,}"
        return f"{self.n_items:,}{of_all} items"

    def _nearest(self, block: CodeBlock) -> Neighbours:
        return self.index.search(
            self._queries(block),
            self.k,
            among=self._allowed,
            rescore=None if self._rescoring is None else self._rescoring(block),
            oversample=self.oversample,
        )

    def _within(self, block: CodeBlock, radius: float) -> RadiusHits:
        return self.index.radius_search(self._queries(block), radius)

    def _queries(self, block: CodeBlock) -> Any:
        """Return packed codes, or queries that are not rounded to bits."""
        if self._asymmetric is None:
            return block.packed
        return self._asymmetric.encode_queries(block.items)


def read_allowed(among: Path | None, fulfilling: np.ndarray | None) -> np.ndarray | None:
    """Return the ids, or the booleans, to search among: those of a file, and of conditions."""
    if among is None:
        return fulfilling
    values = read_column(among)
    allowed = values if values.dtype == bool else as_ids(values)
    if fulfilling is None:
        return allowed
    if allowed.dtype == bool:
        raise ValueError("--where goes with --among that has ids, not a boolean per item.")
    return allowed[np.isin(allowed, fulfilling)]


def warn_of_ties(index: HammingIndex, rescore: str | None) -> None:
    """Warn if margins are to order items of which most have equal codes, and equal margins."""
    if rescore == MARGINS and index.layout == "bucketed":
        warnings.warn(
            f"{len(index):,} items have {index.n_distinct:,} distinct codes, and margins cannot "
            "order equal codes: --rescore vectors can.",
            stacklevel=2,
        )


def _count(index: HammingIndex, allowed: np.ndarray) -> int:
    """Return the number of items that are searched."""
    if allowed.dtype == bool:
        return int(allowed.sum())
    return int(np.isin(np.unique(allowed), index.ids).sum())
