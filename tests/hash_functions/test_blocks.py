"""A row's result does not depend on its batch; blocks cover all rows once."""

import numpy as np
import pytest
import scipy.sparse as sp

from hashlearn.hash_functions.blocks import as_rows, map_rows
from hashlearn.hash_functions.rows import Rows, feature_rows


@pytest.fixture(params=[np.asarray, sp.csr_array], ids=["dense", "csr"])
def container(request):
    return request.param


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_features", [1, 13, 100])
def test_a_row_has_the_same_result_in_every_batch(container, n_features, dtype):
    random = np.random.default_rng(0)
    X = random.normal(size=(300, n_features)).astype(dtype)
    W = random.normal(size=(n_features, 37)).astype(dtype)

    def results(rows):
        return map_rows(lambda block: block @ W, container(rows), 37, dtype=dtype)

    whole = results(X)
    for n in (1, 10, 131, 280):
        assert np.array_equal(results(X[:n]), whole[:n])
    for batch in (slice(7, 10), slice(127, 131), slice(299, 300), slice(3, 280)):
        # at another place of its block a row may be rounded otherwise, in the last digit
        tolerance = 50 * np.finfo(whole.dtype).eps * np.abs(whole).max()
        np.testing.assert_allclose(results(X[batch]), whole[batch], rtol=0, atol=tolerance)


@pytest.mark.parametrize("n", [0, 1, 4, 5, 9])
def test_every_row_is_mapped_and_every_block_is_full(container, n):
    X = np.arange(2.0 * n).reshape(n, 2)
    shapes = []

    def double(block):
        shapes.append(block.shape)
        return 2 * (block.toarray() if sp.issparse(block) else block)

    assert np.array_equal(map_rows(double, container(X), 2, dtype=float, block_rows=4), 2 * X)
    assert shapes == [(4, 2)] * -(-n // 4)


@pytest.mark.parametrize("block_rows", [1, 3, 7, 100])
def test_rows_come_once_and_in_order(container, block_rows):
    X = np.arange(14.0).reshape(7, 2)
    seen = [as_rows(block) for _, block in Rows(container(X), block_rows=block_rows)]
    seen = [block.toarray() if sp.issparse(block) else block for block in seen]
    assert np.array_equal(np.vstack(seen), X)


@pytest.mark.parametrize("limit", [0, 10**9])
def test_features_are_the_same_stored_or_recomputed(limit):
    X = np.arange(14.0).reshape(7, 2)
    rows = feature_rows(X, lambda block: block**2, 2, limit=limit)
    assert (rows.transform is None) == (limit > 0)
    assert np.array_equal(np.vstack([block for _, block in rows]), X**2)


def test_float32_stays_float32_and_integers_become_float64():
    assert as_rows(np.ones((1, 1), np.float32)).dtype == np.float32
    assert as_rows(sp.csc_array(np.ones((1, 1), np.float32))).format == "csr"
    assert as_rows(np.ones((1, 1), np.uint8)).dtype == np.float64
