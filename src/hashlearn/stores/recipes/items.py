"""What a recipe is given, checked as every store checks it: a layout, items and a query."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from hashlearn._numerics.checks import check_n_bits
from hashlearn.search.packing import check_packed
from hashlearn.stores.batches import Batch, Layout
from hashlearn.stores.checks import check_count
from hashlearn.stores.columns import Columns, check_columns


def make_layout(n_bits: int, columns: Columns | None = None) -> Layout:
    """Return what a table is made of, for the functions of every recipe.

    Parameters
    ----------
    n_bits : int
        Bits per code.
    columns : mapping of str to type, optional
        What to keep beside ids and codes: int, float, str or bool, for `where`.

    Returns
    -------
    layout : Layout

    Examples
    --------
    >>> make_layout(13, {"digit": int})
    Layout(n_bits=13, columns={'digit': <class 'int'>})
    """
    check_n_bits(n_bits)
    return Layout(int(n_bits), check_columns(columns))


def parts_of(batch: Batch, batch_size: int) -> Iterator[Batch]:
    """Return items some at a time."""
    check_count(batch_size, "batch_size")
    starts = range(0, len(batch.ids), batch_size)
    return (batch.rows(start, start + batch_size) for start in starts)


def as_code(layout: Layout, query: ArrayLike) -> np.ndarray:
    """Return one packed code of shape (width,)."""
    query = np.asarray(query)
    if query.ndim != 1:
        raise ValueError(f"query has shape {query.shape}: it takes one packed code, (width,).")
    return check_packed(query[np.newaxis], layout.n_bits, "query")[0]


def padded_bits(layout: Layout) -> int:
    """Return the bits of a code with its padding, which is zeros and in no distance."""
    return -(-layout.n_bits // 8) * 8
