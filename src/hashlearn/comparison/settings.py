"""Settings of a comparison: what was compared, and how."""

from __future__ import annotations

from dataclasses import dataclass

from hashlearn.comparison._choice import Target
from hashlearn.comparison._splits import Sizes


@dataclass(frozen=True)
class Settings:
    """What was compared: the items, the measures, and what was asked for."""

    n_items: int
    n_sampled: int
    n_features: int
    vector_bytes: int  # of one, in single precision
    n_missing: int  # without a label or known pair, where such are given
    copied: float  # share of queries that are equal to an item learned from or searched
    tied: float  # share of queries that have many more items as near as the k-th nearest
    supervision: str  # "vectors", "labels" or "pairs"
    measures: list[str]
    measure: str  # that decides unless a target names another
    chance: float  # precision of a random ranking
    ceiling: float  # precision at k of a perfect ranking: there may be fewer to find
    new_measure: str | None  # and on classes kept out
    k: int
    metric: str
    lengths: list[int]
    methods: dict[str, str]  # with the reasons for them
    target: Target | None
    max_time: float | None
    seconds: float
    random_state: int
    untried: dict[str, list[str]]  # by reason
    sizes: Sizes
    has_first_round: bool  # on fewer items, which puts off methods

    @property
    def several(self) -> bool:
        """Whether an item may have several labels."""
        return f"ndcg@{self.k}" in self.measures

    @property
    def supervised(self) -> bool:
        """Whether codes should follow labels or pairs, rather than distances of vectors."""
        return self.supervision != "vectors"
