"""New classes later: bits from labels learn them, bits from geometry stay."""

import numpy as np
import pytest
from sklearn.base import clone

import hashlearn
from hashlearn import TwoStepHasher
from hashlearn.hash_functions import KernelFeaturesHash, LinearSVMHash
from tests.methods.mixed.small import digits, mixed

FUNCTIONS = {
    "linear-svm": LinearSVMHash(C=1.0),
    "kernel-features": KernelFeaturesHash(n_anchors=60, C=10.0, sigma=1.5),
}
X, y = digits(700)
OLD, NEW = np.flatnonzero(y[:500] < 8), np.flatnonzero(y[:500] >= 8)
LATER = np.flatnonzero(y[500:] >= 8) + 500


def fitted(name, **params):
    part = TwoStepHasher(hash_function=FUNCTIONS[name])
    return mixed(16, part, share=0.5, **params).fit(X[OLD], y[OLD])


def mean_distance(hasher, rows, others):
    bits = hasher.transform(X)
    return (bits[rows][:, None] != bits[others]).mean()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_items_of_a_new_class_come_nearer_to_each_other_than_they_were(name):
    hasher = fitted(name)
    nines = LATER[y[LATER] == 9]
    others = np.flatnonzero(y[500:] != 9) + 500
    before = mean_distance(hasher, nines, nines) / mean_distance(hasher, nines, others)
    geometry = hasher.transform(X)[:, 8:]
    hasher.partial_fit(X[NEW], y[NEW])
    after = mean_distance(hasher, nines, nines) / mean_distance(hasher, nines, others)
    assert after < before
    np.testing.assert_array_equal(hasher.transform(X)[:, 8:], geometry)
    assert hasher.label_hasher_.group_labels_.tolist() == list(range(10))


def test_a_batch_may_be_of_one_class():
    nines = NEW[y[NEW] == 9]
    hasher = fitted("linear-svm").partial_fit(X[nines], y[nines])
    assert hasher.label_hasher_.group_labels_.tolist() == [*range(8), 9]


def test_codes_of_items_before_stay_and_new_ones_are_added():
    hasher = fitted("linear-svm")
    codes = hasher.codes_.copy()
    hasher.partial_fit(X[NEW], y[NEW])
    np.testing.assert_array_equal(hasher.codes_[: len(OLD)], codes)
    np.testing.assert_array_equal(hasher.codes_[len(OLD) :], hasher.transform(X[NEW]))


def test_unlabelled_items_are_not_learned_from():
    some = np.where(np.arange(len(NEW)) < 60, y[NEW], -1)
    hasher, fewer = (fitted("linear-svm") for _ in range(2))
    hasher.partial_fit(X[NEW], some)
    fewer.partial_fit(X[NEW][some >= 0], some[some >= 0])
    np.testing.assert_array_equal(hasher.decision_function(X), fewer.decision_function(X))
    assert len(hasher.codes_) == len(OLD) + len(NEW)
    before = hasher.decision_function(X)
    hasher.partial_fit(X[:5], np.full(5, -1))
    np.testing.assert_array_equal(hasher.decision_function(X), before)
    assert len(hasher.codes_) == len(OLD) + len(NEW) + 5


def test_the_first_batch_is_a_fit():
    part = TwoStepHasher(hash_function=FUNCTIONS["linear-svm"])
    hasher = mixed(16, part, share=0.5).partial_fit(X[OLD], y[OLD])
    np.testing.assert_array_equal(hasher.encode(X), fitted("linear-svm").encode(X))


def test_label_sets_are_learned_later_too():
    Y = np.column_stack([y % 2, y % 3 == 0, y > 6]).astype(int)
    hasher = mixed(16, TwoStepHasher(hash_function=FUNCTIONS["linear-svm"]), share=0.5)
    hasher.fit(X[OLD], Y[OLD])
    n_sets = len(hasher.label_hasher_.group_codes_)
    Y[NEW[::2]] = -1
    hasher.partial_fit(X[NEW], Y[NEW])
    assert len(hasher.label_hasher_.group_codes_) > n_sets


def test_it_is_offered_where_the_label_hasher_offers_it():
    for function, offered in {
        "linear-svm": True,
        "kernel-features": True,
        "rbf-svm": True,
        "boosted-stumps": False,
    }.items():
        hasher = mixed(4, TwoStepHasher(hash_function=function))
        assert hasattr(hasher, "partial_fit") is offered
    assert not hasattr(mixed(4, "itq-cca"), "partial_fit")
    few = mixed(4, "tsh", share=0.5)
    assert hasattr(few, "partial_fit")
    few.fit(X[OLD], y[OLD]).partial_fit(X[NEW], y[NEW])  # "auto" is 'rbf-svm' for few items
    assert few.label_hasher_.group_labels_.tolist() == list(range(10))


def test_a_saved_hasher_goes_on_as_the_hasher_itself(tmp_path):
    hasher = fitted("linear-svm")
    hasher.save(tmp_path / "model", partial_fit=True)
    loaded = hashlearn.load(tmp_path / "model")
    for one in (hasher, loaded):
        one.partial_fit(X[NEW], y[NEW])
    np.testing.assert_array_equal(loaded.encode(X), hasher.encode(X))


def test_without_bits_from_labels_there_is_nothing_to_learn():
    hasher = clone(fitted("linear-svm")).set_params(share=0).fit(X[OLD], y[OLD])
    with pytest.raises((AttributeError, ValueError), match=r"partial_fit"):
        hasher.partial_fit(X[NEW], y[NEW])


def test_labels_are_needed():
    with pytest.raises(ValueError, match="requires y"):
        fitted("linear-svm").partial_fit(X[NEW], None)


def test_items_of_another_width_or_without_numbers_are_refused():
    hasher = fitted("linear-svm")
    with pytest.raises(ValueError, match="63 features"):
        hasher.partial_fit(X[NEW][:, 1:], y[NEW])
    with pytest.raises(ValueError, match="NaN"):
        hasher.partial_fit(np.full((3, 64), np.nan), [0, 1, 2])
    assert len(hasher.codes_) == len(OLD)
