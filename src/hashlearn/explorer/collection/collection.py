"""What the explorer shows: items that can be looked at, their labels, and codes by each method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple, Protocol

import numpy as np

from hashlearn._numerics.ids import NOT_FOUND, Ids
from hashlearn.explorer.collection.coded import CodedItems
from hashlearn.explorer.collection.labels import Labels, check_unicode
from hashlearn.explorer.collection.once import Once
from hashlearn.explorer.errors import NotThereError

N_ANSWERS = 64  # kept: overviews and code maps


class Display(Protocol):
    """How an item is shown: as an image, as text, or by its id alone."""

    @property
    def kind(self) -> Literal["image", "text", "id"]:
        """What an item is shown as."""

    def image(self, position: int) -> bytes:
        """Return a PNG file; only of images."""

    def text(self, position: int) -> str:
        """Return the text; only of texts."""


class IdDisplay:
    """Items of which nothing is known but ids and labels."""

    kind: Literal["id"] = "id"

    def image(self, position: int) -> bytes:
        """Raise: there is no image."""
        raise NotThereError("The items of this collection have no images.")

    def text(self, position: int) -> str:
        """Raise: there is no text."""
        raise NotThereError("The items of this collection have no texts.")


class Seen(NamedTuple):
    """A file as hashers see it.

    Attributes
    ----------
    vector : ndarray of shape (1, n_features)
        What they encode.
    picture : bytes
        A PNG file of it.
    """

    vector: np.ndarray
    picture: bytes


class Reader(Protocol):
    """From a file that somebody brings to the vector that hashers take."""

    @property
    def hint(self) -> str:
        """What kind of file is taken, in words."""

    def read(self, data: bytes) -> np.ndarray:
        """Return the vector of a file, (1, n_features)."""

    def see(self, data: bytes) -> Seen:
        """Return the vector and a picture of it; the file is decoded once."""


@dataclass(frozen=True, eq=False, repr=False)
class Collection:
    """Items with their codes.

    Attributes
    ----------
    name : str
        What it is called.
    ids : ndarray of shape (n_items,), int64
        The items' ids, any but -1, each once.
    display : Display
        How items are shown.
    labels : Labels or None
        What items are called.
    methods : mapping of str to CodedItems
        Codes of all items by at least one method, in the order of showing.
    reader : Reader or None
        Takes files as queries.
    curve_queries : ndarray of int, or None
        Positions of the items that nothing was learned from, which whole-set measures ask for;
        None if that is not known.
    answers : Once
        What took long to compute, by question.

    Examples
    --------
    >>> coded = CodedItems("lsh", "Random bits", np.array([[128], [64]], np.uint8), n_bits=2)
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

    def __post_init__(self) -> None:
        check_unicode(self.name, "the collection's name")
        if not len(self.ids) or not self.methods:
            raise ValueError(
                f"collection {self.name!r} has {len(self.ids)} items and {len(self.methods)} "
                "methods: it takes at least one of each."
            )
        for name, coded in self.methods.items():
            check_unicode(name + coded.title, "a method's name and title")
            if name != coded.name:
                raise ValueError(f"methods has {coded.name!r} under the name {name!r}.")
        sizes = {f"method {name!r}": len(coded) for name, coded in self.methods.items()}
        if self.labels is not None:
            sizes["labels"] = len(self.labels)
        for part, size in sizes.items():
            if size != self.n_items:
                raise ValueError(f"{part} has {size:,} items: the ids take {self.n_items:,}.")
        if self.curve_queries is not None:
            for position in (self.curve_queries.min(initial=0), self.curve_queries.max(initial=0)):
                self.check_position(int(position))
        _ = self._known_ids  # raises if an id is there twice

    def __repr__(self) -> str:
        return f"<Collection {self.name!r} of {self.n_items:,} items by {', '.join(self.methods)}>"

    @property
    def n_items(self) -> int:
        """How many items there are."""
        return len(self.ids)

    def method(self, name: str) -> CodedItems:
        """Return the codes by a method."""
        if name not in self.methods:
            known = ", ".join(map(repr, self.methods))
            raise NotThereError(f"method={name!r} is not loaded: there is {known}.")
        return self.methods[name]

    def check_position(self, position: int) -> int:
        """Return the position of an item if there is one."""
        if not 0 <= position < self.n_items:
            raise NotThereError(
                f"item={position} is not there: positions are 0 to {self.n_items - 1}."
            )
        return int(position)

    def position_of(self, item_id: int) -> int:
        """Return the position of the item with an id."""
        position = NOT_FOUND
        if -(2**63) <= item_id < 2**63:
            position = int(self._known_ids.find(np.array([item_id], dtype=np.int64))[0])
        if position == NOT_FOUND:
            raise NotThereError(f"id={item_id} is not in {self.name!r}.")
        return position

    def labels_of(self, position: int) -> tuple[str, ...] | None:
        """Return the labels of an item; None if the collection has no labels."""
        return None if self.labels is None else self.labels.of(position)

    @cached_property
    def _known_ids(self) -> Ids:
        return Ids().appended(self.n_items, self.ids)
