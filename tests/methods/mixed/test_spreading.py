"""Laws of walks over a graph of neighbours."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import NearestNeighbors

from hashlearn.methods.mixed import spreading
from hashlearn.methods.mixed.spreading import (
    N_NEIGHBORS,
    N_STEPS,
    SURVIVAL,
    Spreading,
    neighbor_weights,
)
from tests.methods.mixed.small import digits, spirals


def random_graph(n_items, seed, density=0.4):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((n_items, n_items)) * (rng.random((n_items, n_items)) < density), 1)
    return upper + upper.T


def shares_of(graph, known, labels):
    walks = Spreading(sp.csr_array(graph), known)
    return np.hstack(list(walks.shares(sp.csr_array(labels.astype(bool)))))


@given(seed=st.integers(0, 1000), n_labels=st.integers(1, 4))
def test_walks_end_where_a_dense_solve_says(seed, n_labels):
    graph = random_graph(30, seed)
    rng = np.random.default_rng(seed)
    known = np.arange(30) < 20  # most steps end, so that all steps count little more than N_STEPS
    labels = np.eye(n_labels)[rng.integers(0, n_labels, 20)]
    steps = SURVIVAL * graph / np.maximum(graph.sum(axis=1, keepdims=True), 1e-300)
    stay, end = steps[~known][:, ~known], steps[~known][:, known]
    ends = np.linalg.solve(np.eye(10) - stay, end @ labels)
    reach = np.linalg.solve(np.eye(10) - stay, end.sum(axis=1))
    walks = Spreading(sp.csr_array(graph), known)
    np.testing.assert_allclose(walks.reach, reach, atol=1e-3)
    expected = np.divide(ends, reach[:, None], out=np.zeros_like(ends), where=reach[:, None] > 0)
    np.testing.assert_allclose(shares_of(graph, known, labels), expected, atol=1e-3)


def test_a_walk_has_a_bounded_number_of_steps():
    chain = np.eye(300, k=1) + np.eye(300, k=-1)
    known = np.arange(300) == 0
    reach = Spreading(sp.csr_array(chain), known).reach
    assert (reach[: N_STEPS + 1] > 0).all()
    assert (reach[N_STEPS + 1 :] == 0).all()


@given(seed=st.integers(0, 1000))
def test_shares_of_one_label_per_item_add_up_to_one_where_walks_end(seed):
    graph = random_graph(25, seed, density=0.08)
    known = np.arange(25) < 5
    labels = np.eye(3)[np.arange(5) % 3]
    total = shares_of(graph, known, labels).sum(axis=1)
    reach = Spreading(sp.csr_array(graph), known).reach
    np.testing.assert_allclose(total[reach > 1e-6], 1, atol=1e-4)
    assert (total[reach == 0] == 0).all()


def test_labels_come_a_few_at_a_time_and_say_the_same(monkeypatch):
    graph, known = random_graph(30, 1), np.arange(30) < 12
    labels = np.eye(6)[np.arange(12) % 6]
    whole = shares_of(graph, known, labels)
    monkeypatch.setattr(spreading, "_BLOCK_ENTRIES", 40)
    np.testing.assert_allclose(shares_of(graph, known, labels), whole, atol=1e-7)


def test_labels_spread_along_spirals():
    X, known, y = spirals(n_known=8)
    hidden = known < 0
    shares = shares_of(neighbor_weights(X).toarray(), ~hidden, np.eye(2)[known[~hidden]])
    right = shares.argmax(axis=1) == y[hidden]
    assert right[shares.sum(axis=1) > 0].mean() > 0.97


def test_weights_are_what_the_formula_says():
    X, _ = digits(60)
    graph = neighbor_weights(X).toarray()
    distances, nearest = NearestNeighbors(n_neighbors=N_NEIGHBORS + 1).fit(X).kneighbors(X)
    scale = np.sqrt((distances[:, 1:] ** 2).mean(axis=1))
    expected = np.zeros((60, 60))
    for i in range(60):
        for j in nearest[i, 1:]:
            squared = ((X[i] - X[j]) ** 2).sum()
            expected[i, j] = expected[j, i] = np.exp(-squared / (scale[i] * scale[j]))
    np.testing.assert_allclose(graph, expected, atol=1e-6)


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_weights_do_not_depend_on_the_unit_of_features(scale):
    X, _ = digits(60)
    expected = neighbor_weights(X).toarray()
    np.testing.assert_allclose(neighbor_weights(X * scale).toarray(), expected, rtol=1e-6)


def test_sparse_items_have_the_graph_of_dense_ones():
    X, _ = digits(60)
    sparse = neighbor_weights(sp.csr_array(X)).toarray()
    np.testing.assert_allclose(sparse, neighbor_weights(X).toarray(), atol=1e-6)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("n_distinct", [1, 3])
def test_copies_of_an_item_are_joined(n_distinct):
    X = np.repeat(digits(60)[0][:n_distinct], 12, axis=0)
    graph = neighbor_weights(X).toarray()
    assert np.isfinite(graph).all()
    assert (graph == graph.T).all()
    assert ((graph > 0).sum(axis=1) >= min(N_NEIGHBORS, len(X) - 1)).all()


def test_distances_come_in_blocks_and_are_the_same(monkeypatch):
    X, _ = digits(60)
    whole = neighbor_weights(X).toarray()
    monkeypatch.setattr(spreading, "_BLOCK_PAIRS", 7)
    np.testing.assert_allclose(neighbor_weights(X).toarray(), whole, rtol=1e-12)


def test_two_items_are_neighbours():
    assert neighbor_weights(np.array([[0.0], [2.0]])).toarray()[0, 1] > 0
