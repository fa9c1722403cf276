"""Rescored searches of every store are those of an index with the same items."""

import numpy as np
import pytest

from hashlearn import FloatQueries, MarginRescoring, VectorRescoring
from hashlearn.search import unpack_codes
from tests.search.brute_force import random_codes
from tests.stores.expected import index_of, items_of, store_with

N_BITS = 13


@pytest.fixture(scope="module")
def problem():
    """Return items with random ids, and vectors and margins of queries."""
    random = np.random.default_rng(0)
    digit = random.integers(0, 3, 300)
    items = items_of(random_codes(random, 300, N_BITS, n_distinct=30), random, digit=digit)
    return items, random.normal(size=(300, 5)), random.normal(size=(4, N_BITS))


def rescorings(items, vectors, margins):
    rows = {id_: row for row, id_ in enumerate(items.ids.tolist())}
    return {
        "vectors": lambda: VectorRescoring(
            vectors[:4], lambda ids: vectors[[rows[id_] for id_ in ids.tolist()]]
        ),
        "margins": lambda: MarginRescoring(margins),
    }


@pytest.mark.parametrize("kind", ["vectors", "margins"])
@pytest.mark.parametrize("oversample", [1, 2.5, 100])
def test_a_rescored_search_is_that_of_an_index(new_store, problem, kind, oversample):
    items, _, margins = problem
    rescoring = rescorings(*problem)[kind]
    queries = np.packbits(margins > 0, axis=1)
    store = store_with(new_store, items, N_BITS)
    found = store.search(queries, 4, rescore=rescoring(), oversample=oversample)
    expected = index_of(items, N_BITS).search(
        queries, 4, rescore=rescoring(), oversample=oversample
    )
    np.testing.assert_array_equal(found.ids, expected.ids)
    np.testing.assert_array_equal(found.distances, expected.distances)
    assert found.distances.dtype == np.float64


@pytest.mark.parametrize("given", ["queries", "margins"])
def test_float_queries_rescore_the_items_nearest_to_their_bits(new_store, problem, given):
    items, _, margins = problem
    queries = FloatQueries(margins) if given == "queries" else margins
    store = store_with(new_store, items, N_BITS)
    found = store.search(queries, 4, oversample=2.5)
    expected = store.search(
        np.packbits(margins > 0, axis=1), 4, rescore=MarginRescoring(margins), oversample=2.5
    )
    np.testing.assert_array_equal(found.ids, expected.ids)
    np.testing.assert_array_equal(found.distances, expected.distances)
    exact = index_of(items, N_BITS).search(queries, 4)  # if all are candidates
    found = store.search(queries, 4, oversample=100)
    np.testing.assert_array_equal(found.distances, exact.distances)


def test_float_queries_that_do_not_fit_are_refused(new_store, problem):
    items, _, margins = problem
    store = store_with(new_store, items, N_BITS)
    with pytest.raises(ValueError, match="margins of 16 bits; the codes have n_bits=13"):
        store.search(np.ones((2, 16)), 3)
    with pytest.raises(ValueError, match="queries must be packed codes: a database finds what"):
        store.radius_search(margins, 2)


def test_rescoring_may_be_filtered_and_find_too_few(new_store, problem):
    items, _, margins = problem
    store = store_with(new_store, items, N_BITS)
    store.remove(where={"digit": 2})
    some = items.ids[items.values["digit"] == 0][:2]
    found = store.search(
        np.packbits(margins > 0, axis=1), 5, where={"id": some}, rescore=MarginRescoring(margins)
    )
    assert found.ids.shape == (4, 2)
    assert {*found.ids.ravel().tolist()} == {*some.tolist()}
    bits = unpack_codes(store.get(found.ids.ravel()).packed, N_BITS).reshape(4, 2, N_BITS)
    wrong = bits != (margins[:, None] > 0)
    np.testing.assert_allclose(found.distances, (np.abs(margins)[:, None] * wrong).sum(axis=2))


def test_what_cannot_rescore_is_refused(shelf):
    packed = shelf.items.packed[:2]
    with pytest.raises(TypeError, match="rescore must be a Rescoring"):
        shelf.store.search(packed, 3, rescore="vectors")
    margins = np.zeros((3, N_BITS))
    with pytest.raises(ValueError, match="rescore has 3 queries; the search has 2"):
        shelf.store.search(packed, 3, rescore=MarginRescoring(margins))
    for oversample in (0.5, "2", np.nan, np.inf):
        with pytest.raises(ValueError, match="oversample must be a number of at least 1"):
            shelf.store.search(
                packed, 3, rescore=MarginRescoring(margins[:2]), oversample=oversample
            )
