"""Threads: every block once, in order, whoever works on it."""

import os
import signal
import threading
import time

import pytest

import hashlearn._numerics.threads
from hashlearn._numerics.threads import map_blocks


@pytest.fixture(params=[1, 2, 5])
def n_threads(request, monkeypatch):
    monkeypatch.setattr(hashlearn._numerics.threads, "n_threads", lambda: request.param)
    return request.param


def test_results_come_in_the_order_of_blocks(n_threads):
    bounds = [0, 1, 4, 9, 9, 20]
    assert map_blocks(lambda i, j: (i, j), bounds) == [(0, 1), (1, 4), (4, 9), (9, 9), (9, 20)]


def test_no_block_gives_no_result(n_threads):
    assert map_blocks(lambda i, j: (i, j), [0]) == []


def test_many_blocks_run_once_each(n_threads):
    seen = []
    map_blocks(lambda i, j: seen.append(i), range(2001))
    assert sorted(seen) == list(range(2000))


def test_calls_may_be_nested(n_threads):
    def outer(start, stop):
        return sum(map_blocks(lambda i, j: j - i, [start, start + 1, stop]))

    assert map_blocks(outer, range(0, 101, 2)) == [2] * 50


def test_an_error_in_any_block_is_raised(n_threads):
    for bad in (0, 7, 19):
        with pytest.raises(ZeroDivisionError):
            map_blocks(lambda i, j, bad=bad: 1 // (i - bad), range(21))
    assert map_blocks(lambda i, j: i, [0, 1, 2]) == [0, 1]


def test_several_threads_may_call_at_once(n_threads):
    results = [None] * 8

    def call(caller):
        results[caller] = map_blocks(lambda i, j: i + caller, range(51))

    callers = [threading.Thread(target=call, args=[c]) for c in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert results == [[i + c for i in range(50)] for c in range(8)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_threads_work_after_a_fork(monkeypatch):
    monkeypatch.setattr(hashlearn._numerics.threads, "n_threads", lambda: 3)
    assert len(map_blocks(lambda i, j: i, range(20))) == 19
    child = os.fork()
    if child == 0:
        os._exit(0 if len(map_blocks(lambda i, j: i, range(20))) == 19 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.skipif(os.name != "posix", reason="needs a signal to itself")
def test_ctrl_c_stops_all_threads_soon(monkeypatch):
    monkeypatch.setattr(hashlearn._numerics.threads, "n_threads", lambda: 3)
    worked = []

    def work(start, stop):
        worked.append(start)
        if len(worked) == 20:
            os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.002)

    with pytest.raises(KeyboardInterrupt):
        map_blocks(work, range(5001))
    n_worked = len(worked)
    assert n_worked < 1000
    time.sleep(0.02)
    assert len(worked) == n_worked
