"""Items of a file by their ids: vectors to rescore with, and values to show beside results."""

from __future__ import annotations

import json
import os
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import ArrayLike

from hashlearn.items.base import Block, Items
from hashlearn.items.opening import open_items, read_ids
from hashlearn.items.values import as_ids

NOT_FOUND = -1
NO_ID = np.iinfo(np.int64).min  # in place of a text that is not an integer


class ItemLookup:
    r"""Items of a file of any size, found by their ids.

    Nothing is read before it is needed. Ids are then read whole. Vectors of a `.npy` file are
    mapped; other files are copied once, block by block, to a temporary file from which only what
    is asked for is read.

    Parameters
    ----------
    items : Items, str or path-like
        The file, or its path.
    ids : str, path-like or array-like, optional
        The column or array of the file that holds the ids, another file with an id per item, or
        the ids themselves. None: the id of an item is its position.
    features : str or sequence of str, optional
        The features of the vectors, as for `TableItems.select_features`.
    n_features : int, optional
        The number of features that the vectors must have.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from hashlearn.items import ItemLookup
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "pets.csv"
    ...     _ = path.write_text("id,weight,name\na,4.5,Tom\nb,30,Rex\n")
    ...     lookup = ItemLookup(path, ids="id", features="weight")
    ...     lookup.vectors(["b", "a"]), lookup.values(["b"], ["name"])
    (array([[30. ],
           [ 4.5]]), {'name': ['Rex']})
    """

    def __init__(
        self,
        items: Items | str | os.PathLike[str],
        ids: Any = None,
        *,
        features: str | Sequence[str] | None = None,
        n_features: int | None = None,
    ) -> None:
        self.source = open_items(items) if isinstance(items, str | os.PathLike) else items
        self.ids = ids
        self.features = features
        self.n_features = n_features
        self._texts: dict[tuple[str, ...], _Rows] = {}

    def find(self, ids: ArrayLike) -> np.ndarray:
        """Return the positions of ids in the file.

        Parameters
        ----------
        ids : array-like of shape (n,)
            Integers or text. Text of an integer and the integer are the same id.

        Returns
        -------
        positions : ndarray of shape (n,), int64
            -1 for an id that the file does not have.
        """
        wanted = np.asarray(ids)
        if self._known is None:
            numbers = _as_integers(wanted)
            return np.where((numbers >= 0) & (numbers < self._n_items), numbers, NOT_FOUND)
        if self._known.dtype.kind == "i":
            numbers = _as_integers(wanted)
            places = np.searchsorted(self._sorted, numbers)
            found = np.append(self._sorted, NO_ID)[places] == numbers
            return np.where(found, np.append(self._order, NOT_FOUND)[places], NOT_FOUND)
        positions = [self._by_text.get(str(value), NOT_FOUND) for value in wanted]
        return np.array(positions, dtype=np.int64)

    def vectors(self, ids: ArrayLike) -> np.ndarray:
        """Return the vectors of ids, for example as the vectors of a `VectorRescoring`.

        Parameters
        ----------
        ids : array-like of shape (n,)
            Integers or text.

        Returns
        -------
        vectors : ndarray of shape (n, n_features)

        Raises
        ------
        ValueError
            If the file does not have one of the ids.
        """
        positions = self._positions(ids)
        order = np.argsort(positions)  # what is near in the file is read together
        rows = np.empty((len(positions), self._vectors.shape[1]), dtype=self._vectors.dtype)
        rows[order] = self._vectors[positions[order]]
        return rows

    def values(self, ids: ArrayLike, columns: Sequence[str]) -> dict[str, list[Any]]:
        """Return the values of columns for ids.

        Parameters
        ----------
        ids : array-like of shape (n,)
            Integers or text; -1 and None, which mean "no item" in results, have the value None.
        columns : sequence of str
            Columns of the table, or arrays of the archive. Values of a `.csv` are text.

        Returns
        -------
        values : dict of str to list

        Raises
        ------
        ValueError
            If the file does not have one of the ids or columns.
        """
        wanted = np.asarray(ids)
        items = np.array([value not in (None, NOT_FOUND) for value in wanted.tolist()], dtype=bool)
        rows = self._rows(tuple(columns)).at(self._positions(wanted[items]))
        held: list[Any] = [[None] * len(columns)] * len(wanted)
        for place, row in zip(np.flatnonzero(items), rows, strict=True):
            held[place] = row
        return {name: [row[i] for row in held] for i, name in enumerate(columns)}

    def _positions(self, ids: ArrayLike) -> np.ndarray:
        """Return the positions of ids, or raise for one that is not there."""
        wanted = np.asarray(ids)
        positions = self.find(wanted)
        if (positions == NOT_FOUND).any():
            missing = wanted[positions == NOT_FOUND][0]
            missing = missing.item() if isinstance(missing, np.generic) else missing
            where = "" if self.ids is not None else "; without ids the id of an item is its row"
            raise self.source._error(f"has no item with the id {missing!r}{where}")
        return positions

    @cached_property
    def _n_items(self) -> int:
        """The number of items, which are counted if the file does not say it."""
        n_items = self.source.n_items
        return sum(len(b.features) for b in self.source.blocks(())) if n_items is None else n_items

    @cached_property
    def _known(self) -> np.ndarray | None:
        """The ids by position; None if they are the positions."""
        if self.ids is None:
            return None
        known = self._read_ids()
        if len(known) != self._n_items:
            raise self.source._error(
                f"has {self._n_items:,} items, but there are {len(known):,} ids"
            )
        return known

    def _read_ids(self) -> np.ndarray:
        """Return the ids that are given: a column, another file, or the ids themselves."""
        if not isinstance(self.ids, str | os.PathLike):
            return as_ids(self.ids)
        if self._id_column is not None:
            return self.source.ids(self._id_column)
        return read_ids(self.ids)

    @property
    def _id_column(self) -> str | None:
        """The column of the ids; a file that exists is one only if it is not a column."""
        if not isinstance(self.ids, str):
            return None
        if self.ids in (self.source.columns or ()) or not Path(self.ids).is_file():
            return self.ids
        return None

    @cached_property
    def _order(self) -> np.ndarray:
        """The positions in the order of their ids, which are integers."""
        assert self._known is not None
        order = np.argsort(self._known, kind="stable")
        self._check_distinct(self._known[order])
        return order

    @cached_property
    def _sorted(self) -> np.ndarray:
        assert self._known is not None
        return self._known[self._order]

    @cached_property
    def _by_text(self) -> dict[str, int]:
        """The positions of ids that are text."""
        assert self._known is not None
        by_text = {text: position for position, text in enumerate(self._known)}
        if len(by_text) < len(self._known):
            self._check_distinct(np.sort(self._known))
        return by_text

    def _check_distinct(self, ids: np.ndarray) -> None:
        """Raise if sorted ids have one twice."""
        twice = ids[1:][ids[1:] == ids[:-1]]
        if len(twice):
            raise self.source._error(f"has the id {twice.tolist()[0]!r} twice; ids must be unique")

    @cached_property
    def _vectors(self) -> np.ndarray:
        """All vectors, mapped from the file, or from a copy of it."""
        column = self._id_column
        others = () if column is None or self.source.columns is None else (column,)
        names = self.source.select_features(
            self.features, others=others, n_features=self.n_features
        )
        mapped = self.source.mapped()
        if mapped is not None:
            return mapped
        empty = np.empty((0, self.source.n_features(names, others)), dtype=np.float32)
        return _mapped_copy((block.features for block in self.source.blocks(names)), empty)

    def _rows(self, columns: tuple[str, ...]) -> _Rows:
        """Return the values of columns, copied when they are first asked for."""
        if columns not in self._texts:
            features = None if self.source.columns is None else ()
            self._texts[columns] = _Rows(self.source.blocks(features, columns), columns)
        return self._texts[columns]


class _Rows:
    """Values of rows in a temporary file, a line of JSON each; memory holds where they begin."""

    def __init__(self, blocks: Iterator[Block], columns: tuple[str, ...]) -> None:
        self._file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # closed by the next line
        weakref.finalize(self, self._file.close)
        sizes = [np.zeros(1, dtype=np.int64)]
        for block in blocks:
            values = [block.others[name].tolist() for name in columns]
            lines = [json.dumps(row).encode() for row in zip(*values, strict=True)]
            self._file.write(b"".join(lines))
            sizes.append(np.fromiter(map(len, lines), dtype=np.int64, count=len(lines)))
        self._ends = np.concatenate(sizes).cumsum()

    def at(self, positions: np.ndarray) -> list[list[Any]]:
        """Return the values of some rows."""
        rows = []
        for position in positions:
            start, stop = self._ends[position : position + 2]
            self._file.seek(start)
            rows.append(json.loads(self._file.read(stop - start)))
        return rows


def _mapped_copy(blocks: Iterator[np.ndarray], empty: np.ndarray) -> np.ndarray:
    """Return all rows as a map of a temporary file, which goes with it."""
    with tempfile.TemporaryFile() as file:
        dtype, n_rows = empty.dtype, 0
        for block in blocks:
            file.write(np.ascontiguousarray(block).data)
            dtype, n_rows = block.dtype, n_rows + len(block)
        if not n_rows:
            return empty
        file.flush()
        return np.memmap(file, dtype=dtype, mode="r", shape=(n_rows, empty.shape[1]))


def _as_integers(ids: np.ndarray) -> np.ndarray:
    """Return ids as int64, and `NO_ID` for text that is not an integer."""
    if ids.dtype.kind in "iu":
        return ids.astype(np.int64)
    found = as_ids(ids.astype(str)) if ids.size else np.empty(0, dtype=np.int64)
    if found.dtype.kind == "i":
        return found
    ones = [as_ids(np.array([text])) for text in found]
    return np.array([one[0] if one.dtype.kind == "i" else NO_ID for one in ones])
