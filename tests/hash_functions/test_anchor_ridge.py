"""Ridge regression on anchors: kernel ridge regression, in one pass over blocks of items."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits
from sklearn.metrics.pairwise import rbf_kernel

from hashlearn._numerics import threads
from hashlearn.hash_functions import AnchorRidgeHash, KernelRidgeHash, anchor_ridge
from hashlearn.hash_functions._machines import ridge


def problem(n=400, n_features=5, n_bits=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features))
    codes = np.sin(X @ rng.normal(size=(n_features, n_bits))) + rng.normal(size=(n, n_bits)) / 3 > 0
    return X, codes.astype(np.uint8)


def fixed(n_anchors, **params):
    return AnchorRidgeHash(n_anchors, C=3.0, sigma=2.0, random_state=0, **params)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("weight", [None, np.arange(300) % 4, np.arange(1800).reshape(300, 6) % 4])
def test_with_all_items_as_anchors_it_is_kernel_ridge_regression(form, weight):
    X, codes = problem(300)
    weight = weight if weight is None else weight.astype(float)
    ours = fixed(300).fit(form(X), codes, sample_weight=weight)
    exact = KernelRidgeHash(C=3.0, sigma=2.0).fit(form(X), codes, sample_weight=weight)
    new = problem(50, seed=1)[0]
    margins = exact.decision_function(new)
    np.testing.assert_allclose(ours.decision_function(new), margins, atol=1e-6)


def test_the_objective_is_least_among_functions_of_the_anchors():
    X, codes = problem()
    machine = fixed(40).fit(X, codes)
    K, among = (rbf_kernel(A, machine.points_, gamma=1 / 8) for A in (X, machine.points_))
    w, b, Z = machine.coef_, machine.intercept_, 2.0 * codes - 1
    rest = K @ w + b - Z
    scale = np.abs(K.T @ Z).max()
    np.testing.assert_allclose((among @ w + 6 * K.T @ rest) / scale, 0, atol=1e-7)
    np.testing.assert_allclose(rest.sum(axis=0) / len(X), 0, atol=1e-9)


@pytest.mark.parametrize("n_threads", [1, 3])
def test_threads_change_no_bit_and_blocks_only_the_rounding(n_threads, monkeypatch):
    X, codes = problem(1500)
    one = fixed(100).fit(X, codes)
    monkeypatch.setattr(threads, "n_threads", lambda: n_threads)
    monkeypatch.setattr(ridge, "map_blocks", threads.map_blocks)
    assert np.array_equal(fixed(100, n_jobs=n_threads).fit(X, codes).coef_, one.coef_)
    monkeypatch.setattr(ridge, "_PANEL", 7)
    short = fixed(100, max_memory=40_000).fit(X, codes)
    np.testing.assert_allclose(short.decision_function(X), one.decision_function(X), atol=1e-6)


def test_float32_products_are_safe_far_from_the_origin(monkeypatch):
    X, codes = problem(800)
    double = fixed(200).fit(X, codes).decision_function(X)
    monkeypatch.setattr(ridge, "_MAX_DOUBLE_ITEMS", 0)
    single = fixed(200).fit(X, codes).decision_function(X)
    far = fixed(200).fit(X + 1e6, codes).decision_function(X + 1e6)
    assert np.mean((single > 0) != (double > 0)) < 0.03
    assert np.mean((single > 0) != (far > 0)) < 0.005
    for C in (1e6, 1e20):  # the penalty is far below the precision of the products
        machine = AnchorRidgeHash(200, C=C, sigma=5.0, random_state=0).fit(X, codes)
        assert np.mean(machine.bits(X) != codes) < 0.3


@pytest.mark.parametrize("weighs", [False, True])
def test_items_learned_in_parts_are_items_learned_at_once(weighs, monkeypatch):
    X, codes = problem()
    weight = np.random.default_rng(2).integers(0, 4, codes.shape) + 1.0 if weighs else None
    weight = weight[:, 0] if weighs else None
    parts = fixed(60).fit(X[:200], codes[:200], sample_weight=weight[:200] if weighs else None)
    anchors = parts.points_
    for part in (slice(200, 230), slice(230, 400)):
        parts.partial_fit(X[part], codes[part], sample_weight=weight[part] if weighs else None)
    monkeypatch.setattr(anchor_ridge, "choose_anchors", lambda *_: anchors)
    whole = fixed(60).fit(X, codes, sample_weight=weight)
    np.testing.assert_allclose(parts.decision_function(X), whole.decision_function(X), atol=1e-2)
    assert np.mean(parts.bits(X) != whole.bits(X)) < 0.002


def test_what_it_chooses_is_better_than_a_middle_choice(monkeypatch):
    X, y = load_digits(return_X_y=True)
    codes = np.random.default_rng(0).integers(0, 2, (10, 16))[y].astype(np.uint8)
    monkeypatch.setattr(anchor_ridge, "_ENOUGH_SAMPLED", 1000)  # tests one fold
    machine = AnchorRidgeHash(random_state=0).fit(X[:1200], codes[:1200])
    assert machine.coef_.shape[0] == 1200
    assert np.mean(machine.bits(X[1200:]) != codes[1200:]) < 0.03
    again = AnchorRidgeHash(random_state=0, n_jobs=2).fit(X[:1200], codes[:1200])
    assert (again.C_, again.sigma_) == (machine.C_, machine.sigma_)


def test_the_number_of_anchors_follows_time_and_memory():
    assert anchor_ridge._automatic_anchors(20_000, None) == 8_000
    assert anchor_ridge._automatic_anchors(1_000_000, None) == 2_529
    assert anchor_ridge._automatic_anchors(10**9, None) == 1_000
    assert anchor_ridge._automatic_anchors(20_000, "16MB") == 1_000
    X, codes = problem(80)
    assert AnchorRidgeHash(max_memory=16 * 50**2).fit(X, codes).coef_.shape[0] == 50


@pytest.mark.parametrize(
    ("params", "error"),
    [
        ({"n_anchors": 0}, ValueError),
        ({"n_anchors": 2.5}, TypeError),
        ({"n_anchors": "all"}, TypeError),
        ({"anchors": "first"}, ValueError),
        ({"max_memory": "much"}, ValueError),
        ({"sigma": -1.0}, ValueError),
    ],
)
def test_wrong_parameters_are_refused(params, error):
    X, codes = problem(20)
    with pytest.raises(error, match=next(iter(params))):
        AnchorRidgeHash(**params).fit(X, codes)


def test_items_in_a_file_may_be_of_any_number_type(tmp_path):
    X, codes = problem(500)
    counts = np.clip(np.round(40 * X) + 128, 0, 255).astype(np.uint8)
    np.save(tmp_path / "items.npy", counts)
    mapped = np.load(tmp_path / "items.npy", mmap_mode="r")
    machine = AnchorRidgeHash(80, random_state=0).fit(mapped, codes)
    same = AnchorRidgeHash(80, random_state=0).fit(counts.astype(np.float32), codes)
    assert machine.points_.dtype == np.float32
    assert np.array_equal(machine.decision_function(mapped), same.decision_function(counts))
