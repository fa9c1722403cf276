"""ITQ's rotation: the error it reports, that it never rises, and that each step is the best."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ortho_group

from hashlearn.methods._parts.checks import check_differs
from hashlearn.methods._parts.rotation import fit_rotation

seeds = st.integers(0, 10**6)


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
