"""One thread inside, the caller's threads outside, however many are inside at once."""

import re
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from hashlearn import TwoStepHasher
from hashlearn._numerics.blas import _libraries, one_blas_thread
from hashlearn.hash_functions import LinearSVMHash


def blas_threads():
    """Return the threads of NumPy's and SciPy's libraries; other packages may bring their own."""
    libraries = [found for found in threadpool_info() if found["user_api"] == "blas"]
    own = [found for found in libraries if re.search("numpy|scipy", found["filepath"])]
    return {found["num_threads"] for found in own or libraries}


@pytest.fixture(autouse=True)
def two_threads():
    _libraries.cache_clear()  # other tests may have loaded further ones since
    with threadpool_limits(limits=2, user_api="blas"):
        yield


def test_products_inside_have_one_thread_and_those_after_have_what_they_had():
    before = blas_threads()
    with one_blas_thread():
        assert blas_threads() == {1}
        with one_blas_thread():
            assert blas_threads() == {1}
        assert blas_threads() == {1}
    assert blas_threads() == before


def test_an_error_inside_gives_the_threads_back():
    before = blas_threads()
    with pytest.raises(ZeroDivisionError), one_blas_thread():
        raise ZeroDivisionError
    assert blas_threads() == before


def test_who_leaves_first_does_not_disturb_who_is_still_inside():
    before = blas_threads()
    meet = Barrier(2, timeout=10)

    def first():
        with one_blas_thread():
            meet.wait()  # both are inside
        meet.wait()  # one has left

    def last():
        with one_blas_thread():
            meet.wait()
            meet.wait()
            return blas_threads()

    with ThreadPoolExecutor(2) as pool:
        left, stayed = pool.submit(first), pool.submit(last)
        left.result()
        assert stayed.result() == {1}
    assert blas_threads() == before


def test_many_threads_in_and_out_leave_nothing_behind():
    before = blas_threads()

    def work(_):
        with one_blas_thread():
            return np.ones((8, 8)) @ np.ones((8, 8))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(500)))
    assert blas_threads() == before


def problem(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 40)) + 1
    return X, (X @ rng.normal(size=(40, 12)) + rng.normal(size=(n, 12)) > 0).astype(np.uint8)


def fitted(n, seed):
    X, codes = problem(n, seed)
    return LinearSVMHash(C=1.0, random_state=0).fit(X, codes).coef_


def test_two_fits_at_once_are_the_same_as_one_after_the_other():
    before = blas_threads()
    alone = [fitted(9000, 0), fitted(5000, 1)]
    for _ in range(3):
        with ThreadPoolExecutor(2) as pool:
            together = list(pool.map(fitted, [9000, 5000], [0, 1]))
        assert blas_threads() == before
        for one, both in zip(alone, together, strict=True):
            assert np.array_equal(one, both)


def test_a_fit_beside_an_encode_is_the_same_as_each_alone():
    before = blas_threads()
    X, codes = problem(20_000, 2)
    hasher = TwoStepHasher(12, hash_function="linear-svm", random_state=0)
    hasher.fit(X[:2000], codes[:2000, 0])
    coef, packed = fitted(9000, 0), hasher.encode(X)
    with ThreadPoolExecutor(2) as pool:
        fit = pool.submit(fitted, 9000, 0)
        encoded = pool.map(lambda _: hasher.encode(X), range(10))
        assert all(np.array_equal(one, packed) for one in encoded)
        assert np.array_equal(fit.result(), coef)
    assert blas_threads() == before


def test_who_leaves_last_undoes_what_another_thread_has_set():
    """Only the thread that set a limit may change it, unless threadpoolctl is told otherwise."""
    before = blas_threads()
    outer = one_blas_thread()
    outer.__enter__()
    with ThreadPoolExecutor(1) as pool:
        inner = one_blas_thread()
        pool.submit(inner.__enter__).result()
        outer.__exit__(None, None, None)
        assert blas_threads() == {1}
        pool.submit(inner.__exit__, None, None, None).result()
    assert blas_threads() == before


def test_a_limit_of_the_caller_can_be_undone_by_the_caller():
    before = blas_threads()
    with threadpool_limits(limits=1, user_api="blas"), ThreadPoolExecutor(1) as pool:
        pool.submit(LinearSVMHash(C=1.0).fit, *problem(100, 0)).result()
        assert blas_threads() == {1}
    assert blas_threads() == before
