"""Choices of a command about reading items: the array, the columns, the delimiter."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hashlearn.items import Items, open_items

if TYPE_CHECKING:
    from hashlearn.base import BaseHasher


@dataclass(frozen=True)
class Reading:
    """The options of a command that say how items are read.

    `array` is one of an .npz; `features` and `ignore` are columns as `select_columns` reads them;
    `delimiter` is between the columns of a .csv.
    """

    array: str | None = None
    features: list[str] | None = None
    ignore: list[str] | None = None
    delimiter: str | None = None

    def open(self, path: str | Path) -> Items:
        """Open a file, or standard input as `-`."""
        return open_items(path, self.array, delimiter=self.delimiter)

    def ignoring(self, columns: tuple[str, ...]) -> Reading:
        """Return it with more columns that are not features."""
        return replace(self, ignore=[*(self.ignore or []), *columns])

    def names(
        self, source: Items, others: tuple[str, ...] = (), n_features: int | None = None
    ) -> tuple[str, ...] | None:
        """Return the features to read beside `others`; None for all of an array."""
        return source.select_features(
            self.features, ignore=self.ignore or (), others=others, n_features=n_features
        )

    def names_for(
        self, hasher: BaseHasher, source: Items, others: tuple[str, ...] = ()
    ) -> tuple[str, ...] | None:
        """Return the features that a hasher needs: by its own names where the input has them."""
        names = getattr(hasher, "feature_names_in_", None)
        if self.features is not None or names is None or source.columns is None:
            return self.names(source, others, hasher.n_features_in_)
        known = set(source.columns)
        if not known.intersection(names):
            raise ValueError(
                f"{source.called} has no column {names[0]!r}, which the model was fitted on: name "
                f"the {hasher.n_features_in_:,} features with --features."
            )
        return source.select_columns(list(names))  # raises if some are missing
