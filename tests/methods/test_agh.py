"""Anchor graph hashing: eigenvectors of the anchor graph, extended to any item."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize_scalar
from sklearn.datasets import make_blobs

from hashlearn.methods._parts.anchors import anchor_weights
from hashlearn.methods.agh import AGHHasher, _side_thresholds

pytestmark = pytest.mark.filterwarnings("ignore:n_(anchors|neighbors):UserWarning")


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(0).uniform(size=(400, 3))


def graph_of(hasher, X):
    """Return the weights Z and the full anchor graph A, from their definitions."""
    squared = ((X[:, None] - hasher.anchors_) ** 2).sum(axis=2)
    Z = np.exp(-squared / hasher.sigma_**2)
    far = np.argsort(squared, axis=1)[:, hasher.n_neighbors_ :]
    np.put_along_axis(Z, far, 0, axis=1)
    Z /= Z.sum(axis=1, keepdims=True)
    return Z, Z @ np.diag(1 / Z.sum(axis=0)) @ Z.T


def test_one_layer_is_the_sign_of_the_smoothest_eigenvectors_of_the_graph(X):
    hasher = AGHHasher(n_bits=6, n_layers=1, n_anchors=40, random_state=0).fit(X)
    _, A = graph_of(hasher, X)
    np.testing.assert_allclose(A.sum(axis=1), 1)
    F = hasher.decision_function(X)
    np.testing.assert_allclose(A @ F, F * hasher.eigenvalues_, atol=1e-8)
    np.testing.assert_allclose(F.T @ F, X.shape[0] * np.eye(6), atol=1e-6)
    np.testing.assert_allclose(F.sum(axis=0), 0, atol=1e-8)
    largest = np.linalg.eigvalsh(A)[::-1]
    np.testing.assert_allclose(hasher.eigenvalues_, largest[1:7])


@pytest.mark.parametrize("n_layers", [1, 2])
def test_an_item_gets_its_training_code_wherever_it_comes_from(X, n_layers):
    hasher = AGHHasher(n_bits=7, n_layers=n_layers, n_anchors=40, random_state=0).fit(X)
    np.testing.assert_array_equal(hasher.transform(X), hasher.codes_)
    order = np.random.default_rng(1).permutation(len(X))
    np.testing.assert_array_equal(hasher.transform(X[order]), hasher.codes_[order])


def test_the_second_layer_splits_each_side_of_the_first_at_its_threshold(X):
    hasher = AGHHasher(n_bits=7, n_anchors=40, random_state=0).fit(X)
    F = hasher.decision_function(X)[:, :4]
    assert hasher.thresholds_.shape == (2, 3)  # an odd bit has no second layer
    below, above = hasher.thresholds_
    expected = np.where(F[:, :3] > 0, F[:, :3] > above, F[:, :3] < -below)
    np.testing.assert_array_equal(hasher.codes_[:, 4:], expected)
    np.testing.assert_array_equal(hasher.codes_[:, :4], F > 0)


@pytest.mark.parametrize("seed", range(5))
def test_thresholds_minimise_the_roughness_of_a_balanced_second_layer(seed):
    rng = np.random.default_rng(seed)
    Z = rng.random((12, 4)) ** 4
    Z /= Z.sum(axis=1, keepdims=True)
    L = np.eye(12) - Z @ np.diag(1 / Z.sum(axis=0)) @ Z.T
    f = rng.normal(size=12)
    negative = f <= 0

    def second_layer(below):
        """Return g for a threshold on the negative side; balance gives the other one."""
        g = np.abs(f) - below * negative
        return g - (~negative) * g.sum() / (~negative).sum()

    best = minimize_scalar(lambda below: second_layer(below) @ L @ second_layer(below))
    below, above = _side_thresholds(sp.csr_array(Z), f)
    assert below == pytest.approx(best.x, rel=1e-5)
    g = np.abs(f) - np.where(negative, below, above)
    assert g.sum() == pytest.approx(0, abs=1e-12)
    assert g @ L @ g == pytest.approx(best.fun)


def test_weights_of_an_item_sum_to_one_however_far_it_is():
    Z = anchor_weights(np.array([[0, 2]]), np.array([[1e8, 1e8 + 1]]), 1.0, 3).toarray()
    np.testing.assert_allclose(Z, [[1 / (1 + np.exp(-1)), 0, 1 / (1 + np.exp(1))]])


def test_sparse_rows_get_the_codes_of_dense_rows(X):
    rows = np.where(X > 0.4, X, 0)
    hasher = AGHHasher(n_bits=9, n_anchors=40, random_state=0)
    dense = hasher.fit(rows).codes_
    assert np.mean(hasher.fit(sp.csr_matrix(rows)).transform(sp.csr_array(rows)) != dense) < 0.01


def test_anchors_and_neighbours_shrink_with_a_warning(X):
    with pytest.warns(UserWarning, match="n_anchors=300 exceeds the 20 items"):
        hasher = AGHHasher(n_bits=8, random_state=0).fit(X[:20])
    assert hasher.anchors_.shape[0] == 20
    with pytest.warns(UserWarning, match="n_neighbors=5 exceeds the 3 anchors"):
        AGHHasher(n_bits=2, n_anchors=3, random_state=0).fit(X)


def test_a_constant_feature_changes_nothing(X):
    codes = AGHHasher(n_bits=8, n_anchors=30, random_state=0).fit(X).codes_
    wider = np.column_stack([X, np.full(len(X), 7.0)])
    np.testing.assert_array_equal(
        AGHHasher(n_bits=8, n_anchors=30, random_state=0).fit(wider).codes_, codes
    )


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_layers": 3}, "n_layers must be 1 or 2; got 3"),
        ({"n_layers": 1, "n_anchors": 8, "n_bits": 8}, "n_bits=8 needs 8 eigenvectors"),
        ({"n_anchors": 8, "n_bits": 15}, "of 8 anchors .* has at most 7"),
        ({"n_neighbors": 0}, "n_neighbors"),
        ({"sigma": -1.0}, "sigma must be .*; got -1.0"),
    ],
)
def test_wrong_parameters_are_refused(X, params, message):
    with pytest.raises(ValueError, match=message):
        AGHHasher(**params).fit(X)


@pytest.mark.filterwarnings("ignore:Number of distinct clusters")
def test_equal_items_are_refused_in_one_sentence():
    with pytest.raises(ValueError, match="1 distinct anchors has only 0"):
        AGHHasher(n_bits=2).fit(np.ones((10, 3)))


@pytest.mark.filterwarnings("ignore:Number of distinct clusters")
def test_duplicated_and_few_items_have_codes(X):
    codes = AGHHasher(n_bits=4, n_anchors=10, random_state=0).fit(np.tile(X[:6], (5, 1))).codes_
    np.testing.assert_array_equal(codes, np.tile(codes[:6], (5, 1)))
    assert AGHHasher(n_bits=2, random_state=0).fit(X[:2]).codes_.shape == (2, 2)


@pytest.mark.parametrize("n_layers", [1, 2])
def test_far_clusters_are_told_apart(n_layers):
    X, y = make_blobs(400, centers=8, n_features=6, cluster_std=0.2, random_state=0)
    hasher = AGHHasher(n_bits=12, n_layers=n_layers, n_anchors=60, random_state=0).fit(X)
    assert hasher.score(X, y) > 0.8  # six eigenvectors cannot part eight clusters wholly
