"""What every file of items offers: blocks of rows in bounded memory."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from hashlearn._registry import Registry

SUFFIXES: Registry[Items] = Registry("suffix")
register = SUFFIXES.register

Advance = Callable[[int], None]

BLOCK_BYTES = 2**23  # larger blocks cost memory and make encoding hardly faster


class Block(NamedTuple):
    """Consecutive items: their features, and what else was asked for.

    Attributes
    ----------
    features : ndarray of shape (n, n_features)
        C-contiguous and of the caller: float32, float64 or uint8.
    others : dict of str to ndarray of n rows
        Labels, ids and the like, by name.
    """

    features: np.ndarray
    others: dict[str, np.ndarray]


class Items(ABC):
    """The items of one file. A subclass reads one kind of file.

    The constructor only stores. Everything that is wrong with a file or a request for columns
    is a ValueError of one sentence that names the path; a file that is missing or may not be
    read is the OSError itself.

    Parameters
    ----------
    path : str or path-like
        The file.
    array : str, optional
        The name of the array that holds the items, where files hold several.
    """

    def __init__(self, path: str | os.PathLike[str], array: str | None = None) -> None:
        self.path = os.fspath(path)
        self.array = array

    @abstractmethod
    def check(self) -> None:
        """Raise if the file does not hold items; little of it is read."""

    @property
    @abstractmethod
    def n_items(self) -> int | None:
        """The number of items, or None where only reading them all tells."""

    @property
    def approximate_n_items(self) -> int:
        """The number of items where it is known, else a guess for progress bars."""
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
            Of at least one item; a file without items has no block.
        """

    @abstractmethod
    def column(self, name: str | None = None) -> np.ndarray:
        """Return a whole column, or an array of the archive; the name of an only one is free."""

    def rows(
        self,
        positions: np.ndarray,
        features: Sequence[str] | None = None,
        others: Sequence[str] = (),
        advance: Advance | None = None,
    ) -> Block:
        """Return the items at increasing positions, in one pass, which `advance` is told of."""
        taken, start = [], 0
        for block in watched(self.blocks(features, others), advance):
            stop = start + len(block.features)
            first, last = np.searchsorted(positions, (start, stop))
            if last > first:
                taken.append(take(block, positions[first:last] - start))
            start = stop
        return self.join(taken, features, others)

    def join(
        self,
        blocks: Sequence[Block],
        features: Sequence[str] | None = None,
        others: Sequence[str] = (),
    ) -> Block:
        """Return blocks of these columns as one; no blocks make an empty one."""
        if not blocks:
            empty = np.empty((0, self.n_features(features, others)), dtype=np.float32)
            return Block(empty, {name: np.empty(0, dtype=np.float32) for name in others})
        return Block(
            np.concatenate([block.features for block in blocks]),
            {name: np.concatenate([block.others[name] for block in blocks]) for name in others},
        )

    def _error(self, problem: str) -> ValueError:
        """Return an error about this file, to raise; libraries may say more than one line."""
        return ValueError(f"{self.path!r} {' '.join(problem.split()).removesuffix('.')}.")


def watched(blocks: Iterable[Block], advance: Advance | None) -> Iterator[Block]:
    """Yield blocks, and tell of the number of items in each."""
    for block in blocks:
        if advance is not None:
            advance(len(block.features))
        yield block


def take(block: Block, rows: np.ndarray) -> Block:
    """Return some rows of a block.

    Examples
    --------
    >>> block = Block(np.array([[1.0], [2.0]]), {"id": np.array([7, 8])})
    >>> take(block, np.array([1]))
    Block(features=array([[2.]]), others={'id': array([8])})
    """
    others = {name: values[rows] for name, values in block.others.items()}
    return Block(block.features[rows], others)


def block_rows(n_features: int, dtype: Any) -> int:
    """Return how many items of this kind make a block.

    Examples
    --------
    >>> block_rows(1024, np.float32)
    2048
    """
    return max(1, BLOCK_BYTES // max(1, n_features * np.dtype(dtype).itemsize))


def feature_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type in which features that are stored as `dtype` are handed out.

    Bytes stay bytes, so that packed codes can be read; float32 and float64 stay; other numbers
    become float32, which is what hashers make of them.

    Examples
    --------
    >>> feature_dtype(np.dtype("int16"))
    dtype('float32')
    """
    if dtype.kind == "f" and dtype.itemsize >= 8:
        return np.dtype(np.float64)
    return np.dtype(np.uint8) if dtype == np.uint8 else np.dtype(np.float32)


def listing(names: Sequence[str], most: int = 10) -> str:
    """Return names for an error message, the first few of many.

    Examples
    --------
    >>> listing(["a", "b", "c"], most=2)
    "'a', 'b' and 1 more"
    """
    shown = ", ".join(map(repr, names[:most])) or "none"
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
