"""Retrieval of handwritten digits: a small experiment that needs no download."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

from hashlearn.metrics import (
    Evaluation,
    PrecisionRecallCurve,
    evaluate,
    precision_recall_curve,
    relevance_from_labels,
)
from hashlearn.search import nearest_codes

N_QUERIES = 300
N_TRAINING = 1000
K = 100  # a digit has about 150 relevant items, so the paper's 300 could not be reached
MAP_CUTOFF = 1000
RADIUS = 2


@dataclass(frozen=True)
class Measure:
    """One of the paper's measures: a title for tables, and its meaning in plain words."""

    title: str
    meaning: str


# By their names in Evaluation.
MEASURES = {
    "pr_area": Measure(
        "area under PR",
        "the area under the precision-recall curve: precision and recall of everything within "
        "Hamming distance 0, 1, 2 and so on of a query",
    ),
    "mean_average_precision": Measure(
        "MAP",
        "mean average precision of the ranking by Hamming distance, over its first "
        f"{MAP_CUTOFF:,} items",
    ),
    "precision_at_k": Measure(
        f"precision at {K}",
        f"the share of right items among the first {K} (the paper has 300; here a digit has "
        "only about 150 right ones)",
    ),
    "precision_within_radius": Measure(
        f"precision within {RADIUS}",
        f"the share of right items within Hamming distance {RADIUS}; a query that finds nothing "
        "there counts 0",
    ),
}


@dataclass(frozen=True)
class Items:
    """Some of the digits."""

    ids: np.ndarray  # positions in scikit-learn's data set
    X: np.ndarray  # grey values from 0 to 1, (n, 64) float32
    y: np.ndarray  # the digits

    def __getitem__(self, rows: Any) -> Items:
        return Items(self.ids[rows], self.X[rows], self.y[rows])

    @property
    def images(self) -> np.ndarray:
        """The items as 8 x 8 images."""
        return self.X.reshape(*self.X.shape[:-1], 8, 8)


@dataclass(frozen=True)
class Split:
    """Queries, the database that is searched, and the training items in it."""

    queries: Items
    database: Items
    training: Items


@dataclass(frozen=True)
class Retrieval:
    """Retrieval with the codes of one fitted method; codes are packed."""

    name: str
    hasher: Any
    seconds: float  # to fit
    evaluation: Evaluation
    curve: PrecisionRecallCurve
    query_codes: np.ndarray
    database_codes: np.ndarray

    @property
    def measures(self) -> dict[str, float]:
        """The four measures, by the titles of `MEASURES`."""
        values = self.evaluation._asdict()
        return {measure.title: values[name] for name, measure in MEASURES.items()}

    def search(self, queries: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Return distances and database positions of the k nearest to some of the queries."""
        return nearest_codes(self.query_codes[queries], self.database_codes, k, ties="insertion")


def split_digits(seed: int) -> Split:
    """Split the digits at random: 300 queries, the rest as database, 1,000 of it for training."""
    digits = load_digits()
    order = np.random.RandomState(seed).permutation(len(digits.target))
    items = Items(order, (digits.data[order] / 16).astype(np.float32), digits.target[order])
    database = items[N_QUERIES:]
    return Split(items[:N_QUERIES], database, database[:N_TRAINING])


def retrieve(name: str, hasher: Any, split: Split) -> Retrieval:
    """Fit a hasher on the training items, and measure the queries against the database."""
    start = time.perf_counter()
    hasher.fit(split.training.X, split.training.y)
    seconds = time.perf_counter() - start
    queries, database = hasher.encode(split.queries.X), hasher.encode(split.database.X)
    relevance = relevance_from_labels(split.queries.y, split.database.y)
    return Retrieval(
        name=name,
        hasher=hasher,
        seconds=seconds,
        evaluation=evaluate(
            queries,
            database,
            relevance,
            k=K,
            map_cutoff=MAP_CUTOFF,
            radius=RADIUS,
            n_bits=hasher.n_bits,
        ),
        curve=precision_recall_curve(queries, database, relevance, n_bits=hasher.n_bits),
        query_codes=queries,
        database_codes=database,
    )


def first_of_each_digit(labels: np.ndarray) -> np.ndarray:
    """Return the position of the first item of each digit."""
    return np.unique(labels, return_index=True)[1]
