"""A weight of two is the item twice, a weight of zero is the item left out."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from hashlearn._numerics.cross_validation import draw_sample, loss_weights
from hashlearn.hash_functions import (
    AnchorRidgeHash,
    BoostedStumpsHash,
    BoostedTreesHash,
    ClassifierHash,
    KernelFeaturesHash,
    KernelRidgeHash,
    LinearSVMHash,
    RBFSVMHash,
)
from hashlearn.hash_functions import kernel_features as kernel_features_module
from hashlearn.hash_functions._machines.linear_machines import fit_linear_machines
from hashlearn.hash_functions._machines.squared_hinge import fit_squared_hinge

HASHES = [
    LinearSVMHash(C=1.0, tol=1e-11),
    KernelFeaturesHash(C=1.0, sigma=2.0, tol=1e-11),
    KernelFeaturesHash(C=1.0, sigma=2.0, tol=1e-11, max_memory=2000),
    RBFSVMHash(C=1.0, sigma=2.0, tol=1e-8),
    KernelRidgeHash(C=1.0, sigma=2.0),
    AnchorRidgeHash(C=1.0, sigma=2.0),
    BoostedStumpsHash(n_rounds=10),
    BoostedTreesHash(n_rounds=4, max_depth=2, trimming=1.0),
    ClassifierHash(LogisticRegression(tol=1e-10, max_iter=1000)),
]


def problem(n=120, n_features=4, n_bits=5):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, n_features)).round(1)
    codes = np.sin(X @ rng.normal(size=(n_features, n_bits))) + rng.normal(size=(n, n_bits)) / 2 > 0
    return X, codes.astype(np.uint8), rng.integers(0, 4, n)


@pytest.fixture
def same_anchors(monkeypatch):
    anchors = problem()[0][:20]
    monkeypatch.setattr(kernel_features_module, "choose_anchors", lambda *_: anchors)


CHOOSING = [
    LinearSVMHash(random_state=0),
    KernelFeaturesHash(50, random_state=0),
    RBFSVMHash(random_state=0, tol=1e-4),
    KernelRidgeHash(random_state=0),
    AnchorRidgeHash(50, random_state=0),
]
BOOSTED = [BoostedStumpsHash(n_rounds=10, n_bins=8), BoostedTreesHash(4, 2, n_bins=8)]


@pytest.mark.parametrize("hash_function", [*CHOOSING, *BOOSTED, HASHES[-1]], ids=str)
def test_weights_of_1_equal_none_bit_for_bit(hash_function):
    """Weights of 1 once drew another sample, which chose another C: 5 percent of the bits."""
    X, codes, _ = problem(60)
    plain = hash_function.fit(X, codes).decision_function(X)
    for shape in ((60,), codes.shape):
        weighted = hash_function.fit(X, codes, sample_weight=np.ones(shape)).decision_function(X)
        np.testing.assert_array_equal(plain, weighted)


KMEANS = KernelFeaturesHash(20, "kmeans", C=1.0, sigma=2.0, random_state=0)
ON_DENSE = [(function, np.asarray) for function in [*CHOOSING, KMEANS, *BOOSTED]]
ON_SPARSE = [(function, sp.csr_array) for function in CHOOSING[:2]]


@pytest.mark.parametrize(("hash_function", "X_type"), [*ON_DENSE, *ON_SPARSE], ids=str)
def test_integer_weights_equal_repetition_bit_for_bit(hash_function, X_type):
    X, codes, counts = problem(60)
    order = np.random.default_rng(1).permutation(len(X))
    items, bits, weight = X_type(X[order]), codes[order], counts[order].astype(float)
    weighted = hash_function.fit(items, bits, sample_weight=weight).decision_function(X)
    repeated = hash_function.fit(X_type(np.repeat(X, counts, axis=0)), np.repeat(codes, counts, 0))
    np.testing.assert_array_equal(weighted, repeated.decision_function(X))


@pytest.mark.parametrize("hash_function", [*CHOOSING, *BOOSTED], ids=str)
def test_weights_of_0_and_1_equal_removal_bit_for_bit(hash_function):
    X, codes, counts = problem(60)
    kept = counts > 0
    weighted = hash_function.fit(X, codes, sample_weight=kept.astype(float)).decision_function(X)
    removed = hash_function.fit(X[kept], codes[kept]).decision_function(X)
    np.testing.assert_array_equal(weighted, removed)


@pytest.mark.usefixtures("same_anchors")
@pytest.mark.parametrize("hash_function", HASHES, ids=str)
def test_integer_weights_equal_repetition(hash_function):
    X, codes, counts = problem()
    weighted = hash_function.fit(X, codes, sample_weight=counts.astype(float)).decision_function(X)
    repeated = hash_function.fit(np.repeat(X, counts, axis=0), np.repeat(codes, counts, axis=0))
    np.testing.assert_allclose(weighted, repeated.decision_function(X), atol=1e-4)


@pytest.mark.parametrize("hash_function", HASHES, ids=str)
def test_a_bit_that_varies_only_on_items_of_weight_zero_is_constant(hash_function):
    X, codes, _ = problem()
    weight = np.ones(len(X))
    weight[:30] = 0
    codes[30:, 0] = 1
    codes[:15, 0] = 0
    fitted = hash_function.fit(X, codes, sample_weight=weight)
    assert fitted.machine_[0] == -1
    assert (fitted.decision_function(X)[:, 0] == 1).all()


@pytest.mark.parametrize("X_type", [np.asarray, sp.csr_array], ids=["dense", "csr"])
def test_each_bit_may_weigh_items_its_own_way(X_type):
    X, codes, _ = problem()
    Z = np.where(codes > 0, 1, -1)
    W = np.random.default_rng(1).integers(0, 3, Z.shape).astype(float)
    together = fit_squared_hinge(X_type(X), Z, sample_weight=W, tol=1e-12)
    for k in range(Z.shape[1]):
        repeated = (np.repeat(part, W[:, k].astype(int), axis=0) for part in (X, Z[:, [k]]))
        alone = fit_squared_hinge(*repeated, tol=1e-12)
        np.testing.assert_allclose(together.coef[:, k], alone.coef[:, 0], atol=1e-5)


def test_liblinear_weighs_items_too():
    rng = np.random.default_rng(0)
    X = sp.random_array((150, 4_500), density=0.01, rng=rng).tocsr()
    Z = np.where(X @ rng.normal(size=(4_500, 3)) > 0, 1, -1)
    weight = rng.integers(0, 3, 150).astype(float)
    chosen = fit_linear_machines(X, Z, 2.0, sample_weight=weight)
    newton = fit_squared_hinge(X, Z, 2.0, sample_weight=weight, tol=1e-8)
    np.testing.assert_allclose(chosen.objective, newton.objective, rtol=1e-3)


def test_items_of_weight_zero_take_no_part_in_the_choice_of_parameters():
    X, codes, _ = problem(300)
    weight = np.r_[np.ones(200), np.zeros(100)]
    other = X.copy()
    other[200:] = 1e3
    for hash_function in (LinearSVMHash(), KernelFeaturesHash(50)):
        hash_function.set_params(random_state=0)
        first = hash_function.fit(X, codes, sample_weight=weight).decision_function(X[:200])
        second = hash_function.fit(other, codes, sample_weight=weight).decision_function(X[:200])
        np.testing.assert_allclose(first, second, atol=1e-4)


@pytest.mark.parametrize("hash_function", CHOOSING, ids=str)
@pytest.mark.parametrize("factor", [2.0, 1 / 400])
def test_the_unit_of_weights_changes_the_chosen_C_and_nothing_else(hash_function, factor):
    X, codes, _ = problem(200)
    weight = np.ones(200)
    one = hash_function.fit(X, codes, sample_weight=weight).decision_function(X)
    C = hash_function.C_
    other = hash_function.fit(X, codes, sample_weight=factor * weight).decision_function(X)
    assert pytest.approx(C / factor) == hash_function.C_
    np.testing.assert_allclose(one, other, atol=1e-3)


@pytest.mark.parametrize("n", [400, 3000])
def test_a_chosen_C_of_weights_is_one_of_repeated_items(n):
    Z = np.ones((n, 1))
    repeated = draw_sample(np.repeat(Z, 2, axis=0), 0)
    assert loss_weights(draw_sample(Z, 0, np.full(n, 2.0))) == loss_weights(repeated)
    assert loss_weights(draw_sample(Z, 0, np.ones((n, 1)))) == loss_weights(draw_sample(Z, 0))


def test_the_sample_prefers_heavy_items():
    Z = np.where(np.random.default_rng(0).random((6000, 2)) < 0.5, -1, 1)
    weight = np.r_[np.full(3000, 9.0), np.ones(2000), np.zeros(1000)]
    items = draw_sample(Z, 0, weight).items
    assert items.max() < 5000
    assert np.mean(items < 3000) > 0.8


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (np.ones(3), r"the codes, \(120, 5\), or one weight per item, \(120,\); got \(3,\)"),
        (-np.ones(120), "must not be negative"),
        (np.zeros(120), "positive for at least one item"),
        (np.full(120, 1e39), r"must be at most 1e\+12; got 1e\+39"),
    ],
)
def test_wrong_weights_are_named(weight, message):
    X, codes, _ = problem()
    with pytest.raises(ValueError, match=message):
        LinearSVMHash(C=1.0).fit(X, codes, sample_weight=weight)


def test_a_classifier_without_weights_says_so():
    X, codes, _ = problem()
    with pytest.raises(ValueError, match="does not weigh items"):
        ClassifierHash(KNeighborsClassifier()).fit(X, codes, sample_weight=np.ones(len(X)))
