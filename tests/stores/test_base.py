"""Stores of any engine: batches, order, padding, limits, messages."""

import numpy as np
import pytest

from hashlearn._numerics.ids import tie_keys
from hashlearn.search import pack_codes
from hashlearn.stores import Between, Condition, Found, StoreError, StoreLostError
from tests.stores.memory_store import MemoryStore

CODES = pack_codes(np.eye(10))
IDS = np.arange(10, 20)


class Watched(MemoryStore):
    """A store that tells what its engine is asked, and breaks where it is told to."""

    def __init__(self, table="items"):
        super().__init__(object(), table)  # an address of its own
        self.asked = []
        self.written = []  # sizes of batches
        self.breaks = {}  # an error for the batch of a number

    def _write(self, batch):
        if error := self.breaks.pop(len(self.written), None):
            raise error
        super()._write(batch)
        self.written.append(len(batch.ids))

    def _nearest(self, query, k, where, effort):
        self.asked.append((k, where, effort))
        return super()._nearest(query, k, where, effort)

    def _within(self, query, radius, where):
        self.asked.append((radius, where))
        found = super()._within(query, radius, where)
        return Found(found.ids[::-1], found.distances[::-1])


class Indexed(Watched):
    """A store whose index finds a single item, the best one."""

    indexable = True
    built = False

    def _build_index(self):
        self.built = True

    def has_index(self):
        return self.built

    def _nearest(self, query, k, where, effort):
        found = super()._nearest(query, k, where, effort)
        return found if effort is None else Found(found.ids[:1], found.distances[:1])


@pytest.fixture
def store():
    return Watched().create(10)


@pytest.fixture
def indexed():
    store = Indexed().create(10)
    store.add(CODES, IDS)
    return store


@pytest.mark.parametrize(
    ("batch_size", "sizes"), [(1, [1] * 10), (4, [4, 4, 2]), (10, [10]), (np.int64(11), [10])]
)
def test_items_are_written_in_batches(store, batch_size, sizes):
    store.add(CODES, IDS, batch_size=batch_size)
    assert store.written == sizes


@pytest.mark.parametrize("batch_size", [0, -1, 1.5, True, None])
def test_wrong_sizes_of_batches_are_refused(store, batch_size):
    with pytest.raises((TypeError, ValueError), match="batch_size must be"):
        store.add(CODES, IDS, batch_size=batch_size)
    assert store.count() == 0


@pytest.mark.parametrize("error", [KeyboardInterrupt(), StoreError("the disk is full.")])
def test_an_interrupted_addition_leaves_whole_batches_and_goes_on(store, error):
    store.breaks = {2: error}
    with pytest.raises(type(error)):
        store.add(CODES, IDS, batch_size=3)
    assert store.count() == 6
    store.add(CODES, IDS, batch_size=3)
    assert store.count() == 10
    np.testing.assert_array_equal(store.search(CODES, 1).ids[:, 0], IDS)


def test_a_lost_connection_says_how_far_an_addition_came(store):
    store.breaks = {2: StoreLostError("The server is gone.")}
    with pytest.raises(StoreLostError) as caught:
        store.add(CODES, IDS, batch_size=3)
    assert str(caught.value) == "The server is gone."
    assert caught.value.__notes__ == [
        "6 of 10 items are stored; add all of them again to continue."
    ]


def test_a_single_batch_is_all_or_nothing_and_needs_no_note(store):
    store.breaks = {0: StoreError("The disk is full.")}
    with pytest.raises(StoreError) as caught:
        store.add(CODES, IDS)
    assert not hasattr(caught.value, "__notes__")


def test_progress_is_shown_where_it_is_asked_for(store, capsys):
    store.add(CODES, IDS, batch_size=2)
    assert capsys.readouterr() == ("", "")
    store.add(CODES, IDS, batch_size=2, verbose=1)
    assert "Adding" in "".join(capsys.readouterr())


def test_engines_need_not_know_a_radius_beyond_all_codes(store):
    store.add(CODES, IDS)
    for radius in (10, 11, 10**30):
        assert store.radius_search(CODES[:1], radius).ids.size == 10
    assert store.asked == [(10, ())] * 3


def test_what_an_engine_finds_is_put_in_order(store):
    store.add(CODES[::-1], IDS[::-1])
    found = store.radius_search(CODES[[3, 4]], 2)
    assert found.offsets.tolist() == [0, 10, 20]
    order = IDS[np.argsort(tie_keys(IDS))].tolist()  # neither that of the ids nor of the engine
    assert found.ids.tolist() == [
        id_ for first in (13, 14) for id_ in (first, *(id_ for id_ in order if id_ != first))
    ]
    assert found.distances.tolist() == ([0] + [2] * 9) * 2


def test_conditions_reach_the_engine_checked(store):
    where = {"id": Between(np.int8(12), None)}
    store.search(CODES[:1], 2, where=where)
    store.search(CODES[:1], 2, where={"id": {np.uint8(3)}})
    (_, first, _), (_, second, _) = store.asked
    assert first == (Condition("id", int, ">=", 12),)
    assert second == (Condition("id", int, "in", (3,)),)
    assert [type(first[0].value), type(second[0].value[0])] == [int, int]


def test_a_search_that_an_index_leaves_short_is_done_exactly(indexed):
    indexed.build_index()
    found = indexed.search(CODES[:2], 3, effort=5)
    order = IDS[np.argsort(tie_keys(IDS))].tolist()
    assert found.ids.tolist() == [
        [first, *(id_ for id_ in order if id_ != first)][:3] for first in (10, 11)
    ]
    assert [effort for _, _, effort in indexed.asked] == [5, None, 5, None]
    assert indexed.search(CODES[:1], 1, effort=5).ids.tolist() == [[10]]
    assert indexed.asked[4:] == [(1, (), 5)]


def test_effort_needs_an_index(store, indexed):
    with pytest.raises(StoreError, match="has no approximate search: leave out effort"):
        store.search(CODES[:1], 1, effort=5)
    with pytest.raises(StoreError, match="has no approximate search: its searches are exact"):
        store.build_index()
    with pytest.raises(StoreError, match="has no index: call build_index"):
        indexed.search(CODES[:1], 1, effort=5)
    assert indexed.asked == store.asked == []


def test_a_store_can_be_closed_by_leaving_a_block(store):
    closed = []
    store.close = lambda: closed.append(True)
    with store as same:
        assert same is store
    assert closed == [True]
    with pytest.raises(ZeroDivisionError), store:
        raise ZeroDivisionError
    assert closed == [True, True]
