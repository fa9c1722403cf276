"""BREs: similar pairs at distance 0, dissimilar ones at 1, undefined ones nowhere."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits

from hashlearn.affinity import DenseAffinity, LabelAffinity, SparseAffinity
from hashlearn.methods.bre import BREHasher
from hashlearn.methods.bres import BRESHasher, _choose_items, _target_pairs
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
    pairs = _target_pairs(affinity, 36, np.random.RandomState(0))
    Y = affinity.block(slice(None))
    assert pairs.i.size == affinity.n_defined
    assert (Y[pairs.i, pairs.j] != 0).all()
    np.testing.assert_allclose(pairs.distance, (1 - Y[pairs.i, pairs.j]) / 2)


def test_items_of_stored_pairs_are_those_that_have_pairs():
    affinity = SparseAffinity.from_pairs([(3, 8, 1), (8, 90, -1)], n_items=100)
    items = _choose_items(affinity, 50, np.random.RandomState(0))
    assert sorted(items) == [3, 8, 90]


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
    rng = np.random.default_rng(0)
    table = np.unique(np.sort(rng.integers(0, 400, (600, 2))), axis=0)
    table = table[table[:, 0] != table[:, 1]]
    sign = np.where(y[table[:, 0]] == y[table[:, 1]], 1, -1)
    stored = SparseAffinity.from_pairs(np.c_[table, sign], n_items=400)
    assert hasher.fit(X, affinity=stored).objective_[-1] < hasher.objective_[0]


def test_one_class_is_refused_before_any_work(digits):
    with pytest.raises(ValueError, match="no dissimilar pair"):
        BRESHasher().fit(digits[0], np.zeros(400))


def test_sparse_items_get_the_bits_of_dense_ones(digits):
    X, y = digits
    hasher = BRESHasher(n_bits=8, n_training=100, random_state=0)
    dense = hasher.fit(X, y).codes_
    assert np.mean(dense != hasher.fit(sp.csr_array(X), y).codes_) < 0.02
