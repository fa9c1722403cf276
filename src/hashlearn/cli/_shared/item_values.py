"""Labels and ids on the command line: columns beside the items, or a file of their own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from hashlearn.items import Items, read_column


class ItemValues:
    """One value per item, or several: labels or ids.

    Parameters
    ----------
    option : str
        The option that asks for them, for error messages.
    given : str
        A column of the table or an array of the archive, several of them as 'a,b,c', or a file.
    source : Items
        The items that the values belong to.

    Attributes
    ----------
    columns : tuple of str
        Columns to read beside the features; empty if the values are in a file of their own.
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
        if values.dtype.kind == "U" and (values == "").any():
            raise ValueError(f"{self.option} has items without a value: every item must have one.")
