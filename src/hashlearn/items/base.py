"""Files of items: features, labels and ids, read in blocks of rows within bounded memory."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from hashlearn._numerics.columns import listing
from hashlearn._registry import Registry

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

    Attributes
    ----------
    has_types : bool
        Whether the values of a column beside the features have its type. If not, all are text.
    """

    has_types = True  # False: the values of `others` are text, whatever they stand for

    def __init__(self, path: str | os.PathLike[str], array: str | None = None) -> None:
        self.path = os.fspath(path)
        self.array = array

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

    def _error(self, problem: str) -> ValueError:
        """Return an error about this file, in one line even if a library's message has more."""
        return ValueError(f"{self.path!r} {' '.join(problem.split()).removesuffix('.')}.")

    @staticmethod
    def _block_rows(n_features: int, dtype: Any) -> int:
        """Return the number of rows in a block."""
        return max(1, BLOCK_BYTES // max(1, n_features * np.dtype(dtype).itemsize))


class TableItems(Items):
    """Items whose features are columns with names. A subclass reads one kind of table."""

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""

    @abstractmethod
    def read_blocks(self, features: tuple[str, ...], others: tuple[str, ...]) -> Iterator[Block]:
        """Yield blocks of columns that are known to exist."""

    def check(self) -> None:
        """Raise unless the file is a table with one name per column."""
        if self.array is not None:
            raise self._error(f"is a table; array={self.array!r} is for .npz")
        repeated = [name for name, count in Counter(self.columns).items() if count > 1]
        if repeated:
            raise self._error(f"has several columns of the same name: {listing(repeated)}")

    def feature_names(
        self, features: Sequence[str] | None = None, others: Sequence[str] = ()
    ) -> tuple[str, ...]:
        """Return the names of the features that `blocks` reads."""
        self._check_known(others, self._other_names())
        if features is None:
            left_out = set(others)
            return tuple(name for name in self.columns if name not in left_out)
        self._check_known(features, self.columns)
        return tuple(features)

    def n_features(self, features: Sequence[str] | None = None, others: Sequence[str] = ()) -> int:
        """Return the number of features that `blocks` reads."""
        return len(self.feature_names(features, others))

    def blocks(
        self, features: Sequence[str] | None = None, others: Sequence[str] = ()
    ) -> Iterator[Block]:
        """Check the names at once, then yield the items in blocks."""
        return self.read_blocks(self.feature_names(features, others), tuple(others))

    def column(self, name: str | None = None) -> np.ndarray:
        """Return a whole column; without a name, the only one."""
        if name is None:
            name = self._only_column()
        return self.join(list(self.blocks((), (name,))), (), (name,)).others[name]

    def _other_names(self) -> tuple[str, ...]:
        """Return the names of what can be read beside features."""
        return self.columns

    def _only_column(self) -> str:
        names = self._other_names()
        if len(names) != 1:
            raise self._error(f"has {len(names)} columns; name one of {listing(names)}")
        return names[0]

    def _check_known(self, names: Sequence[str], known: Sequence[str]) -> None:
        missing = set(names).difference(known)
        if missing:
            listed = listing([name for name in names if name in missing])
            raise self._error(f"has no column {listed}; it has {listing(known)}")
