"""What `hashlearn fit` learns from: a uniform random sample of an input, in one bounded pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from typing import NamedTuple

import numpy as np
from sklearn.utils.random import sample_without_replacement

from hashlearn.cli.item_values import ItemValues
from hashlearn.cli.progress import Advance, row_progress
from hashlearn.io.items import Block, Items, as_numbers, sample_items


class TrainingItems(NamedTuple):
    """A sample of an input.

    Attributes
    ----------
    X : ndarray of shape (n, n_features)
        The items.
    y : ndarray of n rows or None
        Their labels.
    names : tuple of str or None
        The names of the features, where the input has names.
    n_items : int
        How many items the sample was taken from.
    """

    X: np.ndarray
    y: np.ndarray | None
    names: tuple[str, ...] | None
    n_items: int


def read_training_items(
    source: Items,
    labels: ItemValues | None,
    ignored: Sequence[str],
    n: int,
    seed: int,
    progress: bool | None,
) -> TrainingItems:
    """Take at most `n` items and their labels at random, each set of them equally likely.

    Parameters
    ----------
    source : Items
        The input.
    labels : ItemValues or None
        Columns of labels are no features.
    ignored : sequence of str
        Further columns that are no features.
    n : int
        Size of the sample.
    seed : int
        Seeds the choice.
    progress : bool or None
        Whether to show a bar.
    """
    columns = () if labels is None else labels.columns
    names = source.feature_names(others=(*columns, *ignored))
    with row_progress("Reading", source, progress) as advance:
        watched = _watched(source, advance)
        if labels is None or labels.columns:
            rows = np.empty(0, dtype=np.int64)
            block, n_items = sample_items(watched, n, seed, names, columns)
        else:
            rows, n_items = _choose_rows(watched, labels, n, seed)
            block = watched.rows(rows, names)
    if not np.isfinite(block.features).all():
        raise ValueError(f"'{source.path}' has NaN or infinity: it takes finite numbers.")
    if labels is None:
        return TrainingItems(block.features, None, names, n_items)
    y = labels.of_rows(block.others, rows)
    labels.check_whole(y)
    return TrainingItems(block.features, as_numbers(y), names, n_items)


def _choose_rows(source: Items, labels: ItemValues, n: int, seed: int) -> tuple[np.ndarray, int]:
    """Return the rows of a sample, whose labels are in a file of their own, and their number."""
    n_items = source.n_items
    if n_items is None:
        n_items = sum(len(block.features) for block in source.blocks())
    labels.check_length(n_items)
    rows = sample_without_replacement(n_items, min(n, n_items), random_state=seed)
    return np.sort(rows), n_items


def _watched(source: Items, advance: Advance) -> Items:
    """Return a source that calls `advance` with the size of every block that is read."""

    def blocks(
        features: Sequence[str] | None = None, others: Sequence[str] = ()
    ) -> Iterator[Block]:
        for block in source.blocks(features, others):
            advance(len(block.features))
            yield block

    watched = copy(source)
    watched.blocks = blocks  # type: ignore[method-assign]
    return watched
