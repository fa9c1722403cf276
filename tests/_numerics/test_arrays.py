"""Rows and their products: types, addresses and sums are right."""

import numpy as np
import pytest
import scipy.sparse as sp

from hashlearn._numerics.arrays import aligned, check_magnitude
from hashlearn._numerics.columns import listing
from hashlearn._numerics.integer_products import blocked_dot, packed_dot, pattern_dot


def test_an_array_at_an_odd_address_is_aligned():
    odd = np.zeros(9, dtype=np.uint8)[1:].view(np.float64)
    assert not odd.flags.aligned
    assert aligned(odd).flags.aligned


def test_squares_that_overflow_are_refused():
    with pytest.raises(ValueError, match=r"up to 2e\+300: .* overflow float64; scale X\."):
        check_magnitude(np.array([[1e300], [2e300]]))


def test_long_listings_are_cut():
    assert listing(["a", "b", "c"], most=2) == "'a', 'b' and 1 more"


def test_products_with_bits_are_those_of_floats():
    rng = np.random.default_rng(0)
    S, v = rng.integers(0, 2, (50, 70)), rng.normal(size=70)
    padded = np.zeros((50, 128), dtype=np.uint8)
    padded[:, :70] = S
    words = np.packbits(padded, axis=1, bitorder="little").view("<u8").T
    dots = [blocked_dot(S.astype(np.int8), v), pattern_dot(sp.csr_array(S), v)]
    for found in [*dots, packed_dot(np.ascontiguousarray(words), v)]:
        np.testing.assert_allclose(found, S @ v, atol=1e-12)
