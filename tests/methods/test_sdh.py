"""SDH: exact bits by brute force, an objective that never rises, regressions in blocks."""

import gzip
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge

from hashlearn._numerics.row_blocks import RowBlocks
from hashlearn.methods.sdh import SDHHasher, _BlockRegression, _improve_bit, _improve_bits

seeds = st.integers(0, 2**16)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:300] / 16, y[:300]


def random_problem(n, n_bits, seed):
    """Return codes, labels, weights, predictions and the weight of the predictions."""
    rng = np.random.default_rng(seed)
    B = rng.choice([-1.0, 1.0], size=(n, n_bits))
    Y = np.eye(3)[rng.integers(0, 3, n)]
    return B, Y, rng.normal(size=(n_bits, 3)), rng.normal(size=(n, n_bits)), rng.uniform(0, 2)


def loss(B, Y, W, F, nu):
    return np.sum((Y - B @ W) ** 2) + nu * np.sum((B - F) ** 2)


@given(n=st.integers(1, 7), n_bits=st.integers(1, 5), seed=seeds)
def test_a_bit_is_the_best_of_all_its_values(n, n_bits, seed):
    B, Y, W, F, nu = random_problem(n, n_bits, seed)
    k = seed % n_bits
    values = []
    for z in product([-1.0, 1.0], repeat=n):
        other = B.copy()
        other[:, k] = z
        values.append(loss(other, Y, W, F, nu))
    _improve_bit(B, k, W @ W.T, (Y @ W.T + nu * F)[:, k])
    assert loss(B, Y, W, F, nu) == pytest.approx(min(values))


@given(n=st.integers(1, 20), n_bits=st.integers(1, 8), seed=seeds)
def test_sweeps_never_raise_the_loss_and_end_where_no_single_bit_helps(n, n_bits, seed):
    B, Y, W, F, nu = random_problem(n, n_bits, seed)
    before = loss(B, Y, W, F, nu)
    Q = Y @ W.T + nu * F
    previous = None
    while previous is None or np.any(previous != B):  # a call ends at a cap of sweeps
        previous = B.copy()
        _improve_bits(B, W, Q)
        after = loss(B, Y, W, F, nu)
        assert after <= before + 1e-9
        before = after
    assert set(np.unique(B)) <= {-1.0, 1.0}
    for i, k in product(range(n), range(n_bits)):
        flipped = B.copy()
        flipped[i, k] *= -1
        assert loss(flipped, Y, W, F, nu) >= after - 1e-9


@pytest.mark.filterwarnings("ignore:All training items have the same code")
@pytest.mark.filterwarnings("ignore:The objective still fell")
@given(n=st.integers(10, 60), n_bits=st.integers(1, 12), seed=seeds)
def test_the_objective_never_rises(n, n_bits, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, 3)), np.r_[0, 1, rng.integers(0, 4, n - 2)]
    hasher = SDHHasher(n_bits, n_anchors=6, fit_weight=0.1, random_state=seed).fit(X, y)
    assert np.all(np.diff(hasher.objective_) <= 1e-9 * hasher.objective_[:-1])


def test_the_objective_is_what_its_formula_says():
    rng = np.random.default_rng(0)
    B, Y = rng.choice([-1.0, 1.0], size=(30, 4)), np.eye(3)[rng.integers(0, 3, 30)]
    regression = _BlockRegression(RowBlocks(rng.normal(size=(30, 5))), ridge=0.01)
    hasher = SDHHasher(4, weight_penalty=0.7, fit_weight=0.3)
    W, P, F, value = hasher._fit_to(B, sp.csr_array(Y), regression)
    penalties = 0.7 * np.sum(W**2) + 0.3 * 0.01 * np.sum(P**2)
    assert value == pytest.approx(loss(B, Y, W, F, 0.3) + penalties)


@pytest.mark.parametrize("block_rows", [7, 1000])
def test_regression_in_blocks_is_ridge_regression(block_rows):
    rng = np.random.default_rng(0)
    X, T = rng.normal(size=(50, 6)), rng.normal(size=(50, 3))
    regression = _BlockRegression(RowBlocks(X, block_rows=block_rows), ridge=0.5)
    P = regression.fit(T)
    with_constant = np.c_[X, np.ones(50)]
    peer = Ridge(alpha=0.5, fit_intercept=False).fit(with_constant, T)
    np.testing.assert_allclose(P, peer.coef_.T)
    np.testing.assert_allclose(regression.predict(P), peer.predict(with_constant))


def test_margins_are_the_regression_on_kernel_features(digits):
    X, y = digits
    hasher = SDHHasher(8, n_anchors=40, random_state=0).fit(X, y)
    np.testing.assert_allclose(np.linalg.norm(hasher.anchors_, axis=1), 1)
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    squared = ((unit[:, None] - hasher.anchors_) ** 2).sum(axis=2)
    margins = np.exp(-squared / (2 * hasher.sigma_**2)) @ hasher.coef_ + hasher.intercept_
    np.testing.assert_allclose(hasher.decision_function(X), margins, atol=1e-8)


@pytest.mark.parametrize("unit_norm", [True, False])
def test_the_bandwidth_follows_the_distances_to_anchors(digits, unit_norm):
    X, y = digits
    hasher = SDHHasher(4, n_anchors=40, unit_norm=unit_norm, random_state=0).fit(X, y)
    items = X / np.linalg.norm(X, axis=1, keepdims=True) if unit_norm else X
    squared = ((items[:, None] - hasher.anchors_) ** 2).sum(axis=2)
    assert hasher.sigma_ == pytest.approx(np.sqrt(squared.mean() / 2))


@pytest.mark.data
def test_codes_of_embeddings_are_better_than_with_the_published_constant(data_folder):
    # sigma was 0.4 whatever the items were: too narrow for embeddings, which are far apart
    with np.load(data_folder / "embeddings" / "banking77_train_minilm384.npz") as arrays:
        X = arrays["x"] * arrays["scale"]
    with gzip.open(data_folder / "text" / "banking77_train.tsv.gz", "rt", encoding="utf8") as lines:
        y = np.array([line.partition("\t")[0] for line in lines])
    order = np.random.default_rng(0).permutation(len(X))
    training, held_out = order[:3000], order[3000:3500]

    def score(sigma):
        hasher = SDHHasher(32, n_anchors=500, sigma=sigma, random_state=0)
        return hasher.fit(X[training], y[training]).score(X[held_out], y[held_out])

    assert score("auto") > score(0.4) + 0.05


def test_with_unit_norm_the_length_of_items_does_not_matter(digits):
    X, y = digits
    lengths = np.random.default_rng(0).uniform(0.5, 2, size=(300, 1))
    hasher = SDHHasher(6, n_anchors=40, random_state=0)
    np.testing.assert_array_equal(hasher.fit(X, y).codes_, hasher.fit(X * lengths, y).codes_)
    plain = SDHHasher(6, n_anchors=40, unit_norm=False, random_state=0)
    assert np.any(plain.fit(X, y).codes_ != plain.fit(X * lengths, y).codes_)


def test_codes_of_one_class_are_near(digits):
    X, y = digits
    hasher = SDHHasher(24, n_anchors=100, random_state=0).fit(X, y)
    assert hasher.score(X, y) > 0.9
    assert hasher.bit_error_.max() < 0.1


@pytest.mark.filterwarnings("ignore:The objective still fell")
def test_several_labels_are_read_from_the_codes(digits):
    X, y = digits
    indicator = np.c_[np.eye(10, dtype=int)[y], y % 2]
    assert SDHHasher(16, n_anchors=100, random_state=0).fit(X, indicator).score(X, y) > 0.8


def test_sparse_rows_get_about_the_codes_of_dense_rows(digits):
    X, y = digits
    hasher = SDHHasher(8, n_anchors=40, random_state=0)
    dense = hasher.fit(X, y).codes_
    assert np.mean(dense != hasher.fit(sp.csr_array(X), y).codes_) < 0.02


def test_too_few_rounds_are_told(digits):
    X, y = digits
    with pytest.warns(ConvergenceWarning, match="n_rounds=1 "):
        SDHHasher(8, n_anchors=20, n_rounds=1, random_state=0).fit(X, y)


@pytest.mark.parametrize(
    ("rows", "labels", "parameters", "message"),
    [
        (np.eye(6), None, {}, "requires y to be passed, but the target y is None"),
        (
            np.eye(6),
            [0] * 6,
            {},
            "y must have at least two classes; got one class only among 6 items.",
        ),
        (np.ones((6, 2)), [0, 1] * 3, {}, "X is the same for all items"),
        (np.eye(6), [0, 1] * 3, {"fit_weight": -1.0}, "fit_weight"),
        (np.eye(6), [0, 1] * 3, {"fit_weight": np.nan}, "fit_weight must be .*; got nan"),
        (np.eye(6), [0, 1] * 3, {"weight_penalty": np.inf}, "weight_penalty must be .*; got inf"),
        (np.eye(6), [0, 1] * 3, {"unit_norm": "no"}, "unit_norm must be True or False; got .no."),
        (np.eye(6), [0, 1] * 3, {"n_rounds": 0}, "n_rounds"),
        (1e30 * np.eye(6, dtype=np.float32), [0, 1] * 3, {}, "overflow"),
    ],
)
@pytest.mark.filterwarnings("ignore:n_anchors")
def test_what_cannot_be_learned_is_refused_in_one_sentence(rows, labels, parameters, message):
    with pytest.raises(ValueError, match=message):
        SDHHasher(2, **parameters).fit(rows, labels)
