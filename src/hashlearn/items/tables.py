"""What tables share: columns are chosen by name."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from hashlearn.items.base import Block, Items, listing


class TableItems(Items):
    """Items whose features have names."""

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""

    @abstractmethod
    def _blocks(self, features: tuple[str, ...], others: tuple[str, ...]) -> Iterator[Block]:
        """Yield blocks of columns that exist."""

    def check(self) -> None:
        """Raise unless the file is a table with one name per column."""
        if self.array is not None:
            raise self._error(f"is a table; array={self.array!r} is for .npz")
        repeated = [name for name, count in Counter(self.columns).items() if count > 1]
        if repeated:
            raise self._error(f"has several columns of the same name: {listing(repeated)}")

    def feature_names(
        self, features: Sequence[str] | None = None, others: Sequence[str] = ()
    ) -> tuple[str, ...]:
        """Return the names of the features that `blocks` reads."""
        self._check_known(others, self._other_names())
        if features is None:
            left_out = set(others)
            return tuple(name for name in self.columns if name not in left_out)
        self._check_known(features, self.columns)
        return tuple(features)

    def n_features(self, features: Sequence[str] | None = None, others: Sequence[str] = ()) -> int:
        """Return the number of features that `blocks` reads."""
        return len(self.feature_names(features, others))

    def blocks(
        self, features: Sequence[str] | None = None, others: Sequence[str] = ()
    ) -> Iterator[Block]:
        """Check the names at once, then yield the items in blocks."""
        return self._blocks(self.feature_names(features, others), tuple(others))

    def column(self, name: str | None = None) -> np.ndarray:
        """Return a whole column; the name of an only one may be left out."""
        if name is None:
            name = self._only_column()
        return self.join(list(self.blocks((), (name,))), (), (name,)).others[name]

    def _other_names(self) -> tuple[str, ...]:
        """Return what can be read beside features."""
        return self.columns

    def _only_column(self) -> str:
        names = self._other_names()
        if len(names) != 1:
            raise self._error(f"has {len(names)} columns; name one of {listing(names)}")
        return names[0]

    def _check_known(self, names: Sequence[str], known: Sequence[str]) -> None:
        there = set(known)
        missing = [name for name in names if name not in there]
        if missing:
            raise self._error(f"has no column {listing(missing)}; it has {listing(known)}")
