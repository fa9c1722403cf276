"""CGHash: the objective falls with every column, the dual ends feasible, weights rank."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from hashlearn.affinity import LabelAffinity
from hashlearn.methods._parts import triplets
from hashlearn.methods._parts.triplets import BitSearch
from hashlearn.methods.cghash import CGHashHasher
from hashlearn.metrics import mean_average_precision, relevance_from_labels


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:600].astype(np.float32), y[:600]


@pytest.fixture(scope="module")
def fitted(digits):
    return CGHashHasher(n_bits=24, n_triplets=5000, random_state=0).fit(*digits)


def distances_apart(hasher, triplets):
    """Return how much farther k is than j, by the weighted distance."""
    codes, w = hasher.codes_.astype(bool), hasher.weights_
    i, j, k = triplets
    return (codes[i] != codes[k]) @ w - (codes[i] != codes[j]) @ w


def test_the_objective_falls_with_every_column(fitted):
    assert fitted.objective_.size == 25
    assert (np.diff(fitted.objective_) < 0).all()


def test_weights_are_not_negative_and_make_the_distance(fitted, digits):
    assert (fitted.weights_ >= 0).all()
    packed = fitted.encode(digits[0][:20])
    bits = fitted.transform(digits[0][:20]).astype(bool)
    expected = (bits[:, None] != bits) @ fitted.weights_
    np.testing.assert_allclose(fitted.distance_.between(packed, packed), expected, atol=1e-9)


def test_the_dual_of_the_drawn_triplets_ends_feasible(fitted, digits):
    y, C = digits[1], fitted.C
    triplets = LabelAffinity(y).draw_triplets(5000, np.random.RandomState(0))  # as fit drew them
    rho = distances_apart(fitted, triplets)
    u = 2 * C / rho.size * np.maximum(0, 1 - rho)
    codes = fitted.codes_.astype(bool)
    i, j, k = triplets
    constraint = u @ ((codes[i] != codes[k]).astype(float) - (codes[i] != codes[j]))
    assert (constraint <= 1 + 1e-3).all()
    np.testing.assert_allclose(constraint[fitted.weights_ > 1e-3], 1, atol=1e-3)


def test_new_items_rank_by_class_far_above_chance(fitted):
    X, y = load_digits(return_X_y=True)
    queries, database = (fitted.encode(X[part]) for part in (slice(1200, None), slice(1200)))
    relevance = relevance_from_labels(y[1200:], y[:1200])
    assert mean_average_precision(queries, database, relevance, distance=fitted.distance_) > 0.75


def test_the_objective_of_more_bits_begins_with_that_of_fewer(fitted, digits):
    fewer = CGHashHasher(n_bits=5, n_triplets=5000, random_state=0).fit(*digits)
    np.testing.assert_array_equal(fewer.objective_, fitted.objective_[:6])


def test_bits_that_nothing_asks_for_are_constant_with_weight_zero(digits):
    X, y = digits
    hasher = CGHashHasher(n_bits=32, n_triplets=2000, C=2.0, random_state=0)
    with pytest.warns(ConvergenceWarning, match="constant with weight 0"):
        hasher.fit(X, y)
    n_learned = hasher.objective_.size - 1
    assert 0 < n_learned < 32
    assert not hasher.codes_[:, n_learned:].any()
    assert not hasher.weights_[n_learned:].any()
    assert hasher.codes_.shape == (600, 32)


def test_a_search_that_finds_nothing_is_made_once_more(digits, monkeypatch):
    best, searches = BitSearch.best, []

    def sometimes(self, duals):
        searches.append(duals)
        bit = best(self, duals)
        return bit._replace(gain=0.0) if len(searches) == 3 else bit

    monkeypatch.setattr(BitSearch, "best", sometimes)
    hasher = CGHashHasher(n_bits=4, n_triplets=2000, random_state=0).fit(*digits)
    assert hasher.objective_.size == 5
    assert len(searches) == 5
    assert searches[2] is searches[3]


def test_weights_that_are_not_solved_for_warn_once(digits, monkeypatch):
    monkeypatch.setattr(triplets, "_MAX_STEPS", 1)
    with pytest.warns(ConvergenceWarning, match="weights did not converge") as caught:
        CGHashHasher(n_bits=4, n_triplets=2000, random_state=0).fit(*digits)
    assert len(caught) == 1


def test_equal_rows_get_one_code_and_a_warning():
    same = pytest.warns(ConvergenceWarning, match="same code.*most are of one class")
    with same, pytest.warns(ConvergenceWarning, match="first 0"):
        hasher = CGHashHasher(n_bits=3, random_state=0).fit(np.full((8, 2), 0.1), np.arange(8) % 2)
    assert (hasher.codes_ == hasher.codes_[0]).all()


def test_items_outside_all_triplets_are_hashed_too(digits):
    X, y = digits
    hasher = CGHashHasher(n_bits=4, n_triplets=20, random_state=0).fit(X, y)
    assert hasher.codes_.shape == (600, 4)
    np.testing.assert_array_equal(hasher.codes_, hasher.transform(X))


def test_sparse_items_are_hashed_about_as_dense_ones(digits):
    X, y = digits
    dense = CGHashHasher(n_bits=16, n_triplets=5000, random_state=0).fit(X, y)
    rows = sp.csr_matrix(X)
    sparse = CGHashHasher(n_bits=16, n_triplets=5000, random_state=0).fit(rows, y)
    assert sparse.score(rows, y) == pytest.approx(dense.score(X, y), abs=0.05)


def test_labels_and_their_affinity_lead_to_the_same_bits(digits):
    X, y = digits
    labels = CGHashHasher(n_bits=6, n_triplets=2000, random_state=0).fit(X, y)
    affinity = LabelAffinity(y)
    given = CGHashHasher(n_bits=6, n_triplets=2000, random_state=0).fit(X, affinity=affinity)
    np.testing.assert_array_equal(labels.codes_, given.codes_)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_triplets": 0}, "n_triplets"),
        ({"C": 0.0}, "C must be a positive number; got 0.0"),
        ({"C": "auto"}, "C must be .*; got 'auto'"),
        ({"C": None}, "C must be .*; got None"),
        ({"C": True}, "C must be .*; got True"),
        ({"C": np.nan}, "C must be .*; got nan"),
        ({"n_steps": 0}, "n_steps"),
    ],
)
def test_wrong_parameters_are_refused(parameters, message, digits):
    with pytest.raises(ValueError, match=message):
        CGHashHasher(**parameters).fit(*digits)


def test_labels_without_triplets_are_refused():
    X = np.arange(8.0).reshape(4, 2)
    with pytest.raises(ValueError, match="one class only"):
        CGHashHasher().fit(X, np.zeros(4))
    with pytest.raises(ValueError, match="all 4 labels are different"):
        CGHashHasher().fit(X, np.arange(4))


def test_float32_and_an_offset_do_not_raise_numpy_warnings(digits):
    X, y = digits
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        CGHashHasher(n_bits=8, n_triplets=1000, random_state=0).fit(X + 1000, y)
