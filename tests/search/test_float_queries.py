"""Float queries: distances by real margins, with and without terms of the items."""

from __future__ import annotations

import numpy as np
import pytest

from hashlearn import HammingIndex, nearest_codes
from hashlearn.search import CodeTerms, FloatQueries, as_float_queries


def _codes(n, n_bits, seed=0):
    signs = np.random.RandomState(seed).choice([-1.0, 1.0], (n, n_bits))
    return signs, np.packbits(signs > 0, axis=1)


@pytest.mark.parametrize("n_bits", [1, 7, 8, 64, 130])
def test_distances_order_as_the_products_of_margins_and_signs(n_bits):
    margins = np.random.RandomState(1).normal(size=(5, n_bits))
    signs, packed = _codes(40, n_bits)
    expected = (np.abs(margins).sum(axis=1)[:, None] - margins @ signs.T) / 2
    np.testing.assert_allclose(FloatQueries(margins).distances(packed), expected, atol=1e-12)


def test_equal_sums_of_margins_are_equal_to_the_last_digit():
    margins = np.full((1, 30), 0.1)
    _, packed = _codes(200, 30)
    n_zeros = 30 - np.unpackbits(packed, axis=1, count=30).sum(axis=1)
    distances = FloatQueries(margins).distances(packed)[0]
    assert len(np.unique(distances)) == len(np.unique(n_zeros))


@pytest.mark.parametrize("use", ["scale", "bias"])
def test_terms_give_the_distances_to_reconstructions(use):
    rng = np.random.RandomState(0)
    W, mu, Q = rng.normal(size=(10, 20)), rng.normal(size=10), rng.normal(size=(5, 10))
    signs, packed = _codes(300, 20)
    X = mu + signs @ W.T
    lengths = np.linalg.norm(X, axis=1)
    terms = CodeTerms(W, mu, lengths=(lengths.min(), lengths.max()), use=use)
    if use == "scale":
        Q /= np.linalg.norm(Q, axis=1)[:, None]
        expected, factor, constants = 1 - Q @ X.T / lengths, 1, np.ones(5)
    else:
        expected = np.linalg.norm(Q[:, None] - X, axis=2)
        factor, constants = 2, np.square(Q).sum(axis=1)
    shifts = factor * (Q @ mu + np.abs(Q @ W).sum(axis=1))
    queries = FloatQueries(2 * factor * Q @ W, constants=constants, shifts=shifts, terms=terms)
    tolerance = 0.003 if use == "scale" else 0.06  # half a level
    np.testing.assert_allclose(queries.distances(packed), expected, atol=tolerance)


def test_levels_do_not_depend_on_the_codes_beside_them():
    rng = np.random.RandomState(0)
    terms = CodeTerms(rng.normal(size=(9, 33)), rng.normal(size=9), lengths=(5, 30), use="scale")
    _, packed = _codes(500, 33)
    together = terms.levels(packed)
    assert all(terms.levels(packed[i : i + 1])[0] == together[i] for i in range(0, 500, 7))
    assert terms.levels(packed[:0]).shape == (0,)


def test_rows_of_queries_are_queries():
    queries = FloatQueries(np.random.RandomState(0).normal(size=(6, 12)), model="5f0c")
    _, packed = _codes(9, 12)
    assert len(queries[2:4]) == 2
    assert queries[2:4].model == "5f0c"
    np.testing.assert_array_equal(
        queries[np.array([5, 0])].distances(packed), queries.distances(packed)[[5, 0]]
    )


@pytest.mark.parametrize("margins", [[1.0, 2.0], [[np.nan]], [["a"]], np.zeros((3, 0))])
def test_margins_that_are_not_finite_rows_are_refused(margins):
    with pytest.raises(ValueError, match="margins must be"):
        FloatQueries(margins)


def test_packed_codes_are_not_float_queries():
    assert as_float_queries(np.zeros((2, 4), dtype=np.uint8)) is None
    assert len(as_float_queries(np.zeros((2, 4), dtype=np.float32))) == 2


def test_no_queries_find_nothing():
    none = FloatQueries(np.empty((0, 12)))
    _, packed = _codes(20, 12)
    index = HammingIndex(12)
    index.add(packed)
    assert index.search(none, 3).ids.shape == (0, 3)
    assert index.radius_search(none, 3).ids.size == 0
    assert nearest_codes(none, packed, 3)[1].shape == (0, 3)
    assert none.distances(packed).shape == (0, 20)


def test_queries_are_taken_by_slices_and_arrays():
    queries = FloatQueries(np.ones((5, 12)), shifts=np.arange(5.0))
    assert len(queries[1:3]) == 2
    assert repr(queries) == "FloatQueries(5 queries, 12 bits)"
    np.testing.assert_array_equal(queries[np.array([4, 0])].shifts, [4, 0])
    with pytest.raises(TypeError, match="taken by a slice or an array; got 0"):
        queries[0]
    with pytest.raises(TypeError, match="not iterable"):
        list(queries)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"margins": np.full((2, 16), 1e308)}, "margins must be finite, and their sums"),
        ({"constants": [0.0, np.nan]}, "constants must be 2 finite numbers"),
        ({"shifts": np.zeros(3)}, "shifts must be 2 finite numbers"),
        ({"terms": CodeTerms(np.eye(4), np.zeros(4), lengths=(1, 2), use="bias")}, "4 bits"),
    ],
)
def test_parts_that_do_not_fit_are_refused(parts, message):
    with pytest.raises(ValueError, match=message):
        FloatQueries(**{"margins": np.ones((2, 16)), **parts})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"use": "Scale"}, "use must be"),
        ({"lengths": (2, 1)}, "lengths must be finite, increasing and not negative"),
        ({"lengths": (0, np.nan)}, "lengths must be finite, increasing and not negative"),
    ],
)
def test_terms_that_make_no_sense_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        CodeTerms(np.eye(2), np.zeros(2), **{"lengths": (1, 2), "use": "scale", **given})


def test_reconstructions_unlike_those_of_the_model_are_told():
    terms = CodeTerms(np.eye(20), np.zeros(20), lengths=(1, 2), use="bias")
    with pytest.warns(UserWarning, match="300 of 300 codes have reconstructions shorter or long"):
        terms.levels(_codes(300, 20)[1])
