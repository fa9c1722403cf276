"""Laws of the splits: who is a query, who is learned from, and what is relevant."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from hashlearn.affinity import NeighborAffinity
from hashlearn.experiments import protocol
from hashlearn.experiments.protocol import (
    FEWEST_CLASSES,
    UNSEEN_SHARE,
    Sizes,
    _balanced,
    draw_split,
    nearest_share,
)
from hashlearn.experiments.sets import ExperimentSet
from tests.experiments.small_sets import digits, several_labels, without_labels

SIZES = Sizes(n_queries=200, n_training=300)


@pytest.mark.parametrize("protocol", ["usual", "unseen", "l2", "all-labels"])
@pytest.mark.parametrize("data", [digits(), several_labels()], ids=["one label", "several"])
def test_no_query_is_ever_learned_from(data, protocol):
    split = draw_split(data, protocol, SIZES, seed=3)
    assert not np.intersect1d(split.queries, split.training).size
    assert not np.intersect1d(split.queries, split.database).size
    assert split.relevance.shape == (split.queries.size, split.database.size)


@pytest.mark.parametrize("protocol", ["usual", "unseen", "l2", "all-labels"])
def test_same_seed_gives_the_same_split_and_another_gives_another(protocol):
    first, again, other = (
        draw_split(digits(), protocol, SIZES, seed).queries.tolist() for seed in (0, 0, 1)
    )
    assert first == again != other


def test_usual_takes_all_other_items_as_database():
    data = digits()
    split = draw_split(data, "usual", SIZES, seed=0)
    assert split.sizes == {"n_queries": 200, "n_training": 300, "n_database": 1597}
    assert np.isin(split.training, split.database).all()


def test_usual_takes_as_many_training_items_of_each_class():
    data = digits()
    split = draw_split(data, "usual", SIZES, seed=0)
    assert np.bincount(data.y[split.training]).tolist() == [30] * 10


@given(labels=st.lists(st.integers(0, 4), min_size=1, max_size=60), n=st.integers(0, 60))
def test_the_first_items_of_a_balanced_order_are_balanced(labels, n):
    y = np.array(labels)
    order = _balanced(np.arange(y.size), y)
    assert sorted(order) == list(range(y.size))
    counts, available = np.bincount(y[order[:n]], minlength=5), np.bincount(y, minlength=5)
    assert all(
        counts[c] >= counts.max() - 1 or counts[c] == available[c]
        for c in np.flatnonzero(available)
    )


def test_relevance_is_label_agreement():
    data = digits()
    split = draw_split(data, "usual", SIZES, seed=0)
    expected = data.y[split.queries[:5], None] == data.y[split.database]
    assert (split.relevance.block(0, 5) == expected).all()


def test_relevance_is_the_number_of_shared_labels():
    data = several_labels()
    split = draw_split(data, "usual", Sizes(20, 100), seed=0)
    expected = data.y[split.queries].astype(int) @ data.y[split.database].T.astype(int)
    assert (split.relevance.block(0, 20) == expected).all()
    assert split.graded
    assert not draw_split(digits(), "usual", Sizes(20, 100), seed=0).graded


def test_relevance_is_a_given_affinity():
    similar = sp.random_array((90, 90), density=0.1, rng=np.random.default_rng(0)) > 0
    similar = sp.csr_array(similar + similar.T)
    X = np.random.RandomState(0).normal(size=(90, 3))
    data = ExperimentSet("pairs", X, None, similar, None, "")
    split = draw_split(data, "usual", Sizes(10, 40), seed=0)
    dense = similar.toarray()
    assert (
        (split.relevance.block(0, 10) > 0) == dense[np.ix_(split.queries, split.database)]
    ).all()
    within = dense[np.ix_(split.training, split.training)]
    affinity = split.supervision["affinity"].block(slice(None))
    off_diagonal = ~np.eye(40, dtype=bool)
    assert ((affinity > 0) == within)[off_diagonal].all()
    assert split.training_relevance.block(0, 40).diagonal().all()


def test_relevance_is_the_nearest_two_percent():
    data = without_labels()
    split = draw_split(data, "l2", Sizes(20, 100), seed=0)
    D = np.linalg.norm(data.X[split.queries, None] - data.X[split.database], axis=2)
    n_near = int(np.ceil(0.02 * split.database.size))
    nearest = np.argsort(D, axis=1)[:, :n_near]
    relevant = split.relevance.block(0, 20) > 0
    assert (relevant.sum(axis=1) == n_near).all()
    assert np.take_along_axis(relevant, nearest, axis=1).all()
    affinity = split.supervision["affinity"]
    assert isinstance(affinity, NeighborAffinity)
    within = split.training_relevance.block(0, 100) > 0
    assert (within == (affinity.block(slice(None)) > 0) | np.eye(100, dtype=bool)).all()


@pytest.mark.parametrize("data", [digits(), several_labels()], ids=["one label", "several"])
@pytest.mark.parametrize("seed", range(3))
def test_unseen_classes_are_in_queries_and_database_only(data, seed):
    split = draw_split(data, "unseen", SIZES, seed)
    indicator = data.y if data.y.ndim == 2 else np.eye(10, dtype=int)[data.y]
    learned = indicator[split.training].any(axis=0)
    unseen = np.flatnonzero(~learned)
    assert unseen.size == round(UNSEEN_SHARE * 10)
    for part in (split.queries, split.database):
        assert indicator[part][:, unseen].any(axis=1).all()
        assert not indicator[part][:, learned].any()
    shared = indicator[split.queries][:, unseen] @ indicator[split.database][:, unseen].T
    assert (split.relevance.block(0, split.queries.size) == shared).all()


def test_unseen_needs_four_classes():
    data = digits()
    few = ExperimentSet("few", data.X, data.y % (FEWEST_CLASSES - 1), None, None, "")
    with pytest.raises(ValueError, match="at least 4 classes; few has 3"):
        draw_split(few, "unseen", SIZES, seed=0)


def test_all_labels_learns_from_the_whole_database():
    split = draw_split(digits(), "all-labels", SIZES, seed=0)
    assert split.training.tolist() == split.database.tolist()
    assert split.training_relevance is None


@pytest.mark.parametrize("protocol", ["usual", "l2"])
def test_small_sets_give_a_sixth_as_queries_and_half_of_the_rest_for_training(protocol):
    split = draw_split(digits(600), protocol, Sizes(), seed=0)
    assert split.sizes == {"n_queries": 100, "n_training": 250, "n_database": 500}


def test_a_small_database_is_as_large_as_asked():
    split = draw_split(digits(), "usual", Sizes(100, 200, 400), seed=0)
    assert split.sizes == {"n_queries": 100, "n_training": 200, "n_database": 400}
    assert np.isin(split.training, split.database).all()


@pytest.mark.parametrize("protocol", ["usual", "unseen", "all-labels"])
def test_labels_are_needed(protocol):
    with pytest.raises(ValueError, match="vectors has no labels"):
        draw_split(without_labels(), protocol, SIZES, seed=0)


def test_an_unknown_protocol_is_refused():
    with pytest.raises(ValueError, match=r"protocol must be one of 'usual', .*; got 'fair'"):
        draw_split(digits(), "fair", SIZES, seed=0)


@pytest.mark.parametrize("block", [1, 7, 1000])
def test_blocks_do_not_change_the_result(block, monkeypatch):
    X = np.random.RandomState(0).normal(size=(60, 4)).astype(np.float32)
    queries, database = np.arange(10), np.arange(10, 60)
    expected = nearest_share(X, queries, database, 0.1).toarray()
    monkeypatch.setattr(protocol, "_BLOCK_ENTRIES", block * 10)
    assert (nearest_share(X, queries, database, 0.1).toarray() == expected).all()


@given(
    values=st.lists(st.integers(0, 3), min_size=2, max_size=30),
    share=st.floats(0.01, 1),
)
def test_equally_distant_items_are_taken_by_position(values, share):
    X = np.array([0, *values], dtype=np.float64)[:, None]
    database = np.arange(1, X.shape[0])
    n_near = int(np.ceil(round(share * database.size, 9)))
    expected = np.argsort(np.array(values), kind="stable")[:n_near]
    found = nearest_share(X, np.array([0]), database, share).toarray()[0]
    assert np.flatnonzero(found).tolist() == sorted(expected)


def test_a_memory_map_is_taken(tmp_path):
    X = np.random.RandomState(0).normal(size=(40, 3)).astype(np.float32)
    np.save(tmp_path / "x.npy", X)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    parts = np.arange(5), np.arange(5, 40), 0.2
    assert (nearest_share(mapped, *parts) != nearest_share(X, *parts)).nnz == 0
