"""Codes of 1 to 130 bits come out of every store as they went in, at the right distances."""

import numpy as np
import pytest

from hashlearn.search import pack_codes
from tests.stores.expected import assert_within, items_of
from tests.stores.items import assert_same_items, everything

TELLING = 40  # single bits that are tried in long codes: all would be dear


def telling_bits(random, n_bits):
    """Return codes that an exchanged order of bits or bytes would show in."""
    singles = random.permutation(n_bits)[:TELLING]
    return np.concatenate(
        [
            np.zeros((1, n_bits), dtype=np.uint8),
            np.ones((1, n_bits), dtype=np.uint8),
            np.eye(n_bits, dtype=np.uint8)[singles],
            random.integers(0, 2, (6, n_bits), dtype=np.uint8),
        ]
    )


@pytest.mark.parametrize("first", range(1, 131, 26))
def test_codes_come_back_at_their_distances(new_store, first):
    store = new_store()
    for n_bits in range(first, first + 26):
        random = np.random.default_rng(n_bits)
        items = items_of(pack_codes(telling_bits(random, n_bits)), random)
        store.create(n_bits).add(items.packed, items.ids)
        assert_same_items(everything(store), items)
        queries = random.permutation(items.packed)[:2]
        assert_within(store, items, queries, n_bits)
        store.drop()
