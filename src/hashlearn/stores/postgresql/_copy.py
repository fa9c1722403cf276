"""Items in the binary formats of PostgreSQL's COPY and of its results."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hashlearn.stores._columns import read_column
from hashlearn.stores.batches import Batch, Layout
from hashlearn.stores.errors import StoreError

HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
END = b"\xff\xff"
BLOCK = 10_000  # rows at a time, whatever the size of a batch
FIXED = {"i": ">i8", "f": ">f8", "b": "u1"}  # by numpy's letters: the wire's byte order
NULL = b"\xff\xff\xff\xff"


def copy_order(batch: Batch) -> list[str]:
    """Return the columns in the order in which they are sent: those of any length last."""
    return ["id", "code", *sorted(batch.values, key=lambda name: not _is_fixed(batch, name))]


def _is_fixed(batch: Batch, name: str) -> bool:
    """Tell whether all values of a column have the same length; texts and nulls have not."""
    return batch.values[name].dtype.kind in FIXED


def copy_parts(batch: Batch, n_bits: int) -> Iterator[bytes]:
    """Yield a batch in the format of COPY … (format binary)."""
    others = [name for name in batch.values if not _is_fixed(batch, name)]
    yield HEADER
    for start in range(0, len(batch.ids), BLOCK):
        block = batch.rows(start, start + BLOCK)
        rows = _fixed_fields(block, n_bits)
        yield (
            _with_others(rows, [block.values[name] for name in others])
            if others
            else rows.tobytes()
        )
    yield END


def _fixed_fields(batch: Batch, n_bits: int) -> np.ndarray:
    """Return the fields of known length as one record per item: each has its length before it.

    No column's name has a colon, so that none is the same as a name of a length.
    """
    width = batch.packed.shape[1]
    fixed = {
        name: FIXED[column.dtype.kind]
        for name, column in batch.values.items()
        if _is_fixed(batch, name)
    }
    fields: list[tuple[Any, ...]] = [
        *((":n_fields", ">i2"), ("id:length", ">i4"), ("id", ">i8")),
        *(("code:length", ">i4"), (":n_bits", ">i4"), ("code", "u1", (width,))),
    ]
    for name, kind in fixed.items():
        fields += [(f"{name}:length", ">i4"), (name, kind)]
    rows = np.zeros(len(batch.ids), dtype=fields)
    rows[":n_fields"] = 2 + len(batch.values)
    rows["id:length"], rows["id"] = 8, batch.ids
    rows["code:length"], rows[":n_bits"], rows["code"] = 4 + width, n_bits, batch.packed
    for name, kind in fixed.items():
        rows[f"{name}:length"], rows[name] = np.dtype(kind).itemsize, batch.values[name]
    return rows


def _with_others(rows: np.ndarray, others: list[np.ndarray]) -> bytes:
    raw, size = rows.tobytes(), rows.itemsize
    parts: list[bytes] = []
    for row, of_row in enumerate(zip(*(column.tolist() for column in others), strict=True)):
        parts.append(raw[row * size : (row + 1) * size])
        parts += map(_field, of_row)
    return b"".join(parts)


def _field(value: str | int | float | bool | None) -> bytes:
    """Return a value with its length before it."""
    if value is None:
        return NULL
    if isinstance(value, str):
        encoded = value.encode()
    elif isinstance(value, bool):
        encoded = bytes([value])
    else:
        encoded = struct.pack(">q" if isinstance(value, int) else ">d", value)
    return len(encoded).to_bytes(4, "big") + encoded


def as_batch(rows: Sequence[tuple[Any, ...]], layout: Layout) -> Batch:
    """Return rows of (id, code, values…), of which the code is in its binary form."""
    ids, codes, *columns = zip(*rows, strict=True)
    n_bits = int.from_bytes(codes[0][:4], "big")
    if n_bits != layout.n_bits:
        raise StoreError(
            f"the table was replaced by one with codes of {n_bits} bits instead of {layout.n_bits}",
            "open the store again",
        )
    raw = np.frombuffer(b"".join(codes), dtype=np.uint8).reshape(len(rows), -1)
    values = {
        name: read_column(column, kind)
        for (name, kind), column in zip(layout.columns.items(), columns, strict=True)
    }
    return Batch(np.array(ids, dtype=np.int64), raw[:, 4:].copy(), values)  # 4: the number of bits
