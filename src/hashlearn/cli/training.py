"""What `hashlearn fit` learns from: a uniform random sample of an input, in one bounded pass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hashlearn.cli.item_values import ItemValues
from hashlearn.cli.progress import row_progress
from hashlearn.io.items import Items, as_numbers, sample_items


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
        block, positions, n_items = sample_items(source, n, seed, names, columns, advance)
    if not np.isfinite(block.features).all():
        raise ValueError(f"'{source.path}' has NaN or infinity: it takes finite numbers.")
    if labels is None:
        return TrainingItems(block.features, None, names, n_items)
    labels.check_length(n_items)
    y = labels.of_rows(block.others, positions)
    labels.check_whole(y)
    return TrainingItems(block.features, as_numbers(y), names, n_items)
