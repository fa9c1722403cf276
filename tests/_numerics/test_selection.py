"""Laws of selection: the order of a stable sort."""

import numpy as np
import pytest

from hashlearn._numerics.selection import increasing, smallest

RANDOM = np.random.default_rng(0)
ROWS = {
    "none": np.empty(0),
    "one": np.array([-3.0]),
    "different": RANDOM.normal(size=500),
    "equal": np.full(100, 0.1),
    "ties": RANDOM.integers(-3, 3, 500).astype(float),
    "in one step": np.concatenate([RANDOM.normal(size=200) * 1e-9, [1e9]]),
    "infinite": np.array([np.inf, 2.0, np.inf, -1.0, 2.0]),
    "all infinite": np.full(3, np.inf),
}


@pytest.mark.parametrize("name", ROWS)
def test_increasing_is_a_stable_sort(name):
    np.testing.assert_array_equal(increasing(ROWS[name]), np.argsort(ROWS[name], kind="stable"))


@pytest.mark.parametrize("k", [1, 20, 60, 100])
def test_the_smallest_are_the_first_of_a_stable_sort(k):
    rows = RANDOM.integers(0, 30, (7, 100)).astype(float)
    expected = np.argsort(rows, axis=1, kind="stable")[:, :k]
    np.testing.assert_array_equal(smallest(rows, k), expected)
    assert smallest(rows[:0], k).shape == (0, k)
