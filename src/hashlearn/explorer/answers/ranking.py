"""All items by distance to one query, which is left out if it is one of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from hashlearn._numerics.selection import select_nearest
from hashlearn.explorer.collection.coded import CodedItems, as_texts, first_bits
from hashlearn.explorer.collection.collection import Collection
from hashlearn.explorer.errors import WrongValueError
from hashlearn.metrics.blocks import HammingBlock
from hashlearn.metrics.counts import Counts
from hashlearn.search.packing import check_packed


@dataclass(frozen=True, eq=False)
class Query:
    """What is asked for: an item, or a code.

    Attributes
    ----------
    code : ndarray of shape (1, ceil(n_bits / 8)), uint8, or None
        A packed code, all bits that the method has.
    position : int or None
        The position of an item instead.
    labels : sequence of str, or None
        What is relevant, for a code or for an item without labels.
    """

    code: np.ndarray | None = None
    position: int | None = None
    labels: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if (self.code is None) == (self.position is None):
            raise WrongValueError("a query takes an item or a code, one of them.")


class Asked(NamedTuple):
    """A query as it is understood.

    Attributes
    ----------
    position : int or None
        The position of the query, if it is an item.
    code : str
        The first bits of its code.
    labels : tuple of str, or None
        What items are judged by; None if nothing is known.
    """

    position: int | None
    code: str
    labels: tuple[str, ...] | None


class Hit(NamedTuple):
    """An item that was found.

    Attributes
    ----------
    position : int
    distance : int
    code : str
        The first bits of its code.
    relevant : bool or None
        Whether it shares a label with the query; None if the query has none.
    """

    position: int
    distance: int
    code: str
    relevant: bool | None


@dataclass(frozen=True, eq=False)
class Ranking:
    """All items but the query by their distance to it.

    Attributes
    ----------
    coded : CodedItems
        The method.
    bits : int
        How many bits the distances are of.
    asked : Asked
        The query.
    block : HammingBlock
        Distance and relevance of every item, as one row.
    counts : Counts
        Items and relevant items per distance, as one row.
    """

    coded: CodedItems
    bits: int
    asked: Asked
    block: HammingBlock
    counts: Counts

    @property
    def is_judged(self) -> bool:
        """Whether anything tells relevant items from others."""
        return self.asked.labels is not None

    @property
    def n_ranked(self) -> int:
        """How many items there are beside the query."""
        return int(self.counts.total.sum())

    @property
    def n_relevant(self) -> int:
        """How many of them are relevant."""
        return int(self.counts.n_relevant[0])

    def within(self, radius: int) -> tuple[int, int]:
        """Return how many items, and how many relevant ones, lie within a radius."""
        total, relevant = (part[0, : radius + 1].sum() for part in self.counts)
        return int(total), int(relevant)

    def first(self, k: int) -> tuple[Hit, ...]:
        """Return the k nearest items, ties by position."""
        positions = select_nearest(self.block.distances, k, self.bits + 2)[0]
        distances = self.block.distances[0, positions].tolist()
        relevant = self.block.relevance[0, positions].tolist() if self.is_judged else [None] * k
        codes = self.coded.codes(positions, self.bits)
        return tuple(map(Hit, positions.tolist(), distances, codes, relevant))


def rank(collection: Collection, method: str, query: Query, bits: int | None) -> Ranking:
    """Rank all items but the query by the first bits of their codes.

    Parameters
    ----------
    collection : Collection
    method : str
        Whose codes.
    query : Query
    bits : int or None
        How many bits are used; all if None.
    """
    coded = collection.method(method)
    prefix = coded.prefix(bits)
    query = _with_labels(collection, query)
    packed = _prefix_of(coded, query, prefix.n_bits)
    if query.labels and collection.labels is not None:
        relevance = collection.labels.relevant_to(query.labels)
    else:
        relevance = np.zeros(collection.n_items, dtype=bool)
    block = HammingBlock(prefix.distances_to(packed)[None], relevance[None], prefix.n_bits)
    if query.position is not None:
        block.leave_out(np.array([query.position]))
    asked = Asked(query.position, as_texts(packed, prefix.n_bits)[0], query.labels)
    return Ranking(coded, prefix.n_bits, asked, block, block.by_radius())


def _with_labels(collection: Collection, query: Query) -> Query:
    """Return the query with the item's own labels where it has some, and None for no labels."""
    own = None
    if query.position is not None:
        own = collection.labels_of(collection.check_position(query.position))
    given = None if collection.labels is None else query.labels
    return replace(query, labels=own or given or None)


def _prefix_of(coded: CodedItems, query: Query, bits: int) -> np.ndarray:
    """Return the packed first bits of the query's code."""
    if query.position is not None:
        return coded.first_bits([query.position], bits)
    assert query.code is not None  # a query has one of them
    code = check_packed(query.code, coded.n_bits, "the query's code")
    if len(code) != 1:
        raise WrongValueError(f"the query has {len(code)} codes: it takes one.")
    return first_bits(code, bits)
