"""Both solvers solve one problem; items of any number type, on disk, or too large for memory."""

import numpy as np
import pytest
import scipy.sparse as sp

from hashlearn._numerics.checks import as_bytes
from hashlearn._numerics.row_blocks import RowBlocks
from hashlearn._numerics.shards import Shards
from hashlearn.files import checkpointing
from hashlearn.hash_functions import KernelFeaturesHash, LinearSVMHash
from hashlearn.hash_functions._machines.linear_machines import fit_linear_machines
from hashlearn.hash_functions._machines.squared_hinge import fit_squared_hinge


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_wide_sparse_items_get_the_machines_of_the_newton_solve(dtype):
    rng = np.random.default_rng(0)
    X = sp.random_array((150, 4_500), density=0.01, rng=rng, dtype=dtype).tocsr()
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    Z = np.where(X @ rng.normal(size=(4_500, 3)) > 0, 1, -1)
    chosen = fit_linear_machines(X, Z, 2.0)
    newton = fit_squared_hinge(X, Z, 2.0, tol=1e-8)
    np.testing.assert_allclose(chosen.objective, newton.objective, rtol=1e-3)
    assert chosen.coef.dtype == dtype
    assert np.array_equal(
        X @ chosen.coef + chosen.intercept > 0, X @ newton.coef + newton.intercept > 0
    )


def test_narrow_items_share_one_solve():
    X = np.random.default_rng(0).normal(size=(50, 3))
    Z = np.where(X > 0, 1, -1)
    np.testing.assert_array_equal(
        fit_linear_machines(sp.csr_array(X), Z, 1.0).coef,
        fit_squared_hinge(sp.csr_array(X), Z).coef,
    )


LARGE = [
    LinearSVMHash(C=1.0, random_state=0),
    KernelFeaturesHash(30, C=1.0, sigma=30.0, random_state=0),
    KernelFeaturesHash(30, C=1.0, sigma=30.0, random_state=0, max_memory="100KB"),
    KernelFeaturesHash(30, random_state=0, max_memory="100KB"),
]
each_large = pytest.mark.parametrize("hash_function", LARGE, ids=str)


def problem(n=1200, n_bits=5, dtype=np.uint8):
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(n, 8)) * 10 + 100).clip(0, 255).astype(dtype)
    codes = np.sin(X @ rng.normal(size=(8, n_bits)) / 20) + rng.normal(size=(n, n_bits)) / 3 > 0
    return X, codes.astype(np.uint8)


@each_large
@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float16])
def test_items_of_another_type_are_read_as_float32(hash_function, dtype):
    X, codes = problem(dtype=dtype)
    converted = hash_function.fit(X.astype(np.float32), codes).coef_
    assert np.array_equal(hash_function.fit(X, codes).coef_, converted)


@each_large
def test_items_on_disk_are_as_good_as_in_memory(hash_function, tmp_path):
    X, codes = problem(dtype=np.float32)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert np.array_equal(hash_function.fit(mapped, codes).coef_, hash_function.fit(X, codes).coef_)


def test_a_start_on_a_sample_ends_where_a_start_from_nothing_does():
    X, codes = problem(600, dtype=np.float64)
    stored = KernelFeaturesHash(30, C=1.0, sigma=30.0, random_state=0, tol=1e-9).fit(X, codes)
    reached = stored.objective_
    for max_memory in ("100KB", 1):
        stored.set_params(max_memory=max_memory).fit(X, codes)
        np.testing.assert_allclose(stored.objective_, reached, rtol=1e-7)


def test_blocks_shrink_with_the_memory():
    rows = RowBlocks(np.ones((1000, 4), np.float32), np.tanh, 4)
    assert rows.within(2**30).block_rows == rows.block_rows
    assert rows.within(32 * 64 * 10).block_rows == 10
    assert rows.within(1).block_rows == 1


@pytest.mark.parametrize(
    ("given", "expected"),
    [(None, 512_000_000), (7, 7), ("512MB", 512_000_000), ("1.5 gb", 1_500_000_000)],
)
def test_memory_is_bytes_or_words(given, expected):
    assert as_bytes(given) == expected


@pytest.mark.parametrize("given", [0, -1, True, 1.5, "much", "0MB", "MB", "512"])
def test_other_memory_is_refused(given):
    X, codes = problem(50)
    with pytest.raises(ValueError, match=r"max_memory must be None, a positive integer or"):
        LinearSVMHash(max_memory=given).fit(X, codes)


@each_large
def test_an_interrupted_fit_goes_on_where_it_was(monkeypatch, tmp_path, hash_function):
    X, codes = problem(dtype=np.float32)
    plain, run = Shards._map, []

    def counted(self, work, arguments, which):
        if len(run) == stop_at:
            raise KeyboardInterrupt
        run.append(work.__name__)
        return plain(self, work, arguments, which)

    def fit():
        with checkpointing(tmp_path / "steps", {"work": "fit"}, np.random.RandomState(0)):
            return hash_function.fit(X, codes).coef_

    monkeypatch.setattr(Shards, "_map", counted)
    stop_at = -1
    whole, n_passes = fit(), len(run)
    run.clear()
    done = []
    for n_done in (n_passes - 5, n_passes - 2):
        stop_at = n_done - len(done)
        run.clear()
        with pytest.raises(KeyboardInterrupt):
            fit()
        done += run
    run.clear()
    stop_at = -1
    assert np.array_equal(fit(), whole)
    assert len(done) + len(run) == n_passes
