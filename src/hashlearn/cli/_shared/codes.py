"""Inputs of commands in blocks: packed codes, or items and a model, with labels or ids."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from hashlearn.cli._shared.reading import Reading
from hashlearn.files import file_info
from hashlearn.items import Block, Items, as_ids, read_column, read_ids
from hashlearn.search import HammingIndex, PackedCodes, check_packed

if TYPE_CHECKING:
    from hashlearn.base import BaseHasher

CODE_ID = "id"  # the column of ids in a file of codes


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
    """Labels of items: one per item, or several.

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
        _check_length(self.option, self.n_stored, n_items)


class ItemIds:
    """Ids of items, which are read whole at once: one text among them makes all of them text.

    `given` is a column, an array of the archive, or a file with an id per item.
    """

    def __init__(self, option: str, given: str, source: Items) -> None:
        self.option = f"{option} {given}"
        self.columns: tuple[str, ...] = ()
        try:
            self.all, self.columns = source.ids(given), (given,)
        except ValueError as error:
            if not Path(given).is_file():
                raise ValueError(f"{self.option} is not a file, and {error}") from None
            self.all = read_ids(given)
            if source.n_items is not None:
                self.check_length(source.n_items)

    def of_rows(self, others: Mapping[str, np.ndarray], rows: slice) -> np.ndarray:
        """Return the ids of some items."""
        return self.all[rows]

    def check_length(self, n_items: int) -> None:
        """Raise unless there are `n_items` ids."""
        _check_length(self.option, len(self.all), n_items)


def _check_length(option: str, n_values: int | None, n_items: int) -> None:
    if n_values not in (None, n_items):
        raise ValueError(
            f"{option} has {n_values:,} values for {n_items:,} items: there must be one per item."
        )


class CodeSource:
    """An input of packed codes, or of items and the hasher that encodes them.

    Packed codes have all bits of their bytes unless `n_bits` is given. `values` are labels or ids
    to read along, `others` further columns that are not features; `reading` chooses features;
    the first `skip` rows are left out.
    """

    def __init__(
        self,
        source: Items,
        hasher: BaseHasher | None,
        *,
        n_bits: int | None = None,
        values: RowValues | None = None,
        others: tuple[str, ...] = (),
        reading: Reading | None = None,
        skip: int = 0,
    ) -> None:
        self.source, self.hasher, self.values, self._skip = source, hasher, values, skip
        self._others = others if values is None else (*others, *values.columns)
        self._features: tuple[str, ...] | None = None
        if hasher is None and source.code_column is not None:
            self._features = (source.code_column,)
            self.n_bits = source.n_bits or 0
        elif hasher is None:
            self._check_codes()
            self.n_bits = n_bits or 8 * source.n_features(others=self._others)
        elif source.code_column is not None:
            raise ValueError(
                f"{source.called} holds codes, not items to encode: leave out --model."
            )
        else:
            self._features = (reading or Reading()).names_for(hasher, source, self._others)
            self.n_bits = hasher.n_bits
        if n_bits not in (None, self.n_bits):
            given = source.called if hasher is None else "the model"
            raise ValueError(f"{given} gives codes of {self.n_bits} bits, not {n_bits}.")

    def blocks(self) -> Iterator[CodeBlock]:
        """Yield the codes, a block of bounded size at a time."""
        stop = 0
        for start, block in self._read():
            yield self._encode(block, start)
            stop = start + len(block.features)
        if self.values is not None:
            self.values.check_length(max(stop, self._skip))

    def head(self, n: int) -> tuple[list[CodeBlock], int]:
        """Return the codes of the first n rows, and the number of all rows."""
        heads: list[CodeBlock] = []
        n_items = 0
        for start, block in self._read():
            n_items = start + len(block.features)
            if start < n:
                heads.append(self._encode(block.take(np.arange(min(n, n_items) - start)), start))
            if n_items >= n and self.source.n_items is not None:
                return heads, self.source.n_items
        return heads, n_items

    def _read(self) -> Iterator[tuple[int, Block]]:
        """Yield blocks of the input with the position of their first row."""
        start = 0
        for block in self.source.blocks(self._features, self._others):
            n_rows = len(block.features)
            if start >= self._skip:
                yield start, block
            elif start + n_rows > self._skip:
                yield self._skip, block.take(np.arange(self._skip - start, n_rows))
            start += n_rows

    def _encode(self, block: Block, start: int) -> CodeBlock:
        rows = slice(start, start + len(block.features))
        values = None if self.values is None else self.values.of_rows(block.others, rows)
        if self.hasher is None:
            features = block.features.astype(np.uint8, copy=False)
            packed = check_packed(features, self.n_bits, self.source.called)
            return CodeBlock(start, PackedCodes(packed, self.source.model), None, values)
        self.source.check_finite(block.features, start, self._features)
        return CodeBlock(start, self.hasher.encode(block.features), block.features, values)

    def _check_codes(self) -> None:
        """Raise if the input is not packed codes; the first block of an array tells."""
        held = "a table"
        if self.source.columns is None:
            first = next(self.source.blocks(others=self._others), None)
            held = "uint8" if first is None else str(first.features.dtype)
        if held != "uint8":
            raise ValueError(
                f"{self.source.called} holds {held}; packed codes must be uint8. To encode items, "
                "give --model."
            )


def load_hasher(path: str | os.PathLike[str]) -> BaseHasher:
    """Return the fitted hasher that a model file holds; raise if it holds something else."""
    from hashlearn import load
    from hashlearn.base import BaseHasher

    info = file_info(path)
    if info is not None and info.kind == "index":
        raise ValueError(f"'{os.fspath(path)}' is an index, not a model: give the model's file.")
    model = load(path)
    if not isinstance(model, BaseHasher):
        raise ValueError(
            f"'{os.fspath(path)}' holds a {type(model).__name__}, which is not a hasher."
        )
    return model


def load_index(path: Path, *, mmap: bool = True) -> HammingIndex:
    """Return the index that a file holds; raise if it holds a model."""
    info = file_info(path)
    if info is not None and info.kind == "model":
        raise ValueError(f"'{path}' is a model, not an index: `hashlearn index` makes one.")
    return HammingIndex.load(path, mmap=mmap)


def ids_of(given: str | None, source: Items) -> ItemIds | None:
    """Return the ids that are asked for, or those that a file of codes has."""
    if given is None and source.code_column is not None and CODE_ID in (source.columns or ()):
        given = CODE_ID
    return None if given is None else ItemIds("--ids", given, source)


def check_model(place: str, known: str | None, hasher: BaseHasher | None) -> None:
    """Raise if the codes at a place were made by another model."""
    model = None if hasher is None else hasher.fingerprint()
    if None not in (known, model) and known != model:
        raise ValueError(
            f"{place} has codes of model {known}; the given model is {model}, with which distances "
            "mean nothing: give the model that made the codes, or encode the items again."
        )


def is_asymmetric(given: bool | None, hasher: BaseHasher | None) -> bool:
    """Return whether queries are not rounded to bits: as asked for, or as the model is made for."""
    if hasher is None and given:
        raise ValueError("--asymmetric needs --model and queries that are items, not codes.")
    if hasher is None:
        return False
    return hasher.asymmetric if given is None else given


def open_queries(
    path: Path,
    reading: Reading,
    hasher: BaseHasher | None,
    n_bits: int,
    ids: str | None,
    column: str | None = None,
) -> CodeSource:
    """Return queries with their ids: those given, or those in a column if there is such a one."""
    source = reading.open(path)
    if ids is None and column in (source.columns or ()):
        ids = column
    values = ids_of(None, source) if ids is None else ItemIds("--query-ids", ids, source)
    return CodeSource(source, hasher, n_bits=n_bits, values=values, reading=reading)


def read_listed_ids(given: str) -> np.ndarray:
    """Return ids given as a,b,c or as a file of them."""
    return read_ids(given) if Path(given).is_file() else as_ids(np.array(given.split(",")))
