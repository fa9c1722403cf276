"""The other order of bits."""

import numpy as np
import pytest

from hashlearn.search import pack_codes
from hashlearn.stores.sqlite._tables import reverse_bits


@pytest.mark.parametrize("n_bits", [*range(1, 18), 64, 130])
def test_reversed_codes_are_packed_lowest_bit_first(n_bits):
    bits = np.random.default_rng(n_bits).integers(0, 2, (20, n_bits), dtype=np.uint8)
    turned = reverse_bits(pack_codes(bits))
    np.testing.assert_array_equal(turned, np.packbits(bits, axis=1, bitorder="little"))
    assert turned.dtype == np.uint8


def test_every_byte_turned_twice_is_itself():
    every_byte = np.arange(256, dtype=np.uint8)
    np.testing.assert_array_equal(reverse_bits(reverse_bits(every_byte)), every_byte)
