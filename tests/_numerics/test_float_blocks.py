"""Blocks cover all rows once, in floats, whatever X is and however many threads work."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import config_context

from hashlearn._numerics import float_blocks
from hashlearn._numerics.float_blocks import check_finite, map_float_blocks

N = 5000


@pytest.mark.parametrize("threads", [None, 1, 2, 7])
@pytest.mark.parametrize("n", [1, 64, 1025, N])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_every_row_comes_once_and_in_its_place(n, threads, container):
    X = np.arange(2.0 * n).reshape(n, 2)

    def double(rows):
        return 2 * (rows.toarray() if sp.issparse(rows) else rows)

    np.testing.assert_array_equal(map_float_blocks(double, container(X), threads=threads), 2 * X)


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, bool, np.float16, np.float32, np.float64])
def test_blocks_are_floats_and_small(dtype):
    X = np.ones((N, 200), dtype=dtype)
    seen = []

    def note(rows):
        seen.append((rows.dtype, rows.size))
        return zeros(rows)

    map_float_blocks(note, X, threads=1)
    expected = np.float64 if dtype is np.float64 else np.float32
    assert {kind for kind, _ in seen} == {np.dtype(expected)}
    assert max(size for _, size in seen) <= float_blocks._BLOCK_ENTRIES


def test_at_most_the_given_number_of_threads_work(monkeypatch):
    monkeypatch.setattr(float_blocks, "n_threads", lambda: 8)
    for threads in (1, 2, 3):
        assert len(float_blocks._shard_bounds(10**6, 1024, threads)) == threads + 1
    # all threads work: short shards share it evenly
    assert len(float_blocks._shard_bounds(10**6, 1024, None)) > 9
    assert float_blocks._shard_bounds(100, 1024, 8) == [0, 100]


def zeros(rows):
    return np.zeros((rows.shape[0], 1))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("container", [np.asarray, np.asfortranarray, sp.csr_array])
def test_a_value_that_is_not_finite_is_found_in_any_block(bad, dtype, container):
    X = np.ones((N, 3), dtype=dtype)
    X[N - 2, 1] = bad
    if container is sp.csr_array:
        X = X.astype(np.float32)
    what = "NaN" if np.isnan(bad) else "infinity"
    with pytest.raises(ValueError, match=f"Input X contains {what}"):
        map_float_blocks(zeros, container(X), estimator_name="LSHHasher")
    with pytest.raises(ValueError, match=f"Input X contains {what}"):
        check_finite(container(X), "LSHHasher")


def test_large_values_are_finite_though_their_squares_are_not():
    X = np.full((N, 2), 1e30, dtype=np.float32)
    assert map_float_blocks(np.asarray, X, estimator_name="LSHHasher").shape == (N, 2)


def test_scikit_learns_promise_of_finite_values_is_kept_on_all_threads():
    X = np.full((N, 2), np.nan)
    with config_context(assume_finite=True):
        assert np.isnan(map_float_blocks(np.asarray, X, estimator_name="LSHHasher")).all()


def test_an_error_in_one_block_is_raised():
    def refuse(rows):
        if 4000 in rows:
            raise ZeroDivisionError
        return rows

    with pytest.raises(ZeroDivisionError):
        map_float_blocks(refuse, np.arange(N, dtype=float)[:, None])
