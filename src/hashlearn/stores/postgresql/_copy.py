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
    fixed, others = _fields(batch)
    return ["code", *fixed, *others]


def _fields(batch: Batch) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Return ids and values: those of a fixed length, and others, which are texts or have nulls."""
    columns = {"id": batch.ids, **batch.values}
    fixed = {name: column for name, column in columns.items() if column.dtype.kind in FIXED}
    return fixed, {name: column for name, column in columns.items() if name not in fixed}


def copy_parts(batch: Batch, n_bits: int) -> Iterator[bytes]:
    """Yield a batch in the format of COPY … (format binary)."""
    yield HEADER
    for start in range(0, len(batch.ids), BLOCK):
        block = batch.rows(start, start + BLOCK)
        fixed, others = _fields(block)
        rows = _fixed_fields(block, fixed, n_bits)
        yield _with_others(rows, list(others.values())) if others else rows.tobytes()
    yield END


def _fixed_fields(batch: Batch, fixed: dict[str, np.ndarray], n_bits: int) -> np.ndarray:
    """Return the fields of known length as one record per item: each has its length before it.

    No column's name has a colon, so that none is the same as a name of a length.
    """
    width = batch.packed.shape[1]
    kinds = {name: FIXED[column.dtype.kind] for name, column in fixed.items()}
    fields: list[tuple[Any, ...]] = [
        *((":n_fields", ">i2"), ("code:length", ">i4"), (":n_bits", ">i4")),
        ("code", "u1", (width,)),
    ]
    for name, kind in kinds.items():
        fields += [(f"{name}:length", ">i4"), (name, kind)]
    rows = np.zeros(len(batch.ids), dtype=fields)
    rows[":n_fields"] = 2 + len(batch.values)
    rows["code:length"], rows[":n_bits"], rows["code"] = 4 + width, n_bits, batch.packed
    for name, column in fixed.items():
        rows[f"{name}:length"], rows[name] = np.dtype(kinds[name]).itemsize, column
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
    return Batch(
        read_column(ids, layout.id_type), raw[:, 4:].copy(), values
    )  # 4: the number of bits
