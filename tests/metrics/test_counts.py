"""Laws of counting by distance."""

import numpy as np
import pytest

from hashlearn.metrics import RankingCounts

RNG = np.random.default_rng(0)
DISTANCES = RNG.integers(0, 6, (3, 50)).astype(np.uint16)


@pytest.mark.parametrize("relevance", [RNG.random((3, 50)) < 0.3, RNG.random((3, 50))])
def test_counts_equal_histograms(relevance):
    counts = RankingCounts.from_distances(
        DISTANCES, relevance, n_bits=4
    )  # 5 is beyond: not counted
    for q in range(3):
        for d in range(5):
            assert counts.total[q, d] == (DISTANCES[q] == d).sum()
            assert counts.relevant[q, d] == pytest.approx(relevance[q, DISTANCES[q] == d].sum())
    assert counts.total.shape == counts.relevant.shape == (3, 5)


@pytest.mark.parametrize("k", [0, 1, 10, 30])
def test_the_first_k_are_k(k):
    counts = RankingCounts.from_distances(DISTANCES, DISTANCES > 2, n_bits=4)
    np.testing.assert_array_equal(counts.inside(k).sum(axis=1), k)


def test_before_is_the_sum_of_nearer_distances():
    counts = RankingCounts.from_distances(DISTANCES, DISTANCES > 2, n_bits=4)
    for d in range(5):
        nearer = np.less(DISTANCES, d)
        np.testing.assert_array_equal(counts.total_before[:, d], nearer.sum(axis=1))
        relevant = nearer & (DISTANCES > 2)
        np.testing.assert_array_equal(counts.relevant_before[:, d], relevant.sum(axis=1))
