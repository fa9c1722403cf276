"""Arguments that every measure refuses, and laws of rankings."""

from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from hashlearn import metrics
from hashlearn.metrics import _rankings as rankings
from hashlearn.metrics._rankings import Rankings

MEASURES = {
    "precision_at_k": lambda *a, **o: metrics.precision_at_k(*a, k=1, **o),
    "recall_at_k": lambda *a, **o: metrics.recall_at_k(*a, k=1, **o),
    "average_precision": metrics.average_precision,
    "mean_average_precision": metrics.mean_average_precision,
    "precision_recall_curve": metrics.precision_recall_curve,
    "pr_area": metrics.pr_area,
    "precision_within_radius": metrics.precision_within_radius,
    "ndcg": metrics.ndcg,
    "evaluate": metrics.evaluate,
}
CODES = np.zeros((3, 2), dtype=np.uint8)


class WrongBlocks:
    shape = (3, 3)

    def block(self, start, stop):
        return np.ones((stop - start, 2))


@pytest.fixture(params=MEASURES)
def measure(request):
    return MEASURES[request.param]


@pytest.mark.parametrize(
    ("queries", "database", "relevance", "options", "message"),
    [
        (CODES[0], CODES, np.eye(3), {}, "query_codes has shape"),
        (CODES, CODES.astype(int), np.eye(3), {}, "database_codes has dtype int64"),
        (CODES[:, :1], CODES, np.eye(3), {}, "equally wide; got 1 and 2 bytes"),
        (CODES, CODES, np.eye(3), {"n_bits": 8}, "query_codes is 2 bytes wide; n_bits=8"),
        (CODES, CODES + 1, np.eye(3), {"n_bits": 12}, "database_codes has bits set after"),
        (CODES[:2], CODES, np.eye(3), {}, r"relevance must have shape \(2, 3\).* got \(3, 3\)"),
        (
            CODES[:2],
            CODES,
            np.eye(3)[:2],
            {"exclude_self": True},
            "exclude_self=True needs .* got 2 query_codes",
        ),
        (CODES, CODES, WrongBlocks(), {}, r"block\(0, 3\) must have shape \(3, 3\); got \(3, 2\)"),
    ],
)
def test_every_measure_refuses_what_does_not_fit(
    measure, queries, database, relevance, options, message
):
    with pytest.raises(ValueError, match=message):
        measure(queries, database, relevance, **options)


def test_block_size_changes_nothing(measure, large_problem, small_blocks):
    whole = measure(*large_problem.codes_and_relevance)
    small_blocks()
    np.testing.assert_array_equal(measure(*large_problem.codes_and_relevance), whole)


def test_block_size_changes_nothing_when_leaving_out(measure, large_self_problem, small_blocks):
    whole = measure(*large_self_problem.codes_and_relevance, exclude_self=True)
    small_blocks()
    in_blocks = measure(*large_self_problem.codes_and_relevance, exclude_self=True)
    np.testing.assert_array_equal(in_blocks, whole)


@pytest.mark.parametrize("name", ["precision_at_k", "recall_at_k", "average_precision", "ndcg"])
@pytest.mark.parametrize("ties", ["expected", "neutral", "insertion"])
def test_leaving_an_item_out_equals_removing_it(name, ties, self_problem):
    """Each query alone, against the rest of the database."""
    measure = partial(MEASURES[name], ties=ties)
    left_out = measure(*self_problem.codes_and_relevance, exclude_self=True)
    for i in range(6):
        rest = np.arange(6) != i
        removed = measure(
            self_problem.queries[[i]],
            self_problem.database[rest],
            self_problem.grades[[i]][:, rest],
            ids=np.flatnonzero(rest),
        )
        np.testing.assert_allclose(left_out[[i]], removed)


def test_leaving_out_changes_no_argument(self_problem):
    grades = self_problem.grades.astype(float)
    before = grades.copy()
    metrics.ndcg(self_problem.queries, self_problem.database, grades, exclude_self=True)
    np.testing.assert_array_equal(grades, before)


def test_the_cutoff_defaults_to_all_items():
    assert Rankings.check(CODES, CODES, np.eye(3), None, False).cutoff(None) == 3
    assert Rankings.check(CODES, CODES, np.eye(3), None, True).cutoff(None) == 2


@pytest.mark.parametrize("name", ["average_precision", "mean_average_precision", "ndcg"])
@pytest.mark.parametrize("k", [0, 3])
def test_a_cutoff_out_of_range_is_refused(name, k):
    with pytest.raises(ValueError, match=f"k must be at .*; got {k}"):
        MEASURES[name](CODES, CODES, np.eye(3), k=k, exclude_self=True)


@pytest.mark.parametrize(
    "name", ["precision_at_k", "recall_at_k", "average_precision", "ndcg", "evaluate"]
)
def test_an_unknown_tie_rule_is_refused(name):
    with pytest.raises(ValueError, match=r"ties must be one of 'expected', .*; got 'random'"):
        MEASURES[name](CODES, CODES, np.eye(3), ties="random")


@pytest.mark.parametrize(("n_queries", "n_database"), [(0, 5), (1, 0), (7, 5), (100, 5), (3, 999)])
def test_blocks_cover_every_query_once_and_in_order(monkeypatch, n_queries, n_database):
    monkeypatch.setattr(rankings, "BLOCK_PAIRS", 20)
    blocks = list(pairwise(rankings.block_bounds(n_queries, n_database)))
    assert [query for block in blocks for query in range(*block)] == list(range(n_queries))
    assert all((b - a) * n_database <= 20 or b - a == 1 for a, b in blocks)
