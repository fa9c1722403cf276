"""All items by distance to one query, which is left out if it is one of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from pydantic import Field, TypeAdapter

from hashlearn._numerics.selection import select_nearest
from hashlearn.explorer.answers.items import Answer, Code, Count, Item, item_fields
from hashlearn.explorer.collection.coded import CodedItems, as_texts, first_bits
from hashlearn.explorer.collection.collection import Collection
from hashlearn.explorer.errors import WrongValueError
from hashlearn.metrics import RankingCounts
from hashlearn.search.packing import check_packed


@dataclass(frozen=True, eq=False)
class Query:
    """An item's position, or a packed code of shape (1, width) with all bits of the method.

    `labels` tell what is relevant to a code, or to an item without labels.
    """

    code: np.ndarray | None = None
    position: int | None = None
    labels: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if (self.code is None) == (self.position is None):
            raise WrongValueError("A query must be either an item or a code.")


class Asked(Answer):
    """A query as it was understood."""

    item: int | None = Field(description="Its position, if it is an item.")
    code: Code
    labels: tuple[str, ...] | None = Field(description="The labels that hits are judged by.")


class Hit(Answer):
    """An item that was found."""

    item: Item
    distance: Count
    code: Code
    relevant: bool | None = Field(
        description="Whether it shares a label with the query; null if the query has none."
    )


HITS = TypeAdapter(tuple[Hit, ...])


@dataclass(frozen=True, eq=False)
class Ranking:
    """All items except the query by their distance to it on the first `bits` bits.

    `distances` and `relevance` have shape (1, n_items), `bits` + 1 and False for the query itself;
    `counts` has items and relevant items per distance, as one row.
    """

    collection: Collection
    coded: CodedItems
    bits: int
    asked: Asked
    distances: np.ndarray
    relevance: np.ndarray
    counts: RankingCounts

    @property
    def is_judged(self) -> bool:
        """Whether labels tell relevant items from others."""
        return self.asked.labels is not None

    @property
    def n_ranked(self) -> int:
        """Number of items without the query."""
        return int(self.counts.total.sum())

    @property
    def n_relevant(self) -> int:
        """Number of relevant items without the query."""
        return int(self.counts.n_relevant[0])

    def within(self, radius: int) -> tuple[int, int]:
        """Return the numbers of items and of relevant items within a radius."""
        total, relevant = self.counts.within(radius)
        return int(total[0]), int(relevant[0])

    def first(self, k: int) -> tuple[Hit, ...]:
        """Return the k nearest items, ties as in an index."""
        order = self.collection.tie_order
        positions = order[select_nearest(self.distances[:, order], k, self.bits + 2)[0]]
        distances = self.distances[0, positions].tolist()
        relevant = self.relevance[0, positions].tolist() if self.is_judged else [None] * k
        codes = self.coded.codes(positions, self.bits)
        items = item_fields(self.collection, positions.tolist())
        return HITS.validate_python(
            [
                {"item": item, "distance": distance, "code": code, "relevant": is_relevant}
                for item, distance, code, is_relevant in zip(
                    items, distances, codes, relevant, strict=True
                )
            ]
        )


def rank(collection: Collection, method: str, query: Query, bits: int | None) -> Ranking:
    """Rank all items except the query by the first bits of their codes; by all if None."""
    coded = collection.method(method)
    prefix = coded.prefix(bits)
    query = _with_labels(collection, query)
    packed = _prefix_of(coded, query, prefix.n_bits)
    if query.labels and collection.labels is not None:
        relevance = collection.labels.relevant_to(query.labels)
    else:
        relevance = np.zeros(collection.n_items, dtype=bool)
    distances = prefix.distances_to(packed)
    if query.position is not None:  # behind all others, and not relevant
        distances[query.position] = prefix.n_bits + 1
        relevance[query.position] = False
    rows = distances[None], relevance[None]
    counts = RankingCounts.from_distances(*rows, prefix.n_bits)
    code = as_texts(packed, prefix.n_bits)[0]
    asked = Asked(item=query.position, code=code, labels=query.labels)
    return Ranking(collection, coded, prefix.n_bits, asked, *rows, counts)


def _with_labels(collection: Collection, query: Query) -> Query:
    """Return the query with the item's own labels if it has some, and None for no labels."""
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
        raise WrongValueError(f"A query must have one code; got {len(code)} codes.")
    return first_bits(code, bits)
