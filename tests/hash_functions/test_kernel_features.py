"""Kernel features: their machines, their anchors, and the laws of all three SVMs."""

from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from hashlearn._numerics.rbf import GaussianKernel
from hashlearn.hash_functions._machines.squared_hinge import fit_squared_hinge
from hashlearn.hash_functions.anchor_ridge import AnchorRidgeHash
from hashlearn.hash_functions.kernel_features import KernelFeaturesHash, choose_anchors
from hashlearn.hash_functions.linear_svm import LinearSVMHash
from hashlearn.hash_functions.rbf_svm import RBFSVMHash

HASHES = [
    LinearSVMHash(random_state=0),
    RBFSVMHash(random_state=0),
    KernelFeaturesHash(n_anchors=30, random_state=0),
    KernelFeaturesHash(n_anchors=30, anchors="kmeans", random_state=0),
    AnchorRidgeHash(n_anchors=30, random_state=0),
]
each_hash = pytest.mark.parametrize("hash_function", HASHES, ids=str)


def problem(n=150, n_features=6, seed=0, dtype=np.float64):
    """Four clusters, a random code for each, one constant bit."""
    random = np.random.default_rng(seed)
    y = np.arange(n) % 4
    X = 4 * np.random.default_rng(9).normal(size=(4, n_features))[y]
    X = X + random.normal(size=X.shape)
    codewords = np.array([[0, 0, 1, 0, 1], [0, 1, 1, 1, 0], [1, 0, 0, 0, 1], [1, 1, 0, 1, 1]])
    return X.astype(dtype), np.hstack([codewords[y], np.ones((n, 1), int)])


@cache
def fitted(hash_function, dtype=np.float64):
    """Return a hash function trained on the problem; several tests look at it."""
    return clone(hash_function).fit(*problem(dtype=dtype))


def bits(hash_function, X):
    return (hash_function.decision_function(X) > 0).astype(int)


@each_hash
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_clusters_are_learned_and_new_items_follow(hash_function, dtype):
    X, codes = problem(dtype=dtype)
    queries, expected = problem(seed=1, dtype=dtype)
    hash_function = fitted(hash_function, dtype)
    assert np.mean(bits(hash_function, X) != codes) < 0.02
    assert np.mean(bits(hash_function, queries) != expected) < 0.04
    assert hash_function.center_.dtype == dtype


@each_hash
def test_margins_do_not_depend_on_the_batch(hash_function):
    X, _ = problem(dtype=np.float32)
    hash_function = fitted(hash_function, np.float32)
    whole = hash_function.decision_function(X)
    for n in (1, 8, 150):
        assert np.array_equal(hash_function.decision_function(X[:n]), whole[:n])
    for batch in (slice(5, 8), slice(126, 150)):  # another place in the block: to rounding
        margins = hash_function.decision_function(X[batch])
        np.testing.assert_allclose(margins, whole[batch], atol=1e-5)


@each_hash
def test_an_offset_of_a_thousand_changes_no_float32_bit(hash_function):
    X, codes = problem(dtype=np.float32)
    plain = fitted(hash_function, np.float32)
    moved = clone(hash_function).fit(X + np.float32(1000), codes)
    assert np.mean(bits(moved, X + np.float32(1000)) != bits(plain, X)) < 0.01


@each_hash
def test_the_same_seed_gives_the_same_machine(hash_function):
    X, codes = problem()
    first, second = fitted(hash_function), clone(hash_function).fit(X, codes)
    assert np.array_equal(first.decision_function(X), second.decision_function(X))


@each_hash
@pytest.mark.parametrize("n", [2, 3, 5])
def test_a_handful_of_items_is_enough(hash_function, n):
    X, codes = problem(n)
    margins = clone(hash_function).fit(X, codes).decision_function(X)
    assert margins.shape == codes.shape
    assert np.isfinite(margins).all()


@each_hash
def test_one_feature_is_enough(hash_function):
    X = np.linspace(-1, 1, 60)[:, None]
    codes = (X > 0.1).astype(int)
    assert np.mean(bits(clone(hash_function).fit(X, codes), X) != codes) < 0.1


@pytest.mark.filterwarnings("ignore:Number of distinct clusters")
@each_hash
def test_equal_items_with_different_bits_do_not_break_it(hash_function):
    X, codes = np.ones((40, 3)), (np.arange(40) % 2)[:, None]
    assert np.isfinite(clone(hash_function).fit(X, codes).decision_function(X)).all()


@pytest.mark.parametrize("hash_function", HASHES[:3], ids=str)
def test_csr_items_give_the_bits_of_dense_ones(hash_function):
    X, codes = problem()
    X[X < 0] = 0
    dense = clone(hash_function).fit(X, codes)
    sparse = clone(hash_function).fit(sp.csr_array(X), codes)
    margins = sparse.decision_function(sp.csr_array(X))
    assert np.mean((margins > 0) != (bits(dense, X) > 0)) < 0.02
    np.testing.assert_allclose(sparse.decision_function(X), margins, atol=1e-8)
    assert np.array_equal(sparse.decision_function(sp.csr_array(X[3:5])), margins[3:5])


@each_hash
def test_fitted_attributes_are_arrays_and_scalars(hash_function):
    kept = {name: value for name, value in vars(fitted(hash_function)).items() if name[-1] == "_"}
    assert {"C_", "coef_", "intercept_", "center_", "machine_", "sign_"} <= set(kept)
    for value in kept.values():
        assert type(value) in (np.ndarray, float, int)
        assert np.asarray(value).dtype.kind in "if"


@each_hash
@pytest.mark.parametrize("C", [0, -1.0, "best"])
def test_a_wrong_C_is_refused(hash_function, C):
    X, codes = problem()
    with pytest.raises(ValueError, match=r"C must be 'auto' or a positive number"):
        clone(hash_function).set_params(C=C).fit(X, codes)


def test_machines_are_linear_machines_on_the_features_of_the_anchors():
    X, codes = problem()
    machine = KernelFeaturesHash(20, C=3.0, sigma=2.0, random_state=0, tol=1e-12).fit(X, codes)
    features = GaussianKernel(choose_anchors(X, 20, "random", 0), 2.0)(X)
    Z = 2 * codes[:, [0]] - 1
    expected = fit_squared_hinge(features, Z, 3.0, tol=1e-12)
    np.testing.assert_allclose(
        machine.decision_function(X)[:, 0],
        (features @ expected.coef + expected.intercept)[:, 0],
        atol=1e-6,
    )


def test_features_too_large_to_store_are_recomputed():
    X, codes = problem()
    stored = KernelFeaturesHash(20, C=1.0, sigma=2.0, random_state=0, tol=1e-10).fit(X, codes)
    recomputed = clone(stored).set_params(max_memory=2000).fit(X, codes)
    np.testing.assert_allclose(recomputed.coef_, stored.coef_, atol=1e-6)


@pytest.mark.parametrize("how", ["random", "kmeans"])
def test_anchors_shrink_to_the_items(how):
    X, _ = problem(10)
    assert choose_anchors(X, 1000, how, 0).shape == (10, 6)


def test_random_anchors_are_distinct_items():
    X, _ = problem()
    anchors = choose_anchors(X, 50, "random", 0)
    assert np.unique(anchors, axis=0).shape[0] == 50
    assert {tuple(a) for a in anchors} <= {tuple(x) for x in X}


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_anchors": 0}, "n_anchors == 0"),
        ({"anchors": "grid"}, "anchors must be one of 'random', 'kmeans'; got 'grid'"),
        ({"sigma": -1.0}, "sigma must be .*; got -1.0"),
    ],
)
def test_wrong_parameters_are_named(params, message):
    X, codes = problem()
    with pytest.raises(ValueError, match=message):
        KernelFeaturesHash(**params).fit(X, codes)


def test_kmeans_anchors_of_sparse_items_are_dense():
    X, codes = problem()
    machine = KernelFeaturesHash(10, "kmeans", C=1.0, sigma=2.0, random_state=0)
    margins = machine.fit(sp.csr_array(X), codes).decision_function(sp.csr_array(X))
    assert margins.shape == codes.shape


def test_kmeans_takes_sparse_items_with_wide_indices():
    X = sp.random_array((80, 6), density=0.5, rng=np.random.default_rng(0)).tocsr()
    wide = sp.csr_array((X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)), X.shape)
    codes = (X.toarray()[:, :3] > 0.2).astype(np.uint8)
    machine = KernelFeaturesHash(10, "kmeans", C=1.0, sigma=1.0, random_state=0)
    expected = machine.fit(X, codes).decision_function(X)
    assert np.array_equal(machine.fit(wide, codes).decision_function(wide), expected)
