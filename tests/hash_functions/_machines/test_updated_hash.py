"""Further items are learned, and what earlier ones said is kept."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits

from hashlearn.hash_functions import (
    AnchorRidgeHash,
    BoostedStumpsHash,
    KernelFeaturesHash,
    LinearSVMHash,
)
from hashlearn.hash_functions._machines.squared_hinge import Prior, fit_squared_hinge

HASHES = [
    LinearSVMHash(C=1.0, random_state=0),
    KernelFeaturesHash(200, C=2.0, sigma=20.0, random_state=0),
    AnchorRidgeHash(200, C=2.0, sigma=20.0, random_state=0),
]
each_hash = pytest.mark.parametrize("hash_function", HASHES, ids=str)


@pytest.fixture(scope="module")
def digits():
    """Items in random order, their labels, a random code per label."""
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(X))
    codewords = np.random.default_rng(1).integers(0, 2, (10, 24)).astype(np.uint8)
    return X[order], y[order], codewords[y[order]]


def error(hash_function, X, codes):
    return np.mean((hash_function.decision_function(X) > 0) != codes)


def test_a_prior_with_the_old_items_hessian_is_as_good_as_the_old_items():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5))
    Z = np.where(rng.random((300, 3)) < 0.5, -1, 1)  # noise: all items stay active
    old = fit_squared_hinge(X[:150], Z[:150], 0.01, tol=1e-12)
    columns = np.column_stack([X[:150], np.ones(150)])
    prior = Prior(
        np.column_stack([old.coef.T, old.intercept]), np.eye(6) + 0.02 * columns.T @ columns
    )
    updated = fit_squared_hinge(X[150:], Z[150:], 0.01, tol=1e-12, prior=prior)
    whole = fit_squared_hinge(X, Z, 0.01, tol=1e-12)
    np.testing.assert_allclose(updated.coef, whole.coef, atol=1e-6)


@each_hash
def test_two_halves_are_nearly_as_good_as_the_whole(hash_function, digits):
    X, _, codes = digits
    test = slice(1400, None)
    first = error(hash_function.fit(X[:100], codes[:100]), X[test], codes[test])
    both = error(hash_function.partial_fit(X[100:1400], codes[100:1400]), X[test], codes[test])
    whole = error(hash_function.fit(X[:1400], codes[:1400]), X[test], codes[test])
    assert both < whole + 0.03
    assert both < (first + whole) / 2


@each_hash
def test_small_batches_add_up(hash_function, digits):
    X, _, codes = digits
    test = slice(1400, None)
    hash_function.fit(X[:600], codes[:600])
    before = error(hash_function, X[test], codes[test])
    for start in range(600, 1400, 50):
        hash_function.partial_fit(X[start : start + 50], codes[start : start + 50])
    assert error(hash_function, X[test], codes[test]) < before


@each_hash
def test_a_batch_of_a_new_class_leaves_the_old_ones_known(hash_function, digits):
    X, y, codes = digits
    train, test = np.arange(len(X)) < 1400, np.arange(len(X)) >= 1400
    old, new = y < 9, y == 9
    hash_function.fit(X[train & old], codes[train & old])
    before = error(hash_function, X[test & old], codes[test & old])
    unknown = error(hash_function, X[test & new], codes[test & new])
    hash_function.partial_fit(X[train & new], codes[train & new])
    after = error(hash_function, X[test & old], codes[test & old])
    known = error(hash_function, X[test & new], codes[test & new])
    assert known < unknown / 3
    assert after < before + 0.03


@each_hash
def test_bits_that_shared_a_machine_or_were_constant_may_part(hash_function, digits):
    X, y, codes = digits
    codes = np.column_stack([y < 5, y < 5, np.ones(len(y)), y >= 5]).astype(np.uint8)
    hash_function.fit(X[:700], codes[:700])
    assert hash_function.machine_.tolist() == [0, 0, -1, 0]
    margins = hash_function.decision_function(X)
    hash_function._separate_bits()
    np.testing.assert_allclose(hash_function.decision_function(X), margins, atol=1e-4)
    parted = np.column_stack([y < 5, y < 3, y > 1, y >= 5]).astype(np.uint8)
    hash_function.partial_fit(X[700:], parted[700:])
    assert hash_function.machine_.tolist() == [0, 1, 2, 3]
    assert error(hash_function, X[700:], parted[700:]) < 0.12


@each_hash
def test_the_first_batch_is_a_fit(hash_function, digits):
    X, _, codes = digits
    fresh = type(hash_function)(**hash_function.get_params())
    fitted = hash_function.fit(X[:200], codes[:200]).decision_function(X)
    assert np.array_equal(fresh.partial_fit(X[:200], codes[:200]).decision_function(X), fitted)


def test_a_batch_of_another_width_is_refused(digits):
    X, _, codes = digits
    machine = LinearSVMHash(C=1.0).fit(X[:100], codes[:100])
    with pytest.raises(ValueError, match="X must have 64 features, as in fit; got 63"):
        machine.partial_fit(X[:10, 1:], codes[:10])
    with pytest.raises(ValueError, match="codes must have 24 bits; got 23"):
        machine.partial_fit(X[:10], codes[:10, 1:])


def test_a_hash_function_that_cannot_be_updated_says_so(digits):
    X, _, codes = digits
    with pytest.raises(ValueError, match="cannot learn from further items"):
        BoostedStumpsHash().partial_fit(X, codes)


def test_wide_sparse_items_are_remembered_by_a_diagonal():
    rng = np.random.default_rng(0)
    X = sp.random_array((300, 4_500), density=0.02, rng=rng).tocsr()
    codes = (X @ rng.normal(size=(4_500, 3)) > 0).astype(np.uint8)
    machine = LinearSVMHash(C=100.0).fit(X[:150], codes[:150])
    assert machine.curvature_.shape == (4_501,)
    machine.partial_fit(X[150:], codes[150:])
    assert error(machine, X[150:], codes[150:]) < 0.05
    assert error(machine, X[:150], codes[:150]) < 0.1


@each_hash
def test_a_fit_of_constant_bits_forgets_the_machines_before(hash_function, digits):
    X, _, codes = digits
    hash_function.fit(X[:100], codes[:100])
    hash_function.fit(X[:100], np.ones((100, 5), dtype=np.uint8))
    assert {name for name in vars(hash_function) if name.endswith("_")} == {"machine_", "sign_"}
    hash_function.partial_fit(X[:100], codes[:100, :5])
    assert error(hash_function, X[:100], codes[:100, :5]) < 0.2


def test_a_batch_that_all_machines_know_already_changes_nothing(recwarn):
    X = np.array([[-1.0], [1.0]])
    machine = LinearSVMHash(C=100.0).fit(X, X > 0)
    before = machine.decision_function(X)
    machine.partial_fit(10 * X, X > 0)
    assert np.array_equal(machine.decision_function(X), before)
    assert not recwarn.list
