"""The model of a table's codes in every store: kept, compared, and left aside when asked."""

import numpy as np
import pytest

from hashlearn.search import PackedCodes
from hashlearn.stores import ModelMismatchError
from tests.search.brute_force import random_codes

FIRST, SECOND = "0123456789abcdef", "fedcba9876543210"


def codes_of(model, n=4, n_bits=13):
    return PackedCodes(random_codes(np.random.default_rng(0), n, n_bits), model)


def test_a_table_keeps_the_model_of_the_first_codes(new_store):
    store = new_store().create(13)
    assert store.model is None
    store.add(codes_of(None), range(4))
    assert store.model is None
    store.add(codes_of(FIRST), range(4, 8))
    assert store.model == FIRST
    with new_store(store.table) as second:
        assert second.model == FIRST
        assert {batch.packed.model for batch in second.read()} == {FIRST}
    store.drop()
    assert store.create(13).model is None


def test_a_table_can_be_made_for_a_model(new_store):
    store = new_store().create(13, {"digit": int}, model=FIRST)
    assert store.model == FIRST
    assert store.columns == {"digit": int}
    assert new_store(store.table).create(13, {"digit": int}, exist_ok=True).model == FIRST
    with pytest.raises(ModelMismatchError, match=f"model {SECOND}.* model {FIRST}"):
        store.create(13, {"digit": int}, model=SECOND, exist_ok=True)
    with pytest.raises(ValueError, match="model must be a fingerprint"):
        store.create(13, {"digit": int}, model="cats.hashlearn", exist_ok=True)


def test_codes_of_two_models_do_not_meet(new_store):
    """Two models of the same bits gave wrong neighbours without a word."""
    store = new_store().create(13)
    store.add(codes_of(FIRST), range(4))
    uses = [
        lambda codes: store.add(codes, range(4, 8), batch_size=2),
        lambda codes: store.search(codes, 2),
        lambda codes: store.radius_search(codes, 2),
    ]
    for use in uses:
        with pytest.raises(ModelMismatchError) as caught:
            use(codes_of(SECOND))
        said = str(caught.value)
        assert f"codes of model {SECOND}" in said
        assert f"codes of model {FIRST}: " in said
        assert "check_model=False" in said
        assert "\n" not in said
    assert store.count() == 4
    for codes in (codes_of(FIRST), codes_of(None), np.asarray(codes_of(SECOND))):
        assert store.search(codes, 1).distances.tolist() == [[0]] * 4


def test_who_knows_better_can_mix(engine, new_store):
    store = new_store().create(13)
    store.add(codes_of(FIRST), range(4))
    with engine.store(engine.address, store.table, check_model=False) as free:
        free.add(codes_of(SECOND), range(4, 8))
        assert free.search(codes_of(SECOND), 1).distances.tolist() == [[0]] * 4
        assert free.radius_search(codes_of(SECOND), 0).ids.size == 8
    assert (store.model, store.count()) == (FIRST, 8)


def test_a_table_whose_items_were_removed_keeps_its_model(new_store):
    store = new_store().create(13)
    store.add(codes_of(FIRST), range(4))
    store.remove(range(4))
    assert store.model == FIRST
