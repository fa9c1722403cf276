"""A row's result does not depend on its batch; blocks cover all rows once."""

import numpy as np
import pytest
import scipy.sparse as sp

from hashlearn._numerics.arrays import as_rows
from hashlearn._numerics.padded_blocks import map_padded_blocks, padded_columns
from hashlearn._numerics.row_blocks import RowBlocks, feature_blocks


@pytest.fixture(params=[np.asarray, sp.csr_array], ids=["dense", "csr"])
def container(request):
    return request.param


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_features", [1, 13, 100])
def test_a_row_has_the_same_result_in_every_batch(container, n_features, dtype):
    random = np.random.default_rng(0)
    X = random.normal(size=(300, n_features)).astype(dtype)
    W = random.normal(size=(n_features, 37)).astype(dtype)

    padded = padded_columns(W)

    def results(rows):
        return map_padded_blocks(lambda block: block @ padded, container(rows), 37, dtype=dtype)

    whole = results(X)
    assert whole.shape == (300, 37)
    for batch in (slice(1), slice(280), slice(7, 10), slice(127, 131), slice(299, 300)):
        assert np.array_equal(results(X[batch]), whole[batch])


@pytest.mark.parametrize("n", [1, 4, 7, 30])
def test_blocks_side_by_side_give_what_single_ones_give(n):
    random = np.random.default_rng(0)
    X, W, center = random.normal(size=(n, 5)), random.normal(size=(5, 16)), np.arange(5.0)
    single = map_padded_blocks(lambda block: (block - center) @ W, X, 3, dtype=float, block_rows=4)
    shapes = []

    def stacked(blocks):
        shapes.append(blocks.shape[1:])
        return blocks @ W

    several = map_padded_blocks(stacked, X, 3, dtype=float, block_rows=4, n_blocks=3, center=center)
    assert np.array_equal(several, single)
    assert set(shapes) == {(4, 5)}


@pytest.mark.parametrize("n_columns", [1, 16, 17])
def test_padding_adds_columns_of_zeros(n_columns):
    W = np.ones((3, n_columns))
    padded = padded_columns(W)
    assert padded.shape[1] % 16 == 0
    assert padded.sum() == W.sum()
    assert padded_columns(np.asfortranarray(W)).flags.c_contiguous


@pytest.mark.parametrize("n", [0, 1, 4, 5, 9])
def test_every_row_is_mapped_and_every_block_is_full(container, n):
    X = np.arange(2.0 * n).reshape(n, 2)
    shapes = []

    def double(block):
        shapes.append(block.shape)
        return 2 * (block.toarray() if sp.issparse(block) else block)

    assert np.array_equal(
        map_padded_blocks(double, container(X), 2, dtype=float, block_rows=4), 2 * X
    )
    assert shapes == [(4, 2)] * -(-n // 4)


@pytest.mark.parametrize("block_rows", [1, 3, 7, 100])
def test_rows_come_once_and_in_order(container, block_rows):
    X = np.arange(14.0).reshape(7, 2)
    seen = [as_rows(block) for _, block in RowBlocks(container(X), block_rows=block_rows)]
    seen = [block.toarray() if sp.issparse(block) else block for block in seen]
    assert np.array_equal(np.vstack(seen), X)


@pytest.mark.parametrize("limit", [0, 10**9])
def test_features_are_the_same_stored_or_recomputed(limit):
    X = np.arange(14.0).reshape(7, 2)
    rows = feature_blocks(X, lambda block: block**2, 2, limit=limit)
    assert (rows.transform is None) == (limit > 0)
    assert np.array_equal(np.vstack([block for _, block in rows]), X**2)


def test_float32_stays_float32_and_integers_become_float64():
    assert as_rows(np.ones((1, 1), np.float32)).dtype == np.float32
    assert as_rows(sp.csc_array(np.ones((1, 1), np.float32))).format == "csr"
    assert as_rows(np.ones((1, 1), np.uint8)).dtype == np.float64
