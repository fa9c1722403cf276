"""What `hashlearn store push` stores beside codes: ids, and columns of the input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from hashlearn._numerics.columns import listing
from hashlearn._numerics.ids import Ids
from hashlearn.cli._shared.item_values import ItemValues
from hashlearn.cli._shared.progress import row_progress
from hashlearn.cli.store.kinds import as_typed, find_kinds
from hashlearn.items import CsvItems, Items, as_ids
from hashlearn.stores import Layout
from hashlearn.stores.batches import Columns, ColumnType


class Beside(NamedTuple):
    """Ids of some items, and what else is kept of them."""

    ids: np.ndarray
    values: dict[str, np.ndarray]


class PushedValues:
    """Ids and columns that are read along with the codes of an input.

    Parameters
    ----------
    ids : str or None
        A column, an array of the archive, or a file; None: ids are positions.
    kept : str or None
        Columns to keep, as 'a,b,c'.
    source : Items
        The input.

    Attributes
    ----------
    columns : tuple of str
        What to read beside the features.
    kept : tuple of str
        The columns to keep.
    kinds : dict of str to type
        Their types, once `read` has found them.
    """

    def __init__(self, ids: str | None, kept: str | None, source: Items) -> None:
        self.source = source
        self.kept = () if kept is None else tuple(kept.split(","))
        if len(set(self.kept)) < len(self.kept):
            raise ValueError(f"--columns {kept} names a column twice: it takes each once.")
        source.feature_names(others=self.kept)  # raises for one that is not there
        Layout.checked(1, dict.fromkeys(self.kept, str))  # or that no table can have
        self.kinds: dict[str, ColumnType] = {}
        self._given = None if ids is None else ItemValues("--ids", ids, source)
        self._ids: np.ndarray | None = None
        named = () if self._given is None else self._given.columns
        self.columns = tuple(dict.fromkeys((*self.kept, *named)))

    def read(self, known: Columns | None, progress: bool | None) -> None:
        """Read given ids whole, and find the types of columns: the table's if it is there."""
        if self._given is not None:
            self._ids = _all_ids(self._given, self.source, progress)
        if known is not None:
            self.kinds = dict(known)
        elif self.kept:
            has_types = not isinstance(self.source, CsvItems)
            blocks = _beside(self.source, self.kept, False if has_types else progress)
            self.kinds = find_kinds(blocks, self.kept, has_types)

    def of_rows(self, others: Mapping[str, np.ndarray], rows: slice) -> Beside:
        """Return what belongs to some items: `others` has their columns, `rows` their positions."""
        ids = np.arange(rows.start, rows.stop) if self._ids is None else self._ids[rows]
        values = {name: others[name] for name in self.kept}
        if isinstance(self.source, CsvItems):  # whose values are texts
            values = {name: as_typed(values[name], self.kinds[name], name) for name in values}
        return Beside(ids, values)

    def check_length(self, n_items: int) -> None:
        """Raise unless there is an id for each of so many items."""
        if self._given is not None:
            self._given.check_length(n_items)


def _all_ids(given: ItemValues, source: Items, progress: bool | None) -> np.ndarray:
    """Return the ids of all items, each of them there once: another would replace it."""
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
