"""The order of tie keys is that of a stable sort."""

import numpy as np
import pytest

from hashlearn._numerics.ids import tie_keys
from hashlearn._numerics.tie_order import MIN_SPREAD, tie_order


@pytest.mark.parametrize("n", [0, 1, 100, MIN_SPREAD - 1, MIN_SPREAD, 50_000, 131_071, 131_072])
def test_the_order_is_that_of_a_stable_sort(n):
    random = np.random.default_rng(n)
    spread = tie_keys(np.arange(n))
    for keys in (
        spread,
        spread >> 50,  # many equal, in few buckets
        spread & ~np.int64(0xFFFF),
        np.sort(spread),
        np.where(random.random(n) < 0.01, spread[:1].sum(), spread),  # a large bucket
        np.arange(n) - n // 2,
    ):
        np.testing.assert_array_equal(tie_order(keys), np.argsort(keys, kind="stable"))
