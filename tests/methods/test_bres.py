"""BREs: similar pairs at distance 0, dissimilar ones at 1, undefined ones nowhere."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits

from hashlearn.affinity import DenseAffinity, LabelAffinity, SparseAffinity
from hashlearn.methods.bre import BREHasher
from hashlearn.methods.bres import BRESHasher, _draw_pairs
from tests.affinities import KINDS, random_affinity


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:400], y[:400]


def test_the_error_never_rises_and_is_that_of_the_codes(digits):
    X, y = digits[0][:40], digits[1][:40]  # all items and all pairs of so few are drawn
    hasher = BRESHasher(n_bits=8, random_state=0).fit(X, y)
    assert np.all(np.diff(hasher.objective_) <= 1e-9 * hasher.objective_[0])
    i, j = np.triu_indices(40, k=1)
    hamming = (hasher.codes_[i] != hasher.codes_[j]).mean(axis=1)
    assert hasher.objective_[-1] == pytest.approx((((y[i] != y[j]) - hamming) ** 2).sum())


def test_labels_help(digits):
    X, y = digits
    settings = {"n_bits": 16, "n_training": 200, "random_state": 0}
    assert BRESHasher(**settings).fit(X, y).score(X, y) > BREHasher(**settings).fit(X).score(X, y)


@pytest.mark.parametrize("kind", [*KINDS, "graded"])
def test_targets_are_half_of_one_minus_the_affinity_of_defined_pairs(kind):
    affinity = random_affinity(kind, 9, seed=0)
    items, pairs = _draw_pairs(affinity, 9, 1.0, np.random.RandomState(0))
    Y = affinity.block(slice(None))[np.ix_(items, items)]
    assert pairs.i.size == affinity.n_defined
    assert len({frozenset(p) for p in zip(pairs.i, pairs.j, strict=True)}) == pairs.i.size
    assert (Y[pairs.i, pairs.j] != 0).all()
    np.testing.assert_allclose(pairs.distance, (1 - Y[pairs.i, pairs.j]) / 2)


def some_pairs(y, n_pairs, seed=0):
    """Return an affinity that stores about so many random pairs of labelled items."""
    table = np.sort(np.random.default_rng(seed).integers(0, y.size, (n_pairs, 2)))
    table = table[table[:, 0] != table[:, 1]]
    sign = np.where(y[table[:, 0]] == y[table[:, 1]], 1, -1)
    return SparseAffinity.from_pairs(np.c_[table, sign], n_items=y.size)


def test_items_of_stored_pairs_are_those_that_have_pairs():
    affinity = SparseAffinity.from_pairs([(3, 8, 1), (8, 90, -1)], n_items=100)
    items, _ = _draw_pairs(affinity, 50, 0.05, np.random.RandomState(0))
    assert sorted(items) == [3, 8, 90]


@pytest.mark.parametrize("n_pairs", [600, 30_000, 1_000_000])  # few, about half, all of them
def test_what_is_learned_does_not_depend_on_the_container_of_the_pairs(n_pairs, digits):
    X, y = digits
    stored = some_pairs(y, n_pairs)
    hasher = BRESHasher(n_bits=6, n_training=100, random_state=0)
    sparse = hasher.fit(X, affinity=stored).codes_
    full = DenseAffinity(stored.block(slice(None)))
    np.testing.assert_array_equal(hasher.fit(X, affinity=full).codes_, sparse)


def test_nearly_all_of_few_pairs_among_many_items_are_used():
    stored = some_pairs(np.arange(20_000) % 10, 100_000)
    _, pairs = _draw_pairs(stored, 2000, 0.05, np.random.RandomState(0))
    assert pairs.i.size >= 0.99 * min(stored.n_defined, 99_950)


def test_where_many_pairs_are_defined_the_items_and_pairs_are_as_many_as_asked_for():
    stored = some_pairs(np.arange(600) % 10, 500_000)  # 19 of 20 pairs
    assert 2 * stored.n_defined < 600 * 599
    items, pairs = _draw_pairs(stored, 100, 0.05, np.random.RandomState(0))
    assert (items.size, pairs.i.size) == (100, 2500)


def test_draws_that_miss_all_similar_pairs_are_refused():
    Y = -np.ones((1000, 1000))
    Y[0, 1] = Y[1, 0] = 1
    X = np.random.default_rng(0).random((1000, 3))
    with pytest.raises(ValueError, match="drawn pairs is among the 1 similar ones"):
        BRESHasher(n_training=10, random_state=0).fit(X, affinity=DenseAffinity(Y))


def test_items_too_large_for_their_type_are_refused(digits):
    with pytest.raises(ValueError, match="overflow float32"):
        BRESHasher().fit((digits[0] * 1e25).astype(np.float32), digits[1])


def test_labels_and_their_affinity_give_the_same_bits(digits):
    X, y = digits
    hasher = BRESHasher(n_bits=8, n_training=100, random_state=0)
    by_label = hasher.fit(X, y).codes_
    np.testing.assert_array_equal(hasher.fit(X, affinity=LabelAffinity(y)).codes_, by_label)
    Y = LabelAffinity(y).block(slice(None))
    np.testing.assert_array_equal(hasher.fit(X, affinity=DenseAffinity(Y)).codes_, by_label)


def test_pairs_neighbours_and_several_labels_are_taken(digits):
    X, y = digits
    hasher = BRESHasher(n_bits=8, n_training=100, random_state=0)
    hasher.fit(X)
    hasher.fit(X, np.eye(10, dtype=int)[y])
    hasher.fit(X, affinity=some_pairs(y, 600))
    assert hasher.objective_[-1] < hasher.objective_[0]


def test_one_class_is_refused_before_any_work(digits):
    with pytest.raises(ValueError, match="one class only"):
        BRESHasher().fit(digits[0], np.zeros(400))


def test_sparse_items_get_the_bits_of_dense_ones(digits):
    X, y = digits
    hasher = BRESHasher(n_bits=8, n_training=100, random_state=0)
    dense = hasher.fit(X, y).codes_
    assert np.mean(dense != hasher.fit(sp.csr_array(X), y).codes_) < 0.02
