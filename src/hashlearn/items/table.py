"""Files of items whose columns have names, by which features are chosen."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

import numpy as np

from hashlearn._numerics.columns import did_you_mean, listing
from hashlearn.items.base import Block, Items


class TableItems(Items):
    """Items whose features are columns with names. A subclass reads one kind of table.

    Wherever features are named, a name may also stand for several columns: see `select_columns`.
    """

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The names of the columns; a column of lists has one name per position."""

    @property
    def list_columns(self) -> Mapping[str, tuple[str, ...]]:
        """The columns that are lists of numbers, and the names of their positions."""
        return {}

    @property
    def text_columns(self) -> tuple[str, ...]:
        """The columns that are known not to be numbers, such as texts."""
        return ()

    @abstractmethod
    def read_blocks(self, features: tuple[str, ...], others: tuple[str, ...]) -> Iterator[Block]:
        """Yield blocks of columns that are known to exist."""

    def check(self) -> None:
        """Raise unless the file is a table with one name per column."""
        if self.array is not None:
            raise self._error(f"is a table; array={self.array!r} is for .npz")
        repeated = [name for name, count in Counter(self.columns).items() if count > 1]
        if repeated:
            raise self._error(f"has several columns of the same name: {listing(repeated)}")

    def select_columns(self, names: str | Sequence[str]) -> tuple[str, ...]:
        """Return the columns that names, ranges and patterns stand for.

        Parameters
        ----------
        names : str or sequence of str
            Each is a column; a column of lists, for all of its positions; a range ``a:b`` of
            columns in the order of the file, both included; a pattern with ``*`` or ``?``; or
            several of these, separated by commas. A column of exactly that name comes first.

        Returns
        -------
        columns : tuple of str
            In the order of `names`, each once.

        Raises
        ------
        ValueError
            If there is no such column; similar names are suggested.
        """
        known = {name: position for position, name in enumerate(self.columns)}
        chosen: dict[str, None] = {}
        missing = []
        for name in (names,) if isinstance(names, str) else names:
            if name in known:
                chosen[name] = None
                continue
            found = self._meant(name, known)
            missing += [] if found else [name]
            chosen |= dict.fromkeys(found or ())
        self._check_known(missing, self._other_names())
        return tuple(chosen)

    def _meant(self, name: str, known: Mapping[str, int]) -> tuple[str, ...] | None:
        """Return the columns that one selection stands for; None if there are none."""
        if name in self._other_names():
            return self.list_columns.get(name, (name,))
        if "," in name:
            return self.select_columns([part.strip() for part in name.split(",") if part.strip()])
        if "*" in name or "?" in name:
            pattern = name.replace("[", "[[]")
            return tuple(column for column in known if fnmatchcase(column, pattern))
        first, colon, last = name.partition(":")
        if not colon:
            return None
        # A range of mistyped columns names those.
        ends = [known[column] for end in (first, last) for column in self.select_columns([end])]
        if ends[-1] < ends[0]:
            raise self._error(f"has {last!r} before {first!r}; a range must go from left to right")
        return self.columns[ends[0] : ends[-1] + 1]

    def select_features(
        self,
        features: str | Sequence[str] | None = None,
        *,
        ignore: str | Sequence[str] = (),
        others: Sequence[str] = (),
        n_features: int | None = None,
    ) -> tuple[str, ...]:
        """Return the features to read: the chosen ones, or those that a table can only mean.

        If none are chosen, a column of lists is taken where it is the only numbers of the table,
        or the only lists of `n_features`; else every column is a feature, and must be numbers.

        Parameters
        ----------
        features : str or sequence of str, optional
            What `select_columns` understands.
        ignore : str or sequence of str
            Columns that are not features, in the same way.
        others : sequence of str
            Columns that are read beside the features, such as labels and ids.
        n_features : int, optional
            The number of features that a model needs.

        Returns
        -------
        names : tuple of str

        Raises
        ------
        ValueError
            If a column that is left is not numbers, if there are lists beside other numbers, or if
            there are not `n_features`.
        """
        left_out = {*self.select_columns(ignore), *self._spread(others)}
        if features is None:
            chosen = self._only_features(left_out, n_features)
        else:
            chosen = tuple(c for c in self.select_columns(features) if c not in left_out)
        if texts := [name for name in self.text_columns if name in set(chosen)]:
            raise self._error(
                f"has a column {texts[0]!r} that is not numbers; leave out what is not a feature "
                f"(--ignore {','.join(texts)}), or name the features"
            )
        if not chosen:
            raise self._error(f"has no features left of its columns {listing(self._other_names())}")
        self._check_n_features(len(chosen), n_features)
        return chosen

    def _only_features(self, left_out: set[str], n_features: int | None) -> tuple[str, ...]:
        """Return the features of a table where none are named, or raise if it has to be said."""
        lists = {
            name: places
            for name, places in self.list_columns.items()
            if places and left_out.isdisjoint(places)
        }
        fitting = [places for places in lists.values() if len(places) == n_features]
        if len(fitting) == 1:
            return fitting[0]
        texts = set(self.text_columns)
        left = tuple(name for name in self.columns if name not in left_out)
        numbers = tuple(name for name in left if name not in texts)
        if len(numbers) == n_features:
            return numbers
        in_lists = set(self._spread(lists))
        single = [name for name in numbers if name not in in_lists]
        if len(lists) == 1 and not single:
            return numbers
        if not lists:
            return left
        first, *more = lists
        rest = [*more, *single]
        raise self._error(
            f"has lists in column {first!r} beside the numbers of {listing(rest)}; name the "
            f"features (--features {first}), or leave out what is not one "
            f"(--ignore {','.join(rest[:10])})"
        )

    def feature_names(
        self, features: Sequence[str] | None = None, others: Sequence[str] = ()
    ) -> tuple[str, ...]:
        """Return the names of the features that `blocks` reads."""
        self._check_known(others, self._other_names())
        if features is None:
            left_out = set(self._spread(others))
            return tuple(name for name in self.columns if name not in left_out)
        return self.select_columns(features)

    def n_features(self, features: Sequence[str] | None = None, others: Sequence[str] = ()) -> int:
        """Return the number of features that `blocks` reads."""
        return len(self.feature_names(features, others))

    def blocks(
        self, features: Sequence[str] | None = None, others: Sequence[str] = ()
    ) -> Iterator[Block]:
        """Check the names at once, then yield the items in blocks."""
        return self.read_blocks(self.feature_names(features, others), tuple(others))

    def column(self, name: str | None = None) -> np.ndarray:
        """Return a whole column; without a name, the only one."""
        if name is None:
            name = self._only_column()
        return self.join(list(self.blocks((), (name,))), (), (name,)).others[name]

    def _other_names(self) -> tuple[str, ...]:
        """Return the names of what can be read beside features."""
        return self.columns

    def _spread(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return columns, with the positions of lists in place of their name."""
        lists = self.list_columns
        return tuple(place for name in names for place in lists.get(name, (name,)))

    def _only_column(self) -> str:
        names = self._other_names()
        if len(names) != 1:
            raise self._error(f"has {len(names)} columns; name one of {listing(names)}")
        return names[0]

    def _check_known(self, names: Sequence[str], known: Sequence[str]) -> None:
        missing = set(names).difference(known)
        if missing:
            listed = [name for name in names if name in missing]
            raise self._error(
                f"has no column {listing(listed)}{did_you_mean(listed[0], known)}; it has "
                f"{listing(known)}"
            )
