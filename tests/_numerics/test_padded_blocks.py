"""A row's result does not depend on its batch; blocks cover all rows once; linear margins."""

import numpy as np
import pytest
import scipy.sparse as sp

from hashlearn._numerics.arrays import as_rows
from hashlearn._numerics.padded_blocks import linear_margins, map_padded_blocks, padded_columns
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


def parts(n_features, n_machines, dtype, seed=0):
    random = np.random.default_rng(seed)
    shapes = [(300, n_features), (n_features, n_machines), (n_features,), (n_machines,)]
    return [random.normal(size=shape).astype(dtype) for shape in shapes]


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("with_intercept", [False, True])
def test_margins_are_their_formula(container, with_intercept):
    X, W, center, intercept = parts(7, 5, np.float64)
    expected = (X - center) @ W + (intercept if with_intercept else 0)
    given = intercept if with_intercept else None
    found = linear_margins(container(X), W, center, given, dtype=np.float64)
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_items_far_from_the_origin_keep_their_digits():
    X, W, center, _ = parts(20, 3, np.float64)
    far = [(X + 1e4).astype(np.float32), W.astype(np.float32), (center + 1e4).astype(np.float32)]
    exact = (far[0].astype(np.float64) - far[2]) @ far[1].astype(np.float64)
    np.testing.assert_allclose(linear_margins(*far, dtype=np.float32), exact, atol=1e-4)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_features", [1, 2, 5, 16, 33, 100, 785, 1100])
@pytest.mark.parametrize("n_machines", [1, 7, 16, 60, 64, 100, 300])
def test_a_row_has_the_same_margins_at_every_place(n_features, n_machines, dtype):
    X, W, center, _ = parts(n_features, n_machines, dtype)
    everywhere = np.repeat(X[:1], 300, axis=0)
    margins = linear_margins(everywhere, W, center, dtype=dtype)
    np.testing.assert_array_equal(margins, np.repeat(margins[:1], 300, axis=0))
    whole = linear_margins(X, W, center, dtype=dtype)
    for batch in (slice(1), slice(5, 12), slice(100, 300)):
        found = linear_margins(X[batch], W, center, dtype=dtype)
        np.testing.assert_array_equal(found, whole[batch])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_row_has_the_same_margins_among_any_number(dtype):
    X, W, center, _ = parts(13, 37, dtype)
    whole = linear_margins(X, W, center, dtype=dtype)
    for n in range(1, 301):
        found = linear_margins(X[300 - n :], W, center, dtype=dtype)
        np.testing.assert_array_equal(found, whole[300 - n :])
