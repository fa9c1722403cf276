"""Spreading of labels and pairs over neighbours, and what is learned from it."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.neighbors import NearestNeighbors

from hashlearn.affinity import LabelAffinity, SparseAffinity
from hashlearn.methods._mixed import spreading
from hashlearn.methods._mixed.spreading import (
    MAX_PAIRS_PER_ITEM,
    N_NEIGHBORS,
    N_STEPS,
    SURVIVAL,
    Walks,
    neighbor_weights,
)
from hashlearn.methods._mixed.supervision import MAX_GRAM_ITEMS, LabelSupervision, PairSupervision
from tests.methods.mixed.small import digits, spirals


def chain_of(n_items, cut=None):
    """Return a graph that joins every item to the next, but for one gap."""
    steps = np.ones(n_items - 1)
    if cut is not None:
        steps[cut] = 0
    return sp.csr_array(np.diag(steps, 1) + np.diag(steps, -1))


def chain_of_many(n_items):
    ones = np.ones(n_items - 1)
    return sp.csr_array(sp.diags_array([ones, ones], offsets=[1, -1]))


def spread(supervision, graph, seed=0, **params):
    chance = np.random.RandomState(seed)
    return supervision.spread(supervision.known, graph, chance, **params)


def labels_by_item(evidence):
    return dict(zip(evidence.items.tolist(), evidence.given["y"].tolist(), strict=True))


@pytest.mark.parametrize("names", [(5, 7), ("cat", "dog"), (0.0, 1.0)])
def test_labels_go_along_a_chain_to_the_nearer_end(names):
    y = np.array([names[0], *[-1] * 6, names[1]], dtype=object)
    y = y if isinstance(names[0], str) else y.astype(type(names[0]))
    found = labels_by_item(spread(LabelSupervision(y), chain_of(8)))
    assert found == {i: names[i > 3] for i in range(8)}


def test_items_that_no_label_reaches_are_not_learned_from():
    supervision = LabelSupervision([0, -1, 1, -1, -1, -1])
    evidence = spread(supervision, chain_of(6, cut=3))
    assert set(evidence.items) == {0, 2, 3}  # 1 lies between two labels, 4 and 5 beyond the gap
    supervision = PairSupervision(SparseAffinity.from_pairs([(0, 2, -1)], n_items=6))
    assert set(spread(supervision, chain_of(6, cut=3)).items) == {0, 1, 2, 3}


@settings(max_examples=8)
@given(seed=st.integers(0, 200))
def test_known_items_come_first_with_their_labels_and_others_have_the_likely_ones(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 2))
    y = np.where(rng.random(60) < 0.3, rng.integers(0, 3, 60), -1)
    y[:2] = (0, 1)
    supervision = LabelSupervision(y)
    known = supervision.known
    graph = neighbor_weights(X)
    evidence = spread(supervision, graph, seed)
    n_known = known.sum()
    np.testing.assert_array_equal(evidence.items[:n_known], np.flatnonzero(known))
    np.testing.assert_array_equal(evidence.given["y"][:n_known], y[known])
    assert np.unique(evidence.items).size == evidence.items.size
    shares = np.hstack(list(Walks(graph, known).shares(supervision.classes()[known])))
    likely = dict(zip(np.flatnonzero(~known).tolist(), shares, strict=True))
    names = np.unique(y[known])
    for item, label in list(labels_by_item(evidence).items())[n_known:]:
        assert likely[item][np.flatnonzero(names == label)] > 0.5
    assert evidence.items.size == n_known + (shares > 0.5).any(axis=1).sum()


def test_one_label_spreads_alike_as_a_number_and_as_an_indicator():
    X, known, _ = spirals()
    indicator = np.where(known[:, None] < 0, -1, np.eye(2, dtype=int)[known])
    graph = neighbor_weights(X)
    one, several = (spread(LabelSupervision(labels), graph) for labels in (known, indicator))
    np.testing.assert_array_equal(one.items, several.items)
    np.testing.assert_array_equal(np.eye(2)[one.given["y"]], several.given["y"].toarray())


def test_items_are_drawn_where_labels_reach_more_than_are_wanted():
    X, known, _ = spirals(n_known=20)
    supervision, graph = LabelSupervision(known), neighbor_weights(X)
    whole, some, other = (
        spread(supervision, graph, seed, most=most) for seed, most in ((0, 8000), (0, 50), (1, 50))
    )
    assert some.items.size == other.items.size == 20 + 50
    assert set(some.items) < set(whole.items)
    assert set(some.items) != set(other.items)
    assert spread(supervision, graph, most=5).items.size == 20 + 20  # as many as known ones


@pytest.mark.parametrize("seed", [71, 103])  # rounding gave some items two labels there
def test_an_item_halfway_between_two_labels_takes_none(seed):
    rng = np.random.RandomState(seed)
    n = rng.randint(20, 60)
    middle = rng.randint(0, 3, size=(n, 3)).astype(float)
    left, right = middle - [4, 0, 0], (middle - [4, 0, 0]) * [-1, 1, 1]
    X = np.vstack([left, right, middle * [0, 1, 1]])
    y = np.repeat([0, 1, -1], n)
    evidence = spread(LabelSupervision(y), neighbor_weights(X))
    assert evidence.items.size == evidence.given["y"].size < 3 * n


def test_spreading_leaves_what_a_kernel_machine_takes_in_all():
    n_items = MAX_GRAM_ITEMS + 2000
    y = np.where(np.arange(n_items) < MAX_GRAM_ITEMS - 20, np.arange(n_items) % 2, -1)
    evidence = spread(LabelSupervision(y), chain_of_many(n_items))
    assert evidence.items.size == MAX_GRAM_ITEMS


def test_part_of_the_evidence_keeps_items_and_what_is_known_together():
    _, y = digits(60)
    rows = np.array([5, 2, 40])
    labels = LabelSupervision(y)
    part = labels.of(np.flatnonzero(labels.known)).take(rows)
    np.testing.assert_array_equal(part.items, rows)
    np.testing.assert_array_equal(part.given["y"], y[rows])
    pairs = PairSupervision(LabelAffinity(y))
    part = pairs.of(np.flatnonzero(pairs.known)).take(rows)
    expected = LabelAffinity(y[rows]).block(slice(None))
    np.testing.assert_array_equal(part.given["affinity"].block(slice(None)), expected)


def test_evidence_teaches_where_two_items_are_dissimilar():
    for y, teaches in (([0, 0, 1], True), ([0, 0, 0], False)):
        for supervision in (LabelSupervision(y), PairSupervision(LabelAffinity(y))):
            assert supervision.of(np.flatnonzero(supervision.known)).teaches is teaches


def sparse_pairs(n_known=90):
    """Return items, and all pairs of the first ones."""
    X, y = digits(200)
    Y = np.zeros((200, 200))
    Y[:n_known, :n_known] = LabelAffinity(y[:n_known]).block(slice(None))
    return X, PairSupervision(SparseAffinity(sp.csr_array(Y)))


@pytest.fixture(scope="module")
def pairs():
    X, supervision = sparse_pairs()
    graph = neighbor_weights(X)
    evidence = spread(supervision, graph)
    return supervision, graph, evidence, evidence.given["affinity"].block(slice(None))


def test_pairs_among_known_items_stay_what_they_are(pairs):
    supervision, _, evidence, Y = pairs
    assert evidence.items[:90].tolist() == list(range(90))
    np.testing.assert_array_equal(Y[:90, :90], supervision.affinity.as_sparse().toarray()[:90, :90])


def test_followers_are_similar_to_a_known_item_and_share_its_pairs(pairs):
    supervision, _, _, Y = pairs
    given = supervision.affinity.as_sparse().toarray()[:90, :90] + np.eye(90)
    assert len(Y) > 150
    for row in Y[90:, :90]:
        said = row != 0
        assert any((row == given[leader])[said].all() for leader in np.flatnonzero(row > 0))


def test_followers_take_a_bounded_number_of_pairs_and_none_among_each_other(pairs):
    _, _, _, Y = pairs
    np.testing.assert_array_equal(Y, Y.T)
    assert not Y[90:, 90:].any()
    n_pairs = (Y[90:] != 0).sum(axis=1)
    assert n_pairs.max() <= MAX_PAIRS_PER_ITEM + 1
    assert n_pairs.min() >= MAX_PAIRS_PER_ITEM  # of 89 that each known item has
    assert set(np.unique(Y)) == {-1, 0, 1}


def test_a_follower_goes_with_the_item_that_is_nearest_on_the_graph():
    pairs = SparseAffinity.from_pairs([(0, 7, -1)], n_items=8)
    evidence = spread(PairSupervision(pairs), chain_of(8))
    Y = dict(
        zip(evidence.items.tolist(), evidence.given["affinity"].block(slice(None)), strict=True)
    )
    for item in range(1, 7):
        expected = (1, -1) if item < 4 else (-1, 1)
        assert tuple(Y[item][:2]) == expected


def test_a_follower_goes_with_the_item_that_a_stronger_link_joins_it_to():
    graph = np.zeros((3, 3))
    graph[0, 1] = graph[1, 0] = 0.01
    graph[1, 2] = graph[2, 1] = 0.9
    pairs = SparseAffinity.from_pairs([(0, 2, -1)], n_items=3)
    evidence = spread(PairSupervision(pairs), sp.csr_array(graph))
    assert evidence.items.tolist() == [0, 2, 1]
    assert evidence.given["affinity"].block(slice(None))[2].tolist() == [-1, 1, 0]


def test_the_same_seed_draws_the_same_pairs(pairs):
    supervision, graph, evidence, Y = pairs
    again = spread(supervision, graph)
    np.testing.assert_array_equal(again.items, evidence.items)
    np.testing.assert_array_equal(again.given["affinity"].block(slice(None)), Y)


def random_graph(n_items, seed, density=0.4):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((n_items, n_items)) * (rng.random((n_items, n_items)) < density), 1)
    return upper + upper.T


def shares_of(graph, known, labels):
    walks = Walks(sp.csr_array(graph), known)
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
    walks = Walks(sp.csr_array(graph), known)
    np.testing.assert_allclose(walks.reach, reach, atol=1e-3)
    expected = np.divide(ends, reach[:, None], out=np.zeros_like(ends), where=reach[:, None] > 0)
    np.testing.assert_allclose(shares_of(graph, known, labels), expected, atol=1e-3)


def test_a_walk_has_a_bounded_number_of_steps():
    chain = np.eye(300, k=1) + np.eye(300, k=-1)
    known = np.arange(300) == 0
    reach = Walks(sp.csr_array(chain), known).reach
    assert (reach[: N_STEPS + 1] > 0).all()
    assert (reach[N_STEPS + 1 :] == 0).all()


@given(seed=st.integers(0, 1000))
def test_shares_of_one_label_per_item_add_up_to_one_where_walks_end(seed):
    graph = random_graph(25, seed, density=0.08)
    known = np.arange(25) < 5
    labels = np.eye(3)[np.arange(5) % 3]
    total = shares_of(graph, known, labels).sum(axis=1)
    reach = Walks(sp.csr_array(graph), known).reach
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
