"""A collection: items that can be shown, their labels, and their codes by each method."""

from __future__ import annotations

import re
import secrets
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np

from hashlearn._numerics.ids import NOT_FOUND, Ids, tie_keys
from hashlearn._numerics.tie_order import tie_order
from hashlearn.explorer.collection.coded import CodedItems
from hashlearn.explorer.collection.displays import Display
from hashlearn.explorer.collection.labels import Labels, check_unicode
from hashlearn.explorer.collection.readers import Reader
from hashlearn.explorer.errors import NotThereError

N_ANSWERS = 64  # overviews and code maps that are kept


@dataclass(frozen=True, eq=False, repr=False)
class Collection:
    """Items with their codes.

    Attributes
    ----------
    name : str
        Name of the collection.
    ids : ndarray of shape (n_items,), int64 or objects of text
        Distinct ids of the items, any but -1.
    display : Display
        How items are shown.
    labels : Labels or None
        Labels of the items.
    methods : mapping of str to CodedItems
        Codes of all items by at least one method, in the order of showing.
    reader : Reader or None
        Reads files as queries.
    curve_queries : ndarray of int, or None
        Positions of the items that nothing was learned from, which are the queries of whole-set
        measures; None if that is not known.
    answers : Once
        Answers that took long to compute, by question.
    version : str
        Differs for every collection: browsers keep images under it.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.explorer import CodedItems, Collection
    >>> coded = CodedItems("lsh", "Random bits", np.array([[128], [64]], np.uint8), n_bits=2)
    >>> from hashlearn.explorer import IdDisplay
    >>> collection = Collection("pair", np.array([70, 30]), IdDisplay(), None, {"lsh": coded})
    >>> collection, collection.position_of(30)
    (<Collection 'pair' of 2 items by lsh>, 1)
    """

    name: str
    ids: np.ndarray
    display: Display
    labels: Labels | None
    methods: Mapping[str, CodedItems]
    reader: Reader | None = None
    curve_queries: np.ndarray | None = None
    answers: Once = field(default_factory=lambda: Once(N_ANSWERS), init=False)
    version: str = field(default_factory=lambda: secrets.token_hex(4), init=False)

    def __post_init__(self) -> None:
        check_unicode(self.name, "the collection's name")
        if not len(self.ids) or not self.methods:
            raise ValueError(
                f"A collection must have at least one item and one method; {self.name!r} has "
                f"{len(self.ids)} items and {len(self.methods)} methods."
            )
        for name, coded in self.methods.items():
            check_unicode(name + coded.title, "a method's name and title")
            if name != coded.name:
                raise ValueError(
                    f"methods must have {coded.name!r} under its own name; got {name!r}."
                )
        sizes = {f"method {name!r}": len(coded) for name, coded in self.methods.items()}
        if self.labels is not None:
            sizes["labels"] = len(self.labels)
        for part, size in sizes.items():
            if size != self.n_items:
                raise ValueError(
                    f"{part} must have {self.n_items:,} items, as many as there are ids; "
                    f"got {size:,}."
                )
        if self.curve_queries is not None:
            for position in (self.curve_queries.min(initial=0), self.curve_queries.max(initial=0)):
                self.check_position(int(position))
        _ = self._known_ids  # raises if an id is there twice

    def __repr__(self) -> str:
        return f"<Collection {self.name!r} of {self.n_items:,} items by {', '.join(self.methods)}>"

    @property
    def n_items(self) -> int:
        """Number of items."""
        return len(self.ids)

    def method(self, name: str) -> CodedItems:
        """Return the codes by a method."""
        if name not in self.methods:
            known = ", ".join(map(repr, self.methods))
            raise NotThereError(f"method={name!r} is not loaded; loaded are {known}.")
        return self.methods[name]

    def check_position(self, position: int) -> int:
        """Return a position if there is an item at it."""
        if not 0 <= position < self.n_items:
            raise NotThereError(
                f"There is no item {position}: positions are 0 to {self.n_items - 1}."
            )
        return int(position)

    def position_of(self, item_id: int | str) -> int:
        """Return the position of the item with an id; integers may be written as text."""
        position, text = NOT_FOUND, str(item_id)
        if self._known_ids.are_text:
            position = int(self._known_ids.find(np.array([text], dtype=object))[0])
        elif re.fullmatch("-?[0-9]{1,19}", text) and -(2**63) <= int(text) < 2**63:
            position = int(self._known_ids.find(np.array([int(text)], dtype=np.int64))[0])
        if position == NOT_FOUND:
            raise NotThereError(f"id={item_id} is not in {self.name!r}.")
        return position

    def labels_of(self, position: int) -> tuple[str, ...] | None:
        """Return the labels of an item; None if the collection has no labels."""
        return None if self.labels is None else self.labels.of(position)

    @cached_property
    def tie_order(self) -> np.ndarray:
        """Positions in the order of items at equal distance, as in an index."""
        return tie_order(tie_keys(self.ids))

    @cached_property
    def _known_ids(self) -> Ids:
        return Ids().appended(self.n_items, self.ids)


class Once:
    """Least-recently-used cache: the first thread that asks for a key computes, others wait.

    `functools.lru_cache` would let each of them compute. Other keys are not blocked. An exception
    is raised in all waiting threads, and not cached.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._lock = Lock()
        self._kept: OrderedDict[Hashable, Future[Any]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Hashable, compute: Callable[[], Any]) -> Any:
        """Return the value of a key, computed by the first call."""
        with self._lock:
            value = self._kept.get(key)
            is_first = value is None
            if value is None:
                value = self._kept[key] = Future()
            self._kept.move_to_end(key)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)  # threads that wait for it keep a reference
        if is_first:
            self._fill(key, value, compute)
        return value.result()

    def _fill(self, key: Hashable, value: Future[Any], compute: Callable[[], Any]) -> None:
        try:
            value.set_result(compute())
        except BaseException as error:  # Ctrl-C too: other threads must not wait forever
            with self._lock:
                if self._kept.get(key) is value:
                    del self._kept[key]
            value.set_exception(error)
