"""Laws of the precision-recall curve over Hamming radii."""

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from hashlearn.metrics import pr_area, precision_recall_curve

# Two queries on three bits; one has no item within radius 0, the third nothing relevant.
QUERIES = np.array([[0b000], [0b111], [0b000]], dtype=np.uint8) << 5
DATABASE = np.array([[0b000], [0b001], [0b011], [0b110]], dtype=np.uint8) << 5
RELEVANCE = np.array([[1, 0, 1, 0], [0, 1, 1, 0], [0, 0, 0, 0]])
# Distances of the queries: 0 1 2 2 and 3 2 1 1.
PRECISION = {
    "queries": [(1 + 0) / 2, (1 / 2 + 1 / 2) / 2, (2 / 4 + 2 / 3) / 2, 2 / 4],
    "pooled": [1 / 1, 2 / 4, 4 / 7, 4 / 8],
    "non-empty": [1, (1 / 2 + 1 / 2) / 2, (2 / 4 + 2 / 3) / 2, 2 / 4],
}
RECALL = [(1 / 2 + 0) / 2, (1 / 2 + 1 / 2) / 2, 1, 1]


@pytest.mark.parametrize("average", PRECISION)
def test_by_hand(average):
    curve = precision_recall_curve(QUERIES, DATABASE, RELEVANCE, average=average, n_bits=3)
    np.testing.assert_allclose(curve.precision, PRECISION[average])
    np.testing.assert_allclose(curve.recall, RECALL)


@pytest.mark.parametrize("average", PRECISION)
def test_the_area_is_a_sum_of_trapezoids(average):
    p = PRECISION[average]
    by_hand = 0.25 * p[0] + 0.25 * (p[0] + p[1]) / 2 + 0.5 * (p[1] + p[2]) / 2
    area = pr_area(QUERIES, DATABASE, RELEVANCE, average=average, n_bits=3)
    assert area == pytest.approx(by_hand)


def test_padding_bits_add_no_area():
    area = pr_area(QUERIES, DATABASE, RELEVANCE, n_bits=3)
    assert pr_area(QUERIES, DATABASE, RELEVANCE) == pytest.approx(area)
    assert len(precision_recall_curve(QUERIES, DATABASE, RELEVANCE).recall) == 9


def test_perfect_codes_have_area_one():
    labels = np.arange(20) % 4
    codes = np.array([0b0000, 0b0011, 0b1100, 0b1111], dtype=np.uint8)[labels][:, None]
    assert pr_area(codes, codes, labels[:, None] == labels) == pytest.approx(1)


def test_leaving_out_equals_the_counts_of_the_others(self_problem):
    relevance = self_problem.grades > 0
    curve = precision_recall_curve(
        *self_problem.codes_and_relevance, average="pooled", exclude_self=True
    )
    others = ~np.eye(6, dtype=bool)
    kept = (relevance & others).any(axis=1)
    different = self_problem.queries[:, None] ^ self_problem.database[None]
    distances = np.unpackbits(different, axis=2).sum(axis=2)
    for radius in range(9):
        found = (distances <= radius) & others & kept[:, None]
        hits = (found & relevance).sum()
        assert curve.precision[radius] == pytest.approx(hits / max(found.sum(), 1))
        assert curve.recall[radius] == pytest.approx(hits / (relevance & others).sum())


def test_nothing_relevant_is_undefined():
    with pytest.warns(UndefinedMetricWarning):
        curve = precision_recall_curve(QUERIES, DATABASE, RELEVANCE * 0, n_bits=3)
    assert np.isnan(curve.precision).all()
    assert np.isnan(curve.area)
    assert len(curve.recall) == 4


def test_an_unknown_average_is_refused():
    with pytest.raises(ValueError, match=r"average must be one of 'queries', .*; got 'macro'"):
        pr_area(QUERIES, DATABASE, RELEVANCE, average="macro")
