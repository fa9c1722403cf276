"""Laws of the closed forms at sizes where nothing can be enumerated."""

import numpy as np
import pytest
from scipy.stats import hypergeom

from hashlearn.metrics import RankingCounts
from hashlearn.metrics._expected import expected_precision_over_found, expected_precision_sum

COUNTS = RankingCounts(np.array([[3, 500, 40_000]]), np.array([[2, 100, 3_000]]))


def test_without_a_cut_through_ties_the_found_are_certain():
    for k in (3, 503, 40_503):
        mean = expected_precision_sum(COUNTS, k).sum() / COUNTS.expected_hits(k)
        np.testing.assert_allclose(expected_precision_over_found(COUNTS, k), mean)


@pytest.mark.parametrize("k", [4, 200, 1_000, 30_000])
def test_found_weighs_by_the_hypergeometric_distribution(k):
    last = int(np.flatnonzero(COUNTS.inside(k)[0])[-1])
    total, relevant = COUNTS.total[0, last], COUNTS.relevant[0, last]
    inside = COUNTS.inside(k)[0, last]
    mean = 0.0
    for x in range(min(inside, relevant) + 1):
        # Given x, the items inside the cut are a distance of their own.
        cut = RankingCounts(
            COUNTS.total[:, : last + 1].copy(), COUNTS.relevant[:, : last + 1].copy()
        )
        cut.total[0, last], cut.relevant[0, last] = inside, x
        summed = expected_precision_sum(cut, k).sum()
        mean += hypergeom.pmf(x, total, relevant, inside) * summed / cut.n_relevant[0]
    np.testing.assert_allclose(expected_precision_over_found(COUNTS, k), mean, rtol=1e-9)


def test_one_tie_of_relevant_items_is_perfect():
    counts = RankingCounts(np.array([[100_000]]), np.array([[100_000]]))
    for k in (1, 777, 100_000):
        np.testing.assert_allclose(expected_precision_over_found(counts, k), 1.0)
        np.testing.assert_allclose(expected_precision_sum(counts, k).sum(), k)


def test_nothing_found_counts_zero():
    counts = RankingCounts(np.array([[5, 5]]), np.array([[0, 5]]))
    assert expected_precision_over_found(counts, 3) == 0
