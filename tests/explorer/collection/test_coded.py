"""Codes, their first bits, and their texts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashlearn import make_hasher
from hashlearn._numerics.words import by_word
from hashlearn.explorer import CodedItems
from hashlearn.explorer.collection.coded import first_bits, method_name, method_title
from hashlearn.explorer.errors import WrongValueError
from tests.explorer.small import coded_items
from tests.processes import alone, peak_memory


@pytest.mark.parametrize(
    ("method", "title"),
    [
        ("tsh-ksh", "Two-step hashing, KSH loss"),
        ("itq", "Iterative quantization"),
        ("bres", "BREs"),
    ],
)
def test_a_method_has_a_name_and_a_title(method, title):
    hasher = make_hasher(method)
    assert (method_name(hasher), method_title(hasher)) == (method, title)


@given(st.integers(1, 6), st.integers(1, 200), st.integers(0, 99), st.data())
def test_a_prefix_measures_the_first_bits_alone(n_items, n_bits, seed, data):
    bits = np.random.default_rng(seed).integers(0, 2, (n_items, n_bits))
    n_used = data.draw(st.integers(1, n_bits))
    coded = coded_items(bits)
    distances = coded.prefix(n_used).distances_to(coded.first_bits([0], n_used))
    assert distances.tolist() == (bits[:, :n_used] != bits[0, :n_used]).sum(axis=1).tolist()
    assert distances.dtype == np.uint16
    assert np.array_equal(coded.prefix(n_used).words, by_word(first_bits(coded.packed, n_used)))
    texts = ["".join(map(str, row[:n_used])) for row in bits.tolist()]
    assert coded.codes(np.arange(n_items), n_used) == texts
    assert coded.code(0) == "".join(map(str, bits[0].tolist()))


@pytest.mark.parametrize("n_bits", [1, 8, 13, 64, 65])
def test_the_prefix_of_all_bits_is_the_codes(n_bits):
    coded = coded_items(np.random.default_rng(0).integers(0, 2, (9, n_bits)))
    assert (first_bits(coded.packed, n_bits) == coded.packed).all()
    assert coded.prefix().n_bits == n_bits
    assert np.shares_memory(coded.prefix().words, coded.prefix(n_bits).words)


def test_a_text_is_parsed_to_the_code_that_it_is_of():
    coded = coded_items(np.random.default_rng(1).integers(0, 2, (20, 13)))
    parsed = np.concatenate([coded.parse(coded.code(i)) for i in range(20)])
    assert (parsed == coded.packed).all()


@pytest.mark.parametrize("code", ["", "01", "0101", "012", "0 1", "٠١٠"])
def test_what_is_no_code_is_refused(code):
    with pytest.raises(WrongValueError, match="must be 3 characters 0 or 1"):
        coded_items([[0, 1, 1]]).parse(code)


@pytest.mark.parametrize("bits", [0, -1, 4])
def test_bits_that_are_not_there_are_refused(bits):
    with pytest.raises(WrongValueError, match=r"bits must be 1 to 3 for 'codes'"):
        coded_items([[0, 1, 1]]).prefix(bits)


PREFIXES = range(1, 2049, 13)


def peak_of_prefixes():
    coded = coded_items(np.zeros((1000, 2048), dtype=int))
    coded.prefix(1)  # what is made once is made now
    return peak_memory(lambda: [coded.prefix(bits) for bits in PREFIXES])


def test_a_prefix_takes_a_word_per_item_at_most():
    assert alone(peak_of_prefixes) < len(PREFIXES) * (8 * 1000 + 2000)


def test_whole_words_are_never_copied():
    coded = coded_items(np.zeros((5, 200), dtype=int))
    for bits in (64, 128, 200):
        assert np.shares_memory(coded.prefix(bits).words, coded.prefix(130).whole)


def test_new_items_get_the_codes_of_the_hasher(collection):
    coded = collection.methods["itq"]
    items = np.random.default_rng(2).normal(size=(3, 16))
    assert (coded.encode(items) == coded.hasher.encode(items)).all()


def test_codes_alone_encode_nothing():
    with pytest.raises(WrongValueError, match="'codes' has codes but no model"):
        coded_items([[0, 1]]).encode([[1.0, 2.0]])


@pytest.mark.parametrize("items", [[[1.0] * 15], [[np.nan] * 16]])
def test_items_that_a_hasher_does_not_take_are_wrong_values(collection, items):
    with pytest.raises(WrongValueError, match=r"features|NaN"):
        collection.methods["itq"].encode(items)


def test_a_hasher_that_did_not_make_the_codes_is_refused():
    one, other = (make_hasher("lsh", n_bits=3, random_state=i).fit([[1.0], [-2.0]]) for i in (0, 1))
    CodedItems("lsh", "LSH", one.encode([[3.0]]), 3, one)
    with pytest.raises(ValueError, match=f"of model {one.fingerprint()}, but its hasher is model"):
        CodedItems("lsh", "LSH", one.encode([[3.0]]), 3, other)


def test_a_hasher_of_other_bits_is_refused():
    hasher = make_hasher("lsh", n_bits=2).fit([[1.0], [-2.0]])
    with pytest.raises(ValueError, match="must give 3 bits, as its codes have; it gives 2"):
        CodedItems("lsh", "LSH", np.zeros((2, 1), dtype=np.uint8), 3, hasher)
