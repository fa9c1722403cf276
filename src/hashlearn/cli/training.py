"""What `hashlearn fit` learns from: a uniform random sample of an input, in one bounded pass."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hashlearn.cli.item_values import ItemValues
from hashlearn.cli.progress import row_progress
from hashlearn.items import Items, as_numbers, sample_items
from hashlearn.items.base import listing

MIN_IDS = 20  # fewer whole numbers may all differ by chance


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

    def __str__(self) -> str:
        n, n_features = self.X.shape
        names = "" if self.names is None else f" ({listing(self.names, most=5)})"
        return f"{n:,} of {self.n_items:,} items with {n_features:,} features{names}"


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
        block, positions, n_items = sample_items(source, n, seed, names, columns, advance)
    if n_items < 2:
        raise ValueError(f"'{source.path}' has {n_items} items: learning takes at least 2.")
    _warn_of_ids(block.features, names or ())
    if not np.isfinite(block.features).all():
        raise ValueError(f"'{source.path}' has NaN or infinity: it takes finite numbers.")
    if labels is None:
        return TrainingItems(block.features, None, names, n_items)
    labels.check_length(n_items)
    y = labels.of_rows(block.others, positions)
    labels.check_whole(y)
    return TrainingItems(block.features, as_numbers(y), names, n_items)


def _warn_of_ids(X: np.ndarray, names: Sequence[str]) -> None:
    """Warn of a column with another whole number in every item: no distance makes sense of ids."""
    if len(X) < MIN_IDS:
        return
    for name, values in zip(names, X.T, strict=False):
        if np.all(values == np.round(values)) and np.unique(values).size == values.size:
            warnings.warn(
                f"column {name!r} has another whole number in every item: if it is an id and no "
                f"feature, leave it out with --ignore {name}.",
                stacklevel=2,
            )
