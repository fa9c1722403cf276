"""Passes over shards: the same sums on any number of threads, and on workers of a cluster."""

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from joblib.parallel import ThreadingBackend
from threadpoolctl import threadpool_limits

from hashlearn._numerics import shards, threads
from hashlearn._numerics.row_blocks import RowBlocks
from hashlearn._numerics.shards import Shards
from hashlearn.hash_functions import KernelFeaturesHash, LinearSVMHash
from hashlearn.hash_functions._machines.hinge_loss import HingeLoss
from tests.processes import alone, peak_memory


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("n", [1, 4095, 4096, 10_000])
def test_shards_hold_every_row_once_and_in_order(container, n):
    X = np.arange(2.0 * n).reshape(n, 2)
    parts = Shards(RowBlocks(container(X), block_rows=700))
    seen = np.empty_like(X)

    def blocks(shard, where):
        for inner, block in shard:
            seen[where][inner] = block.toarray() if sp.issparse(block) else block
        return shard.shape[0]

    assert sum(parts.map(blocks, lambda where: (where,))) == n
    assert np.array_equal(seen, X)


def test_the_sum_of_large_results_is_that_of_all_shards():
    parts = Shards(RowBlocks(np.ones((40_000, 1))))
    assert len(parts.shards) > 8
    assert parts.sum(lambda shard: np.array([shard.shape[0]]), lambda where: ()) == 40_000


def memory_of_passes():
    """Return the peak of each pass, and of what it may be, in bytes."""
    n, n_features, n_machines = 131_072, 64, 256
    rows = RowBlocks(np.ones((n, n_features), dtype=np.float32), block_rows=256)
    loss = HingeLoss(rows, np.ones((n, n_machines), dtype=np.int8))
    W, machines = np.zeros((n_machines, n_features + 1)), np.arange(n_machines)
    assert len(loss.shards.shards) == 64
    peaks = [
        peak_memory(loss.evaluate, W, machines),
        peak_memory(loss.curve, W, loss.bits, machines),
    ]
    return peaks, 32 * W.nbytes + 3 * loss.bits.nbytes


def test_a_pass_holds_few_gradients_at_a_time():
    peaks, allowed = alone(memory_of_passes)
    assert max(peaks) < allowed


def test_a_shard_that_travels_carries_its_own_rows_only():
    shard = RowBlocks(np.arange(5000.0)[:, None], np.negative, 1).shards()[1]
    _, (X, *_) = shard.__reduce__()
    assert np.array_equal(X[:, 0], np.arange(2500.0, 5000.0))


def problem(n=5000, n_bits=6):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 10)).astype(np.float32)
    codes = np.sin(X @ rng.normal(size=(10, n_bits))) + rng.normal(size=(n, n_bits)) / 3 > 0
    return X, codes.astype(np.uint8)


LARGE = [LinearSVMHash(C=1.0), KernelFeaturesHash(40, C=1.0, sigma=4.0, random_state=0)]


@pytest.mark.parametrize("hash_function", LARGE, ids=str)
def test_the_number_of_threads_changes_no_bit(monkeypatch, hash_function):
    X, codes = problem()
    fitted = []
    for n_threads in (1, 2, 5):
        monkeypatch.setattr(threads, "n_threads", lambda n=n_threads: n)
        threads._helpers.cache_clear()
        fitted.append(hash_function.fit(X, codes).coef_)
    threads._helpers.cache_clear()
    assert np.array_equal(fitted[0], fitted[1])
    assert np.array_equal(fitted[0], fitted[2])


@pytest.mark.parametrize(
    ("hash_function", "dtype"),
    [
        (LinearSVMHash(random_state=0), np.float32),
        (LinearSVMHash(random_state=0), np.float64),
        (KernelFeaturesHash(150, random_state=0), np.float32),
        pytest.param(KernelFeaturesHash(150, random_state=0), np.float64, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_a_fit_does_not_depend_on_the_threads_of_the_matrix_library(hash_function, dtype):
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(5000, 130)) + 3).astype(dtype)
    codes = (X @ rng.normal(size=(130, 3)) + rng.normal(size=(5000, 3)) > 0).astype(np.uint8)
    found = []
    for n_threads in (1, 2):
        with threadpool_limits(limits=n_threads, user_api="blas"):
            machine = hash_function.fit(X, codes)
            found.append([machine.coef_, machine.center_, machine.curvature_, machine.C_])
            found[-1].append(machine.partial_fit(X[:2000], codes[:2000]).coef_)
    for one, two in zip(*found, strict=True):
        assert np.array_equal(one, two)


class Elsewhere(ThreadingBackend):
    """A joblib backend that is none of joblib's own, as Dask's is (tests/distributed)."""


@pytest.mark.parametrize("hash_function", LARGE, ids=str)
def test_machines_trained_on_another_backend_are_those_of_this_machine(monkeypatch, hash_function):
    X, codes = problem()
    here = hash_function.fit(X, codes).coef_
    ran = []
    monkeypatch.setattr(shards, "_on_one_thread", lambda work, *rest: ran.append(1) or work(*rest))
    joblib.register_parallel_backend("elsewhere", Elsewhere)
    with joblib.parallel_config("elsewhere", n_jobs=2):
        there = hash_function.fit(X, codes).coef_
    assert ran
    assert np.array_equal(here, there)
