"""Laws of the paper's four measures together."""

import numpy as np
import pytest

from hashlearn import metrics
from hashlearn.metrics import evaluate


@pytest.mark.parametrize("ties", ["expected", "neutral", "insertion"])
@pytest.mark.parametrize("exclude_self", [False, True])
def test_evaluate_equals_the_single_measures(large_problem, self_problem, ties, exclude_self):
    problem = self_problem if exclude_self else large_problem
    data, options = problem.codes_and_relevance, {"exclude_self": exclude_self}
    given = evaluate(*data, k=2, map_cutoff=4, radius=1, ties=ties, **options)
    within = metrics.precision_within_radius(*data, 1, **options)
    mean_average_precision = metrics.mean_average_precision(
        *data, k=4, denominator="found", ties=ties, **options
    )
    precision = metrics.precision_at_k(*data, k=2, ties=ties, **options).mean()
    area = metrics.pr_area(*data, **options)
    np.testing.assert_allclose(given, (area, mean_average_precision, precision, *within))


@pytest.mark.parametrize("ties", ["expected", "neutral", "insertion"])
def test_cutoffs_shrink_to_the_database(problem, ties):
    whole = evaluate(*problem.codes_and_relevance, k=6, map_cutoff=6, ties=ties)
    assert evaluate(*problem.codes_and_relevance, ties=ties) == whole


def test_block_size_changes_nothing_with_ties_by_index(large_problem, small_blocks):
    whole = evaluate(*large_problem.codes_and_relevance, ties="insertion")
    small_blocks()
    assert evaluate(*large_problem.codes_and_relevance, ties="insertion") == whole


def test_codes_of_one_class_each_are_perfect():
    """The paper's training codes: 200 per class, so at most 200 of 300 are right."""
    labels = np.repeat(np.arange(4), 200)
    codes = np.array([0b00000000, 0b00001111, 0b11110000, 0b11111111], np.uint8)[labels][:, None]
    result = evaluate(codes, codes, metrics.relevance_from_labels(labels, labels))
    assert result == pytest.approx((1, 1, 2 / 3, 1, 0))


@pytest.mark.parametrize("name", ["k", "map_cutoff"])
def test_a_cutoff_below_one_is_refused(problem, name):
    with pytest.raises(ValueError, match=f"{name} must be at least 1; got 0"):
        evaluate(*problem.codes_and_relevance, **{name: 0})
