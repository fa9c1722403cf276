"""Codes of 1 to 130 bits come out of every store as they were stored, at the right distances."""

import numpy as np
import pytest

from hashlearn.search import pack_codes
from tests.stores.expected import assert_same_items, assert_within, everything, items_of

TELLING = 16  # single bits that are tried in long codes
LENGTHS = [*range(1, 11), 15, 16, 17, 31, 33, 63, 64, 65, 127, 128, 130]  # around whole bytes


def telling_bits(random, n_bits):
    """Return codes that would reveal an exchanged order of bits or bytes."""
    singles = random.permutation(n_bits)[:TELLING]
    return np.concatenate(
        [
            np.zeros((1, n_bits), dtype=np.uint8),
            np.ones((1, n_bits), dtype=np.uint8),
            np.eye(n_bits, dtype=np.uint8)[singles],
            random.integers(0, 2, (6, n_bits), dtype=np.uint8),
        ]
    )


@pytest.mark.parametrize(
    "lengths", [LENGTHS, pytest.param(range(1, 131), marks=pytest.mark.slow)], ids=["some", "all"]
)
def test_codes_come_back_at_their_distances(new_store, lengths):
    store = new_store()
    for n_bits in lengths:
        random = np.random.default_rng(n_bits)
        items = items_of(pack_codes(telling_bits(random, n_bits)), random)
        store.create(n_bits).add(items.packed, items.ids)
        assert_same_items(everything(store), items)
        queries = random.permutation(items.packed)[:2]
        assert_within(store, items, queries, n_bits)
        store.drop()
