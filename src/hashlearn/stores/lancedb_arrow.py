"""Layouts and items as LanceDB keeps them: Arrow's schemas and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hashlearn.stores.batches import Batch, Found, Layout
from hashlearn.stores.columns import ColumnType
from hashlearn.stores.errors import StoreError

if TYPE_CHECKING:
    import pyarrow as pa

N_BITS = b"hashlearn.n_bits"  # a code's bytes do not tell how many bits of the last are meant
# Two writers that insert the same id at once are told from two that insert different ones.
KEY = {"lance-schema:unenforced-primary-key": "true"}
OWN = ("_distance", "_score", "_relevance_score", "_rowid", "_rowaddr", "_rowoffset")


def schema_of(layout: Layout) -> pa.Schema:
    """Return the schema of a new table."""
    import pyarrow as pa

    for name in layout.columns:
        if name in OWN:
            raise StoreError(f"column={name!r} is a name of LanceDB's own: a table takes others.")

    types = {int: pa.int64(), float: pa.float64(), str: pa.utf8(), bool: pa.bool_()}
    width = -(-layout.n_bits // 8)
    return pa.schema(
        [
            pa.field("id", pa.int64(), nullable=False, metadata=KEY),
            pa.field("code", pa.list_(pa.uint8(), width), nullable=False),
            *(pa.field(name, types[kind], False) for name, kind in layout.columns.items()),
        ],
        metadata={N_BITS: str(layout.n_bits)},
    )


def layout_of(schema: pa.Schema, subject: str) -> Layout:
    """Return what a table is made of; columns of other types than a store's are passed over."""
    import pyarrow as pa

    types = {field.name: field.type for field in schema}
    code: Any = types.get("code")
    if types.get("id") != pa.int64() or not _holds_bytes(code):
        raise StoreError(
            f"{subject} has id of type {types.get('id')} and code of type {code}: a store takes "
            "int64 and fixed_size_list of uint8."
        )
    width = code.list_size
    n_bits = int((schema.metadata or {}).get(N_BITS, 8 * width))
    if -(-n_bits // 8) != width:
        raise StoreError(
            f"{subject} has codes of {width} bytes and says that they are {n_bits} bits."
        )
    columns = {name: _kind(given) for name, given in types.items() if name not in ("id", "code")}
    return Layout(n_bits, {name: kind for name, kind in columns.items() if kind is not None})


def table_of(batch: Batch, schema: pa.Schema) -> pa.Table:
    """Return items as rows of a table with some schema."""
    import pyarrow as pa

    code = schema.field("code").type
    arrays = {
        "id": pa.array(batch.ids),
        "code": pa.FixedSizeListArray.from_arrays(pa.array(batch.packed.reshape(-1)), type=code),
    }
    for name, column in batch.values.items():
        values = column + 0.0 if column.dtype.kind == "f" else column  # LanceDB has -0.0 below 0.0
        arrays[name] = pa.array(values, type=schema.field(name).type)
    fields = [schema.field(name) for name in arrays]
    return pa.table(list(arrays.values()), schema=pa.schema(fields))


def batch_of(rows: pa.RecordBatch, layout: Layout) -> Batch:
    """Return rows of a table as items."""
    width = -(-layout.n_bits // 8)
    packed = _array(rows, "code").flatten().to_numpy().reshape(-1, width)
    values = {name: _array(rows, name).to_numpy(zero_copy_only=False) for name in layout.columns}
    return Batch(_array(rows, "id").to_numpy(), packed, values)


def found_of(hits: pa.Table) -> Found:
    """Return what a search found."""
    distances = _array(hits, "_distance").to_numpy()
    return Found(_array(hits, "id").to_numpy(), distances.astype(np.int64))


def _array(rows: pa.RecordBatch | pa.Table, name: str) -> Any:
    column = rows.column(name)
    if column.null_count:
        raise StoreError(f"column {name!r} has entries without a value: a store takes one in each.")
    return column


def _holds_bytes(code: Any) -> bool:
    import pyarrow as pa

    return isinstance(code, pa.FixedSizeListType) and code.value_type == pa.uint8()


def _kind(given: pa.DataType) -> ColumnType | None:
    """Return the type of a column's values, None if it is not one that stores know."""
    import pyarrow as pa

    known: dict[pa.DataType, ColumnType] = {
        pa.int64(): int,
        pa.float64(): float,
        pa.utf8(): str,
        pa.large_utf8(): str,
        pa.bool_(): bool,
    }
    return known.get(given)
