"""Laws of nDCG."""

import numpy as np
import pytest
from sklearn.metrics import ndcg_score

from hashlearn.metrics import ndcg


def reference(k, gain):
    def of_order(grades):
        gains = grades if gain == "linear" else 2.0**grades - 1
        discounts = 1 / np.log2(np.arange(2, len(gains) + 2))
        best = (np.sort(gains)[::-1] * discounts)[:k].sum()
        return (gains * discounts)[:k].sum() / best if best else np.nan

    return of_order


@pytest.mark.parametrize("ties", ["expected", "neutral", "insertion"])
@pytest.mark.parametrize("gain", ["linear", "exponential"])
@pytest.mark.parametrize("k", [None, 1, 3, 6])
def test_ndcg_is_the_mean_over_orders(problem, ties, gain, k):
    given = ndcg(*problem.codes_and_relevance, k=k, gain=gain, ties=ties)
    np.testing.assert_allclose(given, problem.mean(reference(k, gain), ties))


@pytest.mark.parametrize("ties", ["expected", "neutral", "insertion"])
def test_leaving_out_is_the_mean_over_orders_without_the_item(self_problem, ties):
    given = ndcg(*self_problem.codes_and_relevance, k=3, ties=ties, exclude_self=True)
    expected = self_problem.mean(reference(3, "linear"), ties, leave_out_self=True)
    np.testing.assert_allclose(given, expected)


@pytest.mark.parametrize("k", [None, 10])
def test_agrees_with_scikit_learn(large_problem, k):
    queries, database, grades = large_problem.codes_and_relevance
    distances = np.unpackbits(queries[:, None] ^ database[None], axis=2).sum(axis=2, dtype=int)
    given = ndcg(queries, database, grades, k=k).mean()
    assert given == pytest.approx(ndcg_score(grades, -distances, k=k))


def test_negative_grades_are_refused(problem):
    with pytest.raises(ValueError, match="at least 0 for nDCG; got grades down to -1"):
        ndcg(problem.queries, problem.database, problem.grades - 1)


def test_an_unknown_gain_is_refused(problem):
    with pytest.raises(ValueError, match=r"gain must be one of 'linear', .*; got 'square'"):
        ndcg(*problem.codes_and_relevance, gain="square")
