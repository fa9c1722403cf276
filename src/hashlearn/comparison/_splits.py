"""Splits of items into training items, a database, and two kinds of queries, all disjoint."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

N_FOLDS = 3
MIN_ITEMS = 50
MOST_QUERIES = 1_000  # of a kind: the error of a mean is then below .016
MOST_TRAINING = 10_000  # as `hashlearn fit` samples
MOST_LABELLED_DATABASE = 10_000  # shares of right items do not depend on its size as recall does
SCREENING_TRAINING = 1_000  # of the first round, which puts off methods


class Sizes(NamedTuple):
    """Numbers of queries of a kind, of training items and of items in the database."""

    n_queries: int
    n_training: int
    n_database: int

    def screening(self) -> Sizes:
        """Return the sizes of the first round."""
        return Sizes(
            min(self.n_queries, 300),
            min(self.n_training, SCREENING_TRAINING),
            min(self.n_database, 3 * SCREENING_TRAINING),
        )


def sizes_for(n_items: int, *, labelled: bool, most_training: int = MOST_TRAINING) -> Sizes:
    """Return the sizes of splits; learning from labels takes most items, recall a database."""
    if n_items < MIN_ITEMS:
        raise ValueError(
            f"at least {MIN_ITEMS} items are needed, each with a label or a known pair where such "
            "are given, to keep queries, a database and training items apart; got "
            f"{n_items}."
        )
    n_queries = min(MOST_QUERIES, n_items // (10 if labelled else 20) + 1)
    rest = n_items - 2 * n_queries
    n_training = min(most_training, int((0.7 if labelled else 0.2) * rest))
    n_database = rest - n_training
    return Sizes(
        n_queries, n_training, min(n_database, MOST_LABELLED_DATABASE) if labelled else n_database
    )


class Split(NamedTuple):
    """Positions of items. On `choosing` queries codes are chosen; `reporting` ones are kept."""

    training: np.ndarray
    database: np.ndarray
    choosing: np.ndarray
    reporting: np.ndarray


def draw_split(items: np.ndarray, sizes: Sizes, fold: int, seed: int) -> Split:
    """Draw a fold: `reporting` queries are the same in all, and in no other part of any."""
    order = np.random.RandomState(seed).permutation(items)
    reporting, others = np.split(order, [sizes.n_queries])
    others = np.roll(others, -fold * (others.size // N_FOLDS))
    bounds = np.cumsum([sizes.n_queries, sizes.n_training, sizes.n_database])
    choosing, training, database, _ = np.split(others, bounds)
    # in their order in X, which reads a mapped file once from the start to the end
    return Split(*map(np.sort, (training, database, choosing, reporting)))


def screened(split: Split, sizes: Sizes, seed: int) -> Split:
    """Return a random part of a split, without `reporting` queries."""
    random = np.random.RandomState(seed)
    wanted = sizes.n_training, sizes.n_database, sizes.n_queries, 0
    return Split(
        *(np.sort(random.permutation(part)[:n]) for part, n in zip(split, wanted, strict=True))
    )
