"""Self-taught hashing is the two-step framework on cosine neighbours."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics.pairwise import cosine_similarity

from hashlearn import TwoStepHasher
from hashlearn.affinity import NeighborAffinity
from hashlearn.methods.sth import STHHasher


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(0).normal(size=(200, 3)) + 0.5


def cosine_graph(X, k):
    """Return the graph of the k nearest by cosine, from its definition."""
    similarity = cosine_similarity(X)
    np.fill_diagonal(similarity, -np.inf)
    near = np.zeros(similarity.shape)
    np.put_along_axis(near, np.argsort(-similarity, axis=1)[:, :k], 1, axis=1)
    return NeighborAffinity(sp.csr_array(near))


def test_it_is_two_step_hashing_with_cosine_neighbours_an_eigenmap_and_linear_machines(X):
    hasher = STHHasher(n_bits=5, n_neighbors=10, random_state=0).fit(X)
    parts = TwoStepHasher(5, "laplacian", "eigenmap", "linear-svm", group=False, random_state=0)
    parts.fit(X, affinity=cosine_graph(X, 10))
    np.testing.assert_array_equal(hasher.codes_, parts.codes_)
    np.testing.assert_array_equal(hasher.transform(X), parts.transform(X))


def test_codes_of_training_items_are_balanced_and_smooth(X):
    hasher = STHHasher(n_bits=5, n_neighbors=10, random_state=0).fit(X)
    np.testing.assert_allclose(hasher.codes_.mean(axis=0), 0.5, atol=1 / 200)
    n_edges = 2 * cosine_graph(X, 10).n_similar
    assert hasher.objective_[-1] < 0.25 * 5 * n_edges  # a random balanced code has a half


def test_the_length_of_an_item_does_not_matter_to_step_one(X):
    lengths = np.random.default_rng(1).uniform(0.5, 2, size=(200, 1))
    codes = [STHHasher(5, random_state=0).fit(rows).codes_ for rows in (X, X * lengths)]
    np.testing.assert_array_equal(*codes)


def test_labels_are_ignored(X):
    y = np.arange(200) % 2
    hasher = STHHasher(4, random_state=0)
    np.testing.assert_array_equal(hasher.fit(X, y).codes_, hasher.fit(X).codes_)
    assert not hasher.supervised


def test_sparse_rows_get_the_codes_of_dense_rows(X):
    rows = np.column_stack([X, np.zeros(len(X))])
    hasher = STHHasher(4, random_state=0)
    dense = hasher.fit(rows).codes_
    np.testing.assert_array_equal(hasher.fit(sp.csr_matrix(rows)).codes_, dense)


@pytest.mark.filterwarnings("ignore:.* bits carry no similarity")
def test_neighbours_shrink_with_a_warning(X):
    with pytest.warns(UserWarning, match="n_neighbors=25 exceeds the 9 other items"):
        STHHasher(2, random_state=0).fit(X[:10])


def test_wrong_parameters_are_refused(X):
    with pytest.raises(ValueError, match="n_neighbors"):
        STHHasher(n_neighbors=0).fit(X)
    with pytest.raises(ValueError, match="n_bits=12 exceeds n_items - 1 = 9"):
        STHHasher(12, n_neighbors=3).fit(X[:10])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_equal_duplicated_and_empty_items_have_codes(X):
    assert STHHasher(2, n_neighbors=3).fit(np.ones((10, 3))).transform(np.ones((1, 3))).size == 2
    rows = np.r_[np.tile(X[:5], (4, 1)), np.zeros((3, 3))]
    assert STHHasher(2, n_neighbors=3).fit(rows).codes_.shape == (23, 2)
