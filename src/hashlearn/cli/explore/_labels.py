"""Labels of `hashlearn explore`: columns beside the items, or a file of their own."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from hashlearn.cli._shared.codes import ItemValues
from hashlearn.items import SUFFIXES, Items, as_numbers, is_missing, open_items, read_column

ARRAYS = (".npy", ".npz")  # the other kinds of file are tables, whose columns have names


class LabelValues(NamedTuple):
    """One label per item, or 0/1 columns for several labels and their names, if known."""

    values: np.ndarray
    names: tuple[str, ...] | None = None

    def known(self, unlabelled: str | None = None) -> np.ndarray:
        """Return the values, None where an item has no label, as `fit` reads them."""
        missing = is_missing(self.values, unlabelled or ())
        if self.values.ndim != 1 or not missing.any():
            return self.values
        values = self.values.astype(object)
        values[missing] = None
        return values


class GivenLabels:
    """The labels that `--labels` names.

    `given` is a column of the items, or 'a,b,c': 0/1 columns for several labels each. Or a file
    with a row per item, or FILE:COLUMN, or FILE:a,b,c; all columns of a table if none is named.
    `columns` are those of the items that are not features.
    """

    def __init__(self, given: str, source: Items | None = None) -> None:
        self._source = source
        self._stored: LabelValues | None = None
        self.columns: tuple[str, ...] = ()
        file = _split(given)
        if file is not None:
            self._stored = _read_file(*file)
            _check_length(given, len(self._stored.values), source)
        elif source is not None:
            self.columns = ItemValues("--labels", given, source).columns
        else:
            raise ValueError(
                f"--labels {given} is not a file: with --index it must be FILE, FILE:COLUMN or "
                f"FILE:a,b,c, where FILE ends in {', '.join(SUFFIXES.names())}."
            )

    def read(self) -> LabelValues:
        """Return the labels of all items."""
        if self._stored is not None:
            return self._stored
        assert self._source is not None  # there are columns, or a file
        columns = [self._source.column(name) for name in self.columns]
        return _joined(self._source.path, self.columns, columns)


def _check_length(given: str, n_values: int, source: Items | None) -> None:
    """Raise, before long work, if there is not a label for each item."""
    n_items = None if source is None else source.n_items
    if n_items not in (None, n_values):
        raise ValueError(
            f"--labels {given} has {n_values:,} values for {n_items:,} items: "
            "there must be one per item."
        )


def file_of(given: str) -> str | None:
    """Return the file that `--labels` names, None if there is no such file."""
    file = _split(given)
    return None if file is None else file[0]


def _split(given: str) -> tuple[str, str | None] | None:
    """Return a file and the names after a colon; None if there is no such file."""
    if _is_file(given):
        return given, None
    colons = (place for place, character in enumerate(given) if character == ":")
    place = next((place for place in colons if _is_file(given[:place])), None)
    return None if place is None else (given[:place], given[place + 1 :])


def _is_file(path: str) -> bool:
    return Path(path).suffix.lower() in SUFFIXES.names() and Path(path).is_file()


def _read_file(path: str, named: str | None) -> LabelValues:
    """Return one column, or several of 0/1: the named ones, or all of a table."""
    is_table = Path(path).suffix.lower() not in ARRAYS
    known = (open_items(path).columns or ()) if is_table else ()
    names = known if named is None else (named,) if named in known else tuple(named.split(","))
    if len(names) < 2:
        return LabelValues(read_column(path, *names))
    columns = _table_columns(path, names) if is_table else [read_column(path, n) for n in names]
    return _joined(path, names, columns)


def _table_columns(path: str, names: tuple[str, ...]) -> list[np.ndarray]:
    """Return columns of a table, in one pass."""
    source = open_items(path)
    block = source.join(list(source.blocks((), names)), (), names)
    return [as_numbers(block.others[name]) for name in names]


def _joined(path: str, names: tuple[str, ...], columns: list[np.ndarray]) -> LabelValues:
    """Return one column as it is, or several, which must be 0/1 and of one length."""
    if len(columns) == 1:
        return LabelValues(columns[0])
    for name, values in zip(names, columns, strict=True):
        if values.shape != columns[0].shape[:1]:
            raise ValueError(
                f"'{path}' has the shape {columns[0].shape} in {names[0]!r} and {values.shape} in "
                f"{name!r}: each column of labels must have a value per item."
            )
        if not np.isin(values, (0, 1)).all():
            raise ValueError(
                f"'{path}' has other values than 0 and 1 in {name!r}: name the one column of "
                f"labels, as in --labels {path}:{name}."
            )
    return LabelValues(np.column_stack(columns), names)
