"""An index survives what happens around it: other threads, Ctrl-C, damage in the middle."""

import sys
import threading

import numpy as np
import pytest

from hashlearn import HammingIndex
from hashlearn.search import _contents as contents
from tests.search.brute_force import random_codes


@pytest.fixture
def hurried():
    """Let threads take turns as often as possible."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def run_together(*functions):
    errors = []

    def guarded(function):
        try:
            function()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=[function]) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_threads_search_one_index_at_once(hurried):
    codes = random_codes(np.random.default_rng(0), 2000, 40)
    ids = np.random.default_rng(1).permutation(2000) * 3
    expected = None
    for _ in range(20):
        index = HammingIndex(40)
        index.add(codes, ids)
        found = []

        def search(index=index, found=found):
            found.append(index.search(codes[:5], 4, among=ids[:1500]).ids)

        run_together(*[search] * 4)
        expected = found[0] if expected is None else expected
        assert (expected >= 0).all()
        for one in found:
            np.testing.assert_array_equal(one, expected)


def test_codes_added_while_others_search_are_there_in_the_end(hurried):
    codes = random_codes(np.random.default_rng(0), 1000, 40)
    for _ in range(5):
        index = HammingIndex(40)
        index.add(codes[:1])

        def add(first, index=index):
            for i in range(first, 1000, 2):
                index.add(codes[i : i + 1], ids=[i])

        def search(index=index):
            for _ in range(100):
                assert index.search(codes[:2], 1).ids.shape == (2, 1)

        run_together(lambda add=add: add(1), lambda add=add: add(2), search)
        assert len(index) == 1000
        np.testing.assert_array_equal(index.reconstruct(np.arange(1000)), codes)


@pytest.mark.parametrize("change", ["add", "remove"])
def test_an_interrupted_change_changes_nothing(monkeypatch, change):
    codes = random_codes(np.random.default_rng(0), 50, 40)
    index = HammingIndex(40)
    index.add(codes)

    def interrupt(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(contents, "as_words", interrupt)
        patch.setattr(contents.Ids, "kept", interrupt)
        with pytest.raises(KeyboardInterrupt):
            index.add(codes) if change == "add" else index.remove([3])
    assert len(index) == 50
    np.testing.assert_array_equal(index.search(codes, 1).ids[:, 0], np.arange(50))
    index.add(codes)
    assert len(index) == 100
