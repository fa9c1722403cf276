"""ITQ-CCA: canonical correlations against the generalised eigenproblem, labels of every kind."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import eigh
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from hashlearn.methods._parts.checks import label_indicator
from hashlearn.methods.itq import ITQHasher
from hashlearn.methods.itq_cca import ITQCCAHasher
from tests.processes import alone, peak_memory


@pytest.fixture(scope="module")
def digits():
    return load_digits(return_X_y=True)


def draw_labelled(seed, n=80, d=6, c=4):
    random = np.random.RandomState(seed)
    y = random.randint(c, size=n)
    return random.normal(size=(n, d)) + random.normal(size=(c, d))[y] + 5, y


def solve_directly(X, Y, ridge):
    """Return correlations and directions of the d x d generalised eigenproblem."""
    X, Y = X - X.mean(axis=0), Y - Y.mean(axis=0)
    Cxx, Cyy, Cxy = X.T @ X / len(X), Y.T @ Y / len(X), X.T @ Y / len(X)
    Cxx += ridge * np.trace(Cxx) * np.eye(len(Cxx))
    Cyy += ridge * np.trace(Cyy) * np.eye(len(Cyy))
    squares, W = eigh(Cxy @ np.linalg.solve(Cyy, Cxy.T), Cxx)
    return np.sqrt(np.maximum(squares[::-1], 0)), W[:, ::-1]


@given(c=st.integers(2, 5), ridge=st.sampled_from([1e-6, 1e-4, 1e-2]), seed=st.integers(0, 10**6))
def test_directions_times_correlations_solve_the_generalised_eigenproblem(c, ridge, seed):
    X, y = draw_labelled(seed, c=c)
    hasher = ITQCCAHasher(n_bits=6, ridge=ridge, random_state=0).fit(X, y)
    correlations, W = solve_directly(X, label_indicator(y, len(X)).toarray(), ridge)
    np.testing.assert_allclose(hasher.correlations_, correlations[: c - 1], atol=1e-8)
    scaled = W[:, : c - 1] * correlations[: c - 1]
    # Directions are known up to a sign, and the rotation is undone by its own square.
    P = hasher.projections_
    np.testing.assert_allclose(P @ P.T, scaled @ scaled.T, atol=1e-6)


def test_single_labels_of_c_classes_have_c_less_one_correlations(digits):
    X, y = digits
    hasher = ITQCCAHasher(n_bits=32, random_state=0).fit(X, y)
    assert hasher.correlations_.shape == (9,)
    assert hasher.rotation_.shape == (9, 32)
    assert np.all((hasher.correlations_ > 0) & (hasher.correlations_ <= 1))
    assert len(np.unique(hasher.codes_, axis=1).T) > 2 * 9  # more bits see more all the same


def test_fewer_bits_than_correlations_take_the_largest(digits):
    X, y = digits
    all_of_them = ITQCCAHasher(n_bits=32, random_state=0).fit(X, y).correlations_
    few = ITQCCAHasher(n_bits=4, random_state=0).fit(X, y).correlations_
    np.testing.assert_allclose(few, all_of_them[:4])


def test_quantization_error_never_rises(digits):
    errors = ITQCCAHasher(n_bits=16, random_state=0).fit(*digits).quantization_error_
    assert len(errors) > 2
    assert np.all(np.diff(errors) <= 0)


def test_labels_help_on_items_not_seen(digits):
    X, X_new, y, y_new = train_test_split(*digits, random_state=0)
    supervised = ITQCCAHasher(n_bits=16, random_state=0).fit(X, y).score(X_new, y_new)
    assert supervised > 1.3 * ITQHasher(n_bits=16, random_state=0).fit(X).score(X_new, y_new)


def test_scale_of_the_items_changes_no_code():
    X, y = draw_labelled(0)
    codes = [ITQCCAHasher(n_bits=4, random_state=0).fit(x, y).codes_ for x in (X, 1024 * X)]
    np.testing.assert_array_equal(*codes)


def test_labels_and_their_indicator_give_the_same_codes():
    X, y = draw_labelled(1)
    names = np.array(["ant", "bee", "cat", "dog"])[y]
    indicator = label_indicator(y, len(y))
    codes = [
        ITQCCAHasher(n_bits=5, random_state=0).fit(X, labels).codes_
        for labels in (y, names, list(names), indicator, indicator.toarray())
    ]
    for other in codes[1:]:
        np.testing.assert_array_equal(codes[0], other)


def test_several_labels_are_taken():
    random = np.random.RandomState(0)
    Y = random.randint(2, size=(200, 5))
    X = Y @ random.normal(size=(5, 8)) + 0.1 * random.normal(size=(200, 8))
    hasher = ITQCCAHasher(n_bits=8, random_state=0).fit(X, Y)
    assert hasher.correlations_.shape == (5,)  # several labels do not sum to one
    assert hasher.correlations_.min() > 0.9
    sparse = ITQCCAHasher(n_bits=8, random_state=0).fit(X, sp.csr_array(Y))
    np.testing.assert_array_equal(hasher.codes_, sparse.codes_)


def test_sparse_rows_get_the_margins_of_dense_rows():
    X, y = draw_labelled(2)
    X = np.where(X > 5, X, 0)
    dense = ITQCCAHasher(n_bits=4, random_state=0).fit(X, y)
    sparse = ITQCCAHasher(n_bits=4, random_state=0).fit(sp.csr_array(X), y)
    np.testing.assert_allclose(dense.decision_function(X), sparse.decision_function(X), atol=1e-6)


def test_float32_items_have_float32_margins(digits):
    X, y = digits[0].astype(np.float32), digits[1]
    hasher = ITQCCAHasher(n_bits=16, random_state=0).fit(X, y)
    assert hasher.decision_function(X).dtype == np.float32


def test_few_or_duplicated_items_and_constant_features_are_taken():
    X, y = draw_labelled(3)
    X[:, 0] = 0.1
    doubled = ITQCCAHasher(n_bits=4, random_state=0).fit(np.vstack([X, X]), np.r_[y, y])
    assert doubled.correlations_.shape == (3,)
    codes = ITQCCAHasher(n_bits=3, random_state=0).fit(np.eye(2, 4), [0, 1]).codes_
    assert np.all(codes[0] != codes[1])


def test_more_bits_than_features_are_taken():
    X, y = draw_labelled(6, d=3)
    hasher = ITQCCAHasher(n_bits=12, random_state=0).fit(X, y)
    assert hasher.rotation_.shape == (3, 12)
    assert len(np.unique(hasher.codes_, axis=1).T) > 3
    one = ITQCCAHasher(n_bits=4, random_state=0).fit(X[:, :1], y)
    assert one.rotation_.shape == (1, 4)


def peak_of_fit(form):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3000)) * (rng.random((50, 3000)) < 0.1)
    return peak_memory(ITQCCAHasher(n_bits=4, random_state=0).fit, form(X), np.arange(50) % 3)


@pytest.mark.parametrize("form", [pytest.param(np.asarray, marks=pytest.mark.slow), sp.csr_array])
def test_at_most_two_covariance_matrices_are_held(form):
    assert alone(peak_of_fit, form) < 2.2 * 8 * 3000**2


def test_bad_input_is_refused_in_one_sentence():
    X, y = draw_labelled(4)
    hasher = ITQCCAHasher(n_bits=2)
    with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
        hasher.fit(X)
    with pytest.raises(ValueError, match="one class only among 80 items"):
        hasher.fit(X, np.zeros(len(X), dtype=int))
    with pytest.raises(ValueError, match="X is the same for all items"):
        hasher.fit(np.full_like(X, 0.1), y)
    with pytest.raises(ValueError, match="y has 79 items, X has 80"):
        hasher.fit(X, y[:-1])
    with pytest.raises(ValueError, match="0 and 1 only"):
        hasher.fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match=r"ridge must be .*; got 0"):
        ITQCCAHasher(n_bits=2, ridge=0.0).fit(X, y)
    for ridge in (np.nan, np.inf):
        with pytest.raises(ValueError, match="ridge must be"):
            ITQCCAHasher(n_bits=2, ridge=ridge).fit(X, y)
    with pytest.raises(ValueError, match=r"at most 20,000 .* got 19,997 and 4"):
        hasher.fit(sp.random_array((80, 19_997), density=0.001, rng=0, format="csr"), y)
    with pytest.raises(ValueError, match="uncorrelated"):
        hasher.fit(np.array([[0.0, 1], [0, -1], [0, 1], [0, -1]]), [0, 0, 1, 1])
