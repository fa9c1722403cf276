"""FastHash is a configuration of two-step hashing, and takes what that takes."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from hashlearn import TwoStepHasher
from hashlearn.affinity import LabelAffinity, SparseAffinity
from hashlearn.hash_functions import BoostedTreesHash
from hashlearn.methods.fasthash import FastHashHasher

QUICK = {"n_rounds": 5, "max_depth": 3, "random_state": 0}


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:300], y[:300]


def test_it_is_two_step_hashing_with_graph_cuts_and_boosted_trees(digits):
    hasher = FastHashHasher(n_bits=8, **QUICK).fit(*digits)
    framework = TwoStepHasher(
        n_bits=8,
        loss="ksh",
        inference="graph-cut",
        hash_function=BoostedTreesHash(n_rounds=5, max_depth=3),
        stagewise=True,
        random_state=0,
    ).fit(*digits)
    np.testing.assert_array_equal(hasher.encode(digits[0]), framework.encode(digits[0]))
    np.testing.assert_array_equal(hasher.objective_, framework.objective_)


def test_supervision_of_every_kind_separates_the_classes(digits):
    X, y = digits[0][:150], digits[1][:150]
    Y = LabelAffinity(y).block(slice(None))
    i, j = np.triu_indices(150, 1)
    pairs = SparseAffinity.from_pairs(np.c_[i, j, Y[i, j]], n_items=150)
    hasher = FastHashHasher(n_bits=16, **QUICK)
    assert hasher.fit(X, y).score(X, y) > 0.9
    assert hasher.fit(X, np.eye(10, dtype=int)[y]).score(X, y) > 0.9
    for affinity in (Y, pairs):
        assert hasher.fit(X, affinity=affinity).score(X, y) > 0.9
    assert hasher.fit(X).score(X) > 0.2  # neighbours


@pytest.mark.parametrize("loss", ["bre", "hinge", "ee"])
def test_other_losses_serve_too(loss, digits):
    X, y = digits
    assert FastHashHasher(n_bits=16, loss=loss, **QUICK).fit(X, y).score(X, y) > 0.8


@pytest.mark.filterwarnings("ignore:The objective rose")
def test_degenerate_items_do_not_crash():
    with pytest.warns(ConvergenceWarning, match="same code"):
        FastHashHasher(n_bits=4, **QUICK).fit(np.ones((20, 3)), np.arange(20) % 2)
    X = np.array([[0.0, 1.0], [1.0, 1.0]])
    bits = FastHashHasher(n_bits=3, **QUICK).fit(X, [0, 1]).transform(X)
    assert (bits[0] != bits[1]).all()
    with pytest.raises(ValueError, match="one class only"):
        FastHashHasher(n_bits=3).fit(X, [1, 1])


@pytest.mark.parametrize("params", [{"n_rounds": 0}, {"max_depth": 0}, {"trimming": 2.0}])
def test_wrong_parameters_are_named(params, digits):
    with pytest.raises(ValueError, match=next(iter(params))):
        FastHashHasher(n_bits=4, **params).fit(*digits)
