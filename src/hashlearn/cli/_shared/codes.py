"""Inputs of commands in blocks: packed codes, or items and a model, with labels or ids."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from hashlearn.base import BaseHasher
from hashlearn.items import Block, Items, read_column
from hashlearn.search import check_packed


@dataclass(frozen=True)
class CodeBlock:
    """Consecutive rows of an input, from position `start` on.

    `items` are those that were encoded, if any; `values` are labels or ids, if asked for.
    """

    start: int
    packed: np.ndarray
    items: np.ndarray | None = None
    values: Any = None

    def rows(self, first: int, stop: int) -> CodeBlock:
        """Return some rows of the block."""
        items = None if self.items is None else self.items[first:stop]
        values = None if self.values is None else self.values[first:stop]
        return CodeBlock(self.start + first, self.packed[first:stop], items, values)


class RowValues(Protocol):
    """Values that are read along with codes: labels or ids (`ItemValues`), or several of them."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns to read beside the features."""

    def of_rows(self, others: Mapping[str, np.ndarray], rows: slice) -> Any:
        """Return the values of some items: `others` has their columns, `rows` their positions."""

    def check_length(self, n_items: int) -> None:
        """Raise unless there are `n_items` values."""


class ItemValues:
    """One value per item, or several: labels or ids.

    `option` asks for them, for error messages; `given` is a column of the table or an array of the
    archive, several of them as 'a,b,c', or a file. `columns` is what to read beside the features.
    """

    def __init__(self, option: str, given: str, source: Items) -> None:
        self.option = f"{option} {given}"
        is_one = given in (source.columns or ())  # a name may contain a comma
        self.columns: tuple[str, ...] = (given,) if is_one else tuple(given.split(","))
        self._stored: np.ndarray | None = None
        try:
            source.feature_names(others=self.columns)
        except ValueError as error:
            if not Path(given).is_file():
                raise ValueError(f"{self.option} is not a file, and {error}") from None
            self.columns, self._stored = (), read_column(given)
            if source.n_items is not None:
                self.check_length(source.n_items)

    @property
    def n_stored(self) -> int | None:
        """Number of values in their own file, if they have one."""
        return None if self._stored is None else len(self._stored)

    def of_rows(self, others: Mapping[str, np.ndarray], rows: slice | np.ndarray) -> np.ndarray:
        """Return the values of some items: `others` has their columns, `rows` their positions."""
        if self._stored is not None:
            return self._stored[rows]
        values = [others[name] for name in self.columns]
        return values[0] if len(values) == 1 else np.column_stack(values)

    def check_length(self, n_items: int) -> None:
        """Raise unless there are `n_items` values."""
        if self.n_stored not in (None, n_items):
            raise ValueError(
                f"{self.option} has {self.n_stored:,} values for {n_items:,} items: "
                "there must be one per item."
            )

    def check_whole(self, values: np.ndarray) -> None:
        """Raise if a value is missing: an empty label would be a class of its own."""
        if values.dtype.kind in "UO" and any(value in ("", None) for value in values.flat):
            raise ValueError(f"{self.option} has items without a value: every item must have one.")


class CodeSource:
    """An input of packed codes, or of items and the hasher that encodes them.

    Packed codes have all bits of their bytes unless `n_bits` is given. `values` are labels or ids
    to read along, `others` further columns that are not features.
    """

    def __init__(
        self,
        source: Items,
        hasher: BaseHasher | None,
        *,
        n_bits: int | None = None,
        values: RowValues | None = None,
        others: tuple[str, ...] = (),
    ) -> None:
        self.source, self.hasher, self.values = source, hasher, values
        self._others = others if values is None else (*others, *values.columns)
        self._features = None
        if hasher is None:
            self._check_codes()
            self.n_bits = n_bits or 8 * source.n_features(others=self._others)
        else:
            self._features = find_features(hasher, source, self._others)
            self.n_bits = hasher.n_bits
            if n_bits not in (None, self.n_bits):
                raise ValueError(f"the model gives codes of {self.n_bits} bits, not {n_bits}.")

    def blocks(self) -> Iterator[CodeBlock]:
        """Yield the codes, a block of bounded size at a time."""
        start = 0
        for block in self._read():
            yield self._encode(block, start)
            start += len(block.features)
        if self.values is not None:
            self.values.check_length(start)

    def head(self, n: int) -> tuple[list[CodeBlock], int]:
        """Return the codes of the first n rows, and the number of all rows."""
        heads: list[CodeBlock] = []
        n_items = 0
        for block in self._read():
            n_rows = len(block.features)
            if n_items < n:
                first = block.take(np.arange(min(n - n_items, n_rows)))
                heads.append(self._encode(first, n_items))
            n_items += n_rows
            if n_items >= n and self.source.n_items is not None:
                return heads, self.source.n_items
        return heads, n_items

    def _read(self) -> Iterator[Block]:
        return self.source.blocks(self._features, self._others)

    def _encode(self, block: Block, start: int) -> CodeBlock:
        rows = slice(start, start + len(block.features))
        values = None if self.values is None else self.values.of_rows(block.others, rows)
        if self.hasher is None:
            packed = check_packed(block.features, self.n_bits, repr(self.source.path))
            return CodeBlock(start, packed, None, values)
        self.source.check_finite(block.features, start, self._features)
        return CodeBlock(start, self.hasher.encode(block.features), block.features, values)

    def _check_codes(self) -> None:
        """Raise if the input is not packed codes; the first block of an array tells."""
        held = "a table"
        if self.source.columns is None:
            first = next(self._read(), None)
            held = "uint8" if first is None else str(first.features.dtype)
        if held != "uint8":
            raise ValueError(
                f"'{self.source.path}' holds {held}; packed codes must be uint8. To encode items, "
                "give --model."
            )


def load_hasher(path: str | os.PathLike[str]) -> BaseHasher:
    """Return the fitted hasher that a model file holds; raise if it holds something else."""
    from hashlearn import load

    model = load(path)
    if not isinstance(model, BaseHasher):
        raise ValueError(
            f"'{os.fspath(path)}' holds a {type(model).__name__}, which is not a hasher."
        )
    return model


def find_features(
    hasher: BaseHasher, source: Items, others: tuple[str, ...] = ()
) -> tuple[str, ...] | None:
    """Return the columns that a hasher was fitted on; None: all but `others`.

    If both sides have names, columns are found by name, in any order and among others.
    """
    names = getattr(hasher, "feature_names_in_", None)
    if names is not None and source.columns is not None:
        return source.feature_names(tuple(names), others)
    n_features = source.n_features(others=others)
    if n_features != hasher.n_features_in_:
        raise ValueError(
            f"'{source.path}' has {n_features} features: the model needs {hasher.n_features_in_}."
        )
    return None
