"""MLH: exact loss-adjusted inference, a bound that is one, and a bound that falls."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits

from hashlearn.affinity import LabelAffinity, SparseAffinity
from hashlearn.losses import HingeLoss
from hashlearn.methods._parts.centred import UnitRows
from hashlearn.methods._parts.mlh_kernels import adjust_pairs, loss_adjusted
from hashlearn.methods.lsh import LSHHasher
from hashlearn.methods.mlh import MLHHasher, _loss_table

seeds = st.integers(0, 2**31 - 1)
QUICK = {"rho": 3, "n_rounds": 1, "n_pairs": 20_000, "random_state": 0}


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:400], y[:400]


@pytest.fixture(scope="module")
def fitted(digits):
    return MLHHasher(n_bits=12, **QUICK).fit(*digits)


def random_pairs(n_bits, seed, n_pairs=1):
    """Return margins of pairs, a loss table and which pairs are similar."""
    rng = np.random.default_rng(seed)
    A, B = rng.normal(size=(2, n_pairs, n_bits)) * rng.choice([0.01, 0.1, 1])
    table = _loss_table(n_bits, rng.uniform(0, n_bits), rng.uniform(0.1, 2))
    return A, B, table, rng.integers(0, 2, n_pairs)


@given(n_bits=st.integers(1, 5), seed=seeds)
def test_loss_adjusted_inference_is_the_maximum_over_all_pairs_of_codes(n_bits, seed):
    A, B, losses, kinds = random_pairs(n_bits, seed)
    a, b, table = A[0], B[0], losses[kinds[0]]
    g, h = np.empty((2, n_bits))
    value = loss_adjusted(a, b, table, g, h)
    codes = np.array(list(itertools.product([-1, 1], repeat=n_bits)))
    distance = (codes[:, None] != codes[None]).sum(axis=2)
    brute = table[distance] + (codes @ a)[:, None] + codes @ b
    assert value == pytest.approx(brute.max())
    assert table[(g != h).sum()] + g @ a + h @ b == pytest.approx(value)


@given(n_bits=st.integers(1, 40), seed=seeds, dtype=st.sampled_from([np.float32, np.float64]))
def test_the_bound_is_above_the_loss_for_every_pair(n_bits, seed, dtype):
    A, B, losses, kinds = random_pairs(n_bits, seed)
    A, B = (30 * A).astype(dtype), (30 * B).astype(dtype)
    distance = ((A > 0) != (B > 0)).sum()
    bound, loss = adjust_pairs(A, B, losses, kinds)
    assert loss == pytest.approx(losses[kinds[0], distance])
    assert bound >= loss - 1e-12


@given(n_bits=st.integers(1, 8), seed=seeds)
def test_directions_are_the_negative_gradient_of_the_bound(n_bits, seed):
    A, B, losses, kinds = random_pairs(n_bits, seed, n_pairs=4)
    D, E = A.copy(), B.copy()
    bound, _ = adjust_pairs(D, E, losses, kinds)
    tiny = 1e-9
    moved, _ = adjust_pairs(A + tiny * D, B + tiny * E, losses, kinds)
    assert (moved - bound) / tiny == pytest.approx(-(D**2).sum() - (E**2).sum(), abs=1e-4)


def test_losses_are_those_of_the_hinge_over_the_number_of_bits():
    table = _loss_table(8, rho=2, weight=0.5)
    for distance in range(9):
        for row, y in enumerate((-1, 1)):
            expected = HingeLoss(2, 0.5)(8 - 2 * distance, y, 8) / 8
            assert table[row, distance] == expected


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_bound_falls_and_stays_above_the_loss(dtype, digits):
    X, y = digits[0].astype(dtype), digits[1]
    hasher = MLHHasher(n_bits=12, rho=3, n_rounds=3, n_pairs=20_000, random_state=0).fit(X, y)
    assert np.all(hasher.bound_ >= hasher.loss_)
    assert np.all(np.diff(hasher.bound_) < 0)


def test_labels_make_better_codes_than_random_projections(digits, fitted):
    random = LSHHasher(n_bits=12, center=True, random_state=0).fit(digits[0])
    assert fitted.score(*digits) > 1.5 * random.score(*digits)


def test_labels_and_their_affinity_give_the_same_bits(digits, fitted):
    X, y = digits
    by_affinity = MLHHasher(n_bits=12, **QUICK).fit(X, affinity=LabelAffinity(y))
    np.testing.assert_array_equal(fitted.codes_, by_affinity.codes_)


def test_pairs_neighbours_and_several_labels_are_taken(digits):
    X, y = digits[0][:100], digits[1][:100]
    hasher = MLHHasher(n_bits=4, **{**QUICK, "rho": "auto"})
    hasher.fit(X)
    hasher.fit(X, np.eye(10, dtype=int)[y])
    chain = [(i, i + 1, 1 if y[i] == y[i + 1] else -1) for i in range(99)]
    hasher.fit(X, affinity=SparseAffinity.from_pairs(chain, n_items=100))
    assert hasher.rho_ == 1  # a quarter of the bits: so few pairs choose nothing


def test_rho_is_chosen_among_shares_of_the_bits(digits):
    hasher = MLHHasher(n_bits=16, n_rounds=1, n_pairs=5000, random_state=0).fit(*digits)
    assert hasher.rho_ in (2, 4, 6)


def test_sparse_items_get_about_the_bits_of_dense_ones(digits, fitted):
    X, y = digits
    sparse = MLHHasher(n_bits=12, **QUICK).fit(sp.csr_array(X), y)
    assert np.mean(sparse.codes_ != fitted.codes_) < 0.02


def test_float32_is_taken_as_it_is(digits):
    X, y = digits[0].astype(np.float32), digits[1]
    hasher = MLHHasher(n_bits=6, **QUICK).fit(X, y)
    assert hasher.projections_.dtype == np.float32
    assert hasher.decision_function(X).dtype == np.float32


@pytest.mark.filterwarnings("ignore:All training items have the same code")
def test_equal_items_warn_and_share_their_code():
    with pytest.warns(UserWarning, match="All items of X are equal"):
        hasher = MLHHasher(n_bits=4, **QUICK).fit(np.full((4, 3), 0.1), [0, 0, 1, 1])
    assert (hasher.codes_ == hasher.codes_[0]).all()


@pytest.mark.parametrize("factor", [1e25, 1e-25])
def test_items_too_large_or_too_small_for_their_type_are_refused(factor, digits):
    with pytest.raises(ValueError, match=r"squared distances .* float32; scale X"):
        MLHHasher(n_bits=4, **QUICK).fit((digits[0] * factor).astype(np.float32), digits[1])


def test_a_round_that_leaves_no_bound_is_the_last():
    y = np.arange(200) % 2
    noise = 0.01 * np.random.default_rng(0).normal(size=(200, 5))
    X = (noise + np.where(y, 5, -5)[:, None]).astype(np.float32)
    hasher = MLHHasher(n_bits=8, rho=2, n_rounds=8, n_pairs=20_000, random_state=0).fit(X, y)
    assert hasher.bound_.size < 8


def test_two_items_of_two_classes_are_told_apart():
    hasher = MLHHasher(n_bits=4, **QUICK).fit(np.array([[0.0, 1.0], [1.0, 0.0]]), [0, 1])
    assert (hasher.codes_[0] != hasher.codes_[1]).sum() > 3


def test_one_class_is_refused_before_any_work(digits):
    with pytest.raises(ValueError, match="one class only"):
        MLHHasher().fit(digits[0], np.zeros(400))


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("rho", "large"),
        ("rho", 33),
        ("weight", 0.0),
        ("step", -1.0),
        ("step", np.nan),
        ("weight", np.inf),
        ("weight", "0.5"),
        ("rho", True),
        ("rho", np.nan),
        ("rho", None),
        ("weight_decay", np.nan),
        ("weight_decay", -0.1),
        ("n_rounds", 0),
        ("n_pairs", 0),
    ],
)
def test_wrong_parameters_are_named(parameter, value, digits):
    with pytest.raises(ValueError, match=parameter):
        MLHHasher(**{parameter: value}).fit(*digits)


@given(seed=seeds)
def test_sparse_rows_have_the_products_of_dense_ones(seed):
    rng = np.random.default_rng(seed)
    X = rng.random((5, 4)) * (rng.random((5, 4)) < 0.6)
    mean, W, C = X.mean(axis=0), rng.normal(size=(4, 2)), rng.normal(size=(3, 2))
    dense, sparse = UnitRows(X, mean), UnitRows(sp.csr_array(X), mean)
    items = [0, 2, 2]
    np.testing.assert_allclose(sparse.products(W), dense.products(W), atol=1e-7)
    np.testing.assert_allclose(sparse[items].sums(C), dense[items].sums(C), atol=1e-7)
    np.testing.assert_allclose(sparse[items].gram(sparse), dense[items].gram(dense), atol=1e-7)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_one_long_row_takes_no_direction_from_the_others(container):
    X = np.random.default_rng(0).random((1000, 20)).astype(np.float32)
    X[0] *= 1000
    rows = UnitRows(container(X), X.mean(axis=0))
    lengths = np.linalg.norm(X - X.mean(axis=0), axis=1)
    np.testing.assert_allclose(rows.scale, 1 / lengths, rtol=1e-3)
