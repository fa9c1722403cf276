"""Laws of relevance."""

from functools import partial

import numpy as np
import pytest
from scipy import sparse

from hashlearn.metrics import (
    as_relevance,
    average_precision,
    evaluate,
    precision_curve,
    precision_recall_curve,
    precision_within_radius,
    recall_at_k,
    relevance_from_labels,
)
from hashlearn.search.distances import WeightedHamming

RNG = np.random.default_rng(0)
GRADES = RNG.integers(0, 3, (5, 7))
INDICATOR = RNG.integers(0, 2, (12, 4))


class Blocks:
    shape = (5, 7)

    def block(self, start, stop):
        return GRADES[start:stop]


@pytest.mark.parametrize(
    "given",
    [GRADES, GRADES.tolist(), GRADES > 0, sparse.csr_array(GRADES), sparse.coo_matrix(GRADES)],
)
def test_a_matrix_is_read_in_blocks(given):
    relevance = as_relevance(given)
    assert relevance.shape == (5, 7)
    dense = given.toarray() if sparse.issparse(given) else np.asarray(given)
    np.testing.assert_array_equal(relevance.block(1, 3), dense[1:3])


def test_what_yields_blocks_is_taken_as_it_is():
    relevance = Blocks()
    assert as_relevance(relevance) is relevance


@pytest.mark.parametrize("cast", [int, float, str, object])
def test_equal_labels_are_relevant(cast):
    labels = RNG.integers(0, 3, 12).astype(cast)
    relevance = relevance_from_labels(labels[:5], labels[5:])
    assert relevance.shape == (5, 7)
    np.testing.assert_array_equal(relevance.block(1, 4), labels[1:4, None] == labels[5:])


@pytest.mark.parametrize("cast", [np.asarray, sparse.csr_array, sparse.csc_matrix])
def test_a_shared_label_is_relevant(cast):
    relevance = relevance_from_labels(cast(INDICATOR[:5]), cast(INDICATOR[5:]))
    expected = (INDICATOR[1:4, None] & INDICATOR[None, 5:]).any(axis=2)
    assert relevance.shape == (5, 7)
    assert relevance.block(1, 4).dtype == bool
    np.testing.assert_array_equal(relevance.block(1, 4), expected)


@pytest.mark.parametrize("cast", [np.asarray, sparse.csr_array, sparse.csc_matrix])
def test_graded_relevance_is_the_number_of_shared_labels(cast):
    relevance = relevance_from_labels(cast(INDICATOR[:5]), cast(INDICATOR[5:]), graded=True)
    np.testing.assert_array_equal(relevance.block(1, 4), INDICATOR[1:4] @ INDICATOR[5:].T)


def test_single_labels_have_no_grades():
    assert relevance_from_labels([1, 2], [2, 2], graded=True).block(0, 2).dtype == bool


@pytest.mark.parametrize("ties", ["expected", "insertion"])
def test_measures_but_ndcg_ask_only_whether_a_grade_is_above_0(ties):
    codes = RNG.integers(0, 256, (12, 1), dtype=np.uint8)
    labels = INDICATOR[:5], INDICATOR
    graded, plain = (relevance_from_labels(*labels, graded=graded) for graded in (True, False))
    assert (graded.block(0, 5) > 1).any()
    for distance in (None, WeightedHamming(np.arange(1.0, 9.0))):
        how = {"n_bits": 8, "distance": distance}
        for measure in (
            partial(evaluate, ties=ties, **how),
            partial(average_precision, ties=ties, **how),
            partial(precision_curve, ks=[1, 5], ties=ties, **how),
            partial(recall_at_k, k=5, ties=ties, **how),
            partial(precision_recall_curve, **how),
            partial(precision_within_radius, radius=2, n_bits=8),
        ):
            args = codes[:5], codes
            np.testing.assert_equal(measure(*args, graded), measure(*args, plain))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([1, 2], r"shape \(2,\) and dtype int64"),
        ([["a", "b"]], r"shape \(1, 2\) and dtype <U1"),
        ([[np.nan, 1.0]], "NaN or infinity"),
        (sparse.csr_array([[np.inf, 1.0]]), "NaN or infinity"),
    ],
)
def test_a_matrix_that_says_nothing_is_refused(given, message):
    with pytest.raises(ValueError, match=message):
        as_relevance(given)


@pytest.mark.parametrize(
    ("queries", "database", "message"),
    [
        ([1, 2], [[0, 1]], r"got shapes \(2,\) and \(1, 2\)"),
        ([[0, 1, 1]], [[0, 1]], r"got shapes \(1, 3\) and \(1, 2\)"),
        ([[0, 2]], [[0, 1]], "query_labels is 2-D, so it must be a 0/1 indicator"),
        (
            [[0, 1]],
            sparse.csr_array([[0, 3]]),
            "database_labels is 2-D, so it must be",
        ),
        ([1.0, np.nan], [1.0], "query_labels must be finite"),
        ([1], ["1"], "must both be numbers, or neither"),
    ],
)
def test_labels_that_do_not_fit_are_refused(queries, database, message):
    with pytest.raises(ValueError, match=message):
        relevance_from_labels(queries, database)
