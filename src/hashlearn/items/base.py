"""Files of items: features, labels and ids, read in blocks of rows within bounded memory."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from hashlearn._registry import Registry
from hashlearn.items.values import as_ids

SUFFIXES: Registry[Items] = Registry("suffix")
register = SUFFIXES.register

Advance = Callable[[int], None]

BLOCK_BYTES = 2**23  # larger blocks cost memory and hardly speed up encoding


class Block(NamedTuple):
    """Consecutive items: their features, and the columns read beside them.

    Attributes
    ----------
    features : ndarray of shape (n, n_features)
        float32, float64 or uint8; C-contiguous, and the caller may change it.
    others : dict of str to ndarray of n rows
        Labels, ids and other columns, by name.
    """

    features: np.ndarray
    others: dict[str, np.ndarray]

    def take(self, rows: np.ndarray) -> Block:
        """Return some rows of the block.

        Parameters
        ----------
        rows : ndarray of int or bool
            Positions in the block, or a mask.

        Returns
        -------
        block : Block

        Examples
        --------
        >>> import numpy as np
        >>> from hashlearn.items import Block
        >>> block = Block(np.array([[1.0], [2.0]]), {"id": np.array([7, 8])})
        >>> block.take(np.array([1]))
        Block(features=array([[2.]]), others={'id': array([8])})
        """
        others = {name: values[rows] for name, values in self.others.items()}
        return Block(self.features[rows], others)


class Items(ABC):
    """The items of one file. A subclass reads one kind of file.

    The constructor only stores its arguments. A damaged file or a wrong request for columns is a
    ValueError of one sentence that names the path; a file that is missing or not readable is an
    OSError.

    Parameters
    ----------
    path : str or path-like
        The file.
    array : str, optional
        The name of the array that holds the items, where files hold several.
    delimiter : str, optional
        The character between values, where files are separated text.

    Attributes
    ----------
    has_types : bool
        Whether the values of a column beside the features have its type. If not, all are text.
    has_delimiter : bool
        Whether `delimiter` can be given.
    called : str
        The file in messages: its path in quotes, or "standard input".
    code_column : str or None
        The column of packed codes, of a file that `write_codes` made; else None.
    n_bits : int or None
        The number of bits of these codes.
    model : str or None
        The fingerprint of the model that made them, if it is known.
    """

    code_column: str | None = None
    n_bits: int | None = None
    model: str | None = None

    has_types = True  # False: the values of `others` are text, whatever they stand for
    has_delimiter = False

    def __init__(
        self,
        path: str | os.PathLike[str],
        array: str | None = None,
        delimiter: str | None = None,
    ) -> None:
        self.path = os.fspath(path)
        self.array = array
        self.delimiter = delimiter
        self.called = repr(self.path)

    @abstractmethod
    def check(self) -> None:
        """Raise if the file does not hold items; only a small part of it is read."""

    @property
    @abstractmethod
    def n_items(self) -> int | None:
        """The number of items, or None if it is not known before all are read."""

    @property
    def approximate_n_items(self) -> int:
        """The number of items if it is known, else an estimate for progress bars."""
        return self.n_items or 0

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...] | None:
        """The names of a table's columns; None for arrays, which have no names."""

    @abstractmethod
    def feature_names(
        self, features: Sequence[str] | None = None, others: Sequence[str] = ()
    ) -> tuple[str, ...] | None:
        """Return the names of the features that `blocks` reads; None for arrays."""

    def select_columns(self, names: str | Sequence[str]) -> tuple[str, ...]:
        """Return the columns that names stand for; see `TableItems.select_columns`."""
        raise self._error("holds arrays: their columns have no names to choose by")

    def select_features(
        self,
        features: str | Sequence[str] | None = None,
        *,
        ignore: str | Sequence[str] = (),
        others: Sequence[str] = (),
        n_features: int | None = None,
    ) -> tuple[str, ...] | None:
        """Return the features to read, None for all of an array; see `TableItems`."""
        if features is not None or ignore:
            self.select_columns(features or ignore)
        self._check_n_features(self.n_features(others=others), n_features)
        return self.feature_names(others=others)

    @abstractmethod
    def n_features(self, features: Sequence[str] | None = None, others: Sequence[str] = ()) -> int:
        """Return the number of features that `blocks` reads."""

    @abstractmethod
    def blocks(
        self, features: Sequence[str] | None = None, others: Sequence[str] = ()
    ) -> Iterator[Block]:
        """Check the names at once, then yield the items in blocks of bounded size.

        Parameters
        ----------
        features : sequence of str, optional
            The columns to read as features, in this order. None: all that are not in `others`.
        others : sequence of str
            Columns, or arrays of the same archive, to read beside the features.

        Yields
        ------
        block : Block
            Of at least one item; a file without items yields no block.
        """

    @abstractmethod
    def column(self, name: str | None = None) -> np.ndarray:
        """Return a whole column, or an array of the archive; without a name, the only one."""

    def mapped(self) -> np.ndarray | None:
        """Return the features as an array that stays on disk; None if the file is not one."""
        return None

    def ids(self, name: str | None = None) -> np.ndarray:
        """Return a whole column of ids, int64 or objects of text; without a name, the only one.

        Text of a file that has types stays text; text of a `.csv` is as `as_ids` returns it.
        """
        values = self.column(name)
        return self._as_ids(values.astype(object) if values.dtype.kind == "U" else values)

    def rows(
        self,
        positions: np.ndarray,
        features: Sequence[str] | None = None,
        others: Sequence[str] = (),
        advance: Advance | None = None,
    ) -> Block:
        """Return the items at increasing positions, in one pass that reports to `advance`."""
        taken, start = [], 0
        for block in self.watched_blocks(features, others, advance):
            stop = start + len(block.features)
            first, last = np.searchsorted(positions, (start, stop))
            if last > first:
                taken.append(block.take(positions[first:last] - start))
            start = stop
        return self.join(taken, features, others)

    def watched_blocks(
        self,
        features: Sequence[str] | None = None,
        others: Sequence[str] = (),
        advance: Advance | None = None,
    ) -> Iterator[Block]:
        """Yield the blocks, and call `advance` with the number of items in each."""
        for block in self.blocks(features, others):
            if advance is not None:
                advance(len(block.features))
            yield block

    def join(
        self,
        blocks: Sequence[Block],
        features: Sequence[str] | None = None,
        others: Sequence[str] = (),
    ) -> Block:
        """Return blocks of these columns as one; without blocks, an empty one."""
        if not blocks:
            empty = np.empty((0, self.n_features(features, others)), dtype=np.float32)
            return Block(empty, {name: np.empty(0, dtype=np.float32) for name in others})
        return Block(
            np.concatenate([block.features for block in blocks]),
            {name: np.concatenate([block.others[name] for block in blocks]) for name in others},
        )

    def check_finite(
        self, X: np.ndarray, rows: int | np.ndarray = 0, features: Sequence[str] | None = None
    ) -> None:
        """Raise for the first feature that is not a finite number, with its row and column.

        Parameters
        ----------
        X : ndarray of shape (n, n_features)
            Features of this file.
        rows : int or ndarray of shape (n,)
            Their positions in the file, or the first one if they are consecutive.
        features : sequence of str, optional
            The names of the features.
        """
        finite = np.isfinite(X)
        if finite.all():
            return
        i, j = np.argwhere(~finite)[0]
        row = rows[i] if isinstance(rows, np.ndarray) else rows + i
        name = j if features is None else repr(features[j])
        raise self._error(
            f"has {X[i, j]} in column {name} of row {row} (from 0); features must be finite: "
            "fill it in, or leave out the row or the column"
        )

    def _as_ids(self, values: np.ndarray) -> np.ndarray:
        """Return ids of this file, which an error names."""
        try:
            return as_ids(values)
        except ValueError as error:
            raise ValueError(f"{self.called}: {error}") from None

    def _check_n_features(self, n: int, needed: int | None) -> None:
        """Raise unless there are as many features as are needed."""
        if needed not in (None, n):
            raise self._error(
                f"has {n:,} features, but {needed:,} are needed"
                + ("" if self.columns is None else ": name them, as --features does")
            )

    def _error(self, problem: str) -> ValueError:
        """Return an error about this file, in one line even if a library's message has more."""
        return ValueError(f"{self.called} {' '.join(problem.split()).removesuffix('.')}.")

    @staticmethod
    def _block_rows(n_features: int, dtype: Any) -> int:
        """Return the number of rows in a block."""
        return max(1, BLOCK_BYTES // max(1, n_features * np.dtype(dtype).itemsize))
