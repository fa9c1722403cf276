"""The two sides of `hashlearn evaluate`: codes and labels of queries and of a database."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hashlearn.cli._shared.codes import CodeSource, ItemValues
from hashlearn.cli._shared.outputs import row_progress
from hashlearn.items import Items, as_numbers, is_missing
from hashlearn.search import FloatQueries

if TYPE_CHECKING:
    from hashlearn.base import BaseHasher


class Side(NamedTuple):
    """Codes and labels of the labelled items of an input.

    `codes` are packed, or queries that are not rounded to bits. `keys` are equal for equal items;
    None if the input is encoded elsewhere. `ids` are None if they are positions. `n_left_out` items
    have no label.
    """

    codes: Any
    labels: np.ndarray
    keys: np.ndarray | None
    ids: np.ndarray | None
    n_left_out: int


class LabelledItems(NamedTuple):
    """One side of a search: an input, its labels, and its ids if they are not positions."""

    codes: CodeSource
    labels: ItemValues
    ids: np.ndarray | None = None

    def read(
        self, description: str, progress: bool | None, asymmetric: BaseHasher | None = None
    ) -> Side:
        """Return the codes and labels of all items that have a label.

        `asymmetric` is the hasher whose queries they are, if those are not rounded to bits.
        """
        packed: list[Any] = []
        labels, keys = [], []
        with row_progress(description, self.codes.source, progress) as advance:
            for block in self.codes.blocks():
                packed.append(
                    block.packed if asymmetric is None else asymmetric.encode_queries(block.items)
                )
                labels.append(block.values)
                keys.append(None if block.items is None else row_keys(block.items))
                advance(len(block.packed))
        if not packed:
            raise ValueError(f"'{self.codes.source.path}' has no items.")
        found = np.concatenate(labels)
        kept = ~is_missing(found)
        if not kept.any():
            raise ValueError(
                f"{self.labels.option}: no item of '{self.codes.source.path}' has one."
            )
        known = [key for key in keys if key is not None]
        return Side(
            (np.concatenate(packed) if asymmetric is None else FloatQueries.joined(packed))[kept],
            _plain(found[kept]),
            np.concatenate(known)[kept] if known else None,
            self._ids(kept),
            int(np.sum(~kept)),
        )

    def _ids(self, kept: np.ndarray) -> np.ndarray | None:
        """Return the ids of the items that are kept; None if they are their positions."""
        if self.ids is not None:
            return self.ids[kept]
        return None if kept.all() else np.flatnonzero(kept)


def _plain(labels: np.ndarray) -> np.ndarray:
    """Return objects as text."""
    return labels.astype(str) if labels.dtype == object else labels


def open_labelled(
    source: Items,
    encoded: Callable[..., CodeSource],
    option: str,
    own: str | None,
    common: str | None,
    ids: np.ndarray | None = None,
) -> LabelledItems:
    """Return items and their labels: those of their own `option`, or the common ones.

    `encoded` makes the source of codes from items and labels.
    """
    if own is None and common is None:
        raise ValueError(
            f"'{source.path}' needs labels: give --labels for both inputs, or {option}."
        )
    named = (option, own) if own is not None else ("--labels", common or "")
    labels = ItemValues(*named, source)
    return LabelledItems(encoded(source, values=labels), labels, ids)


def row_keys(items: np.ndarray) -> np.ndarray:
    """Return a 64-bit number per row, equal for equal rows; others differ but by rare chance."""
    words = np.ascontiguousarray(items, dtype=np.float32).view(np.uint32)
    factors = np.random.RandomState(0).randint(1, 2**63, size=words.shape[1], dtype=np.uint64)
    return (words * (factors | np.uint64(1))).sum(axis=1, dtype=np.uint64)


def count_relevant(queries: np.ndarray, database: np.ndarray) -> np.ndarray:
    """Return the number of database items that share a label with each query."""
    if queries.ndim == 1:
        values, counts = np.unique(database, return_counts=True)
        places = np.minimum(np.searchsorted(values, queries), len(values) - 1)
        return np.where(values[places] == queries, counts[places], 0)
    sets, counts = np.unique(database > 0, axis=0, return_counts=True)
    asked, of_query = np.unique(queries > 0, axis=0, return_inverse=True)
    shares = asked.astype(np.float32) @ sets.T.astype(np.float32) > 0
    return (shares @ counts)[of_query.ravel()]


def as_one_kind(queries: np.ndarray, database: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return text as numbers if both sides are all numbers, so that '3' equals '3.0'."""
    numbers = as_numbers(queries), as_numbers(database)
    are_text = [labels.dtype.kind in "UO" for labels in numbers]
    return (queries, database) if any(are_text) else numbers
