"""Layouts, items and conditions in LanceDB's own terms: Arrow tables and expression trees."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import and_, ge, le
from typing import TYPE_CHECKING, Any

import numpy as np

from hashlearn.stores._columns import read_column
from hashlearn.stores.batches import Batch, ColumnType, Found, Layout
from hashlearn.stores.errors import StoreError
from hashlearn.stores.where import Condition

if TYPE_CHECKING:
    import pyarrow as pa
    from lancedb.expr import Expr

N_BITS = b"hashlearn.n_bits"  # a code's bytes do not tell how many bits of the last are meant
MODEL = "hashlearn.model"  # the fingerprint of the codes' model, of the column code
# With it LanceDB tells two writers that insert the same id from two that insert different ones.
KEY = {"lance-schema:unenforced-primary-key": "true"}
OWN = ("_distance", "_score", "_relevance_score", "_rowid", "_rowaddr", "_rowoffset")
OPEN = {">=": -(2**63), "<=": 2**63 - 1}  # bounds that exclude no integer; LanceDB fails on both


def schema_of(layout: Layout) -> pa.Schema:
    """Return the schema of a new table."""
    import pyarrow as pa

    for name in layout.columns:
        if name in OWN:
            raise StoreError(f"column {name!r} is reserved by LanceDB", "choose another name")
    types = {int: pa.int64(), float: pa.float64(), str: pa.utf8(), bool: pa.bool_()}
    return pa.schema(
        [
            pa.field("id", types[layout.id_type], nullable=False, metadata=KEY),
            pa.field("code", pa.list_(pa.uint8(), layout.width), nullable=False),
            *(pa.field(name, types[kind]) for name, kind in layout.columns.items()),
        ],
        metadata={N_BITS: str(layout.n_bits)},
    )


def layout_of(schema: pa.Schema, subject: str) -> Layout:
    """Return the layout of a table, without columns of types that stores do not know."""
    import pyarrow as pa

    types = {field.name: field.type for field in schema}
    code: Any = types.get("code")
    id_type = {pa.int64(): int, pa.utf8(): str}.get(types.get("id"))
    if id_type is None or not _holds_bytes(code):
        raise StoreError(
            f"{subject} must have a column id of type int64 or string and a column code of type "
            f"fixed_size_list of uint8; they are {types.get('id')} and {code}."
        )
    width = code.list_size
    n_bits = int((schema.metadata or {}).get(N_BITS, 8 * width))
    if -(-n_bits // 8) != width:
        raise StoreError(f"{subject} has codes of {width} bytes, but declares {n_bits} bits.")
    columns = {name: _kind(given) for name, given in types.items() if name not in ("id", "code")}
    known = {name: kind for name, kind in columns.items() if kind is not None}
    return Layout(n_bits, known, id_type)


def model_of(schema: pa.Schema) -> str | None:
    """Return the fingerprint of the model of a table's codes; None if it is not known."""
    kept = (schema.field("code").metadata or {}).get(MODEL.encode())
    return None if kept is None else kept.decode()


def table_of(batch: Batch, schema: pa.Schema) -> pa.Table:
    """Return items as rows of a table with some schema."""
    import pyarrow as pa

    code = schema.field("code").type
    arrays = {
        "id": pa.array(batch.ids, type=schema.field("id").type),
        "code": pa.FixedSizeListArray.from_arrays(pa.array(batch.packed.reshape(-1)), type=code),
    }
    for name, column in batch.values.items():
        values: Any = (
            column + 0.0 if column.dtype.kind == "f" else column
        )  # LanceDB has -0.0 below 0.0
        if column.dtype.kind == "O" and pa.types.is_floating(schema.field(name).type):
            values = [_as_stored(value) for value in column]
        arrays[name] = pa.array(values, type=schema.field(name).type)
    fields = [schema.field(name) for name in arrays]
    return pa.table(list(arrays.values()), schema=pa.schema(fields))


def batch_of(rows: pa.RecordBatch, layout: Layout) -> Batch:
    """Return rows of a table as items."""
    packed = _array(rows, "code").flatten().to_numpy().reshape(-1, layout.width)
    values = {name: _column(rows.column(name), kind) for name, kind in layout.columns.items()}
    return Batch(_array(rows, "id").to_numpy(zero_copy_only=False), packed, values)


def _column(values: pa.Array, kind: ColumnType) -> np.ndarray:
    if values.null_count:
        return read_column(values.to_pylist(), kind)
    column: np.ndarray = values.to_numpy(zero_copy_only=False)
    return column


def found_of(hits: pa.Table) -> Found:
    """Return what a search found."""
    distances = _array(hits, "_distance").to_numpy()
    return Found(_array(hits, "id").to_numpy(), distances.astype(np.int64))


def expression_of(where: tuple[Condition, ...]) -> Expr | None:
    """Return what must hold of a row; None if that is nothing."""
    parts = [part for condition in where for part in _comparison(condition)]
    return reduce(and_, parts) if parts else None


def _comparison(condition: Condition) -> Iterator[Expr]:
    """Yield a condition as an expression, unless it excludes nothing."""
    from lancedb.expr import col

    column, operator, value = col(condition.column), condition.operator, condition.value
    if operator in ("in", "not in"):
        yield _membership(condition)
    elif condition.kind is not int or value != OPEN[operator]:
        yield {">=": ge, "<=": le}[operator](column, _as_stored(value))
    elif condition.column != "id":
        yield ~_is_null(column)


def _membership(condition: Condition) -> Expr:
    """Return whether a column has one of some values, or none of them; None is a missing value."""
    from lancedb.expr import col

    column = col(condition.column)
    is_in = column.isin([_as_stored(value) for value in condition.value if value is not None])
    if condition.operator == "in":
        return is_in | _is_null(column) if None in condition.value else is_in
    if condition.column == "id":
        return ~is_in
    return ~is_in & ~_is_null(column) if None in condition.value else ~is_in | _is_null(column)


def _is_null(column: Expr) -> Expr:
    """Return whether a column has no value.

    LanceDB's expressions have no test for it, but `concat` leaves out what is not there.
    """
    import pyarrow as pa
    from lancedb.expr import func

    return func("concat", column.eq(column).cast(pa.utf8()), "").eq("")


def _as_stored(value: Any) -> Any:
    return value + 0.0 if isinstance(value, float) else value  # tables hold no -0.0


def _array(rows: pa.RecordBatch | pa.Table, name: str) -> Any:
    column = rows.column(name)
    if column.null_count:
        raise StoreError(f"column {name!r} has missing values, which no item may have.")
    return column


def _holds_bytes(code: Any) -> bool:
    import pyarrow as pa

    return isinstance(code, pa.FixedSizeListType) and code.value_type == pa.uint8()


def _kind(given: pa.DataType) -> ColumnType | None:
    """Return the type of a column; None if stores do not know it."""
    import pyarrow as pa

    known: dict[pa.DataType, ColumnType] = {
        pa.int64(): int,
        pa.float64(): float,
        pa.utf8(): str,
        pa.large_utf8(): str,
        pa.bool_(): bool,
    }
    return known.get(given)
