"""Tables that batches come in: dicts of arrays, pandas DataFrames, pyarrow Tables.

pandas and pyarrow are imported only where a batch of theirs has been handed in.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from hashlearn._numerics.columns import (
    NUMBERS,
    feature_dtype,
    is_list,
    is_number,
    list_lengths,
    listing,
    to_numpy,
)


class Table(ABC):
    """A batch in any of its forms: named columns of numbers, of vectors, and of other things.

    Parameters
    ----------
    batch : object
        The batch.
    """

    def __init__(self, batch: Any) -> None:
        self.batch = batch
        doubled = [name for name, count in Counter(self.names).items() if count > 1]
        if doubled:
            raise ValueError(f"the batch has several columns {listing(doubled)}: names differ.")

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """The number of rows."""

    @abstractmethod
    def holds_numbers(self, name: str) -> bool:
        """Tell whether a column has one number per row."""

    @abstractmethod
    def holds_vectors(self, name: str) -> bool:
        """Tell whether a column has several numbers per row."""

    @abstractmethod
    def column(self, name: str) -> np.ndarray:
        """Return a column as an array; vectors may be objects still."""

    @abstractmethod
    def without(self, names: Sequence[str]) -> Any:
        """Return the batch without some columns."""

    @abstractmethod
    def extended(self, name: str, packed: np.ndarray) -> Any:
        """Return the batch with a column of packed codes at its end."""

    def features(self, names: Sequence[str]) -> np.ndarray:
        """Return columns side by side, as float32 or float64: what hashers make of them."""
        columns = [self._matrix(name) for name in names] if self.n_rows else []
        if not columns:
            return np.empty((0, 0), dtype=np.float32)
        dtype = np.result_type(*(feature_dtype(column.dtype) for column in columns))
        return np.concatenate(columns, axis=1, dtype=dtype)

    def _matrix(self, name: str) -> np.ndarray:
        """Return a column as numbers, one row per row."""
        if not (self.holds_numbers(name) or self.holds_vectors(name)):
            raise ValueError(f"column {name!r} of the batch holds neither numbers nor vectors.")
        column = self.column(name)
        if column.dtype == object:
            column = _stacked(column, name)
        return column.reshape(self.n_rows, -1)


class DictTable(Table):
    """A dict of arrays, which are equally long."""

    def __init__(self, batch: dict[str, Any]) -> None:
        super().__init__(batch)
        lengths = {name: len(column) for name, column in batch.items()}
        if len(set(lengths.values())) > 1:
            told = ", ".join(f"{name!r} {length}" for name, length in lengths.items())
            raise ValueError(f"the columns of the batch have different lengths: {told}.")

    @property
    def names(self) -> tuple[str, ...]:
        """The keys."""
        return tuple(self.batch)

    @property
    def n_rows(self) -> int:
        """The length of the arrays."""
        return len(next(iter(self.batch.values()), ()))

    def holds_numbers(self, name: str) -> bool:
        """Tell whether an array is 1-D and numeric."""
        column = self.column(name)
        return column.ndim == 1 and column.dtype.kind in NUMBERS

    def holds_vectors(self, name: str) -> bool:
        """Tell whether an array has further dimensions, or rows that are arrays."""
        column = self.column(name)
        return (column.ndim > 1 and column.dtype.kind in NUMBERS) or _are_vectors(column)

    def column(self, name: str) -> np.ndarray:
        """Return an array."""
        return np.asarray(self.batch[name])

    def without(self, names: Sequence[str]) -> dict[str, Any]:
        """Return a dict of the other arrays."""
        return {name: column for name, column in self.batch.items() if name not in names}

    def extended(self, name: str, packed: np.ndarray) -> dict[str, Any]:
        """Return a dict with the codes as a 2-D array."""
        return {**self.batch, name: packed}


class PandasTable(Table):
    """A pandas DataFrame."""

    @property
    def names(self) -> tuple[str, ...]:
        """The labels of the columns."""
        return tuple(self.batch.columns)

    @property
    def n_rows(self) -> int:
        """The length of the frame."""
        return len(self.batch)

    def holds_numbers(self, name: str) -> bool:
        """Tell whether a column is numeric, or of pandas' own or Arrow's numbers."""
        from pandas.api.types import is_numeric_dtype

        return is_numeric_dtype(self.batch[name].dtype)

    def holds_vectors(self, name: str) -> bool:
        """Tell whether the rows of a column are lists, arrays or tensors."""
        return not self.holds_numbers(name) and _are_vectors(self.batch[name].iloc[:1].array)

    def column(self, name: str) -> np.ndarray:
        """Return a column; where it could be a number and pandas made it an object, a number."""
        column = self.batch[name]
        if isinstance(column.dtype, np.dtype):
            return column.to_numpy()
        if column.isna().any():
            raise ValueError(f"column {name!r} of the batch has missing values.")
        return column.to_numpy(dtype=getattr(column.dtype, "numpy_dtype", object))

    def without(self, names: Sequence[str]) -> Any:
        """Return a frame of the other columns."""
        return self.batch.drop(columns=list(names))

    def extended(self, name: str, packed: np.ndarray) -> Any:
        """Return a frame with one `bytes` per row."""
        codes = np.empty(len(packed), dtype=object)
        codes[:] = _as_bytes(packed)
        return self.batch.assign(**{name: codes})


class ArrowTable(Table):
    """A pyarrow Table."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the schema."""
        return tuple(self.batch.column_names)

    @property
    def n_rows(self) -> int:
        """The length of the table."""
        return self.batch.num_rows

    def holds_numbers(self, name: str) -> bool:
        """Tell whether a column is numeric."""
        return is_number(self._kind(name))

    def holds_vectors(self, name: str) -> bool:
        """Tell whether a column is of lists or tensors of numbers."""
        kind = self._kind(name)
        return is_list(kind) and is_number(kind.value_type)

    def column(self, name: str) -> np.ndarray:
        """Return a column; of lists, which must be equally long, one row per list."""
        column = self.batch[name].combine_chunks()
        column = getattr(column, "storage", column)  # tensors are lists with a shape
        values = column.flatten() if is_list(column.type) else column
        if column.null_count or values.null_count:
            raise ValueError(f"column {name!r} of the batch has missing values.")
        if values is not column and len(set(list_lengths(column))) > 1:
            raise _different_lengths(name)
        return to_numpy(values).reshape(self.n_rows, -1)

    def without(self, names: Sequence[str]) -> Any:
        """Return a table of the other columns."""
        return self.batch.drop_columns(list(names))

    def extended(self, name: str, packed: np.ndarray) -> Any:
        """Return a table with a binary column."""
        import pyarrow

        return self.batch.append_column(name, pyarrow.array(_as_bytes(packed), pyarrow.binary()))

    def _kind(self, name: str) -> Any:
        kind = self.batch.schema.field(name).type
        return getattr(kind, "storage_type", kind)


def as_table(batch: Any) -> Table:
    """Return a batch as a table, whatever its form.

    Examples
    --------
    >>> as_table({"id": np.arange(3)}).n_rows
    3
    >>> as_table([1, 2])
    Traceback (most recent call last):
    TypeError: a batch is a list; it takes a dict of arrays, a DataFrame, a pyarrow Table, ...
    """
    if isinstance(batch, dict):
        return DictTable(batch)
    kind = type(batch)
    known = {("pandas", "DataFrame"): PandasTable, ("pyarrow", "Table"): ArrowTable}
    for base in kind.__mro__:
        table = known.get((base.__module__.partition(".")[0], base.__name__))
        if table is not None:
            return table(batch)
    raise TypeError(
        f"a batch is a {kind.__name__}; it takes a dict of arrays, a DataFrame, a pyarrow Table, "
        "a 2-D array, or an iterator of tables."
    )


def _are_vectors(column: Any) -> bool:
    """Tell whether the first of a column's objects is a sequence of numbers."""
    if not len(column) or isinstance(column[0], str | bytes):
        return False
    first = np.asarray(column[0])
    return first.ndim > 0 and first.dtype.kind in NUMBERS


def _stacked(column: np.ndarray, name: str) -> np.ndarray:
    """Return objects that are vectors of one length as an array."""
    rows = [np.asarray(row) for row in column]
    if any(row.dtype.kind not in NUMBERS for row in rows):
        raise ValueError(f"column {name!r} of the batch has missing values, or no numbers.")
    if len({row.shape for row in rows}) > 1:
        raise _different_lengths(name)
    return np.stack(rows)


def _different_lengths(name: str) -> ValueError:
    return ValueError(f"column {name!r} of the batch has vectors of different lengths.")


def _as_bytes(packed: np.ndarray) -> list[bytes]:
    r"""Return each row's bytes.

    Examples
    --------
    >>> _as_bytes(np.array([[1, 0], [0, 255]], dtype=np.uint8))
    [b'\x01\x00', b'\x00\xff']
    """
    return np.ascontiguousarray(packed).view(f"V{packed.shape[1]}")[:, 0].tolist()
