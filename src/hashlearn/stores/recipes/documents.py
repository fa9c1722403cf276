"""What OpenSearch and Elasticsearch store: documents in JSON, the same for both."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hashlearn.stores.batches import Batch, Layout
from hashlearn.stores.columns import ColumnType
from hashlearn.stores.errors import StoreError
from hashlearn.stores.recipes.items import parts_of

TYPES: dict[ColumnType, str] = {int: "long", float: "double", str: "keyword", bool: "boolean"}


def properties(layout: Layout, code: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a mapping, given that of the code."""
    columns = {name: {"type": TYPES[kind]} for name, kind in layout.columns.items()}
    return {"id": {"type": "long"}, "code": code, **columns}


def signed_bytes(code: np.ndarray) -> list[int]:
    """Return bytes as JSON has them for both engines, first bit highest: 255 is -1.

    Examples
    --------
    >>> signed_bytes(np.array([0b01100011, 0b11111111], dtype=np.uint8))
    [99, -1]
    """
    return code.view(np.int8).tolist()


def bulk_bodies(
    layout: Layout,
    packed: ArrayLike,
    ids: Any,
    values: Mapping[str, Any] | None = None,
    *,
    batch_size: int = 5_000,
) -> Iterator[str]:
    """Return what to send to an index's ``_bulk``, one body after the other.

    A document's ``_id`` is the item's id: what is sent again replaces what is there. Hand each
    answer to :func:`check_bulk`.

    Parameters
    ----------
    layout : Layout
        What `make_layout` returned.
    packed : array-like of shape (n, ceil(n_bits / 8)), uint8
        Packed codes.
    ids : array-like of shape (n,)
        An int64 for each, any but -1, and none twice.
    values : mapping of str to array-like of shape (n,), optional
        What the columns hold; numbers are finite, as JSON has no others.
    batch_size : int, default=5000
        Items per body.

    Returns
    -------
    bodies : iterator of str
        Lines of JSON (``application/x-ndjson``).

    Examples
    --------
    >>> from hashlearn.stores.recipes import make_layout
    >>> packed = np.array([[99, 255]], dtype=np.uint8)
    >>> print(next(bulk_bodies(make_layout(16), packed, ids=[7])), end="")
    {"index": {"_id": "7"}}
    {"id": 7, "code": [99, -1]}
    """
    batch = Batch.checked(layout, packed, ids, values)
    for name, column in batch.values.items():
        if column.dtype.kind == "f" and not np.isfinite(column).all():
            raise ValueError(f"values of {name!r} hold infinity: JSON takes finite numbers.")
    return ("".join(_lines(part)) for part in parts_of(batch, batch_size))


def _lines(batch: Batch) -> Iterator[str]:
    names = list(batch.values)
    columns = [batch.values[name].tolist() for name in names]
    codes = batch.packed.view(np.int8).tolist()
    for id_, code, *values in zip(batch.ids.tolist(), codes, *columns, strict=True):
        document = {"id": id_, "code": code, **dict(zip(names, values, strict=True))}
        yield json.dumps({"index": {"_id": str(id_)}}) + "\n"
        yield json.dumps(document) + "\n"


def check_bulk(answer: Mapping[str, Any]) -> int:
    """Return how many documents a bulk request stored; raise if it did not store them all.

    Parameters
    ----------
    answer : mapping
        The answer, read from JSON. The engine stores what it can, and says so there.

    Raises
    ------
    StoreError
        With the first reason.
    """
    check_accepted(answer)
    outcomes = [outcome for item in answer["items"] for outcome in item.values()]
    failed = [outcome for outcome in outcomes if "error" in outcome]
    if failed:
        raise StoreError(
            f"{len(failed):,} of {len(outcomes):,} documents are not stored; the first, "
            f"{failed[0].get('_id')!r}, since: {_reason(failed[0]['error'])}."
        )
    return len(outcomes)


def check_accepted(answer: Mapping[str, Any]) -> None:
    """Raise if a whole request was refused."""
    if "error" in answer:
        raise StoreError(f"the request is refused: {_reason(answer['error'])}.")


def _reason(error: Any) -> str:
    """Return why, of an error that is a text or says more."""
    return str(error.get("reason", error) if isinstance(error, Mapping) else error)
