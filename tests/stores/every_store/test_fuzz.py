"""Any order of adding, removing and asking leaves every store what a dictionary is."""

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from hashlearn.search import pack_codes
from hashlearn.stores import Batch, Between
from tests.stores.expected import assert_nearest, assert_same_items, assert_within, everything

N_BITS = 11
IDS = st.sampled_from([-(2**63), -3, 0, 1, 2, 3, 5, 8, 2**63 - 1])  # few, so that they come again
CODES = st.integers(0, 2**N_BITS - 1)
TEXTS = st.sampled_from(["", "a", "it's", "東京"])


def packed_of(codes):
    """Return codes that are given as numbers."""
    bits = [[code >> bit & 1 for bit in range(N_BITS)] for code in codes]
    return pack_codes(np.array(bits, dtype=np.uint8).reshape(-1, N_BITS))


class StoreAndModel(RuleBasedStateMachine):
    """A table, and a dictionary that is treated in the same way."""

    def __init__(self, engine):
        super().__init__()
        self.engine = engine
        self.model = {}  # id to code and text
        self.store = engine.open("fuzzed").create(N_BITS, {"name": str})

    def items(self):
        codes, names = zip(*self.model.values(), strict=True) if self.model else ((), ())
        ids = np.array(list(self.model), dtype=np.int64)
        return Batch(ids, packed_of(codes), {"name": np.array(names, dtype=str)})

    @rule(given=st.dictionaries(IDS, st.tuples(CODES, TEXTS), max_size=6), size=st.integers(1, 4))
    def add(self, given, size):
        codes, names = zip(*given.values(), strict=True) if given else ((), ())
        self.store.add(packed_of(codes), list(given), {"name": list(names)}, batch_size=size)
        self.model.update(given)

    @rule(ids=st.sets(IDS, max_size=5))
    def remove(self, ids):
        assert self.store.remove(ids) == len(ids & self.model.keys())
        for id_ in ids:
            self.model.pop(id_, None)

    @rule(query=CODES, k=st.integers(1, 12))
    def search(self, query, k):
        assert_nearest(self.store, self.items(), packed_of([query]), k)

    @rule(query=CODES, radius=st.integers(0, N_BITS), name=TEXTS, low=IDS)
    def search_some(self, query, radius, name, low):
        items = self.items()
        mask = (items.values["name"] == name) & (items.ids >= low)
        where = {"name": name, "id": Between(low, None)}
        assert_within(self.store, items, packed_of([query]), radius, mask, where=where)

    @rule()
    def open_again(self):
        self.store.close()
        self.store = self.engine.open("fuzzed")

    @invariant()
    def counts_agree(self):
        assert self.store.count() == len(self.model)

    def teardown(self):
        try:
            if self.model:
                assert_same_items(everything(self.store), self.items())
        finally:
            self.store.drop()
            self.store.close()


@pytest.mark.parametrize("n_examples", [4, pytest.param(60, marks=pytest.mark.slow)])
def test_a_store_is_a_dictionary(engine, n_examples):
    few_steps = settings(max_examples=n_examples, stateful_step_count=12)
    run_state_machine_as_test(lambda: StoreAndModel(engine), settings=few_steps)
