"""Laws of precision within a radius."""

import numpy as np
import pytest

from hashlearn.metrics import precision_within_radius

# Distances of the queries: 0 1 2 2 and 3 2 1 1.
QUERIES = np.array([[0b000], [0b111]], dtype=np.uint8)
DATABASE = np.array([[0b000], [0b001], [0b011], [0b110]], dtype=np.uint8)
RELEVANCE = np.array([[1, 0, 1, 0], [0, 1, 1, 0]])


@pytest.mark.parametrize(
    ("radius", "precision", "empty_share"),
    [
        (0, (1 + 0) / 2, 1 / 2),
        (1, (1 / 2 + 1 / 2) / 2, 0),
        (2, (2 / 4 + 2 / 3) / 2, 0),
        (99, 0.5, 0),
    ],
)
def test_by_hand(radius, precision, empty_share):
    result = precision_within_radius(QUERIES, DATABASE, RELEVANCE, radius)
    assert result.precision == pytest.approx(precision)
    assert result.empty_share == empty_share


def test_a_query_with_nothing_relevant_counts():
    result = precision_within_radius(QUERIES, DATABASE, RELEVANCE * [[1], [0]], 1)
    assert result.precision == pytest.approx((1 / 2 + 0) / 2)


def test_an_item_alone_finds_nothing_but_itself():
    result = precision_within_radius(DATABASE, DATABASE, np.eye(4), 0, exclude_self=True)
    assert result == (0, 1)


@pytest.mark.parametrize("radius", [-1, 1.5])
def test_what_is_no_distance_is_refused(radius):
    with pytest.raises(ValueError, match=f"radius must be an integer of at least 0; got {radius}"):
        precision_within_radius(QUERIES, DATABASE, RELEVANCE, radius)
