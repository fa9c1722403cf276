"""Labels of the items of a collection: one each, several, or none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
from scipy import sparse

from hashlearn._numerics.nulls import is_null
from hashlearn.datasets import check_labels
from hashlearn.explorer.errors import NotThereError
from hashlearn.metrics import Relevance, relevance_from_labels


class Labels:
    """The labels of all items; items that share one are relevant to each other.

    Parameters
    ----------
    names : sequence of str
        The distinct labels.
    indicator : scipy sparse array of shape (n_items, n_labels), bool
        Which item has which label.

    Attributes
    ----------
    names : tuple of str
    indicator : scipy.sparse.csr_array of shape (n_items, n_labels), bool
    several : bool
        Whether some item has more than one label.

    Examples
    --------
    >>> from hashlearn.explorer import Labels
    >>> labels = Labels.from_values([7, 10, 7])
    >>> labels.names, labels.of(1), labels.members("7")
    (('7', '10'), ('10',), array([0, 2]))
    >>> labels.relevant_to(["7"])
    array([ True, False,  True])
    """

    def __init__(self, names: Sequence[str], indicator: Any) -> None:
        self.names = tuple(check_unicode(name, "label") for name in names)
        self.indicator = sparse.csr_array(indicator, dtype=bool, copy=True)
        self.indicator.eliminate_zeros()
        self.indicator.sort_indices()
        self.several = bool((np.diff(self.indicator.indptr) > 1).any())
        self._by_label = sparse.csc_array(self.indicator)
        self._number = {name: number for number, name in enumerate(self.names)}
        if len(self._number) != self.indicator.shape[1]:
            raise ValueError(
                f"names must have {self.indicator.shape[1]} distinct labels, one per column; "
                f"got {len(self._number)}."
            )

    @classmethod
    def from_values(cls, values: Any, names: Sequence[str] | None = None) -> Self:
        """Make labels of one value per item, or of a 0/1 indicator.

        Parameters
        ----------
        values : array-like of shape (n_items,) or (n_items, n_labels)
            Numbers or text; an empty text, None and NaN mean no label. Or a 0/1 indicator.
        names : sequence of str, optional
            Names of the columns, or of the numbers 0, 1, and so on. By default, the labels are
            their own names, sorted; numbers and texts of numbers by size.
        """
        values = np.asarray(values)
        if values.ndim == 1 and values.dtype.kind in "fO":
            values = _without_nulls(values)
        values = check_labels(values, len(values) if values.ndim else 0, "labels")
        if values.ndim == 2:
            columns = map(str, range(values.shape[1])) if names is None else names
            return cls(tuple(columns), sparse.csr_array(values))
        if names is None:
            return cls(*_of_values(values))
        if values.dtype.kind not in "iu" or (values < 0).any() or (values >= len(names)).any():
            raise ValueError(
                f"labels must be integers from 0 to {len(names) - 1}, one for each name."
            )
        return cls(names, _one_each(values, np.ones(len(values), dtype=bool), len(names)))

    def __len__(self) -> int:
        return self.indicator.shape[0]

    def of(self, position: int) -> tuple[str, ...]:
        """Return the labels of an item."""
        return next(self.of_each([position]))

    def of_each(self, positions: Sequence[int]) -> Iterator[tuple[str, ...]]:
        """Yield the labels of some items; for many it is faster than one by one."""
        names, numbers, ends = self.names, self.indicator.indices, self.indicator.indptr
        places = np.asarray(positions, dtype=np.int64)
        bounds = zip(ends[places].tolist(), ends[places + 1].tolist(), strict=True)
        for start, stop in bounds:
            yield tuple([names[number] for number in numbers[start:stop].tolist()])

    def members(self, name: str) -> np.ndarray:
        """Return the increasing positions of the items that have a label."""
        if name not in self._number:
            raise NotThereError(f"Unknown label {name!r}: no item has it.")
        start, stop = self._by_label.indptr[self._number[name] :][:2]
        return self._by_label.indices[start:stop]

    def relevant_to(self, labels: Sequence[str]) -> np.ndarray:
        """Return for each item whether it has one of some labels."""
        is_relevant = np.zeros(len(self), dtype=bool)
        for name in labels:
            is_relevant[self.members(name)] = True
        return is_relevant

    def relevance(self, positions: np.ndarray) -> Relevance:
        """Return which items are relevant to the items at some positions."""
        return relevance_from_labels(self.indicator[positions], self.indicator)


def _without_nulls(values: np.ndarray) -> np.ndarray:
    """Return labels as texts, '' for None, NaN and pandas.NA, if there are such."""
    items = values.tolist()
    if not any(map(is_null, items)):
        return values
    return np.array(["" if is_null(one) else _text(one) for one in items], dtype=str)


def _of_values(values: np.ndarray) -> tuple[tuple[str, ...], sparse.csr_array]:
    """Return the sorted names of one label per item, and the indicator of items."""
    texts = np.array([_text(value) for value in values.tolist()], dtype=str)
    has_label = texts != ""
    found = np.unique(texts[has_label])
    names = sorted(found.tolist(), key=_by_size if all(map(_is_number, found)) else None)
    order = np.argsort(names, kind="stable") if names else np.empty(0, dtype=np.int64)
    numbers = order[np.searchsorted(found, texts[has_label])]
    return tuple(names), _one_each(numbers, has_label, len(names))


def _one_each(numbers: np.ndarray, has_label: np.ndarray, n_labels: int) -> sparse.csr_array:
    """Return the indicator of one label, or none, per item."""
    ends = np.concatenate([[0], np.cumsum(has_label)])
    is_there = np.ones(len(numbers), dtype=bool)
    return sparse.csr_array((is_there, numbers, ends), shape=(len(has_label), n_labels))


def check_unicode(text: str, what: str) -> str:
    """Return a text if it is valid Unicode: a lone surrogate, as from a misread file, is not."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(
            f"{what} {text!r} is not valid Unicode; is the file in another encoding?"
        ) from None
    return text


def _text(value: Any) -> str:
    """Return the name of a label: '3' for 3 as well as for 3.0."""
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)


def _is_number(name: str) -> bool:
    try:
        return bool(np.isfinite(float(name)))
    except ValueError:
        return False


def _by_size(name: str) -> tuple[float, str]:
    return float(name), name  # '1' and '01' are two labels
