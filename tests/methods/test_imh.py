"""Inductive manifold hashing: items lie between embedded anchors."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs

from hashlearn.methods.imh import IMHHasher

EMBEDDINGS = ["tsne", "eigenmap"]
pytestmark = pytest.mark.filterwarnings(
    "ignore:n_(anchors|neighbors):UserWarning", "ignore:Number of distinct clusters"
)


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(0).uniform(size=(300, 3))


@pytest.fixture(scope="module", params=EMBEDDINGS)
def hasher(request, X):
    hasher = IMHHasher(n_bits=6, embedding=request.param, n_anchors=40, random_state=0)
    return hasher.fit(X)


def test_margins_are_the_mean_of_the_nearest_anchors_by_gaussian_weight(hasher, X):
    squared = ((X[:, None] - hasher.anchors_) ** 2).sum(axis=2)
    expected = []
    for row in squared:
        near = np.argsort(row)[: hasher.n_neighbors_]
        weights = np.exp(-row[near] / hasher.sigma_**2)
        expected.append(weights @ hasher.embedding_[near] / weights.sum())
    np.testing.assert_allclose(hasher.decision_function(X), expected, atol=1e-8)
    np.testing.assert_allclose(hasher.embedding_.mean(axis=0), 0, atol=1e-8)


def test_training_items_have_the_codes_of_any_item(hasher, X):
    np.testing.assert_array_equal(hasher.transform(X[::-1]), hasher.codes_[::-1])


def test_bandwidth_is_the_mean_distance_to_the_last_of_the_nearest_anchors(hasher, X):
    distances = np.sqrt(((X[:, None] - hasher.anchors_) ** 2).sum(axis=2))
    last = np.sort(distances, axis=1)[:, hasher.n_neighbors_ - 1]
    assert hasher.sigma_ == pytest.approx(last.mean())


def test_eigenmap_coordinates_are_smooth_on_the_graph_of_the_anchors(X):
    hasher = IMHHasher(n_bits=3, embedding="eigenmap", n_anchors=40, random_state=0).fit(X)
    squared = ((hasher.anchors_[:, None] - hasher.anchors_) ** 2).sum(axis=2)
    near = squared <= np.sort(squared, axis=1)[:, [hasher.n_neighbors_]]
    S = (near | near.T) & ~np.eye(40, dtype=bool)
    D = np.diag(S.sum(axis=1).astype(float))
    values = np.sort(np.linalg.eigvals(np.linalg.solve(D, D - S)).real)
    W = hasher.embedding_ - np.average(hasher.embedding_, axis=0, weights=np.diag(D))
    rough = np.einsum("ik,ij,jk->k", W, D - S, W) / np.einsum("ik,ij,jk->k", W, D, W)
    np.testing.assert_allclose(rough, values[1:4], atol=1e-8)


@pytest.mark.parametrize(("embedding", "least"), [("tsne", 0.45), ("eigenmap", 0.8)])
def test_items_of_one_cluster_are_nearer_to_each_other(embedding, least):
    X, y = make_blobs(300, centers=4, n_features=5, cluster_std=2.0, random_state=0)
    hasher = IMHHasher(n_bits=8, embedding=embedding, n_anchors=60, random_state=0)
    assert hasher.fit(X).score(X, y) > least  # chance is 0.25


def test_sparse_rows_keep_the_bits(X):
    rows = np.tile(np.where(X > 0.3, X, 0), (5, 1))
    hasher = IMHHasher(n_bits=9, embedding="eigenmap", n_anchors=30, random_state=0).fit(rows)
    assert np.mean(hasher.transform(sp.csr_array(rows)) != hasher.codes_) < 0.01


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"embedding": "pca"}, "embedding must be .*; got 'pca'"),
        ({"embedding": "eigenmap", "n_anchors": 8, "n_bits": 8}, "n_bits=8 .* at most 7"),
        ({"n_anchors": 1}, "n_anchors"),
        ({"sigma": 0.0}, "sigma must be .*; got 0.0"),
    ],
)
def test_wrong_parameters_are_refused(X, params, message):
    with pytest.raises(ValueError, match=message):
        IMHHasher(**params).fit(X)


@pytest.mark.parametrize("embedding", EMBEDDINGS)
def test_equal_items_are_refused_in_one_sentence(embedding):
    with pytest.raises(ValueError, match="All items of X are equal"):
        IMHHasher(n_bits=2, embedding=embedding).fit(np.ones((10, 3)))


def test_few_and_duplicated_items_have_codes(X):
    with pytest.warns(UserWarning, match="n_anchors=400 exceeds the 30 items"):
        codes = IMHHasher(n_bits=4, random_state=0).fit(np.tile(X[:6], (5, 1))).codes_
    np.testing.assert_array_equal(codes, np.tile(codes[:6], (5, 1)))
    assert IMHHasher(n_bits=4, random_state=0).fit(X[:2]).codes_.shape == (2, 4)
