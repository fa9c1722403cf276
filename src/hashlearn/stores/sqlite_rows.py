"""Items as SQLite returns them: rows, whose values other programs may have changed."""

from __future__ import annotations

from typing import Any

import numpy as np

from hashlearn.stores.batches import Batch
from hashlearn.stores.bit_order import reverse_bits
from hashlearn.stores.columns import DTYPES, Columns, ColumnType
from hashlearn.stores.errors import StoreError


def as_batch(rows: list[tuple[Any, ...]], columns: Columns, subject: str) -> Batch:
    """Return rows of an id, a code and values as a batch.

    Parameters
    ----------
    rows : list of tuple
        At least one.
    columns : mapping of str to type
        The columns whose values follow id and code.
    subject : str
        The store, in the words of an error.
    """
    ids, codes, *values = zip(*rows, strict=True)
    packed = np.frombuffer(b"".join(codes), dtype=np.uint8).reshape(len(rows), -1)
    arrays: dict[str, np.ndarray] = {}
    for (name, kind), column in zip(columns.items(), values, strict=True):
        _check_kind(column, kind, f"{subject} has a column {name!r}")
        arrays[name] = np.array(column, dtype=DTYPES.get(kind, object))
    return Batch(np.array(ids, dtype=np.int64), reverse_bits(packed), arrays)


def _check_kind(column: tuple[Any, ...], kind: ColumnType, subject: str) -> None:
    """Raise unless all values are of a type, for SQLite lets programs put any into a column."""
    # SQLite has no booleans: they are 0 and 1.
    if set(column) <= {0, 1} if kind is bool else set(map(type, column)) == {kind}:
        return
    is_wrong = (lambda v: v not in (0, 1)) if kind is bool else (lambda v: type(v) is not kind)
    wrong = next(filter(is_wrong, column))
    raise StoreError(
        f"{subject} with {wrong!r} in it, which another program wrote: it takes {kind.__name__}."
    )
