"""A collection fits together, says what is not there, and computes an answer once."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import numpy as np
import pytest

from hashlearn import HammingIndex
from hashlearn.explorer import Collection, IdDisplay
from hashlearn.explorer.collection.collection import Once
from hashlearn.explorer.errors import NotThereError
from tests.explorer.small import coded_items, collection_of

BITS = [[0, 1], [1, 0], [1, 1]]
N_THREADS = 50


def test_every_id_leads_to_its_item(collection):
    assert [collection.position_of(i) for i in collection.ids.tolist()] == list(range(200))


@pytest.mark.parametrize("item_id", [-1, 5, 2**63, -(2**63), 10**30])
def test_unknown_ids_are_not_there(item_id):
    with pytest.raises(NotThereError, match=f"id={item_id} is not in 'small'"):
        collection_of(BITS, ids=np.array([7, 8, 9])).position_of(item_id)


def test_the_largest_and_smallest_ids_are_found():
    ids = np.array([2**63 - 1, -(2**63), 0])
    assert [collection_of(BITS, ids=ids).position_of(int(i)) for i in ids] == [0, 1, 2]


@pytest.mark.parametrize("position", [-1, 3])
def test_unknown_positions_are_not_there(position):
    with pytest.raises(NotThereError, match="positions are 0 to 2"):
        collection_of(BITS).check_position(position)


def test_unknown_methods_are_not_there():
    with pytest.raises(NotThereError, match="'ksh' is not loaded; loaded are 'codes'"):
        collection_of(BITS).method("ksh")


def test_items_have_labels_only_where_the_collection_has():
    assert collection_of(BITS).labels_of(0) is None
    assert collection_of(BITS, labels=["b", "", "a"]).labels_of(0) == ("b",)
    assert collection_of(BITS, labels=["b", "", "a"]).labels_of(1) == ()


@pytest.mark.parametrize("kind", ["image", "text"])
def test_ids_alone_show_nothing(kind):
    with pytest.raises(NotThereError, match=f"no {kind}s"):
        getattr(IdDisplay(), kind)(0)


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"ids": np.array([1, 2, 2])}, "ids holds 2 twice"),
        ({"ids": np.arange(2)}, "'codes' must have 2 items, as many as there are ids; got 3"),
        ({"labels": ["a", "b"]}, "labels must have 3 items"),
        ({"curve_queries": np.array([0, 3])}, "no item 3"),
        ({"curve_queries": np.array([-1])}, "no item -1"),
    ],
)
def test_parts_that_do_not_fit_are_refused(parts, said):
    with pytest.raises((ValueError, LookupError), match=said):
        collection_of(BITS, **parts)


@pytest.mark.parametrize(
    ("ids", "methods", "said"),
    [
        ([], {"codes": coded_items(BITS)}, "0 items and 1 methods"),
        ([1], {}, "1 items and 0 methods"),
        ([1, 2, 3], {"itq": coded_items(BITS)}, "'codes' under its own name; got 'itq'"),
    ],
)
def test_empty_and_misnamed_collections_are_refused(ids, methods, said):
    with pytest.raises(ValueError, match=said):
        Collection("small", np.array(ids), IdDisplay(), None, methods)


def test_a_name_of_half_a_character_is_refused():
    whole = collection_of(BITS)
    with pytest.raises(ValueError, match=r"name '\\udcff' is not valid Unicode"):
        Collection("\udcff", whole.ids, whole.display, None, whole.methods)
    coded = coded_items(BITS, name="\udcff")
    with pytest.raises(ValueError, match=r"'\\udcffSome codes' is not valid Unicode"):
        Collection("small", whole.ids, whole.display, None, {coded.name: coded})


def test_fifty_threads_compute_a_value_once():
    once, together, computed = Once(size=4), Barrier(N_THREADS), []
    all_asked = Event()

    def compute():
        computed.append(1)
        all_asked.wait()  # no thread finds it done
        return object()

    def ask():
        if together.wait() == 0:  # one of them: all others are about to ask, too
            all_asked.set()
        return once.get("key", compute)

    with ThreadPoolExecutor(N_THREADS) as threads:
        values = {future.result() for future in [threads.submit(ask) for _ in range(N_THREADS)]}
    assert len(computed) == len(values) == 1


def test_one_computation_does_not_hold_up_another():
    once, done = Once(size=4), Event()
    with ThreadPoolExecutor(1) as threads:
        slow = threads.submit(once.get, "slow", lambda: done.wait(timeout=60))
        assert once.get("quick", lambda: 1) == 1
        done.set()
        assert slow.result()


def test_text_ids_are_found_and_order_ties_as_in_an_index():
    ids = np.array(["https://a/b", "7", "c"], dtype=object)
    collection = collection_of([[0], [0], [0]], ids=ids)
    assert [collection.position_of(i) for i in (*ids, 7)] == [0, 1, 2, 1]
    with pytest.raises(NotThereError, match="id=d is not in"):
        collection.position_of("d")
    index = HammingIndex(1)
    index.add(np.zeros((3, 1), dtype=np.uint8), ids)
    found = index.search(np.zeros((1, 1), dtype=np.uint8), 3).ids[0]
    assert ids[collection.tie_order].tolist() == found.tolist()


def test_what_was_asked_for_longest_ago_is_dropped():
    once = Once(size=2)
    for key in ("a", "b", "a", "c"):
        once.get(key, lambda key=key: key)
    assert len(once) == 2
    assert once.get("a", lambda: "again") == "a"
    assert once.get("b", lambda: "again") == "again"


def test_a_failure_is_told_to_all_who_waited_and_forgotten():
    once, asked = Once(size=2), Event()

    def fail():
        asked.wait(timeout=60)
        raise ValueError("not today")

    with ThreadPoolExecutor(2) as threads:
        waiting = [threads.submit(once.get, "key", fail) for _ in range(2)]
        asked.set()
        for future in waiting:
            with pytest.raises(ValueError, match="not today"):
                future.result()
    assert len(once) == 0
    assert once.get("key", lambda: 3) == 3
