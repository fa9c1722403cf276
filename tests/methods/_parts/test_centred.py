"""Principal directions are singular vectors; each step of ITQ's rotation of them is the best."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ortho_group

from hashlearn.methods._parts import centred
from hashlearn.methods._parts.centred import fit_rotation, mean_of, principal_directions
from hashlearn.methods._parts.checks import check_differs
from tests.processes import alone, peak_memory

seeds = st.integers(0, 10**6)


@pytest.fixture
def X():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 20)) * np.linspace(3, 0.3, 20) + 5
    X[rng.uniform(size=X.shape) < 0.5] = 0
    return X


@pytest.mark.parametrize("dense_features", [3000, 1])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, sp.csr_array])
def test_directions_are_the_singular_vectors_of_centred_items(X, form, dense_features, monkeypatch):
    monkeypatch.setattr(centred, "DENSE_FEATURES", dense_features)
    V = np.linalg.svd(X - X.mean(axis=0))[2][:4].T
    found = principal_directions(form(X), mean_of(form(X)), 4)
    np.testing.assert_allclose(np.abs((V * found).sum(axis=0)), 1, atol=1e-6)
    np.testing.assert_allclose(found.T @ found, np.eye(4), atol=1e-9)
    assert np.all(found[np.abs(found).argmax(axis=0), np.arange(4)] > 0)


@pytest.mark.parametrize("dense_features", [3000, 1])
def test_more_directions_than_the_items_span_are_orthonormal(X, dense_features, monkeypatch):
    monkeypatch.setattr(centred, "DENSE_FEATURES", dense_features)
    found = principal_directions(X[:3], X[:3].mean(axis=0), 6)
    np.testing.assert_allclose(found.T @ found, np.eye(6), atol=1e-9)


def test_float32_items_give_the_directions_of_float64_ones(X):
    single = X.astype(np.float32)
    np.testing.assert_allclose(
        principal_directions(single, mean_of(single), 3),
        principal_directions(X, mean_of(X), 3),
        atol=1e-5,
    )


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, sp.csr_array])
def test_scatter_is_the_sum_of_outer_products_in_blocks_of_any_size(X, form, monkeypatch):
    monkeypatch.setattr(centred, "_BLOCK_ROWS", 7)
    moved = X - X.mean(axis=0)
    found = centred.scatter(form(X), mean_of(form(X)))
    np.testing.assert_allclose(found, moved.T @ moved, atol=1e-8)


def peak_of_directions():
    centred.DENSE_FEATURES = 1
    X = np.random.default_rng(0).normal(size=(4000, 1000)).astype(np.float32)
    X[:, :2] *= [20, 10]
    return peak_memory(principal_directions, X, mean_of(X), 2)


def test_float32_items_are_not_copied_to_float64_as_a_whole():
    assert alone(peak_of_directions) < 1.5 * 4 * 4000 * 1000


def test_the_mean_of_sparse_float32_rows_is_that_of_dense_ones():
    X = np.random.default_rng(0).normal(1e4, 1, size=(3000, 5)).astype(np.float32)
    exact = X.astype(np.float64).mean(axis=0)
    np.testing.assert_allclose(mean_of(sp.csr_array(X)), exact, rtol=1e-12)
    np.testing.assert_allclose(mean_of(X), exact, rtol=1e-12)


def draw_projections(n, n_directions, seed, dtype=np.float64):
    random = np.random.RandomState(seed)
    V = random.normal(size=(n, n_directions)) * random.uniform(0.1, 5, n_directions)
    return (V - V.mean(axis=0)).astype(dtype)


def mean_error(V, R):
    B = np.where(V @ R > 0, 1, -1)
    return np.square(B - V @ R).sum() / len(V)


@given(n=st.integers(2, 60), r=st.integers(1, 6), more=st.integers(0, 4), seed=seeds)
def test_quantization_error_never_rises_and_is_that_of_the_rotation(n, r, more, seed):
    V = draw_projections(n, r, seed)
    R, errors = fit_rotation(V, r + more, 50, np.random.RandomState(seed))
    np.testing.assert_allclose(R @ R.T, np.eye(r), atol=1e-12)
    np.testing.assert_allclose(errors[-1], mean_error(V, R), atol=1e-9)
    assert np.all(np.diff(errors) <= 0)


@given(n_iter=st.integers(1, 10), seed=seeds)
def test_history_is_that_of_shorter_runs(n_iter, seed):
    V = draw_projections(80, 5, seed)
    _, all_errors = fit_rotation(V, 5, 50, np.random.RandomState(seed))
    _, errors = fit_rotation(V, 5, n_iter, np.random.RandomState(seed))
    np.testing.assert_array_equal(errors, all_errors[: n_iter + 1])


@given(r=st.integers(1, 4), more=st.integers(0, 3), seed=seeds)
def test_at_the_end_no_other_rotation_is_better_for_the_codes(r, more, seed):
    V = draw_projections(40, r, seed)
    R, _ = fit_rotation(V, r + more, 1000, np.random.RandomState(seed))
    B = np.where(V @ R > 0, 1, -1)
    agreement = np.sum((V @ R) * B)
    np.testing.assert_allclose(agreement, np.linalg.svd(V.T @ B, compute_uv=False).sum())
    if r + more > 1:
        for other in ortho_group.rvs(r + more, size=20, random_state=seed):
            assert np.sum((V @ other[:r]) * B) <= agreement + 1e-9


def test_fewer_directions_than_bits_are_as_directions_filled_up_with_zeros():
    V = draw_projections(100, 3, seed=1)
    R, errors = fit_rotation(V, 5, 1, np.random.RandomState(0))
    filled = np.hstack([V, np.zeros((100, 2))])
    R_filled, errors_filled = fit_rotation(filled, 5, 1, np.random.RandomState(0))
    np.testing.assert_allclose(errors, errors_filled)
    np.testing.assert_allclose(R, R_filled[:3], atol=1e-9)


def test_corners_of_a_turned_cube_are_found_again_from_one_of_a_few_starts():
    corners = np.random.RandomState(0).choice([-1.0, 1.0], size=(500, 3))
    turned = corners @ ortho_group.rvs(3, random_state=1)
    histories = [fit_rotation(turned, 3, 50, np.random.RandomState(seed))[1] for seed in range(10)]
    assert min(errors[-1] for errors in histories) < 1e-9
    assert min(errors[0] for errors in histories) > 0.1


def test_float32_error_agrees_with_float64():
    V = draw_projections(3000, 8, seed=0)
    _, errors = fit_rotation(V, 8, 10, np.random.RandomState(0))
    _, single = fit_rotation(V.astype(np.float32), 8, 10, np.random.RandomState(0))
    np.testing.assert_allclose(single, errors, rtol=1e-4)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array, sp.csr_matrix])
def test_equal_rows_are_refused_and_others_are_not(make):
    rows = np.tile([[0.0, 0.1, 3.0]], (5, 1))
    with pytest.raises(ValueError, match="X is the same for all items"):
        check_differs(make(rows), "X")
    rows[3, 1] = 0.2
    check_differs(make(rows), "X")
