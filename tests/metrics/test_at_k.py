"""Laws of precision and recall at k."""

import numpy as np
import pytest

from hashlearn.metrics import precision_at_k, precision_curve, recall_at_k


@pytest.mark.parametrize("ties", ["expected", "neutral", "insertion"])
@pytest.mark.parametrize("k", [1, 2, 4, 6])
def test_precision_is_the_mean_over_orders(problem, ties, k):
    expected = problem.mean(lambda grades: (grades[:k] > 0).mean(), ties)
    given = precision_at_k(*problem.codes_and_relevance, k=k, ties=ties, n_bits=problem.n_bits)
    np.testing.assert_allclose(given, expected)


@pytest.mark.parametrize("ties", ["expected", "neutral", "insertion"])
@pytest.mark.parametrize("k", [1, 3, 6])
def test_recall_is_the_mean_over_orders(problem, ties, k):
    def recall(grades):
        return (grades[:k] > 0).sum() / (grades > 0).sum() if (grades > 0).any() else np.nan

    given = recall_at_k(*problem.codes_and_relevance, k=k, ties=ties)
    np.testing.assert_allclose(given, problem.mean(recall, ties))


@pytest.mark.parametrize("measure", [precision_at_k, recall_at_k])
@pytest.mark.parametrize("k", [0, 7])
def test_k_out_of_range_is_refused(problem, measure, k):
    with pytest.raises(ValueError, match=f"k must be at .*; got {k}"):
        measure(*problem.codes_and_relevance, k=k)


def test_by_hand():
    """Distances 0 1 1 3, relevant the second and the last item."""
    codes = np.array([[0], [1], [2], [7]], dtype=np.uint8)
    relevance = [[False, True, False, True]]
    options = {"query_codes": codes[:1], "database_codes": codes, "relevance": relevance, "k": 2}
    assert precision_at_k(**options) == pytest.approx(1 / 4)
    assert precision_at_k(**options, ties="insertion") == pytest.approx(1 / 2)
    assert recall_at_k(**options) == pytest.approx(1 / 4)
    assert recall_at_k(**options, ties="insertion") == pytest.approx(1 / 2)


@pytest.mark.parametrize("ties", ["expected", "neutral", "insertion"])
def test_curve_is_the_mean_precision_at_each_k(problem, ties):
    expected = [
        precision_at_k(*problem.codes_and_relevance, k=k, ties=ties).mean() for k in (5, 1, 2)
    ]
    given = precision_curve(*problem.codes_and_relevance, ks=(5, 1, 2), ties=ties)
    np.testing.assert_allclose(given, expected)
