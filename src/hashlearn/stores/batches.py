"""Layouts of tables, batches of items, and what an engine finds for a query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from hashlearn._numerics.checks import check_n_bits
from hashlearn._numerics.ids import Ids, tie_keys
from hashlearn.search.packing import check_packed
from hashlearn.stores._checks import check_name, ids_of
from hashlearn.stores._columns import DTYPES, KINDS, ColumnType, checked_column

Columns = Mapping[str, ColumnType]
IdType = type[int] | type[str]

RESERVED = ("id", "code")


class Layout(NamedTuple):
    """The columns of a table: bits per code, and what is kept beside ids and codes.

    Attributes
    ----------
    n_bits : int
        Bits per code.
    columns : dict of str to type
        Names and types (int, float, str or bool) of the other columns.
    id_type : type
        The type of the ids, int or str.

    Examples
    --------
    >>> from hashlearn.stores import Layout
    >>> layout = Layout.checked(13, {"digit": int})
    >>> layout.width, layout.dtypes
    (2, {'digit': <class 'numpy.int64'>})
    """

    n_bits: int
    columns: dict[str, ColumnType]
    id_type: IdType = int

    @classmethod
    def checked(cls, n_bits: int, columns: Columns | None = None, id_type: IdType = int) -> Layout:
        """Return a layout as users give it; raise unless every database can have it."""
        check_n_bits(n_bits)
        if not isinstance(columns, Mapping | None):
            raise TypeError(
                f"columns must be a mapping of names to types, such as {{'digit': int}}; got "
                f"{columns!r}."
            )
        known: dict[str, ColumnType] = {}
        for name, kind in (columns or {}).items():
            check_name(name, "column")
            if name.lower() in (*RESERVED, *map(str.lower, known)):  # case may not matter
                raise ValueError(f"column {name!r} exists already: names of columns must differ.")
            if not isinstance(kind, type) or kind not in KINDS:
                raise ValueError(
                    f"the type of column {name!r} must be int, float, str or bool; got {kind!r}."
                )
            known[name] = kind
        if id_type not in (int, str):
            raise ValueError(f"id_type must be int or str; got {id_type!r}.")
        return cls(int(n_bits), known, id_type)

    @property
    def width(self) -> int:
        """Bytes per packed code."""
        return -(-self.n_bits // 8)

    @property
    def dtypes(self) -> dict[str, type]:
        """The numpy types of the columns' values; texts are objects."""
        return {name: DTYPES[kind] for name, kind in self.columns.items()}

    def with_columns(self, columns: Sequence[str] | None) -> Layout:
        """Return the layout with some of the columns only; None is all."""
        if columns is None:
            return self
        if isinstance(columns, str) or not set(columns) <= set(self.columns):
            raise ValueError(
                f"columns must be a list of columns of the table, {_listed(self.columns)}; got "
                f"{columns!r}."
            )
        return self._replace(columns={name: self.columns[name] for name in columns})

    def in_words(self) -> str:
        """Return it as a part of a sentence."""
        columns = [f"{name} ({kind.__name__})" for name, kind in self.columns.items()]
        ids = "text ids and " if self.id_type is str else ""
        return f"codes of {self.n_bits} bits with {ids}columns {', '.join(columns) or 'none'}"


class Batch(NamedTuple):
    """Some items of a table.

    Attributes
    ----------
    ids : ndarray of shape (n,), int64 or texts as objects
    packed : ndarray of shape (n, ceil(n_bits / 8)), uint8
        Packed codes.
    values : dict of str to ndarray of shape (n,)
        Values of the columns: int64, float64, bool, or texts as objects. A column in which values
        are missing is one of objects, None for those.
    """

    ids: np.ndarray
    packed: np.ndarray
    values: dict[str, np.ndarray]

    @classmethod
    def checked(
        cls, layout: Layout, packed: ArrayLike, ids: Any, values: Mapping[str, Any] | None
    ) -> Batch:
        """Return items as users give them; raise unless they fit a layout."""
        packed = check_packed(packed, layout.n_bits, "packed")
        known = Ids().appended(len(packed), ids_of(ids, layout.id_type))  # raises on wrong ones
        values = values or {}
        if set(values) != set(layout.columns):
            raise ValueError(
                f"values must have the table's columns, {_listed(layout.columns)}; got "
                f"{_listed(values)}."
            )
        columns = {
            name: checked_column(name, values[name], kind, len(packed))
            for name, kind in layout.columns.items()
        }
        return cls(ids_of(known.values, layout.id_type), packed, columns)

    @classmethod
    def joined(cls, layout: Layout, batches: Sequence[Batch]) -> Batch:
        """Return the items of any number of batches."""
        nothing = np.empty((0, layout.width), dtype=np.uint8)
        columns: dict[str, np.ndarray] = {
            name: np.empty(0, dtype=dtype) for name, dtype in layout.dtypes.items()
        }
        no_ids: np.ndarray = np.empty(0, dtype=DTYPES[layout.id_type])
        parts = [cls(no_ids, nothing, columns), *batches]
        return cls(
            np.concatenate([part.ids for part in parts]),
            np.concatenate([part.packed for part in parts]),
            {name: np.concatenate([part.values[name] for part in parts]) for name in columns},
        )

    def rows(self, first: int, stop: int) -> Batch:
        """Return some items that follow each other."""
        return self.taken(slice(first, stop))

    def taken(self, rows: slice | np.ndarray) -> Batch:
        """Return some items: those of a slice, of a mask, or at some positions."""
        values = {name: column[rows] for name, column in self.values.items()}
        return Batch(self.ids[rows], self.packed[rows], values)


class Found(NamedTuple):
    """What an engine found for one query, in any order.

    Attributes
    ----------
    ids : ndarray of shape (n,), int64 or texts as objects
    distances : ndarray of shape (n,), int64

    Examples
    --------
    >>> from hashlearn.stores import Found
    >>> Found.of_rows([(8, 2), (7, 0)]).in_order()
    Found(ids=array([7, 8]), distances=array([0, 2]))
    """

    ids: np.ndarray
    distances: np.ndarray

    @classmethod
    def of_rows(cls, rows: Any) -> Found:
        """Return what rows of (id, distance) hold."""
        pairs = [tuple(row) for row in rows]
        is_text = bool(pairs) and isinstance(pairs[0][0], str)
        return cls(
            np.array([id_ for id_, _ in pairs], dtype=object if is_text else np.int64),
            np.array([distance for _, distance in pairs], dtype=np.int64),
        )

    def in_order(self) -> Found:
        """Return it by distance, and equal distances in a neutral order, that of the tie keys."""
        order = np.lexsort((tie_keys(self.ids), self.distances))
        return Found(self.ids[order], self.distances[order])


def _listed(names: Mapping[str, Any]) -> str:
    return ", ".join(map(repr, names)) or "none"
