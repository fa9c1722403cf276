"""Laws of average precision."""

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import average_precision_score

from hashlearn.metrics import average_precision, mean_average_precision
from hashlearn.search import pack_codes

DENOMINATORS = ["all", "found", "min"]


def reference(k, denominator):
    """Average precision of one order, as textbooks write it."""

    def of_order(grades):
        relevant = grades > 0
        if not relevant.any():
            return np.nan
        cut = len(grades) if k is None else k
        summed = sum(relevant[: r + 1].mean() for r in range(cut) if relevant[r])
        found = relevant[:cut].sum()
        count = {"all": relevant.sum(), "found": found, "min": min(cut, relevant.sum())}
        return summed / max(count[denominator], 1)

    return of_order


@pytest.mark.parametrize("ties", ["expected", "neutral", "insertion"])
@pytest.mark.parametrize("denominator", DENOMINATORS)
@pytest.mark.parametrize("k", [None, 1, 2, 3, 4, 5, 6])
def test_average_precision_is_the_mean_over_orders(problem, ties, denominator, k):
    given = average_precision(
        *problem.codes_and_relevance, k=k, denominator=denominator, ties=ties, n_bits=problem.n_bits
    )
    np.testing.assert_allclose(given, problem.mean(reference(k, denominator), ties))


@pytest.mark.parametrize("ties", ["expected", "neutral", "insertion"])
@pytest.mark.parametrize("denominator", DENOMINATORS)
@pytest.mark.parametrize("k", [None, 3])
def test_leaving_out_is_the_mean_over_orders_without_the_item(self_problem, ties, denominator, k):
    given = average_precision(
        *self_problem.codes_and_relevance,
        k=k,
        denominator=denominator,
        ties=ties,
        exclude_self=True,
    )
    expected = self_problem.mean(reference(k, denominator), ties, leave_out_self=True)
    np.testing.assert_allclose(given, expected)


def test_agrees_with_scikit_learn_without_ties():
    rng = np.random.default_rng(0)
    n = 40
    thermometer = pack_codes(np.arange(n)[None, :] < np.arange(n)[:, None])
    relevance = rng.random((1, n)) < 0.3
    given = average_precision(thermometer[:1], thermometer, relevance, n_bits=n)
    np.testing.assert_allclose(given, average_precision_score(relevance[0], -np.arange(n)))


def test_by_hand():
    """Distances 0 1 1 3, relevant the second and the last item."""
    codes = np.array([[0], [1], [2], [7]], dtype=np.uint8)
    problem = (codes[:1], codes, [[False, True, False, True]])
    assert average_precision(*problem, ties="insertion") == pytest.approx((1 / 2 + 2 / 4) / 2)
    assert average_precision(*problem) == pytest.approx(((1 / 2 + 1 / 3) / 2 + 2 / 4) / 2)
    assert average_precision(*problem, k=2) == pytest.approx((1 / 2) / 2 / 2)
    assert average_precision(*problem, k=2, denominator="found") == pytest.approx((1 / 2) / 2)
    assert average_precision(*problem, k=1, denominator="min") == 0


def test_the_mean_skips_queries_with_nothing_relevant(problem):
    values = average_precision(*problem.codes_and_relevance)
    assert np.isnan(values[3])
    np.testing.assert_allclose(
        mean_average_precision(*problem.codes_and_relevance), np.nanmean(values)
    )


def test_a_mean_over_no_query_is_undefined(problem):
    with pytest.warns(UndefinedMetricWarning):
        value = mean_average_precision(problem.queries, problem.database, problem.grades * 0)
    assert np.isnan(value)


def test_one_item_left_out_leaves_nothing():
    code = np.zeros((1, 1), dtype=np.uint8)
    assert np.isnan(average_precision(code, code, [[True]], exclude_self=True)).all()


def test_an_unknown_denominator_is_refused(problem):
    with pytest.raises(ValueError, match=r"denominator must be one of 'all', .*; got 'half'"):
        average_precision(*problem.codes_and_relevance, denominator="half")
