"""The work of `hashlearn store push`: batches of codes, ids and columns, into a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import NamedTuple

import numpy as np

from hashlearn._numerics.columns import listing
from hashlearn._numerics.ids import Ids
from hashlearn.cli._shared.codes import CodeSource, ItemValues
from hashlearn.cli._shared.outputs import row_progress
from hashlearn.items import Items, as_ids, as_numbers
from hashlearn.stores import Batch, Layout, Store, StoreError
from hashlearn.stores.base import BATCH_SIZE
from hashlearn.stores.batches import Columns, ColumnType

OF_LETTERS: dict[str, ColumnType] = {"i": int, "u": int, "f": float, "b": bool, "U": str}  # numpy's
TRUE, FALSE = "true", "false"


class Beside(NamedTuple):
    """Ids of some items, and the values of their columns."""

    ids: np.ndarray
    values: dict[str, np.ndarray]


class PushedValues:
    """Ids and columns that are read along with the codes of an input.

    `ids` is a column, an array of the archive, or a file; without it ids are positions. `kept` are
    the columns to keep, as 'a,b,c'; `kinds` has their types once `read` has found them, and
    `columns` is what to read beside the features.
    """

    def __init__(self, ids: str | None, kept: str | None, source: Items) -> None:
        self.source = source
        self.kept = () if kept is None else tuple(kept.split(","))
        if len(set(self.kept)) < len(self.kept):
            raise ValueError(f"--columns must name each column once; got {kept}.")
        source.feature_names(others=self.kept)  # raises for an unknown one
        Layout.checked(1, dict.fromkeys(self.kept, str))  # or that no table can have
        self.kinds: dict[str, ColumnType] = {}
        self._given = None if ids is None else ItemValues("--ids", ids, source)
        self._ids: np.ndarray | None = None
        named = () if self._given is None else self._given.columns
        self.columns = tuple(dict.fromkeys((*self.kept, *named)))

    def read(self, known: Columns | None, progress: bool | None) -> None:
        """Read all given ids, and find the types of columns: the table's if it exists."""
        if self._given is not None:
            self._ids = _all_ids(self._given, self.source, progress)
        if known is not None:
            self.kinds = dict(known)
        elif self.kept:
            has_types = self.source.has_types
            blocks = _beside(self.source, self.kept, False if has_types else progress)
            self.kinds = find_kinds(blocks, self.kept, has_types)

    def of_rows(self, others: Mapping[str, np.ndarray], rows: slice) -> Beside:
        """Return ids and values of some items, given their columns and their positions."""
        ids = np.arange(rows.start, rows.stop) if self._ids is None else self._ids[rows]
        values = {name: others[name] for name in self.kept}
        if not self.source.has_types:
            values = {name: as_typed(values[name], self.kinds[name], name) for name in values}
        return Beside(ids, values)

    def check_length(self, n_items: int) -> None:
        """Raise unless there is an id for each item."""
        if self._given is not None:
            self._given.check_length(n_items)


def _all_ids(given: ItemValues, source: Items, progress: bool | None) -> np.ndarray:
    """Return the ids of all items; raise if one occurs twice, as it would replace another."""
    whole = slice(None)
    blocks = _beside(source, given.columns, progress) if given.columns else iter([{}])
    parts = [as_ids(given.of_rows(others, whole)) for others in blocks]
    ids = np.concatenate([np.empty(0, dtype=np.int64), *parts])
    Ids().appended(len(ids), ids)
    return ids


def _beside(
    source: Items, names: tuple[str, ...], progress: bool | None
) -> Iterator[dict[str, np.ndarray]]:
    """Yield some columns of an input, block by block; arrays cannot be read without the items."""
    features = None if source.columns is None else ()
    with row_progress(f"Reading {listing(list(names))}", source, progress) as advance:
        for block in source.blocks(features, names):
            yield block.others
            advance(len(block.features))


class Pushed(NamedTuple):
    """The result of a push: new items, replaced items, and items in the table now."""

    n_new: int
    n_replaced: int
    n_now: int


def push_codes(
    codes: CodeSource, values: PushedValues, store: Store, progress: bool | None
) -> Pushed:
    """Add all codes of an input, with `values` read along, to a table, which may be new."""
    there = store.exists()
    if there:
        _check_fits(codes.n_bits, values.kept, store)
    n_before = store.count() if there else 0
    values.read(store.columns if there else None, progress)
    n_items = _push(codes, values, store, progress)
    n_now = store.count()
    n_new = min(max(n_now - n_before, 0), n_items)  # other programs may have added or removed some
    return Pushed(n_new, n_items - n_new, n_now)


def _check_fits(n_bits: int, kept: tuple[str, ...], store: Store) -> None:
    """Raise, before long work, if the table has other bits or columns."""
    if store.n_bits != n_bits:
        raise StoreError(f"{store} has codes of {store.n_bits} bits, the input {n_bits}.")
    if set(store.columns) != set(kept):
        raise StoreError(
            f"--columns must be those of {store}, {listing(list(store.columns))}; got "
            f"{listing(list(kept))}."
        )


def _push(codes: CodeSource, values: PushedValues, store: Store, progress: bool | None) -> int:
    """Add all codes, and return their number."""
    n_done = 0
    with row_progress("Pushing", codes.source, progress) as advance:
        batches = _batches(codes, BATCH_SIZE)
        first = next(batches, None)
        layout = Layout(codes.n_bits, values.kinds)
        if first is not None:  # raise before a table is created
            Batch.checked(layout, first.packed, first.ids, first.values)
        store.create(*layout, exist_ok=True)
        try:
            for batch in chain([] if first is None else [first], batches):
                store.add(batch.packed, batch.ids, batch.values)
                n_done += len(batch.ids)
                advance(len(batch.ids))
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                f"Stopped; {n_done:,} items are stored, and the same command continues."
            ) from None
        except Exception as error:
            error.add_note(f"{n_done:,} items are stored, and the same command continues.")
            raise
    return n_done


def _batches(codes: CodeSource, size: int) -> Iterator[Batch]:
    """Yield the items of an input in batches of `size`, however its blocks are cut."""
    waiting: list[Batch] = []
    n_waiting = 0
    for block in codes.blocks():
        waiting.append(Batch(block.values.ids, block.packed, block.values.values))
        n_waiting += len(block.packed)
        if n_waiting >= size:
            whole = _joined(waiting)
            n_out = n_waiting - n_waiting % size
            yield from (whole.rows(start, start + size) for start in range(0, n_out, size))
            waiting, n_waiting = [whole.rows(n_out, n_waiting)], n_waiting - n_out
    if n_waiting:
        yield _joined(waiting)


def _joined(batches: list[Batch]) -> Batch:
    names = batches[0].values
    return Batch(
        np.concatenate([batch.ids for batch in batches]),
        np.concatenate([batch.packed for batch in batches]),
        {name: np.concatenate([batch.values[name] for batch in batches]) for name in names},
    )


def find_kinds(
    blocks: Iterable[Mapping[str, np.ndarray]], names: tuple[str, ...], has_types: bool
) -> dict[str, ColumnType]:
    """Return the type of each column.

    Where arrays have types, the first block is enough; texts are read to the end.
    """
    found: dict[str, set[ColumnType | None]] = {name: set() for name in names}
    for block in blocks:
        for name in names:
            if block[name].ndim != 1:
                raise ValueError(f"--columns {name} must have one value per item, not several.")
            if block[name].dtype.kind == "O":
                raise ValueError(f"--columns {name} has items without a value: each must have one.")
            found[name] |= {_kind(block[name])} if has_types else _kinds_of_texts(block[name])
        if has_types:
            break
    return {name: _common(name, kinds) for name, kinds in found.items()}


def as_typed(texts: np.ndarray, kind: ColumnType, name: str) -> np.ndarray:
    """Return the values that the texts of a column stand for; raise if one is of another type."""
    if kind is str:
        return texts
    typed = _typed(texts)
    if not _fits(typed, kind):
        wrong = next(text for text in texts if not _fits(_typed(np.array([text])), kind))
        raise ValueError(f"column {name!r} must be {kind.__name__}; got {wrong!s:.40}.")
    return typed


def _typed(texts: np.ndarray) -> np.ndarray:
    """Return texts as booleans or numbers if all of them are; 01234 is a zip code, not a number."""
    lower = np.char.lower(texts)
    if np.isin(lower, (TRUE, FALSE)).all():
        return lower == TRUE
    digits = np.char.strip(texts)
    has_zero = np.char.startswith(digits, "0") & (np.char.str_len(digits) > 1)
    return texts if (has_zero & np.char.isdigit(digits)).any() else as_numbers(texts)


def _kind(values: np.ndarray) -> ColumnType:
    return OF_LETTERS[values.dtype.kind]


def _fits(values: np.ndarray, kind: ColumnType) -> bool:
    return _kind(values) is kind or (_kind(values) is int and kind is float)


def _kinds_of_texts(texts: np.ndarray) -> set[ColumnType | None]:
    """Return the types that some texts have, with None for empty ones."""
    named = texts[texts != ""]
    kinds: set[ColumnType | None] = {_kind(_typed(named))} if named.size else set()
    return kinds if named.size == texts.size else kinds | {None}


def _common(name: str, kinds: set[ColumnType | None]) -> ColumnType:
    """Return the type that holds them all."""
    named = kinds - {None}
    if named == {int, float}:
        common: ColumnType = float
    else:
        common = named.pop() or str if len(named) == 1 else str
    if None in kinds and common is not str:
        raise ValueError(
            f"--columns {name} has items without a value: a column of {common.__name__} must have "
            "a value for each."
        )
    return common
