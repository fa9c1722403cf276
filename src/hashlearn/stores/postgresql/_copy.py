"""Items in the binary formats of PostgreSQL's COPY and of its results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hashlearn.stores.batches import Batch, ColumnType, Layout
from hashlearn.stores.errors import StoreError

HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
END = b"\xff\xff"
BLOCK = 10_000  # rows at a time, whatever the size of a batch
FIXED: dict[ColumnType, str] = {int: ">i8", float: ">f8", bool: "u1"}  # the wire's byte order


def copy_order(columns: dict[str, ColumnType]) -> list[str]:
    """Return the columns in the order in which they are sent: texts last, of any length."""
    return ["id", "code", *sorted(columns, key=lambda name: columns[name] is str)]


def copy_parts(batch: Batch, layout: Layout) -> Iterator[bytes]:
    """Yield a batch in the format of COPY … (format binary)."""
    texts = [name for name, kind in layout.columns.items() if kind is str]
    yield HEADER
    for start in range(0, len(batch.ids), BLOCK):
        block = batch.rows(start, start + BLOCK)
        rows = _fixed_fields(block, layout)
        yield _with_texts(rows, [block.values[name] for name in texts]) if texts else rows.tobytes()
    yield END


def _fixed_fields(batch: Batch, layout: Layout) -> np.ndarray:
    """Return the fields of known length as one record per item: each has its length before it.

    No column's name has a colon, so that none is the same as a name of a length.
    """
    width = batch.packed.shape[1]
    fixed = {name: FIXED[kind] for name, kind in layout.columns.items() if kind is not str}
    fields: list[tuple[Any, ...]] = [
        *((":n_fields", ">i2"), ("id:length", ">i4"), ("id", ">i8")),
        *(("code:length", ">i4"), (":n_bits", ">i4"), ("code", "u1", (width,))),
    ]
    for name, kind in fixed.items():
        fields += [(f"{name}:length", ">i4"), (name, kind)]
    rows = np.zeros(len(batch.ids), dtype=fields)
    rows[":n_fields"] = 2 + len(layout.columns)
    rows["id:length"], rows["id"] = 8, batch.ids
    rows["code:length"], rows[":n_bits"], rows["code"] = 4 + width, layout.n_bits, batch.packed
    for name, kind in fixed.items():
        rows[f"{name}:length"], rows[name] = np.dtype(kind).itemsize, batch.values[name]
    return rows


def _with_texts(rows: np.ndarray, texts: list[np.ndarray]) -> bytes:
    raw, size = rows.tobytes(), rows.itemsize
    parts: list[bytes] = []
    for row, of_row in enumerate(zip(*(column.tolist() for column in texts), strict=True)):
        parts.append(raw[row * size : (row + 1) * size])
        for text in of_row:
            encoded = text.encode()
            parts += (len(encoded).to_bytes(4, "big"), encoded)
    return b"".join(parts)


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
        name: _as_column(name, dtype, column)
        for (name, dtype), column in zip(layout.dtypes.items(), columns, strict=True)
    }
    return Batch(np.array(ids, dtype=np.int64), raw[:, 4:].copy(), values)  # 4: the number of bits


def _as_column(name: str, dtype: type, column: tuple[Any, ...]) -> np.ndarray:
    if None in column:
        raise StoreError(f"column {name!r} holds NULL, which a store does not support.")
    return np.array(column, dtype=dtype)
