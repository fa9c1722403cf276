"""The file of items that were indexed or pushed: their columns and vectors, by id."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hashlearn._numerics.columns import did_you_mean
from hashlearn.cli._shared.codes import CodeBlock, ItemIds
from hashlearn.cli._shared.columns import as_typed, find_kinds
from hashlearn.cli._shared.reading import Reading
from hashlearn.cli._shared.where import fulfil, read_where, split_condition
from hashlearn.items import ItemLookup
from hashlearn.search import MarginRescoring, Rescoring, VectorRescoring

if TYPE_CHECKING:
    from hashlearn.base import BaseHasher

MARGINS, VECTORS, NONE = "margins", "vectors", "none"
ID = "id"


class ItemFile:
    """Items in a file, found by the ids that an index or a table has.

    `ids` is a column or a file of ids, as it was given to the command that stored the items;
    without it, ids are positions.
    """

    def __init__(self, path: str | Path, ids: str | None, reading: Reading) -> None:
        self.source, self._reading = reading.open(path), reading
        self._given = None if ids is None else ItemIds("--ids", ids, self.source)
        known = None if self._given is None else self._given.all
        self._lookup = ItemLookup(self.source, known)

    def ids(self, n_items: int) -> np.ndarray:
        """Return the ids of all items."""
        return np.arange(n_items) if self._given is None else self._given.all

    def shown(self, columns: str) -> ShownColumns:
        """Return columns to print beside ids."""
        names = tuple(columns.split(","))
        self.source.feature_names(others=names)  # raises for an unknown one
        return ShownColumns(self._lookup, names)

    def fulfilling(self, conditions: list[str]) -> np.ndarray:
        """Return the ids of the items that fulfil all conditions; raise if there is none."""
        names = tuple(dict.fromkeys(split_condition(one)[0] for one in conditions))
        columns = self._columns(names)
        kinds = find_kinds([columns], names, self.source.has_types)
        where = read_where(conditions, kinds)
        kept = np.ones(len(columns[names[0]]), dtype=bool)
        for name, wanted in where.items():
            values = as_typed(columns[name], kinds[name], name, self.source.has_types)
            found = fulfil(values, wanted)
            if not found.any():
                raise ValueError(
                    f"no item has --where {_given(conditions, name)}{_similar(values, wanted)}."
                )
            kept &= found
        if not kept.any():
            raise ValueError(f"no item fulfils all of --where {' '.join(conditions)}.")
        return self.ids(len(kept))[kept]

    def vectors(self, hasher: BaseHasher) -> Callable[[np.ndarray], np.ndarray]:
        """Return a function from ids to the vectors that the model encodes."""
        others = () if self._given is None else self._given.columns
        names = self._reading.names_for(hasher, self.source, others)
        known = None if self._given is None else self._given.all
        lookup = ItemLookup(self.source, known, features=names, n_features=hasher.n_features_in_)
        return lookup.vectors

    def _columns(self, names: tuple[str, ...]) -> dict[str, np.ndarray]:
        """Return whole columns; `id` is that of the items unless there is such a column."""
        own = tuple(name for name in names if name != ID or ID in (self.source.columns or ()))
        features = None if self.source.columns is None else ()
        blocks = list(self.source.blocks(features, own))
        joined = self.source.join(blocks, features, own).others
        n_items = sum(len(block.features) for block in blocks)
        return joined | {name: self.ids(n_items) for name in names if name not in own}


class ShownColumns:
    """Columns of a file of items that are printed beside ids."""

    def __init__(self, lookup: ItemLookup, columns: tuple[str, ...]) -> None:
        self.columns, self._lookup = columns, lookup

    def of_ids(self, ids: np.ndarray) -> dict[str, list[Any]]:
        """Return the values of each column, one per id."""
        return self._lookup.values(ids, self.columns)


def rescoring_of(
    given: str | None,
    hasher: BaseHasher | None,
    items: ItemFile | None,
    ids: str | None,
    reading: Reading,
    metric: Any,
) -> Callable[[CodeBlock], Rescoring] | None:
    """Return what makes the rescoring of a block of queries.

    `given` is 'margins', 'vectors' for those of `items`, another file with vectors, or 'none'.
    """
    if given is None or given == NONE or hasher is None:
        return None
    if given == MARGINS:
        return lambda block: MarginRescoring(hasher.encode_queries(_items_of(block)))
    if given != VECTORS and not Path(given).is_file():
        raise ValueError(f"--rescore must be {MARGINS}, {VECTORS} or a file; got {given}.")
    if given == VECTORS and items is None:
        raise ValueError("--rescore vectors needs --items: the file with the vectors.")
    file = items if given == VECTORS else ItemFile(given, ids, reading)
    assert file is not None
    vectors = file.vectors(hasher)
    return lambda block: VectorRescoring(_items_of(block), vectors, metric=metric or "euclidean")


def _items_of(block: CodeBlock) -> np.ndarray:
    if block.items is None:
        raise ValueError("--rescore needs queries that are items, not codes.")
    return block.items


def _given(conditions: list[str], column: str) -> str:
    return next(one for one in conditions if split_condition(one)[0] == column)


def _similar(values: np.ndarray, wanted: Any) -> str:
    """Return a suggestion for a mistyped text."""
    if not (isinstance(wanted, list) and isinstance(wanted[0], str)):
        return ""
    return did_you_mean(wanted[0], tuple(dict.fromkeys(map(str, values))))
