"""The engine's side of a store: the methods that an adapter defines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from hashlearn.stores.batches import Batch, Found, Layout
from hashlearn.stores.errors import TableMissingError
from hashlearn.stores.where import Condition


class Adapter(ABC):
    """An engine's side of a store.

    Arguments of private methods are checked; whatever goes wrong must be a StoreError.
    """

    takes_address: ClassVar[bool] = False  # the whole address, not what follows its scheme
    indexable: ClassVar[bool] = False  # `build_index` makes approximate searches

    def __init__(self) -> None:
        self._layout: Layout | None = None  # as far as it is known

    @property
    @abstractmethod
    def place(self) -> str:
        """Where the database is, in words without a password."""

    def has_index(self) -> bool:
        """Tell whether there is an index for searches with `effort`."""
        return False

    def close(self) -> None:  # noqa: B027 (an engine may have nothing to close)
        """End the connection; the store cannot be used afterwards."""

    @abstractmethod
    def _read_layout(self) -> Layout | None:
        """Return the table's layout; None if the table does not exist."""

    @abstractmethod
    def _create(self, layout: Layout) -> None:
        """Create the table, which does not exist."""

    @abstractmethod
    def _write(self, batch: Batch) -> None:
        """Store items, all or none, and replace those with the same ids."""

    @abstractmethod
    def _delete(self, where: tuple[Condition, ...]) -> int:
        """Remove the items that fulfil all conditions, all or none; return how many there were."""

    @abstractmethod
    def _nearest(
        self, query: np.ndarray, k: int, where: tuple[Condition, ...], effort: int | None
    ) -> Found:
        """Return the k nearest items of one packed code, or as many as there are.

        Of those that are as far as the k-th, any.
        """

    @abstractmethod
    def _within(self, query: np.ndarray, radius: int, where: tuple[Condition, ...]) -> Found:
        """Return all items within a distance of one packed code."""

    @abstractmethod
    def _count(self, where: tuple[Condition, ...]) -> int:
        """Return the number of items that fulfil all conditions."""

    @abstractmethod
    def _read(self, where: tuple[Condition, ...], columns: tuple[str, ...]) -> Iterator[Batch]:
        """Yield the items that fulfil all conditions, with the values of some columns."""

    @abstractmethod
    def _names(self) -> list[str]:
        """Return the names of the database's tables, of others too."""

    @abstractmethod
    def _drop(self) -> None:
        """Remove the table."""

    def _read_model(self) -> str | None:
        """Return the fingerprint of the model of the table's codes; None if it is not known."""
        return None

    def _adopt_model(self, model: str) -> str | None:
        """Keep a fingerprint unless the table has one; return the one it has now."""
        return None

    def _build_index(self) -> None:
        """Build the index; only where `indexable`."""
        raise NotImplementedError

    def _existing(self) -> Layout:
        """Return the table's layout; raise if the table does not exist."""
        if self._layout is None:
            self._layout = self._read_layout()
        if self._layout is None:
            raise TableMissingError(f"{self} does not exist", "create it first")
        return self._layout
