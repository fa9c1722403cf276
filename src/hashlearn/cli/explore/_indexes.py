"""Codes that `hashlearn explore` shows: index files, and tables of stores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path

import numpy as np

from hashlearn._numerics.columns import listing
from hashlearn.cli._shared.options import DEFAULT_TABLE
from hashlearn.cli._shared.outputs import step_progress
from hashlearn.cli._shared.stores import opened_store
from hashlearn.search import HammingIndex, PackedCodes
from hashlearn.stores import Store, is_store_address


@dataclass(frozen=True)
class Opened:
    """Codes that were opened: their short name, their title, and where they are in messages.

    The codes of a store are in the order of ids; `labels` and `texts` are columns of the store in
    that order.
    """

    name: str
    title: str
    place: str
    index: HammingIndex
    labels: np.ndarray | None = None
    texts: np.ndarray | None = None


def open_indexes(
    indexes: Sequence[str],
    tables: Sequence[str | None],
    labels: str | None,
    text: str | None,
    progress: bool | None,
) -> list[Opened]:
    """Return index files, and stores where a table is given.

    `labels` and `text` are columns of the first store.
    """
    opened = []
    for given, table in zip(indexes, tables, strict=True):
        if table is None:
            path = Path(given)
            opened.append(Opened(path.stem, path.name, f"'{path}'", HammingIndex.load(path)))
        else:
            opened.append(_read_store(given, table, labels, text, progress))
            labels = text = None
    return opened


def tables_of(indexes: Sequence[str], tables: Sequence[str]) -> list[str | None]:
    """Return the table of each index, None for a file."""
    is_store = list(map(is_store_address, indexes))
    n_stores = sum(is_store)
    if tables and not n_stores:
        raise ValueError("--table needs a store in --index: an index file has no tables.")
    if len(tables) not in (0, 1, n_stores):
        raise ValueError(
            f"--table must be given once, or once per store ({n_stores}); got {len(tables)} tables."
        )
    is_one_for_all = len(tables) < n_stores
    names = repeat([*tables, DEFAULT_TABLE][0]) if is_one_for_all else iter(tables)
    return [next(names) if is_needed else None for is_needed in is_store]


def _read_store(
    address: str, table: str, labels: str | None, text: str | None, progress: bool | None
) -> Opened:
    """Return all codes of a table, and the columns that `labels` and `text` name."""
    with opened_store(address, table) as store:
        for option, column in {"--labels": labels, "--text": text}.items():
            if column is not None and column not in store.columns:
                raise ValueError(
                    f"{option} must be a column of {store}, which has "
                    f"{listing(list(store.columns))}, or a file; got {column}."
                )
        index = HammingIndex(store.n_bits)
        ids, packed, values = _read_whole(store, [labels, text], progress)
        title = f"{store.table} in {store.place}"
        model = store.model
    order = np.argsort(ids)
    index.add(PackedCodes(packed[order], model), ids=ids[order])
    columns = [None if one is None else _in_order(one, order) for one in values]
    return Opened(table, title, f"table {title}", index, *columns)


def _in_order(values: np.ndarray, order: np.ndarray) -> np.ndarray:
    return values[order].astype(str) if values.dtype == object else values[order]


def _read_whole(
    store: Store, columns: Sequence[str | None], progress: bool | None
) -> tuple[np.ndarray, np.ndarray, list[np.ndarray | None]]:
    """Return the ids and packed codes of a table, and some of its columns."""
    batches = []
    with step_progress(progress) as bar:
        task = bar.add_task(f"Reading {store.table}", total=store.count())
        for batch in store.read():
            batches.append(batch)
            bar.advance(task, len(batch.ids))
    if not batches:
        raise ValueError(f"{store} has no items.")
    return (
        np.concatenate([batch.ids for batch in batches]),
        np.concatenate([batch.packed for batch in batches]),
        [
            None if name is None else np.concatenate([batch.values[name] for batch in batches])
            for name in columns
        ],
    )
