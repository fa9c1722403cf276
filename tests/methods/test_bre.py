"""BRE: exact steps along one coefficient, an error that never rises."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import cosine_similarity

from hashlearn.methods._parts.reconstruction import (
    TargetPairs,
    _as_graph,
    best_step,
    descend_bit,
    draw_distinct_pairs,
    pair_prices,
)
from hashlearn.methods.bre import BREHasher
from hashlearn.methods.lsh import LSHHasher

seeds = st.integers(0, 2**31 - 1)


@pytest.fixture(scope="module")
def digits():
    return load_digits(return_X_y=True)[0][:400]


@pytest.fixture(scope="module")
def fitted(digits):
    return BREHasher(n_bits=12, n_training=200, random_state=0).fit(digits)


def random_problem(n, seed):
    """Return all pairs of n items with random prices, as a graph, and random margins."""
    rng = np.random.default_rng(seed)
    i, j = np.triu_indices(n, k=1)
    graph = _as_graph(TargetPairs(i, j, rng.normal(size=i.size)), n)
    return graph, rng.normal(size=n), rng.normal(size=(3, n))


def cost(graph, z):
    indptr, indices, price = graph
    i = np.repeat(np.arange(z.size), np.diff(indptr))
    return price[z[i] != z[indices]].sum() / 2


@given(n=st.integers(2, 12), seed=seeds)
def test_no_step_along_a_coefficient_costs_less_than_the_best_one(n, seed):
    graph, f, (k, *_) = random_problem(n, seed)
    step = best_step(*graph, k, f)
    borders = np.sort(-f / k)
    between = np.r_[borders[0] - 1, (borders[1:] + borders[:-1]) / 2, borders[-1] + 1, 0]
    costs = [cost(graph, f + t * k > 0) for t in between]
    assert cost(graph, f + step * k > 0) == pytest.approx(min(costs), abs=1e-9)


@given(n=st.integers(2, 12), seed=seeds)
def test_items_on_the_border_and_items_that_cannot_move_are_counted_right(n, seed):
    graph, f, (k, *_) = random_problem(n, seed)
    f[0], k[-1] = 0, 0
    step = best_step(*graph, k, f)
    steps = np.r_[step, np.linspace(-20, 20, 401)]
    costs = [cost(graph, f + t * k > 0) for t in steps]
    assert costs[0] <= min(costs) + 1e-9


@given(n=st.integers(2, 12), seed=seeds)
def test_a_bit_keeps_its_margins_and_never_costs_more(n, seed):
    graph, f, K = random_problem(n, seed)
    w = np.zeros(3)
    start = f.copy()
    descend_bit(*graph, K, w, f)
    np.testing.assert_allclose(f, start + w @ K)
    assert cost(graph, f > 0) <= cost(graph, start > 0) + 1e-12


@given(n=st.integers(2, 8), n_bits=st.integers(1, 5), seed=seeds)
def test_prices_are_the_change_of_the_squared_error(n, n_bits, seed):
    rng = np.random.default_rng(seed)
    Z = rng.random((n_bits, n)) < 0.5
    i, j = np.triu_indices(n, k=1)
    target = rng.random(i.size)

    def error(Z):
        return ((target - (Z[:, i] != Z[:, j]).mean(axis=0)) ** 2).sum()

    residual = target - (Z[:, i] != Z[:, j]).mean(axis=0)
    indptr, indices, residual = _as_graph(TargetPairs(i, j, residual), n)
    price = pair_prices(indptr, indices, residual, Z[0], n_bits)
    new = rng.random(n) < 0.5
    change = cost((indptr, indices, price), new) - cost((indptr, indices, price), Z[0])
    assert error(np.r_[new[None], Z[1:]]) - error(Z) == pytest.approx(change, abs=1e-9)


def test_the_error_never_rises(fitted):
    assert np.all(np.diff(fitted.objective_) <= 1e-9 * fitted.objective_[0])
    assert fitted.objective_.size == 1 + 12 * fitted.n_iter_


def test_the_last_error_is_that_of_the_codes(digits):
    X = digits[:40]  # all items and all pairs of so few are drawn
    hasher = BREHasher(n_bits=8, random_state=0).fit(X)
    i, j = np.triu_indices(40, k=1)
    target = 1 - cosine_similarity(X - X.mean(axis=0))[i, j]
    hamming = (hasher.codes_[i] != hasher.codes_[j]).mean(axis=1)
    assert hasher.objective_[-1] == pytest.approx(((target - hamming) ** 2).sum())


def test_codes_reconstruct_distances_better_than_random_projections(digits, fitted):
    i, j = draw_distinct_pairs(len(digits), 5000, np.random.RandomState(1))
    target = 1 - cosine_similarity(digits - digits.mean(axis=0))[i, j]

    def error(codes):
        return ((target - (codes[i] != codes[j]).mean(axis=1)) ** 2).mean()

    random = LSHHasher(n_bits=12, center=True, random_state=0).fit(digits)
    assert error(fitted.codes_) < 0.95 * error(random.codes_)


@pytest.mark.parametrize("n", [2, 3, 4, 7, 8])
def test_drawn_pairs_run_through_all_pairs_once(n):
    n_all = n * (n - 1) // 2
    i, j = draw_distinct_pairs(n, n_all, np.random.RandomState(0))
    drawn = {frozenset(pair) for pair in zip(i.tolist(), j.tolist(), strict=True)}
    assert drawn == {frozenset(pair) for pair in itertools.combinations(range(n), 2)}


def test_sparse_items_get_the_bits_of_dense_ones(digits, fitted):
    sparse = BREHasher(n_bits=12, n_training=200, random_state=0).fit(sp.csr_array(digits))
    assert np.mean(sparse.codes_ != fitted.codes_) < 0.01


def test_float32_is_taken_as_it_is(digits, fitted):
    single = BREHasher(n_bits=12, n_training=200, random_state=0).fit(digits.astype(np.float32))
    assert single.decision_function(digits.astype(np.float32)).dtype == np.float32
    assert single.objective_[-1] < 1.1 * fitted.objective_[-1]


@pytest.mark.filterwarnings("ignore:All training items have the same code")
def test_equal_items_warn_and_share_their_code():
    with pytest.warns(UserWarning, match="All items of X are equal"):
        hasher = BREHasher(n_bits=4, n_anchors=2, random_state=0).fit(np.full((5, 3), 0.1))
    assert (hasher.codes_ == hasher.codes_[0]).all()


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_duplicates_and_constant_features_are_taken(container):
    X = np.repeat(np.random.default_rng(0).normal(size=(4, 3)), 5, axis=0)
    X[:, 1] = 7
    hasher = BREHasher(n_bits=6, n_anchors=5, random_state=0).fit(container(X))
    assert len(np.unique(hasher.codes_, axis=0)) <= 4
    assert np.isfinite(hasher.objective_).all()


@pytest.mark.parametrize("factor", [1e25, 1e-25])
def test_items_too_large_or_too_small_for_their_type_are_refused(factor, digits):
    with pytest.raises(ValueError, match=r"squared distances .* float32; scale X"):
        BREHasher(n_bits=4).fit((digits * factor).astype(np.float32))


def test_two_items_are_told_apart():
    with pytest.warns(UserWarning, match="n_anchors=20 exceeds the 2 training items"):
        hasher = BREHasher(n_bits=3, random_state=0).fit(np.array([[0.0, 1.0], [1.0, 0.0]]))
    assert (hasher.codes_[0] != hasher.codes_[1]).all()


def test_the_cap_on_rounds_warns(digits):
    with pytest.warns(ConvergenceWarning, match="max_iter=1 "):
        BREHasher(n_bits=8, n_training=100, max_iter=1, random_state=0).fit(digits)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("n_anchors", 0),
        ("n_training", 1),
        ("n_training", 30_000),
        ("pair_share", 0.0),
        ("max_iter", 0),
        ("tol", -1.0),
        ("tol", np.nan),
        ("tol", True),
        ("pair_share", np.nan),
        ("pair_share", 1.5),
        ("pair_share", True),
    ],
)
def test_wrong_parameters_are_named(parameter, value, digits):
    with pytest.raises(ValueError, match=parameter):
        BREHasher(**{parameter: value}).fit(digits)
