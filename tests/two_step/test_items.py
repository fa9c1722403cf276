"""Laws of weights: checked as scikit-learn does, and rows taken only where needed."""

import numpy as np
import pytest
import scipy.sparse as sp

from hashlearn import TwoStepHasher
from hashlearn._numerics.arrays import check_weights
from hashlearn.affinity import LabelAffinity
from hashlearn.hash_functions import choose
from hashlearn.two_step._items import take

SOME = np.array([True, False, True])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 2], "shape"),
        ([[1, 1, 1]], "1D"),
        ([1, -1, 1], "Negative"),
        ([1, np.nan, 1], "NaN"),
        ([0, 0, 0], "0 for all items|non-zero"),
        ([1, 2e12, 1], r"must be at most 1e\+12; got 2e\+12"),
        ([1e308, 1e308, 1e308], r"got 1e\+308"),
    ],
)
def test_what_is_no_weight_is_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        check_weights(weights, np.eye(3))


def test_no_weights_stay_none():
    assert check_weights(None, np.eye(3)) is None
    assert check_weights([1, 2, 0], np.eye(3)).dtype == np.float64


def test_items_of_weight_0_do_not_count_in_the_choice_of_a_hash_function(monkeypatch):
    monkeypatch.setattr(choose, "_MAX_RBF_SVM_ITEMS", 40)
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 2
    hasher = TwoStepHasher(4, random_state=0)
    kept = np.arange(60) < 30
    weighted = hasher.fit(X, y, sample_weight=kept).decision_function(X)
    removed = hasher.fit(X[kept], y[kept]).decision_function(X)
    np.testing.assert_array_equal(weighted, removed)


@pytest.mark.parametrize("hash_function", ["auto", "linear-svm"])
def test_weights_of_1_give_the_bits_of_none(hash_function):
    X, y = np.random.default_rng(0).normal(size=(90, 3)), np.arange(90) % 5
    hasher = TwoStepHasher(6, hash_function=hash_function, random_state=0)
    plain = hasher.fit(X, y).decision_function(X)
    ones = hasher.fit(X, y, sample_weight=np.ones(90)).decision_function(X)
    np.testing.assert_array_equal(plain, ones)


def test_nothing_is_copied_where_all_rows_are_used():
    for data in (np.eye(3), [1, 2, 3], sp.csr_array(np.eye(3)), LabelAffinity([0, 1, 0]), None):
        assert take(data, np.ones(3, dtype=bool)) is data


def test_rows_are_taken_of_every_kind():
    assert take([1, 2, 3], SOME).tolist() == [1, 3]
    assert take(sp.csr_array(np.eye(3)), SOME).shape == (2, 3)
    assert take(sp.coo_array(np.eye(3)), SOME, columns=True).shape == (2, 2)
    assert len(take(LabelAffinity([0, 1, 0]), SOME)) == 2
