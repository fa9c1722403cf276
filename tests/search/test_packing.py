"""Laws of packed codes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashlearn._numerics.words import as_words
from hashlearn.search import check_packed, pack_codes, unpack_codes

n_bits_any = st.integers(1, 130)
seeds = st.integers(0, 2**32 - 1)


def random_bits(n, n_bits, seed):
    return np.random.default_rng(seed).integers(0, 2, (n, n_bits), dtype=np.uint8)


@given(n=st.integers(0, 5), n_bits=n_bits_any, seed=seeds)
def test_unpacking_undoes_packing(n, n_bits, seed):
    bits = random_bits(n, n_bits, seed)
    packed = pack_codes(bits)
    np.testing.assert_array_equal(packed, np.packbits(bits, axis=1))
    np.testing.assert_array_equal(unpack_codes(packed, n_bits), bits)
    assert unpack_codes(packed, n_bits).dtype == np.uint8


@pytest.mark.parametrize("dtype", [bool, np.int64, np.float32])
def test_packing_takes_any_type_of_zero_and_one(dtype):
    bits = random_bits(4, 13, seed=0)
    np.testing.assert_array_equal(pack_codes(bits.astype(dtype)), np.packbits(bits, axis=1))


@given(n=st.integers(0, 5), n_bits=n_bits_any, seed=seeds)
def test_words_hold_the_same_number_of_bits(n, n_bits, seed):
    bits = random_bits(n, n_bits, seed)
    words = as_words(pack_codes(bits))
    assert words.shape == (n, -(-n_bits // 64))
    assert words.dtype == np.uint64
    np.testing.assert_array_equal(np.unpackbits(words.view(np.uint8), axis=1).sum(1), bits.sum(1))


def test_words_of_full_width_share_memory():
    packed = pack_codes(random_bits(3, 128, seed=0))
    assert np.shares_memory(as_words(packed), packed)


@pytest.mark.parametrize(
    ("bits", "message"),
    [
        ([0, 1], r"bits must have .* got shape \(2,\)"),
        (np.empty((3, 0)), r"bits must have .* got shape \(3, 0\)"),
        ([[-1, 1]], "values other than 0 and 1"),
        ([[0.5, 1]], "values other than 0 and 1"),
        ([[np.nan, 1]], "values other than 0 and 1"),
    ],
)
def test_packing_refuses_what_is_no_code(bits, message):
    with pytest.raises(ValueError, match=message):
        pack_codes(bits)


@pytest.mark.parametrize(
    ("packed", "n_bits", "message"),
    [
        (np.zeros(4, np.uint8), None, r"mine has shape \(4,\)"),
        (np.zeros((4, 0), np.uint8), None, r"mine has shape \(4, 0\)"),
        (np.zeros((4, 2), np.int64), None, "mine has dtype int64; packed codes must be uint8"),
        (np.zeros((4, 2), np.uint8), 0, "n_bits must be at least 1; got 0"),
        (np.zeros((4, 2), np.uint8), 17, "mine is 2 bytes wide; n_bits=17 needs 3 bytes"),
        (np.zeros((4, 2), np.uint8), 8, "mine is 2 bytes wide; n_bits=8 needs 1 bytes"),
        (np.ones((4, 2), np.uint8), 15, "mine has bits set after n_bits=15"),
    ],
)
def test_check_says_what_is_wrong(packed, n_bits, message):
    with pytest.raises(ValueError, match=message):
        check_packed(packed, n_bits, name="mine")
