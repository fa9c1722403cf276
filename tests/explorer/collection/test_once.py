"""Values are computed once, and the cache stays small."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest

from hashlearn.explorer.collection.collection import Once

N_THREADS = 50


def test_fifty_threads_compute_a_value_once():
    once, together, computed = Once(size=4), Barrier(N_THREADS), []
    all_asked = Event()

    def compute():
        computed.append(1)
        all_asked.wait()  # nobody finds it done
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
