"""Multidimensional spectral hashing: the eigenfunctions it takes, the affinity they rebuild."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.decomposition import PCA

from hashlearn.methods._parts.eigenfunctions import grid_and_density, line_eigenfunctions
from hashlearn.methods.mdsh import MDSHHasher


@pytest.fixture
def X():
    rng = np.random.default_rng(0)
    return (rng.normal(size=(300, 6)) * [3, 2, 1, 1, 0.5, 0.1]).astype(np.float32)


@pytest.fixture
def box():
    return np.random.default_rng(0).uniform(size=(600, 2)) * [2, 1]


def affinity_of_codes(hasher):
    """H without a constant, from its formula."""
    B = 2.0 * hasher.codes_ - 1
    H = np.ones((len(B), len(B)))
    for a in np.unique(hasher.dimensions_):
        bits = hasher.dimensions_ == a
        H *= 1 + (B[:, bits] * hasher.eigenvalues_[bits]) @ B[:, bits].T
    return H


def correlations_with_the_gaussian(X, n_bits):
    hasher = MDSHHasher(n_bits=n_bits, bandwidth=1, random_state=0).fit(X)
    W = np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / (2 * hasher.sigma_**2))
    B = 2.0 * hasher.codes_ - 1
    pairs = np.triu_indices(len(X), k=1)
    return [np.corrcoef(S[pairs], W[pairs])[0, 1] for S in (affinity_of_codes(hasher), B @ B.T)]


def test_more_bits_rebuild_the_gaussian_affinity_better_where_hamming_gets_worse(box):
    own, hamming = np.transpose([correlations_with_the_gaussian(box, m) for m in (1, 2, 4, 8, 32)])
    assert np.all(np.diff(own) > -1e-3)
    assert own[-1] > own[0] + 0.2
    assert hamming[-1] < own[-1] - 0.2


def test_bits_on_a_uniform_box_are_the_signs_of_cosines_with_the_largest_eigenvalues():
    side = np.linspace(0, 1, 60)
    X = np.stack(np.meshgrid(2 * side, side), axis=-1).reshape(-1, 2)
    hasher = MDSHHasher(n_bits=6, bandwidth=0.5, random_state=0).fit(X)
    # Frequencies k pi / length: the long side's k is the short side's k / 2.
    frequency = hasher.orders_ / np.array([2, 1])[hasher.dimensions_]
    np.testing.assert_allclose(np.sort(frequency), [0.5, 1, 1, 1.5, 2, 2])
    assert np.all(np.diff(frequency) >= 0)
    for bit, a, k in zip(hasher.codes_.T, hasher.dimensions_, hasher.orders_, strict=True):
        cosine = np.cos(k * np.pi * X[:, a] / X[:, a].max()) > 0
        assert max(np.mean(bit == cosine), np.mean(bit != cosine)) > 0.9


def test_the_bits_have_the_largest_eigenvalues_of_all_directions(X):
    hasher = MDSHHasher(n_bits=10, random_state=0).fit(X)
    assert np.all(np.diff(hasher.eigenvalues_) <= 0)
    for a in range(6):
        orders = hasher.orders_[hasher.dimensions_ == a]
        np.testing.assert_array_equal(orders, np.arange(1, orders.size + 1))
    assert np.all(np.diff(np.bincount(hasher.dimensions_)) <= 0)


def test_two_clusters_along_a_narrow_direction_get_a_bit_before_wide_directions():
    rng = np.random.default_rng(0)
    cluster = rng.choice([-1.0, 1.0], size=1000)
    wide = rng.normal(size=(1000, 2)) * [3, 2.5]
    X = np.column_stack([wide, cluster + 0.02 * rng.normal(size=1000)])
    for n_bits in (1, 2):
        hasher = MDSHHasher(n_bits, random_state=0).fit(X)
        np.testing.assert_array_equal(
            hasher.codes_[:, 0] == hasher.codes_[0, 0], cluster == cluster[0]
        )
        assert hasher.projections_.shape == (3, n_bits)  # others are not kept


def test_eigenvalues_are_the_largest_of_all_directions_by_brute_force():
    rng = np.random.default_rng(1)
    clusters = rng.choice([-1.0, 1.0], size=(400, 2)) + 0.05 * rng.normal(size=(400, 2))
    X = np.hstack([rng.normal(size=(400, 3)) * [4, 3, 2], clusters * [1, 0.6]])
    hasher = MDSHHasher(n_bits=3, bandwidth=0.1, random_state=0).fit(X)
    every = []
    for values in PCA().fit_transform(X).T:
        grid, density = grid_and_density(values, hasher.n_bins)
        sigma = max(hasher.sigma_, grid.step)
        every.extend(line_eigenfunctions(grid.centers, density, sigma)[0])
    np.testing.assert_allclose(hasher.eigenvalues_, np.sort(every)[:-4:-1], atol=1e-6)


def test_distance_orders_pairs_as_the_affinity_does(X):
    hasher = MDSHHasher(n_bits=12, random_state=0).fit(X)
    H = affinity_of_codes(hasher)[:5]
    distances = hasher.distance_.between(hasher.encode(X[:5]), hasher.encode(X))
    expected = np.arcsinh(affinity_of_codes(hasher)[0, 0] - 1) - np.arcsinh(H - 1)
    np.testing.assert_allclose(distances, expected, atol=1e-9)


def test_a_small_bandwidth_gives_the_first_direction_more_bits(X):
    small, large = (
        np.bincount(MDSHHasher(n_bits=6, bandwidth=t, random_state=0).fit(X).dimensions_)[0]
        for t in (0.1, 5)
    )
    assert small > large


def test_a_bandwidth_below_the_width_of_a_bin_still_cuts_along_cosines():
    X = np.linspace(0, 1, 5000)[:, None]
    hasher = MDSHHasher(n_bits=3, bandwidth=1e-6, random_state=0).fit(X)
    np.testing.assert_array_equal(hasher.orders_, [1, 2, 3])
    assert [np.count_nonzero(np.diff(bit.astype(int))) for bit in hasher.codes_.T] == [1, 2, 3]


def test_items_beyond_the_training_items_have_the_bits_of_the_ends():
    X = np.linspace(-1, 1, 100)[:, None]
    hasher = MDSHHasher(n_bits=5, random_state=0).fit(X)
    margins = hasher.decision_function(np.array([[-50.0], [50.0]]))
    np.testing.assert_array_equal(margins, hasher.tables_[:, [0, -1]].T)


def test_sparse_items_get_the_codes_of_dense_items(X):
    X = np.where(X > 0.5, X, 0).astype(float)
    dense = MDSHHasher(n_bits=8, random_state=0).fit(X)
    sparse = MDSHHasher(n_bits=8, random_state=0).fit(sp.csr_array(X))
    np.testing.assert_allclose(
        dense.decision_function(X), sparse.decision_function(sp.csr_matrix(X)), atol=1e-6
    )


def test_float32_items_have_float32_margins(X):
    assert MDSHHasher(n_bits=8, random_state=0).fit(X).decision_function(X).dtype == np.float32


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equal_items_are_refused(dtype):
    X = np.repeat([[0.1, 0.7, 0.3]], 300, axis=0).astype(dtype)
    with pytest.raises(ValueError, match="no two different items"):
        MDSHHasher(n_bits=2).fit(X)


def test_constant_features_and_repeated_items_are_taken(X):
    X = np.repeat(np.column_stack([X[:20], np.full(20, 7.0)]), 3, axis=0)
    hasher = MDSHHasher(n_bits=5, random_state=0).fit(X)
    np.testing.assert_array_equal(hasher.codes_[::3], hasher.codes_[1::3])


def test_two_items_differ():
    codes = MDSHHasher(n_bits=1).fit([[0.0, 1.0], [2.0, 5.0]]).codes_
    assert codes[0, 0] != codes[1, 0]


@pytest.mark.parametrize("settings", [{"n_bits": 200}, {"n_bits": 2, "bandwidth": 1e6}])
def test_more_bits_than_eigenfunctions_are_refused(box, settings):
    with pytest.raises(ValueError, match=r"n_bits=2(00)? exceeds the \d+ eigenfunctions"):
        MDSHHasher(**settings).fit(box)


@pytest.mark.parametrize(
    "parameter",
    [
        {"bandwidth": 0},
        {"bandwidth": -1.0},
        {"bandwidth": np.nan},
        {"bandwidth": np.inf},
        {"n_bins": 1},
    ],
)
def test_wrong_parameters_are_refused(X, parameter):
    with pytest.raises(ValueError, match=next(iter(parameter))):
        MDSHHasher(**parameter).fit(X)
