"""Small random retrieval problems, and their rankings written out in full."""

from collections import Counter
from itertools import permutations, product
from typing import NamedTuple

import numpy as np
import pytest

from hashlearn._numerics.ids import tie_keys
from hashlearn.metrics import _rankings as rankings
from hashlearn.search import pack_codes


class Problem(NamedTuple):
    """Codes of few bits, so that ties are common, with grades 0 to 2."""

    queries: np.ndarray
    database: np.ndarray
    grades: np.ndarray
    n_bits: int

    @property
    def codes_and_relevance(self):
        return self.queries, self.database, self.grades

    def distances(self, query):
        return np.unpackbits(self.queries[query] ^ self.database, axis=1).sum(axis=1)

    def orders(self, query, ties, leave_out=None):
        """Every ranking of a query as the grades in its order, with how often it occurs."""
        distances = self.distances(query)
        groups = [
            [i for i in np.flatnonzero(distances == d) if i != leave_out]
            for d in np.unique(distances)
        ]
        keys = tie_keys(np.arange(len(self.database)))
        by_group = {
            "expected": [permutations(group) for group in groups],
            "neutral": [[sorted(group, key=keys.__getitem__)] for group in groups],
            "insertion": [[group] for group in groups],
        }[ties]
        return Counter(
            tuple(self.grades[query, i] for group in order for i in group)
            for order in product(*by_group)
        )

    def mean(self, measure, ties, leave_out_self=False):
        """Return the mean of `measure(grades in order)` over all orders, per query."""
        means = []
        for query in range(len(self.queries)):
            orders = self.orders(query, ties, leave_out=query if leave_out_self else None)
            values = [measure(np.array(order)) for order in orders]
            means.append(np.average(values, weights=list(orders.values())))
        return np.array(means)


@pytest.fixture(params=range(6))
def problem(request):
    rng = np.random.default_rng(request.param)
    n_bits = 2 + request.param % 3
    codes = pack_codes(rng.integers(0, 2, (10, n_bits)))
    grades = rng.integers(0, 3, (4, 6)) * rng.integers(0, 2, (4, 6))
    grades[3] = 0
    return Problem(codes[:4], codes[4:], grades, n_bits)


@pytest.fixture
def self_problem(problem):
    """The same, of a database against itself."""
    grades = np.resize(problem.grades, (6, 6))
    return Problem(problem.database, problem.database, grades, problem.n_bits)


@pytest.fixture
def large_problem():
    """Enough queries for several blocks."""
    rng = np.random.default_rng(0)
    codes = pack_codes(rng.integers(0, 2, (90, 12)))
    return Problem(codes[:30], codes[30:], rng.integers(0, 3, (30, 60)), 12)


@pytest.fixture
def large_self_problem(large_problem):
    """The same, of a database against itself."""
    database = large_problem.database
    return Problem(database, database, np.resize(large_problem.grades, (60, 60)), 12)


@pytest.fixture
def small_blocks(monkeypatch):
    """Return a function that makes blocks small from then on."""
    return lambda: monkeypatch.setattr(rankings, "BLOCK_PAIRS", 200)
